/* Files that a method makes lie in folders of their own in the run's. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "run/runner.h"

scr_status runner_take_file(void *user, const char *name, sim_file_writer *writer, const void *what, uint64_t *bytes, scr_error *error)
{
  const runner *run = user;
  char path[PATH_MAX], folder[PATH_MAX];
  struct stat about;
  *bytes = 0;
  if (!runner_leads(run)) return SCR_OK;
  int folder_length = (int)strcspn(name, "/");
  if (snprintf(path, sizeof path, "%s/%s", run->options->directory, name) >= (int)sizeof path ||
      snprintf(folder, sizeof folder, "%s/%.*s", run->options->directory, folder_length, name) >= (int)sizeof folder)
    return scr_fail_io(error, "create", name, ENAMETOOLONG);
  if (mkdir(folder, 0755) != 0 && errno != EEXIST) return scr_fail_io(error, "create the directory", folder, errno);
  SCR_TRY(writer(what, path, error));
  if (stat(path, &about) != 0) return scr_fail_io(error, "find", path, errno);
  *bytes = (uint64_t)about.st_size;
  return SCR_OK;
}
