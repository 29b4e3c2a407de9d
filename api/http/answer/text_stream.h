/** Answers that are made piece by piece while they are sent, so that a client that reads slowly, or not at all, costs the memory of one
 *  piece. */
#ifndef SCREE_API_HTTP_TEXT_STREAM_H
#define SCREE_API_HTTP_TEXT_STREAM_H

#include <stdio.h>

#include "api/http/answer/reply.h"

/** Writes the next piece. Called by one thread at a time, from libmicrohttpd's own: it reads a record at most.
 *  @return 1: there is more; 0: that was the last; -1: it can't go on, and the connection is to be cut so that the client sees it */
typedef int (*text_stream_next)(void *user, FILE *out);

/** A 200 of a media type. Takes over `user`, also on failure: `end` frees it when the answer is sent or its connection gone. */
http_reply text_stream_reply(const char *type, text_stream_next next, void (*end)(void *user), void *user);

#endif
