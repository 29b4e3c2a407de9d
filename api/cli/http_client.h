/** The HTTP side of the command line: one server, one connection kept open (libcurl). */
#ifndef SCREE_API_CLI_HTTP_CLIENT_H
#define SCREE_API_CLI_HTTP_CLIENT_H

#include <curl/curl.h>
#include <jansson.h>

#include "api/cli/command.h"

typedef struct http_client {
  CURL *handle;
  char base[512];        /**< "http://127.0.0.1:8080", no slash at the end */
  char proved_token[64]; /**< a token that the server has proved to have; "": none */
  char proved_base[80];  /**< its address then, in numbers: where that token is shown, and nowhere else */
} http_client;

/** One request. Zeroed fields mean: GET, no body, JSON wanted. */
typedef struct http_call {
  const char *method; /**< "POST", "DELETE"; NULL for GET */
  const char *path;   /**< from the root, "/api/v1/jobs" */
  const char *body;   /**< JSON text, or what `type` says; kept by the caller */
  const char *type;   /**< media type of the body; NULL: JSON */
  const char *accept; /**< media type wanted; NULL: JSON */
  size_t body_size;
  const char *key;  /**< Idempotency-Key or NULL */
  FILE *file;       /**< receives the body of a 200 or 206 instead of memory; see `offset` */
  long long offset; /**< asks for the bytes from here on; `file` stands there and is cut back to 0 when a 200 begins */
} http_call;

/** What came back. Emptied by http_answer_clear. */
typedef struct http_answer {
  long status; /**< HTTP status, 0 when no answer came */
  char *body;  /**< [size] and a zero byte, NULL when empty */
  size_t size;
  json_t *json;    /**< the body, when it is JSON */
  char error[800]; /**< why no whole answer came */
  bool never_sent; /**< no connection came about, so the server knows nothing of the request */
} http_answer;

/** Finds the server's address (--server, $SCREE_SERVER, default) and checks it. Says what is wrong with it. */
cli_exit http_open(const cli_call *call, http_client *client);
void http_close(http_client *client);

/** Sends a request and waits for the answer, whatever its status.
 *  @return CLI_DONE, CLI_UNREACHABLE (answer->error says why, nothing is printed), CLI_INTERRUPTED, CLI_FAILED (memory or the file) */
cli_exit http_exchange(http_client *client, const http_call *request, http_answer *answer);
void http_answer_clear(http_answer *answer);

/** The same, and anything but a 2xx is reported by http_refusal, no answer as `console_fail` would. The answer may be cleared then. */
cli_exit http_expect(const cli_call *call, http_client *client, const http_call *request, http_answer *answer);

/** What another program that this one starts needs to ask the server itself: its address and the token to show there ("": none).
 *  @param base  receives an address that lives as long as the client    @param token [64]
 *  @return CLI_UNREACHABLE, after saying so, when what listens there can't prove that it is this user's server */
cli_exit http_credentials(const cli_call *call, http_client *client, const char **base, char *token);

/** Reports a problem document: title, detail and all its errors on stderr, with --json the document on stdout.
 *  @return 4 for a refused scene, 2 for what does not exist, 3 for a server that takes no work now, else 1 */
cli_exit http_refusal(const cli_call *call, const http_answer *answer);
/** How a command ends after an answer of this HTTP status, not a 2xx: as http_refusal, without reporting anything. */
cli_exit http_refusal_code(long status);

#endif
