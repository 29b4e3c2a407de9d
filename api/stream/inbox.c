/* The locked inbox. Nothing is done under its lock but copying. */
#include "api/stream/inbox.h"

#include <string.h>
#include <unistd.h>

void inbox_init(inbox *in)
{
  memset(&in->content, 0, sizeof in->content);
  memset(in->places, 0, sizeof in->places);
  pthread_mutex_init(&in->lock, NULL);
}

void inbox_destroy(inbox *in)
{
  for (size_t i = 0; i < in->content.socket_count; i++) close(in->content.sockets[i]);
  pthread_mutex_destroy(&in->lock);
}

bool inbox_put_socket(inbox *in, int socket)
{
  pthread_mutex_lock(&in->lock);
  bool has_space = in->content.socket_count < INBOX_SOCKETS && !in->content.stopping;
  if (has_space) in->content.sockets[in->content.socket_count++] = socket;
  pthread_mutex_unlock(&in->lock);
  return has_space;
}

/* Where a job's place is kept, or is to be. */
static uint16_t *find_place(inbox *in, int64_t job)
{
  size_t at = (uint64_t)job * 0x9e3779b97f4a7c15u >> 32;
  while (in->places[at % INBOX_BUCKETS] && in->content.jobs[in->places[at % INBOX_BUCKETS] - 1].job != job) at++;
  return &in->places[at % INBOX_BUCKETS];
}

void inbox_put_job(inbox *in, int64_t job, lab_event event)
{
  pthread_mutex_lock(&in->lock);
  inbox_content *c = &in->content;
  uint16_t *place = find_place(in, job);
  if (*place)
    c->jobs[*place - 1].events |= 1u << event;
  else if (c->job_count < INBOX_JOBS) {
    c->jobs[c->job_count++] = (inbox_job){.job = job, .events = 1u << event};
    *place = (uint16_t)c->job_count;
  } else
    c->overflow = true;
  pthread_mutex_unlock(&in->lock);
}

void inbox_put_stop(inbox *in)
{
  pthread_mutex_lock(&in->lock);
  in->content.stopping = true;
  pthread_mutex_unlock(&in->lock);
}

void inbox_take(inbox *in, inbox_content *content)
{
  pthread_mutex_lock(&in->lock);
  inbox_content *c = &in->content;
  memcpy(content->sockets, c->sockets, c->socket_count * sizeof *c->sockets);
  memcpy(content->jobs, c->jobs, c->job_count * sizeof *c->jobs);
  content->socket_count = c->socket_count;
  content->job_count = c->job_count;
  content->overflow = c->overflow;
  content->stopping = c->stopping;
  if (c->job_count > 0) memset(in->places, 0, sizeof in->places);
  c->socket_count = c->job_count = 0;
  c->overflow = false;
  pthread_mutex_unlock(&in->lock);
}
