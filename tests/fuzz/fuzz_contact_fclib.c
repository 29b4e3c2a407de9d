/* Fuzzes the reader of FCLIB's HDF5 files; what it takes is solved for a few steps, which must leave finite numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "contact/files/fclib.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);
const char *__asan_default_options(void);

/* HDF5 1.10 itself loses some memory of damaged files that it refuses to open. */
const char *__lsan_default_suppressions(void)
{
  return "leak:libhdf5";
}

/* It also asks for as much memory as such a file says, and takes no for an answer (see FUZZ_OPTIONS in deploy/lint.mk). */
const char *__asan_default_options(void)
{
  return "allocator_may_return_null=1";
}

static void solve(const contact_file *file)
{
  const contact_problem *p = &file->problem;
  size_t rows = p->contact_count * p->dimension, size = p->block_count * p->block_size;
  double *impulse = calloc(rows, sizeof *impulse), *relative = calloc(rows, sizeof *relative), *velocity = calloc(size, sizeof *velocity);
  contact_options options = contact_options_default();
  contact_result result;
  options.iteration_limit = 5;
  options.factor_limit = 5;
  if (impulse && relative && velocity && contact_solve(p, &options, impulse, velocity, relative, &result, NULL) == SCR_OK)
    for (size_t k = 0; k < rows; k++)
      if (!isfinite(impulse[k])) abort();
  free(impulse);
  free(relative);
  free(velocity);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[] = "/tmp/scree-fuzz-XXXXXX";
  contact_file file;
  int draft = mkstemp(path);
  if (draft < 0 || write(draft, data, size) != (ssize_t)size) abort();
  close(draft);
  if (fclib_read(path, &file, NULL) == SCR_OK) {
    if (file.problem.contact_count < 200 && file.problem.block_count < 2000) solve(&file);
    contact_file_clear(&file);
  }
  unlink(path);
  return 0;
}
