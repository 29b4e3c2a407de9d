/* What `scree render` and `scree film` understand of their options, what they refuse, and the order that the page gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/cli/commands/commands.h"
#include "api/cli/drawing/browser.h"
#include "api/cli/drawing/order.h"
#include "tests/support/suites.h"

enum { MOST_WORDS = 20 };

/* Reads a line of words apart by blanks, as the shell would give them. */
static bool read_line(bool film, const char *line, draw_order *order, char *message, size_t capacity)
{
  static char text[256];
  static cli_call call; /* the order keeps pointers into both */
  char *words[MOST_WORDS];
  int count = 0;
  snprintf(text, sizeof text, "%s", line);
  for (char *word = strtok(text, " "); word && count < MOST_WORDS; word = strtok(NULL, " ")) words[count++] = word;
  if (!cli_call_read(film ? &command_film : &command_render, count, words, &call, message, capacity)) return false;
  return draw_order_read(&call, film, order, message, capacity);
}

static void test_a_picture_is_of_the_last_frame_in_full_hd_on_white_unless_asked_otherwise(void **state)
{
  (void)state;
  char message[256];
  draw_order order;
  assert_true(read_line(false, "12 -o a.png", &order, message, sizeof message));
  assert_int_equal(order.job, 12);
  assert_int_equal(order.frame, -1);
  assert_int_equal(order.rate, 0);
  assert_int_equal(order.width, 1920);
  assert_int_equal(order.height, 1080);
  assert_false(order.transparent || order.parallel);
  assert_string_equal(order.field, "");
  assert_true(read_line(false, "7 --frame=40 --size=800x600 --transparent --parallel --view=-z -cdamage --timeout=9 --memory=2 -ob.png",
                        &order, message, sizeof message));
  assert_int_equal(order.frame, 40);
  assert_int_equal(order.width, 800);
  assert_int_equal(order.height, 600);
  assert_true(order.transparent && order.parallel);
  assert_float_equal(order.from[2], -1, 0);
  assert_float_equal(order.from[0], 0, 0);
  assert_string_equal(order.field, "damage");
  assert_float_equal(order.seconds, 9, 0);
  assert_float_equal(order.memory, 2 * 0x1p30, 0);
}

static void test_the_page_gets_the_order_as_json(void **state)
{
  (void)state;
  char message[256];
  draw_order order;
  assert_true(read_line(true, "3 --rate 30 --size 640x360 --view +x -c a\"b -o c.webm", &order, message, sizeof message));
  json_t *json = draw_order_json(&order);
  char *text = json_dumps(json, JSON_COMPACT);
  assert_string_equal(
      text,
      "{\"job\":3,\"frame\":-1,\"rate\":30,\"width\":640,\"height\":360,\"transparent\":false,\"from\":[1.0,0.0,0.0],"
      "\"parallel\":false,\"field\":\"a\\\"b\",\"range\":null,\"clip\":null,\"hide\":\"\",\"shade\":false,\"arrows\":\"\",\"grains\":1}");
  free(text);
  json_decref(json);
  assert_true(read_line(true,
                        "3 --range=-1:2e6 --clip z=0.25:1,x=0:0.5 --hide box,fragment=3 --shade --arrows velocity --grains 16 -o c.webm",
                        &order, message, sizeof message));
  json = draw_order_json(&order);
  text = json_dumps(json, JSON_COMPACT);
  assert_non_null(strstr(text, "\"range\":[-1.0,2000000.0],\"clip\":[[0.0,0.5],[0.0,1.0],[0.25,1.0]],\"hide\":\"box,fragment=3\",\"shade\":"
                               "true,\"arrows\":\"velocity\",\"grains\":16"));
  free(text);
  json_decref(json);
  assert_true(read_line(false, "3 -o c.png", &order, message, sizeof message));
  json = draw_order_json(&order);
  assert_true(json_is_null(json_object_get(json, "from")));
  json_decref(json);
}

static void test_refusals_name_the_option_its_value_and_what_is_allowed(void **state)
{
  (void)state;
  static const struct {
    bool film;
    const char *line, *said;
  } cases[] = {{false, "12", "-o FILE.png"},
               {false, "12 -o a.jpg", "-o FILE.png"},
               {true, "12 -o a.png", "-o FILE.webm"},
               {false, "first -o a.png", "first"},
               {false, "12 --size 800 -o a.png", "'800'"},
               {false, "12 --size 800x -o a.png", "WIDTHxHEIGHT"},
               {false, "12 --size 8193x10 -o a.png", "8192"},
               {false, "12 --range 2:1 -o a.png", "LOW:HIGH"},
               {false, "12 --range 2 -o a.png", "'2'"},
               {false, "12 --clip y=0.5:2 -o a.png", "0 to 1"},
               {false, "12 --clip y=0:1,,x=0:1 -o a.png", "AXIS=FROM:TO"},
               {false, "12 --clip w=0:1 -o a.png", "'w=0:1'"},
               {false, "12 --size -5x600 -o a.png", "16"},
               {true, "12 --size 1921x1080 -o a.webm", "1920"},
               {true, "12 --size 641x360 -o a.webm", "both even"},
               {false, "12 --view w -o a.png", "+x, -x, +y, -y, +z or -z"},
               {false, "12 --view xy -o a.png", "'xy'"},
               {false, "12 --frame -2 -o a.png", "frame"},
               {true, "12 --rate 0 -o a.webm", "rate"},
               {true, "12 --transparent -o a.webm", "transparent"},
               {false, "12 --grains 0 -o a.png", "grains"},
               {false, "12 --grains 65 -o a.png", "64"},
               {false, "12 --timeout 0 -o a.png", "timeout"},
               {false, "12 --memory 0.1 -o a.png", "memory"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char message[256] = "";
    draw_order order;
    if (read_line(cases[i].film, cases[i].line, &order, message, sizeof message)) fail_msg("'%s' is taken", cases[i].line);
    if (!strstr(message, cases[i].said)) fail_msg("'%s' of '%s' does not name '%s'", message, cases[i].line, cases[i].said);
  }
}

static void test_a_browser_is_the_one_named_or_none(void **state)
{
  (void)state;
  char path[BROWSER_PATH_BYTES];
  setenv("SCREE_CHROMIUM", "/nowhere/chromium", 1);
  assert_false(browser_find(path));
  setenv("SCREE_CHROMIUM", "/bin/sh", 1);
  assert_true(browser_find(path));
  assert_string_equal(path, "/bin/sh");
  unsetenv("SCREE_CHROMIUM");
}

static void test_a_program_that_is_no_browser_is_ended_and_leaves_nothing(void **state)
{
  (void)state;
  browser page;
  assert_int_not_equal(browser_open(&page, "/bin/false", 20, 1 << 30), CLI_DONE);
  assert_non_null(strstr(page.error, "exited unexpectedly"));
  char folder[sizeof page.folder];
  snprintf(folder, sizeof folder, "%s", page.folder);
  browser_close(&page);
  assert_int_not_equal(access(folder, F_OK), 0);
  assert_int_equal(page.pid, 0);
}

SUITE(test_draw_order)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_picture_is_of_the_last_frame_in_full_hd_on_white_unless_asked_otherwise),
      cmocka_unit_test(test_the_page_gets_the_order_as_json),
      cmocka_unit_test(test_refusals_name_the_option_its_value_and_what_is_allowed),
      cmocka_unit_test(test_a_browser_is_the_one_named_or_none),
      cmocka_unit_test(test_a_program_that_is_no_browser_is_ended_and_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
