/** Counts HTTP connections before libmicrohttpd gets them, in all and per address.
 *
 *  libmicrohttpd 0.9.75 must never reach a limit of its own: handed one connection too many by MHD_add_connection it locks one of its
 *  mutexes twice and answers nobody from then on. So it is given a limit that the gate keeps it below.
 *
 *  Threads: any; one lock guards all. */
#ifndef SCREE_API_HTTP_GATE_H
#define SCREE_API_HTTP_GATE_H

#include <stddef.h>
#include <sys/socket.h>

typedef struct http_gate http_gate;

typedef enum gate_answer {
  GATE_OPEN,         /**< counted: gate_leave is due */
  GATE_FULL,         /**< as many connections are open as may be */
  GATE_ADDRESS_FULL, /**< as many from this address */
  GATE_NO_MEMORY
} gate_answer;

/** @param most         open connections, > 0
 *  @param per_address  of one address (of a /64 network for IPv6); 0: a quarter of `most`, at least 16, and no limit for loopback
 *  addresses,
 *                      from where the proxies, tunnels and browsers of this machine come
 *  @return NULL without memory */
http_gate *gate_create(unsigned most, unsigned per_address);
void gate_destroy(http_gate *gate);

/** Counts a connected socket in. A socket of the same number that never left has been closed in between: it is counted out. */
gate_answer gate_enter(http_gate *gate, int socket, const struct sockaddr *address);

/** Counts it out, before it is closed. One that was not counted is ignored. */
void gate_leave(http_gate *gate, int socket);

/** Connections inside. */
size_t gate_count(http_gate *gate);

#endif
