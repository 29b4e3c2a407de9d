/** The WebSocket stream `scree.v1` (its messages: openapi.yaml and api/README.md).
 *
 *  Threads: one service thread owns every session, feed and the libwebsockets context. Other threads only put sockets and job numbers
 *  into a small locked inbox and wake it. */
#ifndef SCREE_API_STREAM_STREAM_H
#define SCREE_API_STREAM_STREAM_H

#include "api/access/access.h"
#include "api/http/parse/host.h"
#include "server/lab/lab.h"

typedef struct stream stream;

typedef struct stream_config {
  lab *lab;                     /**< borrowed; must outlive the stream */
  const http_hosts *hosts;      /**< borrowed */
  const access_control *access; /**< borrowed; must outlive the stream */
  unsigned connection_limit;    /**< most viewers */
  event_log *log;               /**< borrowed, open while the stream runs; NULL: none */
} stream_config;

/** @return SCR_OK, SCR_NO_MEMORY, SCR_IO */
scr_status stream_start(const stream_config *config, stream **out, scr_error *error);

/** Hands over a connected socket whose request begins with "GET /ws", still unread. Any thread. */
void stream_take(stream *s, int socket);

/** Something happened to a job. Any thread; returns at once. */
void stream_notify(stream *s, int64_t job, lab_event event);

/** Closes every connection with 1001 and ends the thread; waits at most `seconds` for viewers to take what is under way. NULL is fine. */
void stream_stop(stream *s, double seconds);

#endif
