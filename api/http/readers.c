/* Idle readers by job. A reader in use is nobody else's, so two requests for one job at once have one each and never wait. */
#include "api/http/readers.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { idle_limit = 16 };

struct http_readers {
  pthread_mutex_t lock;
  struct {
    int64_t id;
    scr_recording *recording;
  } idle[idle_limit]; /* [count], the longest idle first */
  size_t count;
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

lab_status readers_take(http_readers *readers, lab *the_lab, int64_t id, scr_recording **recording, scr_error *error)
{
  char path[PATH_MAX];
  *recording = NULL;
  lab_status status = lab_job_file(the_lab, id, "recording.scree", path, sizeof path, error);
  if (status != LAB_OK) return status;
  scr_recording *found = take_idle(readers, id);
  if (!found) {
    if (access(path, F_OK) != 0 && errno == ENOENT) return LAB_OK;
    if (scr_recording_open(path, &found, error) != SCR_OK) return LAB_FAILED;
  }
  if (scr_recording_refresh(found, error) != SCR_OK) {
    scr_recording_close(found);
    return LAB_FAILED;
  }
  *recording = found;
  return LAB_OK;
}

void readers_give(http_readers *readers, int64_t id, scr_recording *recording)
{
  if (!recording) return;
  scr_recording *surplus = NULL;
  pthread_mutex_lock(&readers->lock);
  if (readers->count == idle_limit) surplus = remove_idle(readers, 0);
  readers->idle[readers->count].id = id;
  readers->idle[readers->count].recording = recording;
  readers->count++;
  pthread_mutex_unlock(&readers->lock);
  scr_recording_close(surplus);
}

void readers_forget(http_readers *readers, int64_t id)
{
  scr_recording *recording;
  while ((recording = take_idle(readers, id))) scr_recording_close(recording);
}
