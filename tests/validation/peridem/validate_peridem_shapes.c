/* The same box, lid and polymer with grains of other shapes: balls, hollow balls and jacks. */
#include "scene/mesh_source.h"
#include "server/embedded.h"
#include "tests/support/shared_scene.h"
#include "tests/support/suites.h"
#include "tests/validation/peridem/peridem_case.h"

/* A scene of the gallery, with one text replaced where `old` is given. */
static sim_run open_scene(const char *name, const char *old, const char *new)
{
  char path[96];
  snprintf(path, sizeof path, "gallery/%s.json", name);
  const embedded_file *asset = embedded_find(path);
  if (!asset) run_fail("no such scene", name);
  const char *text = asset ? (const char *)asset->data : "";
  char *changed = old ? shared_replaced(text, old, new) : strdup(text);
  assert_non_null(changed);
  sim_run run = run_open(changed, 1);
  free(changed);
  return run;
}

/* Six square arms of half width a = R/3 cross in a cube: three bars of 2R along the axes, less the cube that each of two shares with the
 * first. Of a lattice of R/6.25 each bar takes 4 x 4 cells across and 12 along. Reference: geometry, counting. */
static void test_a_jack_is_filled(void **state)
{
  (void)state;
  sim_run run = open_scene("eight-jacks", NULL, NULL);
  const double R = 1e-3, width = R / 1.5;
  claim_relative("volume of a jack, m^3", run.scene->specimens[0].shape.mesh.mesh->volume, 3 * 2 * R * width * width - 2 * pow(width, 3),
                 1e-5, "three bars that share a cube");
  claim_absolute("nodes of a jack", (double)run_state(&run)->bodies[0].node_count, 3 * 12 * 16 - 2 * 64, 0, "counting");
  run_close(&run);
}

/* Mean force on the lid from 60 us to 100 us, N. */
static double late_force(const char *name, const char *old, const char *new)
{
  sim_run run = open_scene(name, old, new);
  double sum = 0;
  for (int micro = 60; micro <= 100; micro++) {
    run_until(&run, micro * 1e-6);
    run_observe(&run);
    sum += run_value(&run, "wall.z_max.force_z");
  }
  run_close(&run);
  return sum / 41;
}

/* The paper crushes 125 of each and finds that late strength falls from balls to hollow balls to jacks (section 7.6). Here eight of each,
 * in the box of eight-grains; the order is claimed, by a factor of 2 at least, so that it is none of the curves' noise. */
static void test_late_strength_falls_from_balls_to_hollow_balls_to_jacks(void **state)
{
  (void)state;
  claim_slow();
  double ball = late_force("eight-grains", NULL, NULL), jack = late_force("eight-jacks", NULL, NULL);
  double hollow = late_force("eight-grains", "\"type\": \"sphere\", \"radius\": 1e-3",
                             "\"type\": \"hollow_sphere\", \"radius\": 1e-3, \"inner_radius\": 6e-4");
  claim_shown("balls: mean force on the lid, N", ball);
  claim_between("balls over hollow balls", ball / hollow, 2, INFINITY, "order in the PeriDEM paper");
  claim_between("hollow balls over jacks", hollow / jack, 2, INFINITY, "order in the PeriDEM paper");
}

SUITE(validate_peridem_shapes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_jack_is_filled),
      cmocka_unit_test(test_late_strength_falls_from_balls_to_hollow_balls_to_jacks),
  };
  return cmocka_run_group_tests_name("peridem shapes", tests, NULL, NULL);
}
