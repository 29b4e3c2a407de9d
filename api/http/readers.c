/* Idle readers by job. A reader in use is nobody else's, so two requests for one job at once have one each and never wait. */
#include "api/http/readers.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

enum { idle_limit = 16, forgotten_limit = 256 };

struct http_readers {
  pthread_mutex_t lock;
  struct {
    int64_t id;
    scr_recording *recording;
  } idle[idle_limit]; /* [count], the longest idle first */
  size_t count;
  int64_t forgotten[forgotten_limit]; /* deleted last: numbers are never given again */
  size_t next_forgotten;
};

http_readers *readers_create(void)
{
  http_readers *readers = calloc(1, sizeof *readers);
  if (readers) pthread_mutex_init(&readers->lock, NULL);
  return readers;
}

void readers_destroy(http_readers *readers)
{
  if (!readers) return;
  for (size_t i = 0; i < readers->count; i++) scr_recording_close(readers->idle[i].recording);
  pthread_mutex_destroy(&readers->lock);
  free(readers);
}

/* Takes entry `index` out of the list. The lock is held. */
static scr_recording *remove_idle(http_readers *readers, size_t index)
{
  scr_recording *recording = readers->idle[index].recording;
  readers->count--;
  for (size_t i = index; i < readers->count; i++) readers->idle[i] = readers->idle[i + 1];
  return recording;
}

static scr_recording *take_idle(http_readers *readers, int64_t id)
{
  scr_recording *recording = NULL;
  pthread_mutex_lock(&readers->lock);
  for (size_t i = readers->count; i-- > 0 && !recording;)
    if (readers->idle[i].id == id) recording = remove_idle(readers, i);
  pthread_mutex_unlock(&readers->lock);
  return recording;
}

/* Holds an ended job's recording against what is known of its end. A recording may have no `end` record where the last attempt died, but
 * never fewer records than there were. */
static scr_status look_at_end(const lab_job *job, readers_care care, http_reader *reader, scr_error *error)
{
  bool missing = scr_recording_count(reader->recording) < job->progress.last_seq ||
                 (job->state == JOB_SUCCEEDED && !scr_recording_ended(reader->recording));
  if (!missing && care != READERS_EVERY_BYTE) return SCR_OK;
  reader->verified = true;
  uint64_t expected = job->progress.last_seq;
  if (expected == 0 && job->state == JOB_SUCCEEDED) expected = scr_recording_count(reader->recording) + 1;
  SCR_TRY(scr_recording_verify(reader->recording, expected, &reader->check, error));
  return SCR_OK;
}

static lab_status take(http_readers *readers, lab *the_lab, int64_t id, readers_care care, http_reader *reader, scr_error *error)
{
  char path[PATH_MAX];
  lab_job job;
  *reader = (http_reader){.id = id};
  lab_status status = lab_job_file(the_lab, id, "recording.scree", path, sizeof path, error);
  if (status == LAB_OK) status = lab_get(the_lab, id, &job, error); /* before the file is looked at: what it tells is in there then */
  if (status != LAB_OK) return status;
  reader->ended = lab_job_state_ended(job.state);
  scr_recording *found = take_idle(readers, id);
  bool missing = !found && access(path, F_OK) != 0 && errno == ENOENT;
  if (missing && !(reader->ended && job.progress.last_seq > 0)) return LAB_OK;
  if (missing) {
    (void)scr_fail(error, SCR_IO, NULL, "the recording of job %lld, with its %llu records, is missing", (long long)id,
                   (unsigned long long)job.progress.last_seq);
    return LAB_FAILED;
  }
  scr_status done = found ? SCR_OK : scr_recording_open(path, &found, error);
  if (done == SCR_OK) done = scr_recording_refresh(found, error);
  reader->recording = found;
  if (done == SCR_OK && reader->ended) done = look_at_end(&job, care, reader, error);
  if (done == SCR_OK) return LAB_OK;
  scr_recording_close(found);
  reader->recording = NULL;
  return LAB_FAILED;
}

lab_status readers_take(http_readers *readers, lab *the_lab, int64_t id, readers_care care, http_reader *reader, scr_error *error)
{
  lab_status status = take(readers, the_lab, id, care, reader, error);
  if (status != LAB_FAILED || !lab_deleting(the_lab, id)) return status;
  (void)scr_fail(error, SCR_BAD_USAGE, NULL, "job %lld no longer exists", (long long)id); /* its files went while we looked */
  return LAB_NOT_FOUND;
}

void readers_give(http_readers *readers, http_reader *reader)
{
  scr_recording *surplus = reader->recording;
  reader->recording = NULL;
  if (!surplus) return;
  bool keep = !(reader->verified && reader->check.integrity == SCR_DAMAGED); /* a damaged one may be put right */
  pthread_mutex_lock(&readers->lock);
  for (size_t i = 0; i < forgotten_limit && keep; i++) keep = readers->forgotten[i] != reader->id;
  if (keep) {
    scr_recording *kept = surplus;
    surplus = readers->count == idle_limit ? remove_idle(readers, 0) : NULL;
    readers->idle[readers->count].id = reader->id;
    readers->idle[readers->count].recording = kept;
    readers->count++;
  }
  pthread_mutex_unlock(&readers->lock);
  scr_recording_close(surplus);
}

void readers_forget(http_readers *readers, int64_t id)
{
  scr_recording *recording;
  pthread_mutex_lock(&readers->lock);
  readers->forgotten[readers->next_forgotten++ % forgotten_limit] = id;
  pthread_mutex_unlock(&readers->lock);
  while ((recording = take_idle(readers, id))) scr_recording_close(recording);
}
