/* One scene, several methods: the gallery's bent beam, notched beam and split disc under peridynamics and under bonded spheres, and until
 * they break the beam and the disc as elastic bodies of finite elements. */
#include <math.h>

#include "sim/sim.h"
#include "tests/support/claim.h"
#include "tests/support/pressed_disc.h"
#include "tests/support/shared_scene.h"
#include "tests/support/suites.h"

enum { MOST_SAMPLES = 1000 };

/* Force over displacement of one run, until it has dropped. */
typedef struct pressing {
  double u[MOST_SAMPLES], force[MOST_SAMPLES];
  size_t count, broken_at; /* samples; the first with broken bonds, `count` when there is none */
  double peak, last;       /* N */
} pressing;

static const double disc_radius = 0.01;

static double value(const scr_sim *sim, const double *values, const char *part, const char *curve)
{
  char name[96];
  snprintf(name, sizeof name, "%s%s%s", part, part[0] ? "." : "", curve);
  long k = sim_find_series(sim, name);
  if (k < 0) fail_msg("no curve %s", name);
  return values[k];
}

/* Runs a scene until its force is down to `drop` of the largest; or, where `drop` is 0, to its end, and the largest force is that until a
 * disc has split. */
static void press(const char *name, const char *method, const char *part, double drop, pressing *p)
{
  double times[MOST_SAMPLES];
  scr_error error = {0};
  scr_sim *sim;
  scr_scene *scene = shared_scene(name, method, NULL, NULL);
  if (scr_sim_create(scene, 1, &sim, &error) != SCR_OK) fail_msg("%s", error.message);
  double *values = calloc(scr_sim_series_count(sim), sizeof *values);
  assert_non_null(values);
  uint64_t steps = scr_scene_estimate(scene)->step_count, every = steps / 400 + 1;
  *p = (pressing){.broken_at = MOST_SAMPLES};
  for (uint64_t step = 1; step <= steps && (p->broken_at == MOST_SAMPLES || p->last > drop * p->peak); step++) {
    if (scr_sim_step(sim, &error) != SCR_OK) fail_msg("%s under %s: %s", name, method, error.message);
    if (step % every) continue;
    scr_sim_observe(sim, values);
    times[p->count] = scr_sim_time(sim);
    p->u[p->count] = value(sim, values, part, "displacement");
    p->last = p->force[p->count] = fabs(value(sim, values, part, "force_z"));
    p->peak = fmax(p->peak, p->last);
    if (p->broken_at == MOST_SAMPLES && value(sim, values, "", "broken_bonds") > 0) p->broken_at = p->count;
    p->count++;
  }
  double split = drop > 0 ? INFINITY : shared_splitting_time(sim, disc_radius);
  assert_true(drop > 0 || isfinite(split));
  p->peak = 0;
  for (size_t k = 0; k < p->count && times[k] <= split; k++) p->peak = fmax(p->peak, p->force[k]);
  free(values);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

/* Runs a scene under fem, which does not break, until its force is above `most`, N, or to its end. It is destroyed. */
static void press_elastic(scr_scene *scene, const char *part, double most, pressing *p)
{
  scr_error error = {0};
  scr_sim *sim;
  if (scr_sim_create(scene, 1, &sim, &error) != SCR_OK) fail_msg("%s", error.message);
  double *values = calloc(scr_sim_series_count(sim), sizeof *values);
  assert_non_null(values);
  *p = (pressing){0};
  uint64_t steps = scr_scene_estimate(scene)->step_count, every = steps / MOST_SAMPLES + 1;
  for (uint64_t step = 1; step <= steps && p->last <= most; step++) {
    if (scr_sim_step(sim, &error) != SCR_OK) fail_msg("fem: %s", error.message);
    if (step % every) continue;
    scr_sim_observe(sim, values);
    p->u[p->count] = value(sim, values, part, "displacement");
    p->force[p->count++] = p->last = fabs(value(sim, values, part, "force_z"));
    p->peak = fmax(p->peak, p->last);
  }
  free(values);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

/* Slope of the line of least squares through the samples between two displacements. */
static double slope(const pressing *p, double from, double to)
{
  double n = 0, u = 0, f = 0, uu = 0, uf = 0;
  for (size_t k = 0; k < p->count; k++) {
    if (p->u[k] < from || p->u[k] > to) continue;
    n++, u += p->u[k], f += p->force[k], uu += p->u[k] * p->u[k], uf += p->u[k] * p->force[k];
  }
  assert_true(n >= 5);
  return (n * uf - u * f) / (n * uu - u * u);
}

/* A beam rings while it is bent, so the line goes through many of its oscillations: from 30 % to 80 % of the displacement of the first
 * break. */
static double slope_of_ringing(const pressing *p)
{
  return slope(p, 0.3 * p->u[p->broken_at], 0.8 * p->u[p->broken_at]);
}

/* A contact stiffens, so the line has to be between the same forces: from where the force leaves 0.3 of `peak` behind to where it reaches
 * 0.6. */
static double slope_of_stiffening(const pressing *p, double peak)
{
  size_t first = 0, end = 0;
  while (end < p->count && p->force[end] < 0.6 * peak) {
    if (p->force[end] < 0.3 * peak) first = end + 1;
    end++;
  }
  assert_true(end > first && end < p->count);
  return slope(p, p->u[first], p->u[end]);
}

/* What the methods are expected to give, bdem over peridem, and how far they may be from it. */
typedef struct expected {
  double drop;            /* of the force, at which the comparison ends: both must get there */
  bool stiffens;          /* most of the displacement is contact */
  double slope_tolerance; /* of 1 */
  double peak, peak_tolerance;
  double elastic_tolerance; /* of 1: fem's slope over the mean of both; 0: the scene has no options of fem */
} expected;

static void compare(const char *name, const char *part, expected e)
{
  static pressing p[2];
  char label[128];
  for (size_t m = 0; m < 2; m++) {
    press(name, shared_methods[m], part, e.drop, &p[m]);
    assert_true(p[m].broken_at < p[m].count);
    snprintf(label, sizeof label, "%s: %s: force at the end over the largest", name, shared_methods[m]);
    if (e.drop > 0)
      claim_between(label, p[m].last / p[m].peak, 0, e.drop, "it breaks");
    else
      claim_shown(label, p[m].last / p[m].peak);
  }
  double slopes[2], least = fmin(p[0].peak, p[1].peak);
  for (size_t m = 0; m < 2; m++) slopes[m] = e.stiffens ? slope_of_stiffening(&p[m], least) : slope_of_ringing(&p[m]);
  double ratio = slopes[1] / slopes[0];
  snprintf(label, sizeof label, "%s: slope under bdem over that under peridem", name);
  claim_relative(label, ratio, 1, e.slope_tolerance, "the other method");
  if (e.elastic_tolerance > 0) {
    static pressing elastic;
    press_elastic(shared_scene(name, "fem", NULL, NULL), part, 0.65 * least, &elastic);
    snprintf(label, sizeof label, "%s: slope under fem over the mean of the others", name);
    claim_relative(label, slope_of_stiffening(&elastic, least) / (0.5 * (slopes[0] + slopes[1])), 1, e.elastic_tolerance,
                   "the other methods");
  }
  snprintf(label, sizeof label, "%s: largest force under bdem over that under peridem", name);
  claim_relative(label, p[1].peak / p[0].peak, e.peak, e.peak_tolerance, "the other method, both criteria");
}

/* Tolerances: nodes stand for cells, spheres end at their surfaces, and either has skins that are softer than a fraction of the spacing d;
 * so where a face is, the methods may differ by half a spacing. Bending stiffness goes with the third power of the height h and the moment
 * that breaks a beam with the second: 3 (d/2)/h and 2 (d/2)/h. Half a spacing at the tip of a notch of depth a, K ~ P sqrt(a)/(h -
 * a)^(3/2), is (d/2)/(2 a) + 3 (d/2)/(2 (h - a)) of the force. */
static const double half_spacing = 0.5 * 1.25e-3, height = 0.01125, notch = 0.00375;

static void test_a_bent_beam_is_as_stiff_and_as_strong_under_both_methods(void **state)
{
  (void)state;
  claim_slow();
  compare("three-point-bend", "roller.load", (expected){0.5, false, 3 * half_spacing / height, 1, 2 * half_spacing / height, 0});
}

static void test_a_notched_beam_cracks_at_a_like_force_under_both_methods(void **state)
{
  (void)state;
  claim_slow();
  double ligament = height - notch, tip = half_spacing * (0.5 / notch + 1.5 / ligament);
  compare("notched-beam", "roller.load", (expected){0.5, false, 3 * half_spacing / ligament, 1, tip, 0});
}

/* The jaws press on arcs, over which the methods' contacts agree with plane elasticity (validate_pressed_disc.c), so slopes are alike to a
 * spacing in the contact's width of twelve. Peak: bonds break at the strain of a pulled bar: of 7.4 MPa, nu = 0.146, under bdem; E sqrt(5
 * Gc/(9 K horizon)) = 9.8 MPa, nu = 1/4, under peridem; the disc splits where its loaded diameter has that strain. Tolerance: half a
 * spacing in the thickness of four, 12 %. The force compared is the largest until the disc has split, since what its halves carry
 * afterwards hangs on the jaws (validate_gallery.c). */
static void test_a_pressed_disc_splits_at_a_like_force_under_both_methods(void **state)
{
  (void)state;
  claim_slow();
  const pressed_disc stretched = {0.01, 0.002542, 0.0105, 3e9, 0.25}, pulled = {0.01, 0.002542, 0.0105, 3e9, 0.146};
  double peridem = disc_splitting_force(&stretched, sqrt(5 * 60 / (9 * 2e9 * 1.55e-3)), 0),
         bdem = disc_splitting_force(&pulled, 7.4e6 / 3e9, 0);
  compare("brazilian-disc", "jaw.top", (expected){0, true, 0.08, bdem / peridem, 0.12, 0.08});
}

/* The gallery's bent beam, m and Pa. */
static const double span = 0.0675, width = 0.00875, young = 3e9;

static double friction_compliance(double friction)
{
  return friction * height * span * span / (32 * young * width * pow(height, 3) / 12);
}

/* Displacement over force of a beam between rollers, m/N: Timoshenko's, L^3/(48 E I) + L/(4 kappa G A) with kappa = 10 (1 + nu)/(12 + 11
 * nu), less what friction holds. Below the beam its fibres get longer and slide outwards on both supports, which hold it by mu P/2 at a
 * lever of h/2: a moment all along the span, by which it sags less by mu P h L^2/(32 E I), 5 % at mu = 0.2. */
static double bent_compliance(double friction)
{
  double nu = 0.25, kappa = 10 * (1 + nu) / (12 + 11 * nu), shear = young / (2 * (1 + nu)), bending = young * width * pow(height, 3) / 12;
  return pow(span, 3) / (48 * bending) + span / (4 * kappa * shear * width * height) - friction_compliance(friction);
}

/* Under fem the same beam is elastic: its line is what the others follow until they break. What rollers dent is local and not in the
 * reference, some per cent at a length of six heights. From a third of the way on, where the damped beam no longer rings from the blow of
 * the rollers. */
static void test_an_elastic_beam_has_the_slope_of_beam_theory(void **state)
{
  (void)state;
  claim_slow();
  static pressing p;
  press_elastic(shared_scene("three-point-bend", "fem", NULL, NULL), "roller.load", INFINITY, &p);
  claim_relative("three-point-bend: fem: force over displacement, N/m", slope(&p, 2.4e-4, 3.7e-4), 1 / bent_compliance(0.2), 0.05,
                 "Timoshenko's beam, held by friction");
}

/* The same by elements of a third of its height, which are dented less. What friction does to the displacement is the same at any mesh. */
static void test_supports_that_rub_stiffen_a_beam(void **state)
{
  (void)state;
  static pressing p;
  double compliance[2];
  for (size_t k = 0; k < 2; k++) {
    const char *const changes[5][2] = {
        {"\"courant_number\": 40", "\"courant_number\": 200"},
        {"\"sample_interval\": 5.2e-6", "\"sample_interval\": 2.6e-5"},
        {"\"spacing\": 1.25e-3", "\"spacing\": 3.75e-3"},
        {"\"element\": \"plain\"", "\"element\": \"incompatible-modes\""},
        {"\"friction_coefficient\": 0.2", k == 0 ? "\"friction_coefficient\": 0" : "\"friction_coefficient\": 0.20"}};
    press_elastic(shared_scene_changed("three-point-bend", "fem", changes, 5), "roller.load", INFINITY, &p);
    compliance[k] = 1 / slope(&p, 2.4e-4, 3.7e-4);
  }
  claim_relative("elements of a third of the height, smooth: force over displacement, N/m", 1 / compliance[0], 1 / bent_compliance(0), 0.05,
                 "Timoshenko's beam");
  claim_relative("what friction of 0.2 takes off the displacement, m/N", compliance[0] - compliance[1], friction_compliance(0.2), 0.1,
                 "mu h L^2/(32 E I)");
}

SUITE(validate_shared_scenes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_bent_beam_is_as_stiff_and_as_strong_under_both_methods),
      cmocka_unit_test(test_a_notched_beam_cracks_at_a_like_force_under_both_methods),
      cmocka_unit_test(test_an_elastic_beam_has_the_slope_of_beam_theory),
      cmocka_unit_test(test_supports_that_rub_stiffen_a_beam),
      cmocka_unit_test(test_a_pressed_disc_splits_at_a_like_force_under_both_methods),
  };
  return cmocka_run_group_tests_name("shared_scenes", tests, NULL, NULL);
}
