/* Requests by libcurl. No redirects are followed, only http and https are spoken, answers kept in memory are bounded. */
#include "api/cli/http_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/access/proof.h"
#include "api/access/token.h"
#include "api/cli/console.h"
#include "api/cli/interrupt.h"
#include "api/cli/report.h"
#include "base/json_reader.h"
#include "scree.h"

enum { most_answer_bytes = 512 << 20 };

/* What libcurl's callbacks need. */
typedef struct transfer {
  CURL *handle;
  const http_call *request;
  http_answer *answer;
  size_t capacity;
  bool begun, file_failed;
} transfer;

cli_exit http_open(const cli_call *call, http_client *client)
{
  *client = (http_client){0};
  const char *address = *call->server ? call->server : getenv("SCREE_SERVER");
  if (!address || !*address) address = CLI_DEFAULT_SERVER;
  size_t length = strlen(address);
  while (length > 0 && address[length - 1] == '/') length--;
  const char *host = strncmp(address, "http://", 7) == 0 ? address + 7 : strncmp(address, "https://", 8) == 0 ? address + 8 : "";
  bool known = *host && *host != '/' && *host != ':';
  if (!known || length >= sizeof client->base)
    return console_fail(call, CLI_BAD_USAGE, "the server's address must be like " CLI_DEFAULT_SERVER ", not '%.200s'", address);
  memcpy(client->base, address, length);
  client->handle = curl_global_init(CURL_GLOBAL_DEFAULT) == 0 ? curl_easy_init() : NULL;
  return client->handle ? CLI_DONE : console_fail(call, CLI_FAILED, "libcurl can't be started");
}

void http_close(http_client *client)
{
  if (!client->handle) return;
  curl_easy_cleanup(client->handle);
  curl_global_cleanup();
  client->handle = NULL;
}

void http_answer_clear(http_answer *answer)
{
  free(answer->body);
  json_decref(answer->json);
  *answer = (http_answer){0};
}

static bool keep(transfer *self, const char *data, size_t size)
{
  http_answer *answer = self->answer;
  if (answer->size + size > most_answer_bytes) return false;
  if (answer->size + size + 1 > self->capacity) {
    size_t larger = 2 * (answer->size + size) + 4096;
    char *body = realloc(answer->body, larger);
    if (!body) return false;
    answer->body = body;
    self->capacity = larger;
  }
  memcpy(answer->body + answer->size, data, size);
  answer->size += size;
  answer->body[answer->size] = 0;
  return true;
}

/* The body's next bytes: errors are kept in memory even when the result was to go to a file. */
static size_t receive(char *data, size_t one, size_t count, void *user)
{
  transfer *self = user;
  size_t size = one * count;
  long status = 0;
  curl_easy_getinfo(self->handle, CURLINFO_RESPONSE_CODE, &status);
  if (!self->request->file || (status != 200 && status != 206)) return keep(self, data, size) ? size : 0;
  if (!self->begun && status == 200 && self->request->offset > 0) {
    rewind(self->request->file); /* the server sends it all: begin anew */
    if (ftruncate(fileno(self->request->file), 0) != 0) self->file_failed = true;
  }
  self->begun = true;
  if (!self->file_failed && fwrite(data, 1, size, self->request->file) == size) return size;
  self->file_failed = true;
  snprintf(self->answer->error, sizeof self->answer->error, "writing what was received failed: %s", strerror(errno));
  return 0;
}

static int poll_caller(void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
  (void)user, (void)a, (void)b, (void)c, (void)d;
  return interrupt_came();
}

/* ── the token ── */

typedef struct proof_answer {
  char text[512];
  size_t size;
} proof_answer;

static size_t receive_proof(char *data, size_t one, size_t count, void *user)
{
  proof_answer *answer = user;
  size_t size = one * count;
  if (size >= sizeof answer->text - answer->size) return 0;
  memcpy(answer->text + answer->size, data, size);
  answer->size += size;
  answer->text[answer->size] = '\0';
  return size;
}

/* "127.0.0.1:8080" of where the last request went. */
static bool peer_of(CURL *handle, char *text, size_t capacity)
{
  const char *host = NULL;
  long port = 0;
  if (curl_easy_getinfo(handle, CURLINFO_PRIMARY_IP, &host) != CURLE_OK || !host || !*host) return false;
  if (curl_easy_getinfo(handle, CURLINFO_PRIMARY_PORT, &port) != CURLE_OK) return false;
  int length = snprintf(text, capacity, strchr(host, ':') ? "[%s]:%ld" : "%s:%ld", host, port);
  return length > 0 && (size_t)length < capacity;
}

/* Has the server prove that it has the token, by a request that does not show it. False: it has not; *reached tells whether anybody
 * answered */
static bool has_proved(http_client *client, const char *token, bool *reached)
{
  char url[1024], nonce[TOKEN_BYTES], peer[72], expected[PROOF_BYTES];
  proof_answer answer = {0};
  *reached = false;
  if (!token_random_text(nonce)) return false;
  snprintf(url, sizeof url, "%s/api/v1/proof?nonce=%s", client->base, nonce);
  curl_easy_reset(client->handle);
  curl_easy_setopt(client->handle, CURLOPT_URL, url);
  curl_easy_setopt(client->handle, CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(client->handle, CURLOPT_PROXY, "");
  curl_easy_setopt(client->handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(client->handle, CURLOPT_CONNECTTIMEOUT, 10L);
  curl_easy_setopt(client->handle, CURLOPT_TIMEOUT, 60L);
  curl_easy_setopt(client->handle, CURLOPT_WRITEFUNCTION, receive_proof);
  curl_easy_setopt(client->handle, CURLOPT_WRITEDATA, &answer);
  curl_easy_setopt(client->handle, CURLOPT_XFERINFOFUNCTION, poll_caller);
  curl_easy_setopt(client->handle, CURLOPT_NOPROGRESS, 0L);
  CURLcode code = curl_easy_perform(client->handle);
  *reached = code == CURLE_OK || code == CURLE_WRITE_ERROR;
  if (code != CURLE_OK || !peer_of(client->handle, peer, sizeof peer)) return false;
  proof_make(token, nonce, peer, expected);
  json_t *value = json_loads(answer.text, 0, NULL);
  const char *proof = json_string_value(json_object_get(value, "proof"));
  bool proved = proof && token_same(proof, expected);
  json_decref(value);
  if (proved) {
    snprintf(client->proved_token, sizeof client->proved_token, "%s", token);
    snprintf(client->proved_base, sizeof client->proved_base, "http://%s", peer);
  }
  return proved;
}

/* The token for the next request, read anew each time: a server that was started again may have another. One that was found on this machine
 * is shown only at the address whose server has proved to have it.
 * @return false: somebody else listens there */
static bool choose_token(http_client *client, char token[TOKEN_BYTES], const char **base)
{
  bool reached = false;
  *base = client->base;
  token_origin origin = token_for_server(client->base, token);
  if (origin == TOKEN_NONE) token[0] = '\0';
  if (origin != TOKEN_FOUND) return true;
  bool proved = token_same(client->proved_token, token) || has_proved(client, token, &reached);
  if (proved)
    *base = client->proved_base;
  else
    token[0] = '\0'; /* where nobody answers, the request itself will tell why */
  return proved || !reached;
}

static struct curl_slist *headers_of(const http_call *request, const char *token)
{
  char line[320];
  struct curl_slist *list = curl_slist_append(NULL, "Expect:"); /* no round trip before small bodies */
  snprintf(line, sizeof line, "Content-Type: %s", request->type ? request->type : "application/json");
  if (request->body) list = curl_slist_append(list, line);
  char accept[120];
  snprintf(accept, sizeof accept, "Accept: %s, application/problem+json;q=0.9, */*;q=0.1",
           request->accept ? request->accept : "application/json");
  if (!request->file) list = curl_slist_append(list, accept);
  if (*token) {
    snprintf(line, sizeof line, "Authorization: Bearer %s", token);
    list = curl_slist_append(list, line);
  }
  if (request->key) {
    snprintf(line, sizeof line, "Idempotency-Key: %s", request->key);
    list = curl_slist_append(list, line);
  }
  if (request->offset > 0) {
    snprintf(line, sizeof line, "Range: bytes=%lld-", request->offset);
    list = curl_slist_append(list, line);
  }
  return list;
}

static void set_up(http_client *client, const http_call *request, transfer *state, const char *url, struct curl_slist *headers, char *error)
{
  CURL *handle = client->handle;
  curl_easy_reset(handle);
  curl_easy_setopt(handle, CURLOPT_URL, url);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "scree/" SCR_VERSION);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, 10L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, 60L);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, state);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, poll_caller);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  if (request->body) {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request->body);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_size);
  } else if (request->method && strcmp(request->method, "POST") == 0) {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, "");
  }
  if (request->method) curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request->method);
}

static const char unproved[] = "%s answers, but can't prove that it is your screed, so it is not shown the token: somebody else may listen "
                               "there. Give the address that "
                               "screed printed, or set SCREE_TOKEN to show a token all the same";

cli_exit http_credentials(const cli_call *call, http_client *client, const char **base, char *token)
{
  return choose_token(client, token, base) ? CLI_DONE : console_fail(call, CLI_UNREACHABLE, unproved, client->base);
}

cli_exit http_exchange(http_client *client, const http_call *request, http_answer *answer)
{
  *answer = (http_answer){0};
  char url[1024], error[CURL_ERROR_SIZE] = "", token[TOKEN_BYTES];
  const char *base;
  transfer state = {.handle = client->handle, .request = request, .answer = answer};
  if (!choose_token(client, token, &base)) {
    snprintf(answer->error, sizeof answer->error, unproved, client->base);
    answer->never_sent = true;
    return CLI_UNREACHABLE;
  }
  snprintf(url, sizeof url, "%s%s", base, request->path);
  struct curl_slist *headers = headers_of(request, token);
  set_up(client, request, &state, url, headers, error);
  if (base == client->proved_base) curl_easy_setopt(client->handle, CURLOPT_PROXY, ""); /* a token that was found is shown to no proxy */
  CURLcode code = curl_easy_perform(client->handle);
  curl_slist_free_all(headers);
  curl_easy_getinfo(client->handle, CURLINFO_RESPONSE_CODE, &answer->status);
  if (code == CURLE_ABORTED_BY_CALLBACK || (code != CURLE_OK && interrupt_came())) return CLI_INTERRUPTED;
  if (code == CURLE_WRITE_ERROR) {
    if (!state.file_failed) snprintf(answer->error, sizeof answer->error, "the answer is longer than this computer's memory allows");
    return CLI_FAILED;
  }
  if (code != CURLE_OK) {
    answer->never_sent = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY;
    snprintf(answer->error, sizeof answer->error, "%s does not answer: %s", client->base, *error ? error : curl_easy_strerror(code));
    return CLI_UNREACHABLE;
  }
  const char *type = NULL;
  curl_easy_getinfo(client->handle, CURLINFO_CONTENT_TYPE, &type);
  if (answer->body && type && strstr(type, "json") && json_read(answer->body, answer->size, 0, &answer->json, NULL) == SCR_NO_MEMORY) {
    snprintf(answer->error, sizeof answer->error, "the answer is longer than this computer's memory allows");
    return CLI_FAILED;
  }
  return CLI_DONE;
}

cli_exit http_refusal_code(long status)
{
  switch (status) {
  case 400:
  case 413:
  case 415:
  case 422: return CLI_REFUSED;
  case 404:
  case 409: return CLI_BAD_USAGE;
  case 401:
  case 502:
  case 503:
  case 504: return CLI_UNREACHABLE;
  default: return CLI_FAILED;
  }
}

cli_exit http_refusal(const cli_call *call, const http_answer *answer)
{
  cli_exit code = http_refusal_code(answer->status);
  if (!json_is_object(answer->json))
    return console_fail(call, CLI_UNREACHABLE, "the server answered %ld, but not as a Scree server does; is the address right?",
                        answer->status);
  const json_t *errors = json_object_get(answer->json, "errors");
  if (errors)
    fprintf(stderr, "scree: %s, for these reasons:\n", report_text(answer->json, "title"));
  else if (answer->status == 404 || answer->status == 409)
    fprintf(stderr, "scree: %s\n", report_text(answer->json, "detail")); /* a whole sentence, which the title only blurs */
  else
    fprintf(stderr, "scree: %s: %s\n", report_text(answer->json, "title"), report_text(answer->json, "detail"));
  report_errors(errors, stderr);
  return call->json ? console_json(json_incref(answer->json), code) : code;
}

cli_exit http_expect(const cli_call *call, http_client *client, const http_call *request, http_answer *answer)
{
  cli_exit code = http_exchange(client, request, answer);
  if (code == CLI_INTERRUPTED) return console_fail(call, code, "interrupted");
  if (code == CLI_UNREACHABLE) return console_fail(call, code, "%s; is screed running there? (`make run`, or --server URL)", answer->error);
  if (code != CLI_DONE) return console_fail(call, code, "%s", answer->error);
  if (answer->status < 200 || answer->status > 299) return http_refusal(call, answer);
  if (!request->file && !request->accept && answer->status != 204 && !answer->json)
    return console_fail(call, CLI_UNREACHABLE, "%s%s answered without JSON: is that a Scree server?", client->base, request->path);
  return CLI_DONE;
}
