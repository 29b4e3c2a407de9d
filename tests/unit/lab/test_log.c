/* The log: whatever a value holds, a line stays one line and one JSON object; floods are bounded and counted; nothing waits for who reads
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "server/clock.h"
#include "server/log/log.h"
#include "tests/support/suites.h"

enum { moment = 1769860800 }; /* 2026-01-31T12:00:00Z by `date -u -d @1769860800` */

static json_t *parsed_line(const log_field *fields)
{
  char line[LOG_LINE_BYTES];
  json_error_t error;
  size_t length = log_line(line, LOG_FORMAT_JSON, moment * 1000LL + 7, LOG_LEVEL_WARNING, "something", fields);
  assert_true(length > 0 && length <= LOG_LINE_BYTES);
  assert_ptr_equal(memchr(line, '\n', length), line + length - 1);
  for (size_t i = 0; i + 1 < length; i++) assert_true((unsigned char)line[i] >= 0x20 && line[i] != 0x7f);
  json_t *value = json_loadb(line, length, 0, &error);
  assert_non_null(value);
  return value;
}

static const char *text_of(json_t *line, const char *key)
{
  const char *text = json_string_value(json_object_get(line, key));
  assert_non_null(text);
  return text;
}

static void assert_text_line(const char *wanted, const log_field *fields)
{
  char line[LOG_LINE_BYTES + 1];
  line[log_line(line, LOG_FORMAT_TEXT, moment * 1000LL + 7, LOG_LEVEL_INFO, "job_failed", fields)] = '\0';
  assert_string_equal(line, wanted);
}

static void test_a_json_line_has_time_level_event_and_the_fields_with_their_types(void **state)
{
  (void)state;
  json_t *line = parsed_line(LOG_FIELDS(log_integer("job", INT64_MAX), log_real("seconds", 0.25), log_text("reason", "too \"hot\""),
                                        log_text("none", ""), log_text("missing", NULL), log_real("unknown", (double)NAN)));
  assert_string_equal(text_of(line, "time"), "2026-01-31T12:00:00.007Z");
  assert_string_equal(text_of(line, "level"), "warning");
  assert_string_equal(text_of(line, "event"), "something");
  assert_true(json_integer_value(json_object_get(line, "job")) == INT64_MAX);
  assert_true(json_real_value(json_object_get(line, "seconds")) == 0.25);
  assert_string_equal(text_of(line, "reason"), "too \"hot\"");
  assert_true(json_is_null(json_object_get(line, "unknown")));
  assert_int_equal(json_object_size(line), 7); /* empty and missing texts are left out */
  json_decref(line);
}

static void test_a_text_line_quotes_what_is_not_one_plain_word(void **state)
{
  (void)state;
  assert_text_line("2026-01-31T12:00:00.007Z info job_failed\n", LOG_FIELDS(log_text("reason", "")));
  assert_text_line(
      "2026-01-31T12:00:00.007Z info job_failed job=3 path=/api/v1/jobs reason=\"a=b c\" said=\"\\\"\\\\\"\n",
      LOG_FIELDS(log_integer("job", 3), log_text("path", "/api/v1/jobs"), log_text("reason", "a=b c"), log_text("said", "\"\\")));
  assert_text_line("2026-01-31T12:00:00.007Z info job_failed name=\"two\\nlines\\u001b[31m\"\n",
                   LOG_FIELDS(log_text("name", "two\nlines\x1b[31m")));
}

/* Unicode 15, tables of chapter 3 (well-formed UTF-8) and 23 (controls, bidirectional formatting). */
static void test_no_value_can_end_a_line_steer_a_terminal_or_break_the_encoding(void **state)
{
  (void)state;
  static const struct {
    const char *given, *read;
  } cases[] = {
      {"a\r\n\t\b\x01\x7f", "a\r\n\t\b\x01\x7f"}, /* escaped on the way, the same when read */
      {"\xc3\xa4\xe2\x82\xac\xf0\x9f\xaa\xa8", "\xc3\xa4\xe2\x82\xac\xf0\x9f\xaa\xa8"},
      {"\xc2\x9b[31m", "\xc2\x9b[31m"}, /* CSI of C1 */
      {"\xe2\x80\xae"
       "evil",
       "\xe2\x80\xae"
       "evil"}, /* right-to-left override */
      {"\xff\xfe"
       "a",
       "\xef\xbf\xbd\xef\xbf\xbd"
       "a"}, /* bytes that never occur */
      {"\xc0\x80"
       "a",
       "\xef\xbf\xbd\xef\xbf\xbd"
       "a"},                                                                    /* overlong zero */
      {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                 /* half of a surrogate pair */
      {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* beyond U+10FFFF */
      {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char line[LOG_LINE_BYTES + 1];
    json_t *value = parsed_line(LOG_FIELDS(log_text("value", cases[i].given)));
    assert_string_equal(text_of(value, "value"), cases[i].read);
    json_decref(value);
    line[log_line(line, LOG_FORMAT_TEXT, 0, LOG_LEVEL_INFO, "x", LOG_FIELDS(log_text("value", cases[i].given)))] = '\0';
    assert_null(strstr(line, "\xc2\x9b"));
    assert_null(strstr(line, "\xe2\x80\xae"));
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
  }
}

static void test_long_values_are_cut_and_a_line_never_exceeds_its_bound(void **state)
{
  (void)state;
  static char longest[20001], hostile[20001];
  memset(longest, 'a', sizeof longest - 1);
  memset(hostile, '\x01', sizeof hostile - 1);
  json_t *line = parsed_line(LOG_FIELDS(log_text("a", longest), log_text("b", hostile), log_text("c", hostile), log_text("d", hostile),
                                        log_text("e", hostile), log_integer("last", 1)));
  const char *cut = text_of(line, "a");
  assert_int_equal(strlen(cut), LOG_VALUE_BYTES + 3);
  assert_string_equal(cut + LOG_VALUE_BYTES, "...");
  assert_int_equal(json_integer_value(json_object_get(line, "last")), 1); /* what has room is there, what has none is left out whole */
  assert_null(json_object_get(line, "e"));
  json_decref(line);
}

/* ── floods ── */

typedef struct log_file {
  FILE *file;
  log_config config;
} log_file;

static log_file make_log_file(void)
{
  log_file made = {.file = tmpfile(), .config = log_config_default()};
  assert_non_null(made.file);
  made.config.descriptor = fileno(made.file);
  made.config.format = LOG_FORMAT_JSON;
  return made;
}

/* Lines of an event, the numbers of their `count` added up in `sum`. */
static size_t count_lines(FILE *file, const char *event, long long *sum)
{
  char line[LOG_LINE_BYTES + 1];
  size_t found = 0;
  *sum = 0;
  rewind(file);
  while (fgets(line, sizeof line, file)) {
    json_t *value = json_loads(line, 0, NULL);
    const char *said = json_string_value(json_object_get(value, "event"));
    if (said && strcmp(said, event) == 0) {
      found++;
      *sum += json_integer_value(json_object_get(value, "count"));
    }
    json_decref(value);
  }
  return found;
}

static void test_a_flood_is_cut_to_the_allowed_lines_and_counted_and_other_events_are_not_touched(void **state)
{
  (void)state;
  log_file f = make_log_file();
  long long sum;
  f.config.burst = 5;
  f.config.lines_per_second = 0.0;
  event_log *log = log_open(&f.config);
  for (int i = 0; i < 1000; i++) log_write_bounded(log, LOG_LEVEL_INFO, "request_refused", LOG_FIELDS(log_integer("status", 404)));
  for (int i = 0; i < 3; i++) log_write_bounded(log, LOG_LEVEL_INFO, "request_slow", NULL);
  for (int i = 0; i < 50; i++) log_write(log, LOG_LEVEL_INFO, "job_started", NULL);
  log_write(log, LOG_LEVEL_DEBUG, "request", NULL);
  log_close(log, 5);
  assert_int_equal(count_lines(f.file, "request_refused", &sum), 5);
  assert_int_equal(count_lines(f.file, "request_slow", &sum), 3);
  assert_int_equal(count_lines(f.file, "job_started", &sum), 50);
  assert_int_equal(count_lines(f.file, "request", &sum), 0); /* below the least level */
  assert_int_equal(count_lines(f.file, "lines_left_out", &sum), 1);
  assert_int_equal(sum, 995);
  fclose(f.file);
}

static void test_a_bounded_event_is_written_again_when_time_has_passed(void **state)
{
  (void)state;
  log_file f = make_log_file();
  long long sum;
  f.config.burst = 1;
  f.config.lines_per_second = 50;
  event_log *log = log_open(&f.config);
  for (int i = 0; i < 3; i++) {
    log_write_bounded(log, LOG_LEVEL_INFO, "request_refused", NULL);
    usleep(100000);
  }
  log_close(log, 5);
  assert_int_equal(count_lines(f.file, "request_refused", &sum), 3);
  fclose(f.file);
}

/* ── where nothing can be written ── */

static void test_a_full_disk_or_a_closed_descriptor_costs_lines_and_nothing_else(void **state)
{
  (void)state;
  int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  const int descriptors[] = {full, 987, -1};
  for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
    log_config config = log_config_default();
    config.descriptor = descriptors[i];
    event_log *log = log_open(&config);
    assert_non_null(log);
    for (int k = 0; k < 20000; k++) log_write(log, LOG_LEVEL_INFO, "job_started", LOG_FIELDS(log_integer("job", k)));
    int64_t begun = clock_monotonic_ms();
    log_close(log, 1);
    assert_true(clock_monotonic_ms() - begun < 20000);
  }
  close(full);
}

static void test_a_pipe_that_nobody_reads_makes_no_caller_wait_and_the_missing_lines_are_counted_once_it_is_read(void **state)
{
  (void)state;
  enum { lines = 50000 };
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  log_config config = log_config_default();
  config.descriptor = ends[1];
  config.format = LOG_FORMAT_JSON;
  config.summary_seconds = 1;
  event_log *log = log_open(&config);
  for (int k = 0; k < lines; k++) log_write(log, LOG_LEVEL_INFO, "job_started", LOG_FIELDS(log_integer("job", k)));
  FILE *reader = fdopen(ends[0], "r");
  char line[LOG_LINE_BYTES + 1];
  long long written = 0, missing = 0;
  while (missing == 0 && fgets(line, sizeof line, reader)) {
    json_t *value = json_loads(line, 0, NULL);
    assert_non_null(value); /* never a part of a line */
    written += strcmp(text_of(value, "event"), "job_started") == 0;
    missing += json_integer_value(json_object_get(value, "count"));
    json_decref(value);
  }
  assert_true(missing > 0);
  assert_int_equal(written + missing, lines);
  log_close(log, 1);
  fclose(reader);
  close(ends[1]);
}

static void test_a_log_on_a_pipe_that_nobody_reads_is_closed_in_time(void **state)
{
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  log_config config = log_config_default();
  config.descriptor = ends[1];
  event_log *log = log_open(&config);
  for (int k = 0; k < 20000; k++) log_write(log, LOG_LEVEL_INFO, "job_started", LOG_FIELDS(log_integer("job", k)));
  int64_t begun = clock_monotonic_ms();
  log_close(log, 0.3);
  assert_true(clock_monotonic_ms() - begun <
              60000); /* 0.3 s and a look or two on a quick machine; one look for each line would be minutes */
  close(ends[0]);
  close(ends[1]);
}

/* A file that may not grow stands for a disk without room: the line that meets the end is written in part. */
static void test_a_line_cut_by_a_full_disk_is_ended_before_the_next(void **state)
{
  (void)state;
  log_file f = make_log_file();
  struct rlimit before, small;
  long long sum;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 1000;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  event_log *log = log_open(&f.config);
  for (int k = 0; k < 100; k++) log_write(log, LOG_LEVEL_INFO, "job_started", LOG_FIELDS(log_integer("job", k)));
  struct stat file = {0};
  for (int k = 0; k < 4000 && file.st_size < 1000; k++) {
    usleep(5000);
    assert_int_equal(fstat(fileno(f.file), &file), 0);
  }
  assert_int_equal(file.st_size, 1000);
  usleep(100000); /* for the others to be lost; those that come later still are written */
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  log_write(log, LOG_LEVEL_INFO, "stopped", NULL);
  log_close(log, 5);
  size_t whole = count_lines(f.file, "job_started", &sum);
  assert_true(whole > 5 && whole < 100);
  assert_int_equal(count_lines(f.file, "stopped", &sum), 1);
  assert_int_equal(count_lines(f.file, "lines_left_out", &sum), 1);
  assert_int_equal(sum, 100 - (long long)whole);
  fclose(f.file);
}

static void test_no_log_takes_everything(void **state)
{
  (void)state;
  log_write(NULL, LOG_LEVEL_ERROR, "job_failed", NULL);
  log_write_bounded(NULL, LOG_LEVEL_ERROR, "job_failed", NULL);
  assert_false(log_takes(NULL, LOG_LEVEL_ERROR));
  log_close(NULL, 1);
}

SUITE(test_log)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_json_line_has_time_level_event_and_the_fields_with_their_types),
      cmocka_unit_test(test_a_text_line_quotes_what_is_not_one_plain_word),
      cmocka_unit_test(test_no_value_can_end_a_line_steer_a_terminal_or_break_the_encoding),
      cmocka_unit_test(test_long_values_are_cut_and_a_line_never_exceeds_its_bound),
      cmocka_unit_test(test_a_flood_is_cut_to_the_allowed_lines_and_counted_and_other_events_are_not_touched),
      cmocka_unit_test(test_a_bounded_event_is_written_again_when_time_has_passed),
      cmocka_unit_test(test_a_full_disk_or_a_closed_descriptor_costs_lines_and_nothing_else),
      cmocka_unit_test(test_a_pipe_that_nobody_reads_makes_no_caller_wait_and_the_missing_lines_are_counted_once_it_is_read),
      cmocka_unit_test(test_a_log_on_a_pipe_that_nobody_reads_is_closed_in_time),
      cmocka_unit_test(test_a_line_cut_by_a_full_disk_is_ended_before_the_next),
      cmocka_unit_test(test_no_log_takes_everything),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
