/* Kalthoff and Winkler's plate with two notches: the angle at which a crack runs away from a notch, measured from damage. */
#include "server/embedded.h"
#include "tests/support/crack_way.h"
#include "tests/support/shared_scene.h"
#include "tests/support/suites.h"
#include "tests/validation/peridem/peridem_case.h"

/* The gallery's scene with all its lengths of 1.5 mm (both spacings, the contact radius) at another. */
static sim_run open_plate(const char *spacing)
{
  const embedded_file *asset = embedded_find("gallery/kalthoff-winkler.json");
  if (!asset) run_fail("no such scene", "kalthoff-winkler");
  static const char given[] = "1.5e-3";
  const char *from = asset ? (const char *)asset->data : "", *at;
  char text[8192] = "";
  size_t length = 0;
  for (; (at = strstr(from, given)) != NULL; from = at + strlen(given))
    length += (size_t)snprintf(text + length, sizeof text - length, "%.*s%s", (int)(at - from), from, spacing);
  snprintf(text + length, sizeof text - length, "%s", from);
  return run_open(text, 1);
}

/* The plate is a mesh with two slots. At its spacing 134 x 66 x 6 cells have their centres inside, and each slot takes 33 of a column in
 * every layer. Reference: counting. No bond may join the two sides of a slot. */
static void test_the_notches_of_the_plate_cut_its_lattice(void **state)
{
  (void)state;
  sim_run run = open_plate("1.5e-3");
  const pd_body *plate = &run_state(&run)->bodies[0];
  claim_absolute("nodes of the plate", (double)plate->node_count, (134 * 66 - 2 * 33) * 6, 0, "counting");
  size_t crossing = 0;
  for (size_t i = 0; i < plate->node_count; i++)
    for (uint32_t k = plate->bonds.first[i], end = k + plate->bonds.count[i]; k < end; k++) {
      uint32_t j = plate->bonds.other[k];
      double a = fabs(plate->x[i]) - 25.75e-3, b = fabs(plate->x[j]) - 25.75e-3;
      if (a * b > 0 || plate->x[i] * plate->x[j] < 0) continue;
      crossing += plate->z[i] + (plate->z[j] - plate->z[i]) * a / (a - b) > 0;
    }
  claim_absolute("bonds across a notch", (double)crossing, 0, 0, "a notch is empty");
  run_close(&run);
}

static void check_angles(const char *spacing, double tolerance)
{
  char name[80];
  sim_run run = open_plate(spacing);
  const pd_state *s = run_state(&run);
  pd_picture nodes;
  run_until(&run, 8e-5);
  assert_int_equal(s->backend->gather(s, &nodes, NULL), SCR_OK);
  for (int k = 1; k <= 2; k++) {
    double far = 0.03 * k;
    crack_way right = crack_measure(&s->bodies[0], nodes.damage, CRACK_RIGHT, far);
    crack_way left = crack_measure(&s->bodies[0], nodes.damage, CRACK_LEFT, far);
    snprintf(name, sizeof name, "spacing %s m: angle over %.0f mm, degrees", spacing, far * 1e3);
    claim_absolute(name, right.chord, 68, tolerance, "PeriDEM paper, section 7.1");
    snprintf(name, sizeof name, "spacing %s m: left less right over %.0f mm", spacing, far * 1e3);
    claim_absolute(name, left.chord - right.chord, 0, 1, "symmetry");
    snprintf(name, sizeof name, "spacing %s m: line that fits best over %.0f mm", spacing, far * 1e3);
    claim_shown(name, right.fit);
  }
  run_close(&run);
}

/* What is claimed is the chord from the notch's tip to where the crack is after 30 and after 60 mm, at 7 and at 8 layers of nodes through
 * the plate: experiments report the direction in which a crack leaves its notch, and how it went on is seen by the second length. +-4
 * degrees is the tolerance that the project set itself. With 6 layers, as in the gallery, the same chords are 64.3 and 66.7, with 4 they
 * are 59.3 and 69.8: the horizon, three spacings, is then no longer small beside the plate's 9 mm and the crack swings about its way
 * (tests/reports/bench/KALTHOFF.md has what else it hangs on). The scene is its own mirror image, so the two cracks are alike but for
 * rounding. */
static void test_the_cracks_run_aside_as_kalthoff_saw(void **state)
{
  (void)state;
  claim_slow();
  check_angles("1.285714e-3", 4);
  check_angles("1.125e-3", 4);
}

SUITE(validate_peridem_kalthoff)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_notches_of_the_plate_cut_its_lattice),
      cmocka_unit_test(test_the_cracks_run_aside_as_kalthoff_saw),
  };
  return cmocka_run_group_tests_name("peridem kalthoff", tests, NULL, NULL);
}
