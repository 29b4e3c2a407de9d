/* Fuzzes the reader of contact problems written as text, and what is read is written and must read back the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contact/files/text_problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_read_back(const contact_file *file)
{
  char path[] = "/tmp/scree-fuzz-XXXXXX";
  contact_file back;
  int draft = mkstemp(path);
  if (draft < 0) abort();
  close(draft);
  if (text_problem_write(path, &file->problem, file->velocity, file->relative, file->impulse, NULL) != SCR_OK) abort();
  if (text_problem_read(path, &back, NULL) != SCR_OK) abort();
  const contact_problem *a = &file->problem, *b = &back.problem;
  if (a->contact_count != b->contact_count || a->block_count * a->block_size != b->block_count * b->block_size) abort();
  if (memcmp(a->offset, b->offset, a->contact_count * a->dimension * sizeof *a->offset) != 0) abort();
  contact_file_clear(&back);
  unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  contact_file file;
  if (text_problem_parse((const char *)data, size, &file, NULL) != SCR_OK) {
    if (file.problem.momentum || file.impulse) abort();
    return 0;
  }
  must_read_back(&file);
  contact_file_clear(&file);
  return 0;
}
