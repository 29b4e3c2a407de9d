/* Level sets made distances again and carried along, against closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "geometry/level_set/redistance.h"
#include "tests/support/suites.h"

/* A ball whose values are no distances: steep inside, flat outside. */
static double warped_ball(const void *user, scr_vec3 p)
{
  double d = vec3_length(p) - *(const double *)user;
  return d * (d < 0 ? 1 - d : 1 / (1 + d)) * 2;
}

static double ball_at(const void *user, scr_vec3 p)
{
  const scr_vec3 *middle = user;
  return vec3_length(vec3_sub(p, *middle)) - 0.5;
}

static level_set grid(level_set_distance distance, const void *user, double half, double spacing)
{
  level_set field = {0};
  scr_error error;
  geo_box box = {vec3(-half, -half, -half), vec3(half, half, half)};
  if (level_set_create(&field, &box, spacing, 0, &error) != SCR_OK) fail_msg("%s", error.message);
  level_set_sample(&field, distance, user, execution_of(1));
  return field;
}

/* Volume inside, by the share of each cell's corners that interpolation puts there: enough to see a surface drift. */
static double volume(const level_set *f)
{
  double sum = 0, h = f->spacing;
  for (uint32_t i = 0; i < f->count[0]; i++)
    for (uint32_t j = 0; j < f->count[1]; j++)
      for (uint32_t k = 0; k < f->count[2]; k++) sum += fmin(1, fmax(0, 0.5 - level_set_value(f, i, j, k) / h)) * h * h * h;
  return sum;
}

/* Largest error over the spacing, below `reach` from the surface or everywhere, of redistancing a warped ball. */
static double redistance_error(double h, double reach)
{
  double radius = 1, worst = 0;
  level_set f = grid(warped_ball, &radius, 1.6, h);
  assert_int_equal(level_set_redistance(&f, NULL), SCR_OK);
  for (uint32_t i = 0; i < f.count[0]; i++)
    for (uint32_t j = 0; j < f.count[1]; j++)
      for (uint32_t k = 0; k < f.count[2]; k++) {
        double d = vec3_length(level_set_point(&f, i, j, k)) - radius;
        if (fabs(d) < reach * h) worst = fmax(worst, fabs(level_set_value(&f, i, j, k) - d) / h);
      }
  level_set_clear(&f);
  return worst;
}

/* Next to the surface the linear reconstruction is right to h^2 kappa; farther out sweeping is of first order, h log(1/h) (Zhao 2005,
 * section 4): a few tenths of a spacing at most here, less of the distance with finer grids. The enclosed volume changes by less than 0.5 %
 * (specification, 3.9). */
static void test_redistancing_gives_distances_and_keeps_the_surface(void **state)
{
  (void)state;
  print_message("# %g %g; %g; %g\n", redistance_error(0.1, 1), redistance_error(0.05, 1), redistance_error(0.1, 6),
                redistance_error(0.05, 12));
  assert_true(redistance_error(0.1, 1) < 0.12);
  assert_true(redistance_error(0.05, 1) < 0.08);
  assert_true(redistance_error(0.1, 6) < 0.5);
  assert_true(0.05 * redistance_error(0.05, 12) < 0.75 * 0.1 * redistance_error(0.1, 6)); /* in metres, over the same way */
  double radius = 1;
  level_set f = grid(warped_ball, &radius, 1.6, 0.05);
  assert_int_equal(level_set_redistance(&f, NULL), SCR_OK);
  assert_float_equal(volume(&f) / (4 * M_PI / 3), 1, 5e-3);
  level_set_clear(&f);
}

static void test_redistancing_without_a_surface_is_refused(void **state)
{
  (void)state;
  double radius = -1;
  scr_error error = {0};
  level_set f = grid(warped_ball, &radius, 1, 0.5);
  assert_int_equal(level_set_redistance(&f, &error), SCR_BAD_USAGE);
  level_set_clear(&f);
}

static scr_vec3 sideways(const void *user, scr_vec3 point, double share)
{
  (void)user, (void)point, (void)share;
  return vec3(0.3, -0.2, 0.1);
}

static scr_vec3 about_z(const void *user, scr_vec3 point, double share)
{
  (void)user, (void)share;
  return vec3(-0.5 * M_PI * point.y, 0.5 * M_PI * point.x, 0);
}

static double carried_error(level_set_velocity velocity, scr_vec3 from, scr_vec3 to, double h)
{
  double worst = 0;
  level_set f = grid(ball_at, &from, 1.2, h);
  assert_int_equal(level_set_advect(&f, velocity, NULL, NULL), SCR_OK);
  for (uint32_t i = 0; i < f.count[0]; i++)
    for (uint32_t j = 0; j < f.count[1]; j++)
      for (uint32_t k = 0; k < f.count[2]; k++) {
        double d = ball_at(&to, level_set_point(&f, i, j, k));
        if (fabs(d) < 2 * h) worst = fmax(worst, fabs(level_set_value(&f, i, j, k) - d));
      }
  level_set_clear(&f);
  return worst;
}

/* A ball carried straight and by a quarter turn arrives where it should; away from its middle the distance is smooth, so the error falls by
 * far more than 4 for half the spacing (fifth order in space, third in time with steps as the spacing). */
static void test_a_carried_ball_arrives(void **state)
{
  (void)state;
  double coarse = carried_error(sideways, vec3(-0.15, 0.1, 0), vec3(0.15, -0.1, 0.1), 0.1),
         fine = carried_error(sideways, vec3(-0.15, 0.1, 0), vec3(0.15, -0.1, 0.1), 0.05);
  double turned = carried_error(about_z, vec3(0.4, 0, 0), vec3(0, 0.4, 0), 0.1);
  print_message("# errors %g, %g at half the spacing; turned %g\n", coarse, fine, turned);
  assert_true(coarse < 5e-3);
  assert_true(coarse / fine > 6);
  assert_true(turned < 1e-2);
}

SUITE(test_geometry_level_set_motion)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_redistancing_gives_distances_and_keeps_the_surface),
      cmocka_unit_test(test_redistancing_without_a_surface_is_refused),
      cmocka_unit_test(test_a_carried_ball_arrives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
