/* Five ways in which level sets follow modes. References: the method's specification, sections 4.9, 5.4, 6.10 and 6.18. */
#include <math.h>

#include "tests/support/claim.h"
#include "tests/support/follow_case.h"
#include "tests/support/suites.h"

#define SPEC "specification, "

static follow_result of_bar(const geo_mesh_tree *exact, follow_way way)
{
  return follow_measure(&follow_bar, &way, exact, getenv("SCREE_SLOW") ? 8000 : 2000, 0);
}

/* Check 18 on the bar of 160 x 4 x 4 bent by 5, within 3/4 of a grid spacing of the surface. Sampled shapes are off by half of what the
 * surface moves between two of them where the medial axis passes; carrying along smears the 4 spacings thick bar; the others look up what
 * the reference shape has, and share its error at edges. The order is the specification's: carried along worst but for coarse samples, then
 * finer samples, then one iteration, then three. */
static void test_the_ways_come_in_the_order_of_their_errors(void **state)
{
  (void)state;
  geo_mesh_tree *exact = follow_exact(&follow_bar, 0.25);
  follow_result back = of_bar(exact, (follow_way){"", LSDEM_FOLLOW_PULL_BACK, 3, 0, 0}),
                one = of_bar(exact, (follow_way){"", LSDEM_FOLLOW_REMAP, 1, 0, 0}),
                three = of_bar(exact, (follow_way){"", LSDEM_FOLLOW_REMAP, 3, 0, 0}),
                carried = of_bar(exact, (follow_way){"", LSDEM_FOLLOW_ADVECT, 3, 0, 20});
  claim_shown("rms error of pulling back, in grid spacings", back.rms);
  claim_shown("rms error of remapping, three iterations", three.rms);
  claim_shown("rms error of carrying along in 20 updates", carried.rms);
  claim_shown("largest error of carrying along in 20 updates", carried.largest);
  claim_between("rms error of remapping by one iteration over three", one.rms / three.rms, 1, 100, SPEC "5.4: 0.0094 and 0.0013");
  claim_between("rms error of carrying along over remapping", carried.rms / three.rms, 1.5, 1e4, SPEC "5.4: 0.13 and 0.0013");
  claim_between("rms error of pulling back over remapping", back.rms / three.rms, 0, 1.1, SPEC "3.8: the same to h^2");
  if (claim_slow_part("ways whose errors are only shown")) {
    claim_shown("rms error of samples every 5, at one of them", of_bar(exact, (follow_way){"", LSDEM_FOLLOW_PRECOMPUTED, 3, 3, 0}).rms);
    claim_shown("rms error of making anew", of_bar(exact, (follow_way){"", LSDEM_FOLLOW_RECOMPUTE, 3, 0, 1}).rms);
  }
  geo_mesh_tree_destroy(exact);
}

/* Half way between two samples `step` apart the interpolated shape is off by at most step/4 where the bar's medial axis passes, as |z| is
 * between its values at both: the specification's 1.25, 0.625, 0.31, 0.156 for 5, 2.5, 1.25, 0.62. Both at grid points within 3/4 of a
 * spacing of the surface, so that no interpolation in space is in it. */
static double sampling_error(double step)
{
  follow_grain bar = follow_bar;
  size_t samples = (size_t)lround(10 / step) + 1;
  double amplitude = 5 - 0.5 * step, worst = 0;
  lsdem_template *grain = follow_template(&bar, 1, LSDEM_FOLLOW_PRECOMPUTED, samples);
  level_set anew = grain->field;
  anew.value = calloc((size_t)anew.count[0] * anew.count[1] * anew.count[2], sizeof *anew.value);
  if (!anew.value) follow_stop("no memory");
  amplitude /= grain->mode_peak[0];
  if (lsdem_follow_make(grain, &amplitude, true, &anew, NULL) != SCR_OK) follow_stop("no level set");
  lsdem_view view = {.grain = grain, .rotation = matrix_identity(), .amplitude = &amplitude, .moved = 5};
  for (uint32_t i = 1; i + 1 < anew.count[0]; i++)
    for (uint32_t j = 1; j + 1 < anew.count[1]; j++)
      for (uint32_t k = 1; k + 1 < anew.count[2]; k++) {
        double there = level_set_value(&anew, i, j, k), here = NAN;
        scr_vec3 slope;
        if (!(fabs(there) < 0.75)) continue;
        (void)lsdem_follow_at(&view, vec3_add(level_set_point(&anew, i, j, k), vec3(1e-9, 1e-9, 1e-9)), 3, &here, &slope);
        worst = fmax(worst, fabs(here - there));
      }
  free(anew.value);
  follow_end(grain);
  return worst;
}

static void test_samples_are_off_by_a_quarter_of_their_spacing(void **state)
{
  (void)state;
  const double steps[] = {5, 1.25, 2.5, 0.625};
  int count = claim_slow_part("samples every 2.5 and 0.625") ? 4 : 2;
  for (int k = 0; k < count; k++) {
    char what[96];
    snprintf(what, sizeof what, "largest error of samples every %g over a quarter of that", steps[k]);
    claim_between(what, sampling_error(steps[k]) / (0.25 * steps[k]), 0.5, 1.1, SPEC "5.4");
  }
}

/* Check 18, its last part: at rest, with three modes, what is precomputed is the reference shape to rounding of single precision. */
static void test_samples_at_rest_are_the_reference_shape(void **state)
{
  (void)state;
  follow_grain ball = follow_ball;
  lsdem_template *grain = follow_template(&ball, 2, LSDEM_FOLLOW_PRECOMPUTED, 5);
  const double rest[3] = {0, 0, 0};
  lsdem_view view = {.grain = grain, .rotation = matrix_identity(), .amplitude = rest, .moved = 1e-300};
  double worst = 0;
  for (int k = 0; k < 2000; k++) {
    scr_vec3 p = vec3(9 * sin(k), 9 * sin(2.3 * k + 1), 9 * sin(3.7 * k + 2));
    scr_vec3 one, other;
    double here, there;
    if (!level_set_gradient_at(&grain->field, p, &there, &one)) continue;
    here = NAN;
    (void)lsdem_follow_at(&view, p, 3, &here, &other);
    worst = fmax(worst, fabs(here - there));
  }
  claim_absolute("largest difference at rest, in grid spacings", worst, 0, 1e-12, SPEC "6.18: to rounding");
  follow_end(grain);
}

/* Check 10: where a node of the bent bar is, its own level set is zero, at its end faces, too. The distance of the pulled-back place to the
 * faces that the node lies on is exact, so no grid is in it.
 * @return the largest, m */
static double residual(double amplitude, int64_t iterations)
{
  follow_grain bar = follow_bar;
  lsdem_template *grain = follow_template(&bar, 1, LSDEM_FOLLOW_PULL_BACK, 0);
  lsdem_view view = {.grain = grain, .rotation = matrix_identity(), .amplitude = &amplitude, .moved = amplitude};
  lsdem_view_rigid(&view);
  double worst = 0;
  for (size_t k = 0; k < grain->node_count; k++) {
    scr_vec3 x = grain->surface.vertex[k],
             back = lsdem_pull_back(&view, vec3_add(x, vec3_scale(grain->mode_at_node[k], amplitude)), iterations);
    if (fabs(x.x) > 80 - 1e-9) worst = fmax(worst, fabs(back.x - x.x));
    if (fabs(x.y) > 2 - 1e-9) worst = fmax(worst, fabs(back.y - x.y));
    if (fabs(x.z) > 2 - 1e-9) worst = fmax(worst, fabs(back.z - x.z));
  }
  follow_end(grain);
  return worst;
}

/* The specification's table of the paper's mode, which holds the ends where they are. A mode free of momentum has the same table only where
 * pulling back starts by the rigid motion that was taken off it: by a start at the place itself, three iterations leave sixteen times as
 * much. Tolerance: two digits of the table. */
static void test_nodes_lie_on_their_own_pulled_back_surface(void **state)
{
  (void)state;
  static const struct {
    double amplitude, left[3];
  } table[] = {{1, {0.00077, 0.00015, 0}}, {2.5, {0.0048, 0.0023, 1.2e-5}}, {5, {0.0193, 0.0186, 1.9e-4}}, {10, {0.0771, 0.148, 3.0e-3}}};
  for (int k = 0; k < 4; k++)
    for (int64_t i = 1; i <= 3; i++) {
      char what[96];
      double expected = table[k].left[i - 1];
      snprintf(what, sizeof what, "residual of %d iterations at amplitude %g", (int)i, table[k].amplitude);
      if (expected > 0)
        claim_relative(what, residual(table[k].amplitude, i), expected, 0.05, SPEC "4.9 and 6.10");
      else
        claim_between(what, residual(table[k].amplitude, i), 0, 1e-6, SPEC "4.9 and 6.10");
    }
}

SUITE(validate_lsdem_follow)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_ways_come_in_the_order_of_their_errors),
      cmocka_unit_test(test_samples_are_off_by_a_quarter_of_their_spacing),
      cmocka_unit_test(test_samples_at_rest_are_the_reference_shape),
      cmocka_unit_test(test_nodes_lie_on_their_own_pulled_back_surface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
