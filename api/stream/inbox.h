/** What other threads leave for the stream's thread: sockets to adopt, jobs to look at. The only part of the stream that is locked. */
#ifndef SCREE_API_STREAM_INBOX_H
#define SCREE_API_STREAM_INBOX_H

#include <pthread.h>

#include "server/lab/lab.h"

enum { INBOX_SOCKETS = 1024, INBOX_JOBS = 8192, INBOX_BUCKETS = 2 * INBOX_JOBS };

typedef struct inbox_job {
  int64_t job;
  unsigned events; /**< bits 1u << lab_event */
} inbox_job;

/** Everything that was left, at once. */
typedef struct inbox_content {
  int sockets[INBOX_SOCKETS];
  size_t socket_count;
  inbox_job jobs[INBOX_JOBS];
  size_t job_count;
  bool overflow; /**< more jobs happened than fit: look at all that are followed, and have those who watch ask anew */
  bool stopping;
} inbox_content;

typedef struct inbox {
  pthread_mutex_t lock;
  inbox_content content;
  uint16_t places[INBOX_BUCKETS]; /**< place + 1 in content.jobs by hash of the job; 0: none */
} inbox;

void inbox_init(inbox *in);
void inbox_destroy(inbox *in); /**< closes sockets nobody took */

/** False when there is no room; the socket stays the caller's. */
bool inbox_put_socket(inbox *in, int socket);
void inbox_put_job(inbox *in, int64_t job, lab_event event);
void inbox_put_stop(inbox *in);

/** Moves everything into `content`; `stopping` stays set. */
void inbox_take(inbox *in, inbox_content *content);

#endif
