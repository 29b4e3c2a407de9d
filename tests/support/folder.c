/* Temporary folders for tests. */
#include "tests/support/folder.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

char *folder_create(void)
{
  const char *parent = getenv("TMPDIR");
  char *folder = folder_path(parent && *parent ? parent : "/tmp", "scree-test-XXXXXX");
  if (!mkdtemp(folder)) {
    perror("folder_create");
    exit(1);
  }
  return folder;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
  (void)about;
  (void)kind;
  (void)where;
  if (remove(path) != 0) perror(path);
  return 0; /* goes on: as much as possible is removed */
}

void folder_remove(char *folder)
{
  if (folder) nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(folder);
}

char *folder_path(const char *folder, const char *name)
{
  char *path = NULL;
  if (asprintf(&path, "%s/%s", folder, name) < 0) {
    perror("folder_path");
    exit(1);
  }
  return path;
}

size_t file_read(const char *path, unsigned char **bytes)
{
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  fseek(in, 0, SEEK_END);
  size_t size = (size_t)ftell(in);
  rewind(in);
  *bytes = malloc(size + 1);
  assert_int_equal(fread(*bytes, 1, size, in), size);
  fclose(in);
  return size;
}

void file_write(const char *path, const void *bytes, size_t size)
{
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, size, out), size);
  fclose(out);
}
