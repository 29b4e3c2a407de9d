/* What viewers say in the stream: the messages of openapi.yaml, and everything that is none of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/stream/message.h"
#include "scree.h"
#include "tests/support/suites.h"

static bool parse(const char *text, stream_message *message)
{
  char detail[256];
  bool fine = stream_message_parse(text, strlen(text), message, detail, sizeof detail);
  assert_int_equal(fine, detail[0] == '\0'); /* a refusal always says why */
  return fine;
}

static void test_a_subscription_has_the_documented_defaults(void **state)
{
  (void)state;
  stream_message m;
  assert_true(parse("{\"type\":\"subscribe\",\"stream\":1,\"job\":3}", &m));
  assert_int_equal(m.kind, STREAM_SUBSCRIBE);
  assert_int_equal(m.stream, 1);
  assert_int_equal(m.job, 3);
  assert_int_equal(m.from, 0);
  assert_false(m.live);
  assert_int_equal(m.channels, 1u << SCR_RECORD_FRAME | 1u << SCR_RECORD_CURVE | 1u << SCR_RECORD_EVENT | 1u << SCR_RECORD_PROGRESS);
  assert_true(m.max_fps == 30.0);
  assert_int_equal(m.window, 2);
  assert_int_equal(m.points, 0);
}

static void test_a_subscription_takes_every_option(void **state)
{
  (void)state;
  stream_message m;
  assert_true(parse("{\"type\":\"subscribe\",\"stream\":4294967295,\"job\":3,\"from\":\"live\",\"channels\":[\"curve\"],\"max_fps\":0.5,"
                    "\"window\":8,\"points\":300000,\"later\":1}",
                    &m));
  assert_true(m.live);
  assert_int_equal(m.stream, UINT32_MAX);
  assert_int_equal(m.channels, 1u << SCR_RECORD_CURVE);
  assert_true(m.max_fps == 0.5);
  assert_int_equal(m.window, 8);
  assert_int_equal(m.points, 250000);
  assert_true(parse("{\"type\":\"subscribe\",\"stream\":2,\"job\":3,\"from\":57,\"channels\":[]}", &m));
  assert_int_equal(m.from, 57);
  assert_int_equal(m.channels, 0);
}

static void test_the_other_messages_are_understood(void **state)
{
  (void)state;
  stream_message m;
  assert_true(parse("{\"type\":\"ack\",\"stream\":1,\"seq\":57}", &m));
  assert_int_equal(m.kind, STREAM_ACK);
  assert_int_equal(m.seq, 57);
  assert_true(parse("{\"type\":\"unsubscribe\",\"stream\":9}", &m));
  assert_int_equal(m.kind, STREAM_UNSUBSCRIBE);
  assert_true(parse("{\"type\":\"watch\"}", &m));
  assert_int_equal(m.kind, STREAM_WATCH);
}

static void test_what_is_no_message_is_refused_with_a_reason(void **state)
{
  (void)state;
  static const char *const bad[] = {"",
                                    "{",
                                    "[]",
                                    "1",
                                    "null",
                                    "\"watch\"",
                                    "{}",
                                    "{\"type\":1}",
                                    "{\"type\":\"dance\"}",
                                    "{\"type\":\"subscribe\"}",
                                    "{\"type\":\"subscribe\",\"stream\":0,\"job\":1}",
                                    "{\"type\":\"subscribe\",\"stream\":4294967296,\"job\":1}",
                                    "{\"type\":\"subscribe\",\"stream\":1.0,\"job\":1}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":0}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":\"1\"}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"from\":-1}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"from\":\"dead\"}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"channels\":\"frame\"}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"channels\":[\"frames\"]}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"max_fps\":0}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"max_fps\":61}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"max_fps\":\"30\"}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"window\":0}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"window\":9}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"points\":9999}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"points\":-1}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"job\":1,\"points\":\"all\"}",
                                    "{\"type\":\"subscribe\",\"stream\":1,\"stream\":2,\"job\":1}",
                                    "{\"type\":\"ack\",\"stream\":1}",
                                    "{\"type\":\"ack\",\"stream\":1,\"seq\":0}",
                                    "{\"type\":\"unsubscribe\"}",
                                    "{\"type\":\"watch\"} x"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    stream_message m;
    if (parse(bad[i], &m)) fail_msg("'%s' was taken", bad[i]);
  }
}

static void test_a_refusal_names_the_stream_when_the_text_did(void **state)
{
  (void)state;
  stream_message m;
  assert_false(parse("{\"type\":\"subscribe\",\"stream\":7}", &m));
  assert_int_equal(m.stream, 7);
  assert_false(parse("{\"type\":\"subscribe\",\"stream\":-7}", &m));
  assert_int_equal(m.stream, 0);
}

SUITE(test_stream_message)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_subscription_has_the_documented_defaults),
      cmocka_unit_test(test_a_subscription_takes_every_option),
      cmocka_unit_test(test_the_other_messages_are_understood),
      cmocka_unit_test(test_what_is_no_message_is_refused_with_a_reason),
      cmocka_unit_test(test_a_refusal_names_the_stream_when_the_text_did),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
