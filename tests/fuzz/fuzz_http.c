/* Fuzzes the text that clients send and this program parses itself: paths, ranges, entity tags, Accept, Content-Type, Host, Origin and
 * the stream's messages. The first byte picks the parser, the rest is its input; results are checked for what every caller relies on. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/parse/accept.h"
#include "api/http/parse/head_screen.h"
#include "api/http/parse/host.h"
#include "api/http/parse/path.h"
#include "api/http/parse/range.h"
#include "api/http/router.h"
#include "api/stream/mask_screen.h"
#include "api/stream/message.h"
#include "scree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool fine)
{
  if (!fine) abort();
}

static void fuzz_path(const char *text)
{
  http_path path;
  if (!http_path_parse(&path, text)) return;
  must(path.count >= 1 && path.count <= HTTP_SEGMENT_LIMIT);
  for (size_t i = 0; i < path.count; i++) must(strcmp(path.segments[i], "..") != 0 && !strpbrk(path.segments[i], "/\\"));
  http_parameters found;
  char allow[64], joined[HTTP_PATH_BYTES];
  (void)router_find("GET", &path, &found, allow);
  (void)router_find("X", &path, &found, allow);
  must(strlen(allow) < sizeof allow);
  if (http_path_join(&path, 0, joined, sizeof joined)) must(strlen(joined) < sizeof joined);
}

static void fuzz_range(const char *text)
{
  static const uint64_t sizes[] = {0, 1, 1000, UINT64_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    http_range range;
    if (http_range_parse(text, sizes[i], &range) == HTTP_RANGE_PART) must(range.first <= range.last && range.last < sizes[i]);
  }
  (void)http_etag_listed(text, "\"5-100\"");
  (void)http_if_range_holds(text, "\"5-100\"");
}

static void fuzz_headers(const char *text)
{
  static const char *const types[] = {"application/json", "text/csv", "image/svg+xml"};
  const http_hosts hosts = {.listen = "127.0.0.1", .names = "lab,lab.example.org"};
  int chosen = http_accept_choose(text, types, 3);
  must(chosen >= -1 && chosen < 3);
  (void)http_content_type_is(text, "application/json");
  (void)http_host_allowed(&hosts, text);
  (void)http_origin_allowed(text, "localhost:8080");
}

/* Where reads end does not matter to who looks on. */
static void fuzz_screens(const char *text, size_t length)
{
  head_screen whole = {0}, parts = {0};
  mask_screen frames = {.state = MASK_SCREEN_FIRST}, bytes = frames;
  const char *wrong = head_screen_take(&whole, text, length), *found = NULL;
  bool masked = mask_screen_take(&frames, (const unsigned char *)text, length), alike = true;
  for (size_t i = 0; i < length && !found; i++) found = head_screen_take(&parts, text + i, 1);
  for (size_t i = 0; i < length && alike; i++) alike = mask_screen_take(&bytes, (const unsigned char *)text + i, 1);
  must(wrong == found && masked == alike);
}

static void fuzz_message(const char *text, size_t length)
{
  stream_message m;
  char detail[256];
  if (!stream_message_parse(text, length, &m, detail, sizeof detail)) {
    must(detail[0] != '\0');
  } else if (m.kind == STREAM_SUBSCRIBE) {
    must(m.stream > 0 && m.job > 0 && m.window >= 1 && m.window <= STREAM_WINDOW_LIMIT && m.max_fps > 0.0 && m.max_fps <= STREAM_FPS_LIMIT);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1 || size > STREAM_MESSAGE_BYTES) return 0;
  char *text = malloc(size); /* exactly as long as the text, so that reading past it is seen */
  if (!text) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  switch (data[0] & 3) {
  case 0: fuzz_path(text); break;
  case 1: fuzz_range(text); break;
  case 2:
    fuzz_headers(text);
    fuzz_screens(text, size - 1);
    break;
  default: fuzz_message(text, size - 1); break;
  }
  free(text);
  return 0;
}
