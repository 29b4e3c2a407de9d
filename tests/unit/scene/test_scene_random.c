/* Whatever the text and whatever memory does: a scene or reasons, never a crash or a leak. */
#include "tests/unit/scene/test_scene_fake.h"

#include "tests/support/failing_memory.h"
#include "tests/support/suites.h"

/* ── random edits ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* A linear congruential generator (modulus 2^64, the multiplier of Knuth's MMIX), top bits used: the same edits on every machine. */
static uint32_t draw(uint64_t *seed, uint32_t below)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((*seed >> 33) % below);
}

static size_t edit(uint64_t *seed, char *text, size_t length, size_t capacity)
{
  static const char *const pieces[] = {"{",  "}",  "[",    "]",         ",",        "null",      "-1",      "1e308", "1e-320",
                                       "\"", "0",  "true", "[0,0,0]",   "\"wall\"", "\"type\":", "\\u001b", "\xc3",  "9007199254740993",
                                       "{}", "[]", "-0",   "\"steel\"", "\"x\":1,"};
  size_t at = draw(seed, (uint32_t)length), cut = draw(seed, 4) ? 0 : draw(seed, 12);
  if (cut > length - at) cut = length - at;
  const char *piece = draw(seed, 3) ? pieces[draw(seed, sizeof pieces / sizeof pieces[0])] : "";
  size_t added = strlen(piece);
  if (length - cut + added >= capacity) return length;
  memmove(text + at + added, text + at + cut, length - at - cut);
  memcpy(text + at, piece, added);
  return length - cut + added;
}

static void test_any_text_gives_a_scene_or_at_least_one_problem(void **state)
{
  (void)state;
  enum { CAPACITY = 8192, ROUNDS = 4000 };
  static char text[CAPACITY];
  size_t accepted = 0;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    uint64_t seed = round;
    size_t length = strlen(full_scene);
    scr_scene *scene = NULL;
    scr_problems problems = {0};
    memcpy(text, full_scene, length);
    for (uint32_t edits = draw(&seed, 3); edits < 4 && length > 1; edits++) length = edit(&seed, text, length, CAPACITY);
    scr_status status = scene_parse(text, length, NULL, fake_methods, &scene, &problems);
    bool whole = status == SCR_OK ? scene && problems.count == 0 : status == SCR_BAD_SCENE && !scene && problems.count > 0;
    if (!whole) fail_msg("status %d with %zu problems for seed %llu", status, problems.count, (unsigned long long)round);
    if (scene) {
      char *json = scr_scene_json(scene);
      if (!json) fail_msg("no effective text for seed %llu", (unsigned long long)round);
      free(json);
      accepted++;
    }
    scr_scene_destroy(scene);
    scr_problems_clear(&problems);
  }
  assert_in_range(accepted, 1, ROUNDS - 1); /* both outcomes were tried */
}

static void test_every_beginning_of_a_scene_is_refused(void **state)
{
  (void)state;
  for (size_t length = 0; length < strlen(full_scene); length++) {
    scr_problems problems = {0};
    assert_int_equal(scene_parse(full_scene, length, NULL, fake_methods, NULL, &problems), SCR_BAD_SCENE);
    assert_int_equal(problems.count, 1);
    scr_problems_clear(&problems);
  }
}

/* ── failing memory ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* One parse and, when it succeeds, one effective text, with memory for `allowed` allocations. Returns whether all went well. */
static bool parse_with(const char *text, size_t allowed)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  failing_memory_begin(allowed);
  scr_status status = scene_parse(text, strlen(text), NULL, fake_methods, &scene, &problems);
  char *json = scene ? scr_scene_json(scene) : NULL;
  bool whole = json != NULL, explained = status == SCR_NO_MEMORY || problems.count > 0;
  for (size_t i = 0; i < problems.count; i++)
    if (strstr(problems.items[i].detail, "not JSON"))
      fail_msg("no memory was taken for bad text when %zu allocations were allowed", allowed);
  free(json);
  scr_scene_destroy(scene);
  scr_problems_clear(&problems);
  long live = failing_memory_end();
  if (live != 0) fail_msg("%ld allocations were not freed when %zu were allowed", live, allowed);
  if (status != SCR_OK && !explained) fail_msg("no reason was given when %zu allocations were allowed", allowed);
  return whole || status == SCR_BAD_SCENE;
}

/* Every allocation of a good and of a bad scene fails once, with all after it. The text is JSON in both, whatever the parser, which has no
 * word for a string it found no room for, makes of it. */
static void test_without_memory_a_parse_fails_cleanly_wherever_that_happens(void **state)
{
  (void)state;
  if (!failing_memory_works()) skip();
  char *bad = edited(full_scene, "\"radius\": 1e-3", "\"raduis\": -1");
  size_t tries = 0;
  bool whole = false;
  for (; tries < 5000; tries++) whole = parse_with(full_scene, tries);
  assert_true(whole);
  for (tries = 0; tries < 1500; tries++) parse_with(bad, tries);
  free(bad);
}

SUITE(test_scene_random)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_text_gives_a_scene_or_at_least_one_problem),
      cmocka_unit_test(test_every_beginning_of_a_scene_is_refused),
      cmocka_unit_test(test_without_memory_a_parse_fails_cleanly_wherever_that_happens),
  };
  return cmocka_run_group_tests_name("scene_random", tests, NULL, NULL);
}
