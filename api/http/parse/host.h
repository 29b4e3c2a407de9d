/** Which names and pages a request may come by: the guard against DNS rebinding and forged requests from other sites.
 *
 *  A page of another site can make a browser send requests to 127.0.0.1. Its own name stays in the Host header (a name that resolves
 *  to loopback) or in the Origin header (a form or a script), and both are checked. */
#ifndef SCREE_API_HTTP_HOST_H
#define SCREE_API_HTTP_HOST_H

#include <stdbool.h>

/** The names requests may use. Strings are borrowed and must outlive it. */
typedef struct http_hosts {
  const char *listen; /**< the address listened on, as given: "127.0.0.1", "::1", "0.0.0.0" */
  const char *names;  /**< further names, separated by commas; NULL for none */
  bool any_address;   /**< any literal IP address will do: set when listening beyond loopback */
} http_hosts;

/** Whether a Host header names this server: localhost, a loopback address, the address listened on, or one of the names. The port is
 *  not looked at: tunnels change it. NULL header: false. */
bool http_host_allowed(const http_hosts *hosts, const char *header);

/** Whether a request with this Origin comes from a page of this server: no Origin at all, or "http(s)://" and exactly the Host. */
bool http_origin_allowed(const char *origin, const char *host);

/** Whether an address given to listen on can be reached from this machine only. */
bool http_address_is_loopback(const char *address);

#endif
