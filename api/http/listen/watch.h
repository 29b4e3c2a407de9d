/** Bounds how long a connection may be kept by a client that sends or reads a byte at a time. libmicrohttpd's own time-out is one of
 *  silence: every byte starts it anew.
 *
 *  A request, head and body, must have come within a time that is set when its connection or the answer before it allows the next. While an
 *  answer is sent, a certain part of it must be acknowledged in every such time. A connection that is late is shut down, after 408 if
 *  nothing was answered yet; its owner sees the end of it and cleans up.
 *
 *  Threads: one of its own; the functions may be called from any, for one connection by one at a time. */
#ifndef SCREE_API_HTTP_WATCH_H
#define SCREE_API_HTTP_WATCH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct http_watch http_watch;

/** One connection being watched. */
typedef struct watched watched;

/** What is said on the sockets of connections that are cut. Neither blocks; the connection is shut down after. */
typedef struct watch_answers {
  void (*late)(void *user, int socket); /**< 408: the request has not come in time */
  /** Of a request that can't be taken apart: HTTP's status for it, and what is wrong, NULL where the status alone is known. */
  void (*misread)(void *user, int socket, unsigned status, const char *detail);
  void *user;
} watch_answers;

/** Starts the thread. NULL when it or memory can't be had.
 *  @param seconds       a request has to come in, > 0
 *  @param idle_seconds  more for a connection that waits for a next request */
http_watch *watch_create(double seconds, double idle_seconds, const watch_answers *answers);

/** Ends the thread. Every connection has ended. NULL is fine. */
void watch_destroy(http_watch *watch);

/** Takes notice of a connection, which is to send its first request. NULL without memory; the other functions accept that.
 *  @param socket  open until watch_end */
watched *watch_begin(http_watch *watch, int socket);

/** A part of a long request has come: it has as long again for the next. */
void watch_more(watched *connection);
/** The request has come: the client has nothing to do. */
void watch_working(watched *connection);
/** Its answer is being sent. */
void watch_sending(watched *connection);
/** The answer is gone: the client may send another request. */
void watch_idle(watched *connection);
/** Ends the connection that has waited longest, and for a second at least, for its client to send a request. False when there is none. */
bool watch_close_idlest(http_watch *watch);

/** Ends a connection at once, after 408 when its request has not come yet. */
void watch_cut(watched *connection);

/** Ends a connection at once, after an answer that its request can't be taken apart. NULL is fine.
 *  @param detail  what is wrong, for the client: static text; NULL where the status alone is known */
void watch_misread(watched *connection, unsigned status, const char *detail);

/** Looks at what a connection has received, in order (parse/head_screen.h). A head that is wrong ends the connection with status 400.
 *  @return whether it may be read */
bool watch_received(http_watch *watch, int socket, const char *bytes, size_t count);

/** Whether it was ended here: nothing more can be said to its client. */
bool watch_is_cut(watched *connection);

/** Before the socket is closed. */
void watch_end(watched *connection);

#endif
