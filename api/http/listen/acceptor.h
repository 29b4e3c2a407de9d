/** One port for HTTP and the stream: accepts connections, looks at their first bytes and hands each to the side it is for.
 *
 *  The bytes are only peeked at, so neither side knows. A connection that does not send 8 bytes, or the whole head of an upgrade, within 5
 *  seconds is closed. */
#ifndef SCREE_API_HTTP_ACCEPTOR_H
#define SCREE_API_HTTP_ACCEPTOR_H

#include <stdbool.h>
#include <sys/socket.h>

#include "scree.h"

typedef struct acceptor acceptor;

/** Where connections go. Both functions own the socket from the call on, are called from the acceptor's thread, and must not block. */
typedef struct acceptor_sinks {
  void (*take_http)(void *user, int socket, const struct sockaddr *address, socklen_t length);
  void *http;
  void (*take_stream)(void *user, int socket);
  void *stream;
} acceptor_sinks;

/** Makes a listening socket on a numeric address or name. `port` 0 takes a free one; `port` receives the real one, `out` the socket.
 *  @return SCR_OK, SCR_BUSY (the port is taken), SCR_IO, SCR_BAD_USAGE (no such address) */
scr_status acceptor_listen(const char *address, unsigned *port, int *out, scr_error *error);

/** Starts the thread. Takes over the socket, also on failure. */
scr_status acceptor_start(int socket, const acceptor_sinks *sinks, acceptor **out, scr_error *error);

/** Closes the port and the connections not yet handed over. After it returns the sinks are not called any more. */
void acceptor_stop(acceptor *acceptor);

/** Whether the first bytes of a request are for the stream: "GET /ws/", "GET /ws?" or "GET /ws ". bytes: [8] */
bool acceptor_is_stream(const char *bytes);

#endif
