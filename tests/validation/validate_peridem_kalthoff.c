/* Kalthoff and Winkler's plate with two notches: the angle at which a crack runs away from a notch, measured from damage. */
#include "server/embedded.h"
#include "tests/validation/peridem_case.h"

/** A crack's way from the tip of a notch, seen by the nodes that lost more than 0.35 of their bonds. */
typedef struct crack_way {
  double nodes; /**< damaged nodes within `far` of the tip */
  double reach; /**< m, of the farthest of them from the tip */
  double
      angle; /**< degrees from the notch's own line to the line that fits them best by total least squares; positive: away from the impact */
} crack_way;

enum { SIDE_LEFT = -1, SIDE_RIGHT = 1 };

/* Of the notch at x = +-25.75 mm whose tip is at z = 0 and which comes from +z. The plate is the first specimen, so its nodes come first. */
static crack_way measure_crack(const sim_run *run, int side, double far)
{
  const pd_state *s = run_state(run);
  const pd_body *plate = &s->bodies[0];
  pd_picture nodes;
  s->backend->gather(s, &nodes);
  double n = 0, x = 0, z = 0, xx = 0, xz = 0, zz = 0, reach = 0;
  for (size_t i = 0; i < plate->node_count; i++) {
    double aside = side * plate->x[i] - 25.75e-3, along = -plate->z[i], r = hypot(aside, along);
    if (nodes.damage[i] <= 0.35 || along < 0 || aside < -2e-3 || r > far) continue;
    n++, x += aside, z += along;
    xx += aside * aside, xz += aside * along, zz += along * along;
    reach = fmax(reach, r);
  }
  x /= n, z /= n;
  double angle = 0.5 * atan2(2 * (xz / n - x * z), zz / n - z * z - (xx / n - x * x));
  return (crack_way){n, reach, angle * 180 / M_PI};
}

static sim_run open_plate(void)
{
  const embedded_file *asset = embedded_find("gallery/kalthoff-winkler.json");
  if (!asset) run_fail("no such scene", "kalthoff-winkler");
  return run_open(asset ? (const char *)asset->data : "", 1);
}

/* The plate is a mesh with two slots. At its spacing 88 x 44 x 4 cells have their centres inside, and each slot takes 22 of a column in every layer.
 * Reference: counting. No bond may join the two sides of a slot. */
static void test_the_notches_of_the_plate_cut_its_lattice(void **state)
{
  (void)state;
  sim_run run = open_plate();
  const pd_body *plate = &run_state(&run)->bodies[0];
  claim_absolute("nodes of the plate", (double)plate->node_count, (88 * 44 - 2 * 22) * 4, 0, "counting");
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

/* The crack turns on its way: over its first 30 mm it runs at less than the 68 degrees that the paper reports, over 60 mm it is within 4 degrees of them,
 * the tolerance that the project set itself. So what is claimed is the line that fits the 60 mm best, after 60 us; the 30 mm are only shown. With both
 * spacings and the contact radius at 1.5 mm the same fits give 67.4 and 61.4: the beginning hangs on the spacing still. The scene is its own
 * mirror image, so the two cracks are alike but for rounding. */
static void test_the_cracks_run_aside_as_kalthoff_saw(void **state)
{
  (void)state;
  claim_slow();
  sim_run run = open_plate();
  run_until(&run, 6e-5);
  crack_way right = measure_crack(&run, SIDE_RIGHT, 0.06), left = measure_crack(&run, SIDE_LEFT, 0.06);
  claim_between("reach of the crack, m", right.reach, 0.055, 0.06, "long enough for the fit");
  claim_absolute("angle over 60 mm, degrees", right.angle, 68, 4, "PeriDEM paper, section 7.1");
  claim_shown("angle over the first 30 mm, degrees", measure_crack(&run, SIDE_RIGHT, 0.03).angle);
  claim_absolute("left angle less right, degrees", left.angle - right.angle, 0, 1, "symmetry");
  run_close(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_notches_of_the_plate_cut_its_lattice),
      cmocka_unit_test(test_the_cracks_run_aside_as_kalthoff_saw),
  };
  return cmocka_run_group_tests_name("peridem kalthoff", tests, NULL, NULL);
}
