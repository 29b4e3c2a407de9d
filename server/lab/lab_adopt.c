/* Recordings without a job: what is left in jobs/ when the store was lost, or set back to an older copy. They are kept, said at the start,
 * and taken in again on request: as jobs with their old numbers, queued, whose worker finds the recording and ends at once with its
 * verdict, or goes on from the checkpoint of one that has not ended. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "server/lab/lab_internal.h"

/* ── which they are ── */

typedef struct search {
  lab *lab;
  int64_t after;
  int64_t *ids; /* [capacity], the smallest behind `after`, in their order */
  size_t capacity, kept, count;
} search;

static void keep(search *s, int64_t id)
{
  size_t at = s->kept < s->capacity ? s->kept++ : s->capacity;
  if (at == s->capacity && (at == 0 || s->ids[--at] < id)) return;
  for (; at > 0 && s->ids[at - 1] > id; at--) s->ids[at] = s->ids[at - 1];
  s->ids[at] = id;
}

static void look(void *user, int64_t id, data_content content)
{
  search *s = user;
  lab_job job;
  bool found = true;
  if (id <= s->after || !content.recording || store_get(s->lab->store, id, &job, &found, NULL) != SCR_OK || found) return;
  keep(s, id);
  s->count++;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): `keep` writes the numbers */
size_t lab_unclaimed(lab *self, int64_t after, int64_t *ids, size_t capacity)
{
  search s = {.lab = self, .after = after, .ids = ids, .capacity = capacity};
  data_each(&self->data, false, look, &s);
  return s.count;
}

void lab_report_unclaimed(lab *self)
{
  int64_t first = 0;
  size_t count = lab_unclaimed(self, 0, &first, 1);
  if (count == 0) return;
  log_write(self->config.log, LOG_LEVEL_WARNING, "recordings_without_job",
            LOG_FIELDS(log_integer("count", (int64_t)count), log_integer("job", first),
                       log_text("hint", "the store has no entry for them; `scree admin adopt` takes them in again")));
}

/* ── taking them in ── */

static lab_status read_scene(const lab *self, int64_t id, char **text, size_t *length, scr_error *error)
{
  char path[DATA_PATH_BYTES + 64];
  struct stat about;
  int fd =
      data_job_path(&self->data, id, "scene.json", path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
  if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    scr_fail(error, SCR_BAD_FILE, NULL, "it has no readable scene.json, so its scene is unknown: export it with `scree export`");
  } else if (about.st_size > (off_t)self->config.limits.text_bytes * 2) {
    scr_fail(error, SCR_BAD_FILE, NULL, "its scene.json has %lld bytes, more than a scene may have", (long long)about.st_size);
  } else if (!(*text = malloc((size_t)about.st_size + 1))) {
    scr_fail_memory(error, "a scene", (size_t)about.st_size);
  } else {
    ssize_t got = pread(fd, *text, (size_t)about.st_size, 0);
    *length = got > 0 ? (size_t)got : 0;
    if (got == about.st_size) {
      close(fd);
      return LAB_OK;
    }
    free(*text);
    scr_fail(error, SCR_IO, NULL, "its scene.json could not be read completely");
  }
  *text = NULL;
  if (fd >= 0) close(fd);
  return LAB_FAILED;
}

static bool has_ended(const lab *self, int64_t id)
{
  char path[DATA_PATH_BYTES + 64];
  scr_recording *recording = NULL;
  bool ended = data_job_path(&self->data, id, "recording.scree", path, sizeof path) &&
               scr_recording_open(path, &recording, NULL) == SCR_OK && scr_recording_ended(recording);
  scr_recording_close(recording);
  return ended;
}

/* A run that has ended needs no more than to be read, however large it was, and whatever this laboratory would allow it now. */
static lab_status check_again(lab *self, int64_t id, const char *text, size_t length, lab_scene_facts *facts, scr_problems *problems,
                              scr_error *error)
{
  scr_limits limits = self->config.limits;
  bool ended = has_ended(self, id);
  if (ended) {
    limits.memory_bytes = SIZE_MAX;
    limits.record_bytes = UINT64_MAX;
  }
  lab_status status = lab_check_scene_within(self, &limits, text, length, NULL, facts, problems, error);
  if (status == LAB_OK && ended) {
    facts->estimate.memory_bytes = fmin(facts->estimate.memory_bytes, (double)self->config.limits.memory_bytes);
    facts->estimate.record_bytes = facts->estimate.state_bytes = NAN;
  }
  return status;
}

lab_status lab_adopt(lab *self, int64_t id, lab_job *job, scr_error *error)
{
  char *text = NULL;
  size_t length = 0;
  bool created = false;
  lab_scene_facts facts;
  scr_problems problems = {0};
  lab_status status = read_scene(self, id, &text, &length, error);
  if (status != LAB_OK) return status;
  status = check_again(self, id, text, length, &facts, &problems, error);
  free(text);
  if (status == LAB_REFUSED && problems.count > 0)
    scr_fail(error, SCR_BAD_SCENE, NULL, "its scene can't run any more: %.400s", problems.items[0].detail);
  scr_problems_clear(&problems);
  if (status != LAB_OK) return status;
  store_submission submission = {.id = id, .request = "", .max_attempts = self->config.max_attempts, .queue_limit = SIZE_MAX};
  status = lab_insert_checked(self, &facts, &submission, job, &created, error);
  lab_scene_facts_clear(&facts);
  return status;
}
