/* Nothing hidden: what the method fem could not do plainly is on the timeline of the recording, and in tables where it happens often; a run
 * that does not converge fails with the history of its iterations. */
#include "tests/support/fem_scene.h"

#include <math.h>

#include "methods/fem/mesh/specimen.h"
#include "methods/fem/scene/cost.h"
#include "methods/fem/state/state.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

/* A recorded run: its verdict and its events, one JSON object after another. */
typedef struct recorded {
  scr_status status;
  scr_error error;
  scr_end end;
  char events[16384];
  char *folder;
} recorded;

static recorded record(const fem_scene *scene)
{
  recorded r = {.folder = folder_create()};
  char text[FEM_SCENE_BYTES];
  scr_scene *parsed = NULL;
  scr_problems problems = {0};
  fem_scene_text(scene, text);
  if (scr_scene_parse(text, strlen(text), NULL, &parsed, &problems) != SCR_OK)
    run_fail("scene", problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  char *out = folder_path(r.folder, "out"), *file = folder_path(out, "recording.scree");
  const scr_run_options options = {.directory = out, .threads = 1};
  r.status = scr_run(parsed, &options, &r.error);
  scr_recording *recording;
  assert_int_equal(scr_recording_open(file, &recording, NULL), SCR_OK);
  assert_int_equal(scr_recording_end(recording, &r.end, NULL), SCR_OK);
  size_t used = 0;
  for (uint64_t seq = 0; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_EVENT)) != 0;) {
    unsigned char bytes[2048] = {0};
    assert_int_equal(scr_recording_read(recording, seq, bytes, sizeof bytes - 1, NULL), SCR_OK);
    used += (size_t)snprintf(r.events + used, sizeof r.events - used, "%s\n", (const char *)bytes + sizeof(scr_record_header));
    assert_true(used < sizeof r.events);
  }
  scr_recording_close(recording);
  free(file);
  free(out);
  scr_scene_destroy(parsed);
  return r;
}

static bool says(const recorded *r, const char *kind, const char *words)
{
  char text[80];
  snprintf(text, sizeof text, "\"kind\":\"%s\"", kind);
  for (const char *at = strstr(r->events, text); at; at = strstr(at + 1, text)) {
    const char *end = strchr(at, '\n'), *found = strstr(at, words);
    if (found && found < end) return true;
  }
  print_message("# no event %s with '%s' in:\n%s\n", kind, words, r->events);
  return false;
}

static void forget(recorded *r)
{
  folder_remove(r->folder);
}

/* A column of 10 x 10 x 80 mm on the floor, pressed at its top by seven times what buckles it (pi^2 E I/(4 L^2) = 0.032 N) and quite
 * straight: its stiffness has negative eigenvalues. In steps of 10 s, against 0.4 s of its lowest vibration, its mass does not help. */
static fem_scene column(double step, const char *loading)
{
  return (fem_scene){.young = 1e5,
                     .density = 1000,
                     .size = {0.01, 0.01, 0.08},
                     .cells = {1, 1, 8},
                     .place = {0, 0, 0.04},
                     .step = step,
                     .duration = 3 * step,
                     .load = ", \"load_side\": \"z_max\", \"load\": [0, 0, -0.22]",
                     .options = loading,
                     .obstacles = FEM_FLOOR};
}

static void test_clamped_tangents_are_on_the_timeline(void **state)
{
  (void)state;
  fem_scene scene = column(10, NULL);
  recorded r = record(&scene);
  assert_int_equal(r.status, SCR_OK);
  assert_true(says(&r, "clamped_tangents", "tangents were clamped"));
  forget(&r);
}

/* Clamping changes the way and not the end: the column is shorter by P L/(E A) = 2.2 %, to the square of the strain. */
static void test_clamped_tangents_of_static_loading_are_too(void **state)
{
  (void)state;
  fem_scene scene = column(1e-3, ", \"loading\": \"static\"");
  recorded r = record(&scene);
  assert_int_equal(r.status, SCR_OK);
  assert_true(says(&r, "clamped_tangents", "tangents were clamped"));
  assert_true(says(&r, "clamped_tangents", "1 by t"));
  forget(&r);
  sim_run s = fem_open(&scene, 1);
  assert_true(fabs(run_curve(&s, "largest_displacement") / (0.022 * 0.08) - 1) < 2 * 0.022);
  run_close(&s);
}

/* A bar that hits the floor (the reference case of the impact's metric), in steps of so many waves through an element. */
static fem_scene bar(double waves)
{
  double length = 0.01, speed = sqrt(1e6 / 1000), step = waves * length / speed;
  return (fem_scene){.young = 1e6,
                     .density = 1000,
                     .size = {0.01, 0.01, 0.1},
                     .cells = {1, 1, 10},
                     .place = {0, 0, 0.05 + 1e-9},
                     .velocity = {0, 0, -3},
                     .step = step,
                     .duration = 12 * step,
                     .obstacles = FEM_FLOOR};
}

static void test_impact_above_cfl_1_is_on_the_timeline(void **state)
{
  (void)state;
  fem_scene coarse = bar(2), fine = bar(1), by_mass = bar(2);
  by_mass.impact = "mass";
  recorded r = record(&coarse);
  assert_int_equal(r.status, SCR_OK);
  assert_true(says(&r, "impact_above_cfl_1", "a step is 2 waves through an element"));
  forget(&r);
  r = record(&fine);
  assert_true(says(&r, "first_impact", "first impacts"));
  assert_null(strstr(r.events, "impact_above_cfl_1"));
  forget(&r);
  r = record(&by_mass);
  assert_null(strstr(r.events, "impact_above_cfl_1"));
  forget(&r);
}

/* The same with fewer iterations than a step of a nonlinear body needs. */
static fem_scene hurried(int newton_limit)
{
  static char options[80];
  fem_scene scene = bar(2);
  snprintf(options, sizeof options, ", \"newton_limit\": %d", newton_limit);
  scene.options = options;
  return scene;
}

static void test_halved_steps_are_doubted_on_the_timeline(void **state)
{
  (void)state;
  fem_scene scene = hurried(3);
  recorded r = record(&scene);
  assert_int_equal(r.status, SCR_OK);
  assert_true(says(&r, "doubt", "were done in halves"));
  assert_true(says(&r, "doubt", "\"doubt\":\"halved_steps\""));
  forget(&r);
}

static void test_a_step_that_does_not_converge_fails_the_run_with_its_history(void **state)
{
  (void)state;
  fem_scene scene = hurried(1);
  recorded r = record(&scene);
  assert_int_equal(r.status, SCR_DIVERGED);
  assert_int_equal(r.end.verdict, SCR_VERDICT_FAILED);
  print_message("# %s\n", r.end.message);
  assert_non_null(strstr(r.end.message, "step 1 of"));
  assert_non_null(strstr(r.end.message, "in the last of 1 iterations (at most 1), and converges below"));
  forget(&r);
}

/* ── memory ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether a cube of so many elements along an edge is accepted under a limit of memory; the estimate, B, where it is. */
static bool cube_fits(int cells, size_t limit, double *estimate, char *why, size_t why_size)
{
  char text[FEM_SCENE_BYTES];
  fem_scene cube = {
      .young = 1e6, .density = 1000, .size = {1, 1, 1}, .cells = {cells, cells, cells}, .place = {0, 0, 0}, .step = 1, .duration = 1};
  scr_limits limits = scr_limits_default();
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  if (limit) limits.memory_bytes = limit;
  fem_scene_text(&cube, text);
  bool fits = scr_scene_parse(text, strlen(text), &limits, &scene, &problems) == SCR_OK;
  if (fits) *estimate = scene->estimate.memory_bytes;
  if (!fits) snprintf(why, why_size, "%s: %s", problems.items[0].pointer, problems.items[0].detail);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
  return fits;
}

/* Twelve elements along an edge: what nodes and elements need fits, what the symbolic analysis foresees of the factor does not. The limit
 * between them, a tenth below the estimate, is refused; a tenth above it is not. */
static void test_a_factor_that_does_not_fit_is_refused_before_it_is_made(void **state)
{
  (void)state;
  const int cells = 12;
  double estimate = 0, ignored;
  char why[600] = "";
  assert_true(cube_fits(cells, 0, &estimate, why, sizeof why));
  fem_cost sizes = {.nodes = pow(cells + 1, 3), .hexes = pow(cells, 3)};
  double floor = fem_cost_floor(&sizes);
  assert_true(floor < 0.8 * estimate);
  assert_false(cube_fits(cells, (size_t)(0.9 * estimate), &ignored, why, sizeof why));
  assert_non_null(strstr(why, "/specimens: "));
  assert_non_null(strstr(why, "bytes of memory"));
  assert_null(strstr(why, "before any factor"));
  assert_true(cube_fits(cells, (size_t)(1.1 * estimate), &ignored, why, sizeof why));
  assert_false(cube_fits(cells, (size_t)(0.9 * floor), &ignored, why, sizeof why));
  assert_non_null(strstr(why, "before any factor"));
}

/* Every specimen's mesh is a row of a table: here one of cubes, whose Jacobians and aspects are 1. */
static void test_the_quality_of_meshes_is_a_table(void **state)
{
  (void)state;
  fem_scene scene = bar(1);
  sim_run r = fem_open(&scene, 1);
  run_steps(&r, 2);
  const fem_state *s = r.sim->state;
  const scr_table *table = &r.sim->tables[s->tables.meshes].table;
  assert_string_equal(table->name, "meshes");
  assert_int_equal(table->row_count, 1);
  static const double expected[9] = {0, 1, 44, 10, 1, 1, 1, 0.01, 1e-5};
  for (size_t k = 0; k < 9; k++) assert_true(fabs(table->values[k] - expected[k]) < 1e-12 * fmax(1, expected[k]));
  run_close(&r);
}

SUITE(test_fem_events)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clamped_tangents_are_on_the_timeline),
      cmocka_unit_test(test_clamped_tangents_of_static_loading_are_too),
      cmocka_unit_test(test_impact_above_cfl_1_is_on_the_timeline),
      cmocka_unit_test(test_halved_steps_are_doubted_on_the_timeline),
      cmocka_unit_test(test_a_step_that_does_not_converge_fails_the_run_with_its_history),
      cmocka_unit_test(test_a_factor_that_does_not_fit_is_refused_before_it_is_made),
      cmocka_unit_test(test_the_quality_of_meshes_is_a_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
