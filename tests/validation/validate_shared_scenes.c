/* One scene, two methods: the gallery's bent beam, notched beam and split disc under peridynamics and under bonded spheres. */
#include <math.h>

#include "run/sim.h"
#include "tests/support/shared_scene.h"

static void report(const char *name, double value, double reference)
{
  print_message("# value: %s = %.6g (reference %.6g)\n", name, value, reference);
}

enum { MOST_SAMPLES = 1000 };

/* Force over displacement of one run, to its end. */
typedef struct pressing {
  double u[MOST_SAMPLES], force[MOST_SAMPLES];
  size_t count, broken_at; /* samples; the first with broken bonds, `count` when there is none */
  double peak, last;       /* N */
} pressing;

static double value(const scr_sim *sim, const double *values, const char *part, const char *curve)
{
  char name[96];
  snprintf(name, sizeof name, "%s%s%s", part, part[0] ? "." : "", curve);
  long k = sim_find_series(sim, name);
  if (k < 0) fail_msg("no curve %s", name);
  return values[k];
}

static void press(const char *name, const char *method, const char *part, pressing *p)
{
  scr_error error = {0};
  scr_sim *sim;
  scr_scene *scene = shared_scene(name, method, NULL, NULL);
  if (scr_sim_create(scene, 1, &sim, &error) != SCR_OK) fail_msg("%s", error.message);
  double *values = calloc(scr_sim_series_count(sim), sizeof *values);
  assert_non_null(values);
  uint64_t steps = scr_scene_estimate(scene)->step_count, every = steps / 400 + 1;
  *p = (pressing){.broken_at = MOST_SAMPLES};
  for (uint64_t step = 1; step <= steps; step++) {
    if (scr_sim_step(sim, &error) != SCR_OK) fail_msg("%s under %s: %s", name, method, error.message);
    if (step % every) continue;
    scr_sim_observe(sim, values);
    p->u[p->count] = value(sim, values, part, "displacement");
    p->last = p->force[p->count] = fabs(value(sim, values, part, "force_z"));
    p->peak = fmax(p->peak, p->last);
    if (p->broken_at == MOST_SAMPLES && value(sim, values, "", "broken_bonds") > 0) p->broken_at = p->count;
    p->count++;
  }
  free(values);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

/* Slope of the line of least squares through the samples between 30 % and 80 % of the displacement of the first break. */
static double slope(const pressing *p)
{
  double n = 0, u = 0, f = 0, uu = 0, uf = 0, end = p->u[p->broken_at];
  for (size_t k = 0; k < p->broken_at; k++) {
    if (p->u[k] < 0.3 * end || p->u[k] > 0.8 * end) continue;
    n++, u += p->u[k], f += p->force[k], uu += p->u[k] * p->u[k], uf += p->u[k] * p->force[k];
  }
  return (n * uf - u * f) / (n * uu - u * u);
}

/* Reference: each other. Both bodies have Young's modulus 3 GPa along x and sections within 2 %. `soft`: tolerance of the slopes. In the whole
 * beam, whose deflection is nearly all bending, 15 %: peridem's soft skin takes up to 10 % of its stiffness. 25 % with a notch, where that skin
 * is a larger part. 35 % for the disc, a third of whose displacement is contact, cubic in peridem and linear between spheres and jaw. Peaks:
 * 35 %, brittle ones of different criteria. */
static void compare(const char *name, const char *part, double soft)
{
  static pressing p[2];
  char label[128];
  for (size_t m = 0; m < 2; m++) {
    press(name, shared_methods[m], part, &p[m]);
    assert_true(p[m].broken_at < p[m].count);
  }
  snprintf(label, sizeof label, "%s: slope under bdem over that under peridem", name);
  report(label, slope(&p[1]) / slope(&p[0]), 1);
  assert_true(fabs(slope(&p[1]) / slope(&p[0]) - 1) < soft);
  snprintf(label, sizeof label, "%s: largest force under bdem over that under peridem", name);
  report(label, p[1].peak / p[0].peak, 1);
  assert_true(fabs(p[1].peak / p[0].peak - 1) < 0.35);
  for (size_t m = 0; m < 2; m++) {
    snprintf(label, sizeof label, "%s: %s: force at the end over the largest", name, shared_methods[m]);
    report(label, p[m].last / p[m].peak, 0);
  }
}

static void test_a_bent_beam_is_as_stiff_and_as_strong_under_both_methods(void **state)
{
  (void)state;
  if (!getenv("SCREE_SLOW")) skip();
  compare("three-point-bend", "roller.load", 0.15);
}

static void test_a_notched_beam_cracks_at_a_like_force_under_both_methods(void **state)
{
  (void)state;
  if (!getenv("SCREE_SLOW")) skip();
  compare("notched-beam", "roller.load", 0.25);
}

static void test_a_pressed_disc_splits_at_a_like_force_under_both_methods(void **state)
{
  (void)state;
  if (!getenv("SCREE_SLOW")) skip();
  compare("brazilian-disc", "jaw.top", 0.35);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_bent_beam_is_as_stiff_and_as_strong_under_both_methods),
      cmocka_unit_test(test_a_notched_beam_cracks_at_a_like_force_under_both_methods),
      cmocka_unit_test(test_a_pressed_disc_splits_at_a_like_force_under_both_methods),
  };
  return cmocka_run_group_tests_name("shared_scenes", tests, NULL, NULL);
}
