/** What is received, looked at before the libraries get it. Neither libmicrohttpd 0.9.75 nor libwebsockets 4.1.6 tells what bytes it took
 * for a head or a frame; both read with recv(), which this program defines in place of the C library's. Each of their threads may have one
 * that looks on; all other threads receive as ever. */
#ifndef SCREE_API_HTTP_RECEIVE_H
#define SCREE_API_HTTP_RECEIVE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct receive_watch {
  /** Sees bytes in the order in which they came over a socket. False: the reader gets none of them, and is told that the connection was
   * reset. */
  bool (*take)(void *user, int socket, const void *bytes, size_t count);
  void *user;
} receive_watch;

/** Has all look on that the calling thread receives with recv() from now on, but not what it only peeks at.
 *  @param watch  borrowed for as long as the thread lives; NULL: nobody looks on */
void receive_watched_by(const receive_watch *watch);

#endif
