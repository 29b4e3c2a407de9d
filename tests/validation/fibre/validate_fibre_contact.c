/* Friction of fibres against theory, longer than the unit tests: a capstan of 48 edges a turn. */
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* A slack fibre round a drum as test_fibre_contact has it, `wraps` times with 48 edges each, once all of it slides; the pull over the
 * force at its end. */
static double capstan(double mu, int wraps, int steps)
{
  int edges = 48 * wraps;
  double radius = 0.05, a = 2e-4, d = 2 * M_PI / 48, own = (radius + a) / cos(d / 2), pitch = 6 * a,
         length = wraps * hypot(2 * M_PI * own, pitch);
  char text[3000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":2e11,"
           "\"bending_factor\":5e-8,\"mass_damping\":0.2,\"stiffness_damping\":1e-3}],"
           "\"contact\":{\"friction_coefficient\":%.17g},\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{\"type\":"
           "\"cylinder\",\"radius\":%.17g,\"length\":%.17g},\"edges\":%d,\"form\":\"helix\","
           "\"helix_radius\":%.17g,\"helix_pitch\":%.17g,\"unloaded\":\"as_placed\",\"held\":\"start\",\"hold\":\"pinned\",\"held_by\":"
           "\"puller\",\"end_force\":[%.17g,%.17g,0]}],"
           "\"rig\":{\"type\":\"none\"},\"obstacles\":[{\"name\":\"drum\",\"shape\":{\"type\":\"cylinder\",\"radius\":%.17g,\"length\":0.1}"
           ",\"position\":[0,0,0]},{\"name\":\"puller\",\"shape\":{\"type\":\"sphere\","
           "\"radius\":1e-3},\"position\":[0.5,0,0],\"direction\":[%.17g,%.17g,0],\"program\":[{\"type\":\"constant\",\"velocity\":2e-3}]}]"
           ",\"time\":{\"duration\":3,\"time_step\":1e-3},"
           "\"options\":{\"fibre_contact\":false}}",
           mu, a, length, edges, own, pitch, -1e-3 * sin((edges - 0.5) * d), 1e-3 * cos((edges - 0.5) * d), radius, sin(d / 2),
           -cos(d / 2));
  sim_run r = run_open(text, 1);
  run_steps(&r, (size_t)steps);
  run_observe(&r);
  double pull = hypot(run_value(&r, "start.force_x"), run_value(&r, "start.force_y"));
  claim_absolute("capstan: share of contacts that slide", run_value(&r, "contacts.sliding") / (edges - 1), 1, 1e-9, "all of it is drawn");
  run_close(&r);
  return pull / 1e-3;
}

/* Two laws that a polygon tends to and keeps: exp(mu angle), and exp((n - 1) asinh(mu sin d)) for 48 edges a turn: of 3 wraps at mu 0.1
 * 6.586 and 6.550 (spec 3.11b.6). */
static void test_tensions_on_a_capstan(void **state)
{
  (void)state;
  const double d = 2 * M_PI / 48;
  claim_relative("capstan, one wrap, mu 0.1", capstan(0.1, 1, 150), exp(47 * asinh(0.1 * sin(d))), 3e-3, "the polygon's law");
  claim_relative("capstan, one wrap, mu 0.5", capstan(0.5, 1, 150), exp(47 * asinh(0.5 * sin(d))), 3e-3, "the polygon's law");
  if (!getenv("SCREE_SLOW")) return;
  claim_relative("capstan, three wraps, mu 0.1", capstan(0.1, 3, 300), exp(143 * asinh(0.1 * sin(d))), 3e-3, "the polygon's law");
}

SUITE(validate_fibre_contact)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tensions_on_a_capstan),
  };
  return cmocka_run_group_tests_name("fibre friction against theory", tests, NULL, NULL);
}
