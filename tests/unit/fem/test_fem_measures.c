/* What method fem measures, against closed forms: stresses' invariants, the area in contact, and the work of a part that moves while bodies
 * hit it. */
#include "methods/fem/element/law.h"
#include "methods/fem/state/state.h"
#include "tests/support/fem_scene.h"
#include "tests/support/suites.h"

/* R diag(s) R^T as xx, yy, zz, xy, yz, zx for a rotation by angles a and b about z and x. */
static void turned_stress(const double s[3], double a, double b, double c[6])
{
  const double R[3][3] = {{cos(a), -sin(a) * cos(b), sin(a) * sin(b)}, {sin(a), cos(a) * cos(b), -cos(a) * sin(b)}, {0, sin(b), cos(b)}};
  static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
  for (int k = 0; k < 6; k++) {
    c[k] = 0;
    for (int m = 0; m < 3; m++) c[k] += R[row[k]][m] * s[m] * R[column[k]][m];
  }
}

/* Von Mises' stress is |s| of a uniaxial one, sqrt(3) tau of pure shear, 0 of pressure, and does not depend on the axes it is seen from;
 * nor does the largest principal stress. Closed forms, to rounding. */
static void test_invariants_of_stress_do_not_depend_on_axes(void **state)
{
  (void)state;
  static const double stress[][3] = {{5e6, 0, 0}, {2e6, 0, -2e6}, {3e6, 3e6, 3e6}, {-4e6, 1e6, 2.5e6}};
  for (size_t k = 0; k < sizeof stress / sizeof *stress; k++) {
    const double *s = stress[k], expected = sqrt(0.5 * (pow(s[0] - s[1], 2) + pow(s[1] - s[2], 2) + pow(s[2] - s[0], 2)));
    for (int n = 0; n < 5; n++) {
      double c[6];
      turned_stress(s, 0.7 * n, 0.4 * n * n, c);
      claim_absolute("von Mises stress in turned axes, Pa", fem_von_mises(c), expected, 1e-1, "of the principal stresses");
      claim_absolute("largest principal stress in turned axes, Pa", fem_principal(c), fmax(s[0], fmax(s[1], s[2])), 1e-1, "as given");
    }
  }
  const double shear[6] = {0, 0, 0, 1e6, 0, 0};
  claim_relative("von Mises stress of pure shear, Pa", fem_von_mises(shear), sqrt(3) * 1e6, 1e-12, "sqrt(3) tau");
}

/* A block of 8 x 8 elements that lies flat on a floor: the area in contact is its foot's at rest, without the sides beside it. */
static void test_the_area_in_contact_is_that_of_the_foot(void **state)
{
  (void)state;
  fem_scene scene = {.young = 1e6,
                     .nu = 0.3,
                     .density = 1000,
                     .damping = 1e-2,
                     .size = {0.4, 0.4, 0.1},
                     .cells = {8, 8, 2},
                     .place = {0, 0, 0.05},
                     .gravity = {0, 0, -9.81},
                     .step = 1e-3,
                     .duration = 1,
                     .obstacles = FEM_FLOOR};
  sim_run r = fem_open(&scene, 1);
  run_steps(&r, 200);
  claim_relative("block on a floor: nodes in contact", run_curve(&r, "contacts"), 81, 1e-12, "all of the foot");
  claim_relative("block on a floor: area in contact, m^2", run_value(&r, "contact_area"), 0.16, 1e-9, "its edges' product");
  claim_relative("block on a floor: force over the weight", run_value(&r, "contact_force") / (0.016 * 1000 * 9.81), 1, 0.02, "statics");
  run_close(&r);
}

/* A stiff block that flies and spins about y: momentum m v, angular momentum I w with I = m a^2 / 6 of a cube, centre and angle by v t and
 * w t. Nothing is dissipated. 2 %: masses of nodes are those of linear elements, whose cube of 3 x 3 x 3 has 1.1 % more inertia. */
static void test_a_flying_block_has_its_momenta(void **state)
{
  (void)state;
  fem_scene scene = {.young = 1e8,
                     .nu = 0.3,
                     .density = 1000,
                     .size = {0.1, 0.1, 0.1},
                     .cells = {3, 3, 3},
                     .place = {1, 2, 3},
                     .velocity = {0.5, -0.25, 2},
                     .spin = {0.7, 1.5, -1.1},
                     .step = 1e-3,
                     .duration = 1};
  sim_run r = fem_open(&scene, 1);
  run_steps(&r, 100);
  run_observe(&r);
  double t = scr_sim_time(r.sim), inertia = 1 * 0.01 / 6;
  claim_relative("flying block: momentum.x, N s", run_value(&r, "momentum.x"), 0.5, 1e-9, "m v");
  claim_relative("flying block: momentum.y, N s", run_value(&r, "momentum.y"), -0.25, 1e-9, "m v");
  claim_relative("flying block: momentum.z, N s", run_value(&r, "momentum.z"), 2, 1e-9, "m v");
  claim_relative("flying block: angular_momentum.y, N m s", run_value(&r, "angular_momentum.y"), inertia * 1.5, 0.02, "I w");
  claim_relative("flying block: angular_momentum.x, N m s", run_value(&r, "angular_momentum.x"), inertia * 0.7, 0.02, "I w");
  claim_relative("flying block: angular_momentum.z, N m s", run_value(&r, "angular_momentum.z"), -inertia * 1.1, 0.02, "I w");
  claim_relative("flying block: centre.x, m", run_value(&r, "centre.x"), 1 + 0.5 * t, 1e-9, "v t");
  claim_relative("flying block: centre.y, m", run_value(&r, "centre.y"), 2 - 0.25 * t, 1e-9, "v t");
  claim_relative("flying block: centre.z, m", run_value(&r, "centre.z"), 3 + 2 * t, 1e-9, "v t");
  claim_relative("flying block: rotation, rad", run_value(&r, "rotation"), sqrt(0.49 + 2.25 + 1.21) * t, 1e-3, "w t");
  claim_absolute("flying block: energy.damping, J", run_value(&r, "energy.damping"), 0, 0, "there is none");
  claim_absolute("flying block: halved_steps", run_value(&r, "halved_steps"), 0, 0, "nothing is hard");
  run_close(&r);
}

/* A step that is too hard is done in two halves, which is the same as two steps of half the length: loads that rise are those of each
 * half's ends, and what was tried and failed leaves no trace. To what Newton's method leaves, 1e-9. A soft block pulled hard, with few
 * iterations allowed. */
static void test_a_halved_step_is_two_steps(void **state)
{
  (void)state;
  fem_scene scene = {.young = 1e4,
                     .nu = 0.3,
                     .density = 1000,
                     .size = {0.2, 0.1, 0.1},
                     .cells = {2, 1, 1},
                     .place = {0, 0, 0},
                     .duration = 10,
                     .element = "incompatible-modes",
                     .load = ", \"load_side\": \"x_max\", \"load\": [300, 40, 0], \"load_rise_time\": 1"};
  double far[2], work[2];
  for (int k = 0; k < 2; k++) {
    scene.step = k ? 0.05 : 0.1;
    scene.options = k ? "" : ", \"newton_limit\": 4";
    sim_run r = fem_open(&scene, 1);
    run_steps(&r, k ? 2 : 1);
    far[k] = run_curve(&r, "largest_displacement");
    work[k] = run_value(&r, "energy.external");
    claim_absolute("hard step: halved_steps", run_value(&r, "halved_steps"), !k, 0, "once, or never");
    run_close(&r);
  }
  claim_relative("hard step in halves: largest displacement, m", far[0], far[1], 1e-9, "two steps");
  claim_relative("hard step in halves: energy.external, J", work[0], work[1], 1e-9, "two steps");
}

typedef struct hit {
  double momentum, external, impact, damping, balance, left;
} hit;

/* A block that meets a floor at 1 m/s: it falls onto one at rest, or waits for one that rises. */
static hit hit_floor(bool rises, const char *impact)
{
  fem_scene scene = {.young = 1e5,
                     .nu = 0.3,
                     .density = 1000,
                     .size = {0.05, 0.05, 0.05},
                     .cells = {3, 3, 3},
                     .place = {0, 0, 0.025 + 1e-9},
                     .step = 5e-4,
                     .duration = 1,
                     .impact = impact};
  scene.velocity[2] = rises ? 0 : -1;
  scene.obstacles =
      rises ? "{ \"name\": \"floor\", \"shape\": { \"type\": \"plane\", \"width\": 1 }, \"position\": [0, 0, 0], \"direction\": [0, 0, 1], "
              "\"program\": [ { \"type\": \"constant\", \"velocity\": 1 } ] }"
            : FEM_FLOOR;
  sim_run r = fem_open(&scene, 1);
  run_steps(&r, 60);
  run_observe(&r);
  hit h = {run_value(&r, "momentum.z"),           run_value(&r, "energy.external"),
           run_value(&r, "energy.impact"),        run_value(&r, "energy.damping"),
           run_value(&r, "energy.balance_error"), run_value(&r, "energy.kinetic") + run_value(&r, "energy.elastic")};
  assert_true(run_value(&r, "contacts") == 0 && h.momentum > 0.01);    /* it has left */
  assert_true(((fem_state *)r.sim->state)->totals.projection < -1e-3); /* velocities were projected */
  run_close(&r);
  return h;
}

/* The same impact seen from two frames that move past each other by v = 1 m/s. Momentum gained, heat and what impacts take are the same; a
 * part that moves puts in its velocity times the momentum that it gives, one at rest nothing. By both metrics of impacts. Galileo's
 * principle: to what the iterations leave, 1e-5. */
static void test_an_impact_is_the_same_seen_from_the_part(void **state)
{
  (void)state;
  static const char *const metrics[] = {"step", "mass"};
  for (int k = 0; k < 2; k++) {
    hit falls = hit_floor(false, metrics[k]), rises = hit_floor(true, metrics[k]);
    const double mass = 0.125, energy = 0.5 * mass;
    print_message("# impact in the metric of the %s\n", metrics[k]);
    claim_relative("impact on a moving part: momentum gained, N s", rises.momentum, falls.momentum + mass, 1e-5, "the same impact at rest");
    claim_relative("impact on a moving part: energy.external, J", rises.external, rises.momentum, 1e-5, "v times the momentum given");
    claim_absolute("impact on a part at rest: energy.external, J", falls.external, 0, 1e-12, "it does no work");
    claim_absolute("impact on a part at rest: energy.impact over the energy", falls.impact / energy, 1 - falls.left / energy, 5e-3,
                   "what motion and strain lack");
    claim_absolute("impact on a moving part: energy.impact over the energy", rises.impact / energy, falls.impact / energy, 1e-5,
                   "the same impact at rest");
    claim_absolute("impact on a moving part: energy.damping over the energy", rises.damping / energy, falls.damping / energy, 1e-5,
                   "the same impact at rest");
    claim_absolute("impact on a moving part: energy.balance_error", rises.balance, 0, 5e-3, "conservation of energy");
    claim_shown("impact: energy.impact over the energy", falls.impact / energy);
  }
}

/* A block that was pulled long rings freely, within linear elasticity and without turning: what kinetic and elastic energy lack at any
 * moment is energy.damping. The trapezoidal rule keeps this sum in any step, so it holds to what the iterations leave. */
static void test_damping_takes_what_a_vibration_loses(void **state)
{
  (void)state;
  fem_scene scene = {.young = 1e6,
                     .density = 1000,
                     .damping = 2e-3,
                     .size = {0.1, 0.1, 0.1},
                     .cells = {2, 2, 2},
                     .law = "linear",
                     .step = 1e-3,
                     .duration = 1,
                     .velocity = {0.1, 0, 0}};
  sim_run r = fem_open(&scene, 1);
  fem_state *s = r.sim->state;
  for (size_t n = 0; n < s->system.node_count; n++) s->motion.velocity[3 * n] = 2 * s->system.rest[3 * n]; /* m/s: it is pulled apart */
  run_observe(&r);
  double start = run_value(&r, "energy.kinetic") + run_value(&r, "energy.elastic"), damped = 0;
  for (int k = 0; k < 40; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    damped = run_value(&r, "energy.damping");
    claim_absolute("ringing block: energy.damping over the energy", damped / start,
                   (start - run_value(&r, "energy.kinetic") - run_value(&r, "energy.elastic")) / start, 1e-9, "what it lacks");
  }
  assert_true(damped > 0.5 * start);
  run_close(&r);
}

SUITE(test_fem_measures)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_invariants_of_stress_do_not_depend_on_axes),
      cmocka_unit_test(test_the_area_in_contact_is_that_of_the_foot),
      cmocka_unit_test(test_a_flying_block_has_its_momenta),
      cmocka_unit_test(test_damping_takes_what_a_vibration_loses),
      cmocka_unit_test(test_a_halved_step_is_two_steps),
      cmocka_unit_test(test_an_impact_is_the_same_seen_from_the_part),
  };
  return cmocka_run_group_tests_name("fem measures", tests, NULL, NULL);
}
