/** The HTTP side of screed: takes connections from the acceptor, answers requests through the router.
 *
 *  Threads: each of a few libmicrohttpd threads owns the connections it was given; slow routes run on a pool while their connection
 *  is suspended, those that compute for seconds on another, so that looking at jobs never waits for a check. A request belongs to one
 *  thread at a time. */
#ifndef SCREE_API_HTTP_SERVER_H
#define SCREE_API_HTTP_SERVER_H

#include <sys/socket.h>

#include "api/access/access.h"
#include "api/http/parse/host.h"
#include "server/lab/lab.h"

typedef struct http_server http_server;

typedef struct http_server_config {
  lab *lab;                  /**< borrowed; must outlive the server */
  const http_hosts *hosts;   /**< borrowed */
  access_control *access;    /**< borrowed; must outlive the server */
  unsigned connection_limit; /**< most open connections; more are answered 503 and closed */
  unsigned address_limit;    /**< most of one address; 0: as listen/gate.h says */
  unsigned idle_seconds;     /**< a connection that says nothing for longer is closed */
  double request_seconds;    /**< a request that takes longer to arrive, or an answer that moves on too slowly, is cut off */
  size_t body_limit;         /**< longest body, bytes */
  double slow_seconds;       /**< a request whose answer takes longer to be begun is logged */
  event_log *log;            /**< borrowed, open while the server runs; NULL: none */
  size_t body_memory;        /**< most bytes of bodies held at once */
} http_server_config;

/** connection_limit 1024, address_limit 0, idle_seconds 30, request_seconds 60, slow_seconds 1, no log, the rest from the lab's limits. */
http_server_config http_server_config_default(lab *the_lab, const http_hosts *hosts, access_control *access);

/** @return SCR_OK, SCR_NO_MEMORY, SCR_IO */
scr_status http_server_start(const http_server_config *config, http_server **out, scr_error *error);

/** Hands a connected socket over, with its first bytes still unread. Any thread; does not block. Beyond the limits it is answered 503 with
 *  Retry-After and closed, and the connection that has waited longest for its client is ended, so that there is room for a next one. */
void http_server_take(http_server *server, int socket, const struct sockaddr *address, socklen_t length);

/** Drops what is kept of a deleted job. Any thread; takes no lock of the lab's. */
void http_server_forget(http_server *server, int64_t id);

/** Lets running requests finish for at most `seconds`, then closes every connection. */
void http_server_stop(http_server *server, double seconds);

#endif
