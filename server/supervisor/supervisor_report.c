/* What the supervisor says of its jobs: events to its listener, progress to whoever asks for it. */
#include "server/supervisor/supervisor_internal.h"

void supervisor_report(supervisor *self, int64_t id, lab_event event)
{
  pthread_mutex_lock(&self->listener_mutex);
  if (self->listener) self->listener(self->listener_user, id, event);
  pthread_mutex_unlock(&self->listener_mutex);
}

void supervisor_listen(supervisor *self, void (*listener)(void *user, int64_t id, lab_event event), void *user)
{
  pthread_mutex_lock(&self->listener_mutex);
  self->listener = listener;
  self->listener_user = user;
  pthread_mutex_unlock(&self->listener_mutex);
}

void supervisor_publish(supervisor *self, const worker_slot *slot)
{
  live_progress *live = &self->live[slot - self->slots];
  pthread_mutex_lock(&self->mutex);
  live->id = slot->used ? slot->id : 0;
  live->job = slot->live;
  pthread_mutex_unlock(&self->mutex);
}
