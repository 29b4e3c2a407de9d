/* Names of files are checked here, so that no taker has to. */
#include "sim/files.h"

#include <string.h>

static bool is_name(const char *text, size_t length)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-.";
  return length > 0 && text[0] != '.' && text[0] != '-' && strspn(text, letters) >= length;
}

scr_status sim_write_file(const sim_files *files, const char *name, sim_file_writer *writer, const void *what, uint64_t *bytes,
                          scr_error *error)
{
  const char *slash = strchr(name, '/');
  *bytes = 0;
  if (!slash || !is_name(name, (size_t)(slash - name)) || !is_name(slash + 1, strlen(slash + 1)) || strlen(name) >= SIM_FILE_NAME_LENGTH)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "'%s' is not a valid name of a file in a folder: folder/file of small letters, digits, '_', '-' and '.'", name);
  return files->take ? files->take(files->user, name, writer, what, bytes, error) : SCR_OK;
}
