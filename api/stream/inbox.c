/* The locked inbox. Nothing is done under its lock but copying. */
#include "api/stream/inbox.h"

#include <string.h>
#include <unistd.h>

void inbox_init(inbox *in)
{
  memset(&in->content, 0, sizeof in->content);
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
  bool room = in->content.socket_count < INBOX_SOCKETS && !in->content.stopping;
  if (room) in->content.sockets[in->content.socket_count++] = socket;
  pthread_mutex_unlock(&in->lock);
  return room;
}

void inbox_put_job(inbox *in, int64_t job, lab_event event)
{
  pthread_mutex_lock(&in->lock);
  inbox_content *c = &in->content;
  size_t i = 0;
  while (i < c->job_count && c->jobs[i].job != job) i++;
  if (i < c->job_count)
    c->jobs[i].events |= 1u << event;
  else if (i < INBOX_JOBS)
    c->jobs[c->job_count++] = (inbox_job){.job = job, .events = 1u << event};
  else
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
  *content = in->content;
  in->content.socket_count = in->content.job_count = 0;
  in->content.overflow = false;
  pthread_mutex_unlock(&in->lock);
}
