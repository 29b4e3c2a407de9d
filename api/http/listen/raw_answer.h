/** Answers written to a socket by hand, where libmicrohttpd can't give them or would give a page of its own. */
#ifndef SCREE_API_HTTP_RAW_ANSWER_H
#define SCREE_API_HTTP_RAW_ANSWER_H

#include <stdbool.h>

#include "api/http/answer/reply.h"

/** Sends a problem document and ends the connection for both sides, without blocking. What of the request has come is taken out of the way
 *  first: closing with bytes unread would reset the connection, and the client might never see the answer. The socket stays open.
 *  @param detail  plain text without anything of the request    @param id names the request in the answer, as in the log */
void raw_answer(int socket, problem_kind kind, const char *detail, const char *id);

/** Only sends it, for a connection that somebody else ends. */
void raw_send(int socket, problem_kind kind, const char *detail, const char *id);

/** What is said of a request that libmicrohttpd can't take apart, by the status that it chose. */
problem_kind raw_misread(unsigned status, const char **detail);

/** Whether a connection's first request, as far as it has come, is of another version of HTTP than 1.0 and 1.1, which libmicrohttpd 0.9.75
 *  would answer by a page of its own. Only peeks. */
bool raw_version_is_wrong(int socket);

#endif
