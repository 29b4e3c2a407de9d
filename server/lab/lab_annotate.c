/* What people write on jobs, and what is told of them: names, tags, notes, priority; attempts, events, the scene. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/lab/lab_internal.h"

/* ── changes and looks ────────────────────────────────────────────────────────────────────────────────────────── */

static lab_status no_such_job(int64_t id, scr_error *error)
{
  scr_fail(error, SCR_BAD_USAGE, NULL, "job %lld does not exist", (long long)id);
  return LAB_NOT_FOUND;
}

lab_status lab_edit(lab *self, int64_t id, const lab_change *change, lab_job *job, scr_problems *problems, scr_error *error)
{
  size_t before = problems->count;
  bool found;
  lab_check_change(change, problems);
  if (problems->count > before) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "%s", problems->items[before].detail);
    return LAB_BAD_REQUEST;
  }
  if (store_edit(self->store, id, change, clock_wall_ms(), &found, job, error) != SCR_OK) return LAB_FAILED;
  if (!found) return no_such_job(id, error);
  supervisor_notice(self->supervisor, id, LAB_EVENT_JOB);
  return lab_get(self, id, job, error);
}

static lab_status check_there(lab *self, int64_t id, scr_error *error)
{
  lab_job job;
  bool found;
  if (store_get(self->store, id, &job, &found, error) != SCR_OK) return LAB_FAILED;
  return found ? LAB_OK : no_such_job(id, error);
}

lab_status lab_attempts(lab *self, int64_t id, lab_attempt *attempts, size_t capacity, size_t *count, scr_error *error)
{
  lab_status there = check_there(self, id, error);
  if (there != LAB_OK) return there;
  return store_attempts(self->store, id, attempts, capacity, count, error) == SCR_OK ? LAB_OK : LAB_FAILED;
}

lab_status lab_events(lab *self, int64_t job, int64_t after, lab_happening *events, size_t capacity, size_t *count, bool *more,
                      scr_error *error)
{
  lab_status there = job > 0 ? check_there(self, job, error) : LAB_OK;
  if (there != LAB_OK) return there;
  return store_events(self->store, job, after, events, capacity, count, more, error) == SCR_OK ? LAB_OK : LAB_FAILED;
}

/* ── the scene ────────────────────────────────────────────────────────────────────────────────────────────────── */

static lab_status read_scene_file(lab *self, int64_t id, char **text, size_t *length, scr_error *error)
{
  char path[DATA_PATH_BYTES + 64] = "";
  struct stat about;
  int fd =
      data_job_path(&self->data, id, "scene.json", path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
  if (fd < 0) return scr_fail_io(error, "open the scene", path, errno) == SCR_OK ? LAB_OK : LAB_FAILED;
  ssize_t got = -1;
  if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && (*text = malloc((size_t)about.st_size + 1)))
    got = pread(fd, *text, (size_t)about.st_size, 0);
  close(fd);
  if (got >= 0) {
    (*text)[got] = 0;
    *length = (size_t)got;
    return LAB_OK;
  }
  free(*text);
  *text = NULL;
  scr_fail(error, SCR_IO, NULL, "the scene of job %lld can't be read", (long long)id);
  return LAB_FAILED;
}

lab_status lab_scene(lab *self, int64_t id, char **text, size_t *length, scr_error *error)
{
  bool found;
  lab_status there = check_there(self, id, error);
  *text = NULL;
  if (there != LAB_OK) return there;
  if (store_scene(self->store, id, text, length, &found, error) != SCR_OK) return LAB_FAILED;
  if (*text) return LAB_OK;
  if (read_scene_file(self, id, text, length, error) == LAB_OK) return LAB_OK;
  /* Row and file go one after the other when a job is deleted: where neither was met, the job may be gone since. */
  scr_error since = {0};
  there = check_there(self, id, &since);
  if (there != LAB_OK) *error = since;
  return there == LAB_OK ? LAB_FAILED : there;
}
