/* A file of a contact problem, in whichever format it is. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "contact/files/contact_file.h"
#include "contact/files/fclib.h"
#include "contact/files/text_problem.h"

scr_status contact_file_read(const char *path, contact_file *file, scr_error *error)
{
  unsigned char begin[8] = {0};
  *file = (contact_file){0};
  FILE *in = fopen(path, "rb");
  if (!in) return scr_fail_io(error, "open", path, errno);
  size_t got = fread(begin, 1, sizeof begin, in);
  fclose(in);
  return got == 8 && memcmp(begin, "\x89HDF\r\n\x1a\n", 8) == 0 ? fclib_read(path, file, error) : text_problem_read(path, file, error);
}
