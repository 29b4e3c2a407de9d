/* What is looked at beside the libraries: heads of all requests of a connection (RFC 9112, sections 2.2, 5, 6.3), and masks of a viewer's
 * frames (RFC 6455, sections 5.1 and 5.2). Each text is taken whole, byte by byte, and cut in two at every place: where reads end must not
 * matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/http/parse/head_screen.h"
#include "api/stream/mask_screen.h"
#include "tests/support/suites.h"

#define FINE "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define WITH(headers) "POST /x HTTP/1.1\r\nHost: localhost\r\n" headers "\r\n\r\n"

static bool passes_cut(const char *text, size_t size, size_t at)
{
  head_screen screen = {0};
  return !head_screen_take(&screen, text, at) && !head_screen_take(&screen, text + at, size - at);
}

static bool passes(const char *text, size_t size)
{
  bool whole = passes_cut(text, size, size);
  head_screen screen = {0};
  bool bytes = true;
  for (size_t i = 0; i < size && bytes; i++) bytes = !head_screen_take(&screen, text + i, 1);
  assert_int_equal(bytes, whole);
  for (size_t at = 0; at < size; at++) assert_int_equal(passes_cut(text, size, at), whole);
  return whole;
}

#define PASSES(text) passes(text, sizeof(text) - 1)

static void test_heads_of_all_requests_of_a_connection_pass(void **state)
{
  (void)state;
  assert_true(PASSES(FINE));
  assert_true(PASSES(FINE FINE FINE));
  assert_true(PASSES("\r\n\r\n" FINE));
  assert_true(PASSES(WITH("Content-Length: 5") "a\nb\0c" FINE));
  assert_true(PASSES(WITH("content-length:\t0 ") FINE));
  assert_true(PASSES(WITH("Content-Length: 5") "01234" WITH("X-Request-Id: 1\r\nCONTENT-LENGTH: 12") "GET /\n\0 HTTP" FINE));
  assert_true(PASSES(WITH("Transfer-Encoding: chunked") "3\nabc\0\r"));
  assert_true(PASSES(WITH("X: \xc3\xa4 \"a: b\"; c=d\r\nEmpty:")));
}

static void test_what_others_may_read_otherwise_is_found_in_every_head(void **state)
{
  (void)state;
#define WRONG(headers)                                                                                                                     \
  assert_false(PASSES(WITH(headers)));                                                                                                     \
  assert_false(PASSES(FINE WITH(headers)));                                                                                                \
  assert_false(PASSES(WITH("Content-Length: 7") "a\nb\0c\rd" WITH(headers)))
  WRONG("X: a\nY: b");
  WRONG("X: a\rY: b");
  WRONG("X: a\r\rY: b");
  WRONG("X: a\0b");
  WRONG("X\0: b");
  WRONG("X: a\r\n continued");
  WRONG("X: a\r\n\tcontinued");
  WRONG("X : a");
  WRONG(": a");
  WRONG("no colon");
  WRONG("Content-Length: -5");
  WRONG("Content-Length: +5");
  WRONG("Content-Length: 5, 5");
  WRONG("Content-Length: 5 5");
  WRONG("Content-Length: 0x5");
  WRONG("Content-Length:");
  WRONG("Content-Length: 1234567890123456789");
#undef WRONG
  assert_false(PASSES("GET / HTTP/1.1\nHost: localhost\r\n\r\n"));
  assert_false(PASSES(FINE "\n" FINE));
}

static void test_a_body_ends_where_its_length_says(void **state)
{
  (void)state;
  assert_true(PASSES(WITH("Content-Length: 6") "a\nb\nc\n" FINE));
  assert_false(PASSES(WITH("Content-Length: 5") "a\nb\nc\n" FINE));
  assert_false(PASSES(WITH("Content-Length: 0") "a\nb\nc\n" FINE));
}

/* ── frames ── */

static const char head[] = "GET /ws/ HTTP/1.1\r\nX: a\r\r\n\r\n";

static size_t add_frame(unsigned char *to, size_t length, bool masked)
{
  unsigned char *at = to;
  unsigned bit = masked ? 0x80 : 0;
  *at++ = 0x81;
  if (length < 126) {
    *at++ = (unsigned char)(bit | length);
  } else {
    unsigned wide = length < 65536 ? 2 : 8;
    *at++ = (unsigned char)(bit | (wide == 2 ? 126 : 127));
    for (unsigned i = wide; i-- > 0;) *at++ = (unsigned char)((uint64_t)length >> 8 * i);
  }
  if (masked) {
    memset(at, 0, 4);
    at += 4;
  }
  memset(at, 1, length); /* read as heads of frames these have no mask */
  return (size_t)(at - to) + length;
}

static void test_frames_pass_with_masks_alone(void **state)
{
  (void)state;
  static const size_t lengths[] = {0, 1, 125, 126, 127, 65535, 65536};
  static unsigned char bytes[4 * 65600];
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    for (int with = 0; with < 2; with++) {
      size_t size = sizeof head - 1;
      memcpy(bytes, head, sizeof head - 1);
      size += add_frame(bytes + size, lengths[i], true);
      size += add_frame(bytes + size, lengths[(i + 3) % 7], true);
      size_t last = size;
      size += add_frame(bytes + size, lengths[i], with != 0);
      for (size_t step = 1; step < size; step += 1 + step * 7) {
        mask_screen screen = {0};
        size_t at = 0;
        while (at < size && mask_screen_take(&screen, bytes + at, size - at < step ? size - at : step)) at += step;
        assert_int_equal(at >= size, with != 0);
        if (!with) assert_true(at <= last + 1 && at + step > last + 1); /* found at the byte with the bit */
      }
    }
  }
}

SUITE(test_http_screens)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_heads_of_all_requests_of_a_connection_pass),
      cmocka_unit_test(test_what_others_may_read_otherwise_is_found_in_every_head),
      cmocka_unit_test(test_a_body_ends_where_its_length_says),
      cmocka_unit_test(test_frames_pass_with_masks_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
