/* Files that a job's method made, beside what the service keeps of it: they lie one folder deep in the job's directory, so they are told
 * from its own. A worker is not trusted: nothing that is not a plain file is followed, opened or waited for. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "server/lab/lab_internal.h"

enum { OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Whether it is a name that a method may give (core/sim/files.h), and not that of a file which is still being written. */
static bool is_name(const char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-.";
  return *name && *name != '.' && *name != '-' && name[strspn(name, letters)] == '\0' && !strstr(name, ".tmp-");
}

/* Opens a folder of the job. @return LAB_OK with *fd -1 where there is none yet */
static lab_status open_job(lab *self, int64_t id, int *fd, scr_error *error)
{
  bool found;
  lab_job job;
  char path[PATH_MAX];
  *fd = -1;
  if (store_get(self->store, id, &job, &found, error) != SCR_OK) return LAB_FAILED;
  if (!found) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "job %lld does not exist", (long long)id);
    return LAB_NOT_FOUND;
  }
  if (data_job_path(&self->data, id, NULL, path, sizeof path)) *fd = open(path, OPEN_FOLDER);
  return LAB_OK;
}

typedef struct file_list {
  lab_file *files;
  size_t count, capacity;
} file_list;

static bool add(file_list *list, const char *folder, const char *name, uint64_t bytes)
{
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 16;
    lab_file *files = realloc(list->files, capacity * sizeof *files);
    if (!files) return false;
    list->files = files;
    list->capacity = capacity;
  }
  lab_file *file = &list->files[list->count];
  if (snprintf(file->name, sizeof file->name, "%s/%s", folder, name) >= (int)sizeof file->name) return true; /* no name of ours */
  file->bytes = bytes;
  list->count++;
  return true;
}

static bool add_folder(file_list *list, int job, const char *folder)
{
  int fd = openat(job, folder, OPEN_FOLDER);
  DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
  bool whole = true;
  struct stat about;
  if (!stream) {
    if (fd >= 0) close(fd);
    return true;
  }
  // cppcheck-suppress readdirCalled; the stream is this call's own
  for (const struct dirent *entry; whole && list->count < LAB_FILES_LIMIT && (entry = readdir(stream));)
    if (is_name(entry->d_name) && fstatat(fd, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode))
      whole = add(list, folder, entry->d_name, (uint64_t)about.st_size);
  closedir(stream);
  return whole;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const lab_file *)a)->name, ((const lab_file *)b)->name);
}

lab_status lab_files(lab *self, int64_t id, lab_file **files, size_t *count, scr_error *error)
{
  int fd;
  file_list list = {0};
  bool whole = true;
  *files = NULL;
  *count = 0;
  lab_status status = open_job(self, id, &fd, error);
  if (status != LAB_OK || fd < 0) return status;
  DIR *stream = fdopendir(fd);
  if (!stream) {
    close(fd);
    return LAB_OK;
  }
  // cppcheck-suppress readdirCalled; the stream is this call's own
  for (const struct dirent *entry; whole && (entry = readdir(stream));)
    if (is_name(entry->d_name) && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)) whole = add_folder(&list, fd, entry->d_name);
  closedir(stream);
  if (!whole) {
    free(list.files);
    scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for the list of a job's files");
    return LAB_FAILED;
  }
  if (list.count > 0) qsort(list.files, list.count, sizeof *list.files, by_name);
  *files = list.files;
  *count = list.count;
  return LAB_OK;
}

lab_status lab_open_file(lab *self, int64_t id, const char *folder, const char *name, int *fd, uint64_t *bytes, scr_error *error)
{
  int job;
  struct stat about;
  *fd = -1;
  lab_status status = open_job(self, id, &job, error);
  if (status != LAB_OK) return status;
  int inside = job >= 0 && is_name(folder) ? openat(job, folder, OPEN_FOLDER) : -1;
  if (inside >= 0 && is_name(name)) *fd = openat(inside, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (inside >= 0) close(inside);
  if (job >= 0) close(job);
  if (*fd >= 0 && fstat(*fd, &about) == 0 && S_ISREG(about.st_mode)) {
    *bytes = (uint64_t)about.st_size;
    return LAB_OK;
  }
  if (*fd >= 0) close(*fd);
  *fd = -1;
  scr_fail(error, SCR_BAD_USAGE, NULL, "job %lld has no file '%.60s/%.90s'; /api/v1/jobs/%lld/files lists those it has", (long long)id,
           folder, name, (long long)id);
  return LAB_NOT_FOUND;
}
