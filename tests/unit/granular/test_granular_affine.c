/* Affine motion of points of method granular: a block that turns as a whole keeps its velocities, its gradient and its energy over
 * transfers. */
#include <math.h>

#include "methods/granular/step/stages.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

static const double turning[3][3] = {{0, 3, -1}, {-3, 0, 2}, {1, -2, 0}}; /* 1/s, d u_i / d x_a, antisymmetric */

/* Velocity along i at a place, about a point amid the block, in the grid's axes. */
static double velocity_at(const granular_state *s, const double x[3], int i)
{
  double sum = 0;
  for (int a = 0; a < s->d; a++) sum += turning[a][i] * (x[a] - 0.3);
  return sum;
}

/* Kinetic energy of a point with its mass shared out to the corners of its cell, J. */
static double shared_energy(const granular_state *s, const granular_point *p)
{
  double sum = 0, h = s->domain.h;
  for (int n = 0; n < 1 << s->d; n++) {
    double weight = 1, corner[3] = {0}, square = 0;
    for (int a = 0; a < s->d; a++) {
      double cell = floor((p->x[a] - s->domain.origin[a]) / h), f = (p->x[a] - s->domain.origin[a]) / h - cell;
      weight *= n >> a & 1 ? f : 1 - f;
      corner[a] = s->domain.origin[a] + h * (cell + (n >> a & 1));
    }
    for (int i = 0; i < s->d; i++) square += pow(velocity_at(s, corner, i), 2);
    sum += 0.5 * granular_mass(s, p) * weight * square;
  }
  return sum;
}

/* Sand that turns about an axis like a rigid body, in the plane and in space, without weight: there is no strain, so no stress, and
 * over a step each point keeps the velocity and the gradient that it had where it was, to rounding, at the block's sides as well;
 * affine transfers are exact for such fields (Jiang et al. 2015). Its kinetic energy is that of its mass at the nodes. */
static void turn(const char *dimension)
{
  char text[1200];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"turns\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":0.6,"
      "\"internal_friction\":0.4}],\"specimens\":[{\"name\":\"block\",\"material\":\"sand\",\"shape\":{\"type\":\"box\",\"size\":"
      "[0.08,0.06,0.08]},\"placement\":{\"type\":\"single\",\"position\":[0.3,0.3,0.3]}}],\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],"
      "\"maximum\":[0.6,0.6,0.6]},\"options\":{\"dimension\":\"%s\",\"cell\":0.02},\"time\":{\"duration\":1,\"time_step\":1e-4}}",
      dimension);
  sim_run r = run_open(text, 1);
  granular_state *s = r.sim->state;
  double expected = 0, off = 0, bent = 0, fastest = 0;
  size_t count = s->point_count;
  double *before = calloc(3 * count, sizeof *before);
  assert_non_null(before);
  for (size_t k = 0; k < count; k++) {
    granular_point *p = &s->points[k];
    p->number = (uint32_t)k; /* points are sorted by cell in a step */
    for (int i = 0; i < s->d; i++) {
      p->u[i] = before[3 * k + (size_t)i] = velocity_at(s, p->x, i);
      fastest = fmax(fastest, fabs(p->u[i]));
      for (int a = 0; a < s->d; a++) p->c[a][i] = (float)turning[a][i];
    }
    expected += shared_energy(s, p);
  }
  claim_relative("turning block of sand: energy.kinetic, J", run_curve(&r, "energy.kinetic"), expected, 1e-9, "of its mass at the nodes");
  run_steps(&r, 1);
  assert_int_equal(s->point_count, count);
  for (size_t k = 0; k < count; k++) {
    const granular_point *p = &s->points[k];
    for (int i = 0; i < s->d; i++) {
      off = fmax(off, fabs(p->u[i] - before[3 * p->number + (size_t)i]));
      for (int a = 0; a < s->d; a++) bent = fmax(bent, fabs(p->c[a][i] - turning[a][i]));
    }
  }
  claim_absolute("turning block of sand: velocity off over the fastest", off / fastest, 0, 1e-9, "exact transfers");
  claim_absolute("turning block of sand: gradient of velocity off, 1/s", bent, 0, 1e-9, "exact transfers");
  free(before);
  run_close(&r);
}

/* Velocity along i of a field of products of two axes; places in cells. @param gradient d u_i / d x_a, per cell */
static double product_field(const double x[3], int i, double gradient[3])
{
  const double yz = 1 + i, zx = 2 - 0.5 * i, xy = 3 * i - 1;
  gradient[0] = zx * x[2] + xy * x[1], gradient[1] = yz * x[2] + xy * x[0], gradient[2] = yz * x[1] + zx * x[0];
  return yz * x[1] * x[2] + zx * x[2] * x[0] + xy * x[0] * x[1];
}

static void place_of(const granular_state *s, const granular_point *p, double x[3])
{
  for (int a = 0; a < 3; a++) x[a] = (p->x[a] - s->domain.origin[a]) / s->domain.h;
}

/* A field of products of two axes is linear along each edge of a cell and another one on each of its four edges: points read it and its
 * gradient exactly where they are, so that no weight of an edge may stand for another's. They keep gradients in single precision: 6e-8. */
static void test_points_read_products_of_axes_exactly(void **state)
{
  (void)state;
  sim_run r = run_open(
      "{\"scree\":1,\"name\":\"reads\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":0.6,"
      "\"internal_friction\":0.4}],\"specimens\":[{\"name\":\"block\",\"material\":\"sand\",\"shape\":{\"type\":\"box\",\"size\":"
      "[0.05,0.04,0.06]},\"placement\":{\"type\":\"single\",\"position\":[0.3,0.3,0.3]}}],\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],"
      "\"maximum\":[0.6,0.6,0.6]},\"options\":{\"dimension\":\"space\",\"cell\":0.02},\"time\":{\"duration\":1,\"time_step\":1e-4}}",
      1);
  granular_state *s = r.sim->state;
  run_steps(&r, 1); /* at rest, and stays: cells and nodes are there */
  for (size_t c = 0; c < s->cell_count; c++) {
    int64_t at[3];
    geo_grid_place(&s->grid, s->extra[c].place, at);
    for (int n = 0; n < 8; n++) {
      const double x[3] = {(double)(at[0] + (n & 1)), (double)(at[1] + (n >> 1 & 1)), (double)(at[2] + (n >> 2))};
      double gradient[3];
      for (int i = 0; i < 3; i++) s->nodes[s->cells[c].node[n]].u[i] = product_field(x, i, gradient);
    }
  }
  double worst = 0, bent = 0, largest = 0;
  const granular_pass pass = {.step = 1e-15, .execution = execution_of(1)};
  granular_energy energy = {0};
  scr_error error = {0};
  assert_int_equal(granular_sort(s, pass.execution, &error), SCR_OK);
  granular_to_points(s, &pass, &energy);
  assert_true(s->point_count > 50);
  for (size_t k = 0; k < s->point_count; k++) {
    const granular_point *p = &s->points[k];
    double x[3], gradient[3];
    place_of(s, p, x);
    for (int i = 0; i < 3; i++) {
      double u = product_field(x, i, gradient);
      worst = fmax(worst, fabs(p->u[i] - u)), largest = fmax(largest, fabs(u));
      for (int a = 0; a < 3; a++) bent = fmax(bent, fabs(p->c[a][i] * s->domain.h - gradient[a]));
    }
  }
  claim_absolute("velocity read of products of axes, off over the largest", worst / largest, 0, 1e-10, "multilinear weights");
  claim_absolute("gradient read of products of axes, off over the largest", bent / largest, 0, 6e-8, "multilinear weights");
  run_close(&r);
}

static void test_sand_that_turns_keeps_its_motion(void **state)
{
  (void)state;
  turn("plane");
  turn("space");
}

/* Sand that opens at a rate in all directions: after a step points at its surface have the packing 1/(1 + d rate dt), by the continuity
 * equation, and those within, whose cells still count as full, are packed. Rounding. */
static void open_up(const char *dimension)
{
  char text[1200];
  const double rate = 20, step = 1e-4;
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"opens\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":0.6,"
      "\"internal_friction\":0.4}],\"specimens\":[{\"name\":\"block\",\"material\":\"sand\",\"shape\":{\"type\":\"box\",\"size\":"
      "[0.08,0.08,0.08]},\"placement\":{\"type\":\"single\",\"position\":[0.3,0.3,0.3]}}],\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],"
      "\"maximum\":[0.6,0.6,0.6]},\"options\":{\"dimension\":\"%s\",\"cell\":0.01},\"time\":{\"duration\":1,\"time_step\":1e-4}}",
      dimension);
  sim_run r = run_open(text, 1);
  granular_state *s = r.sim->state;
  double least = 1, most = 0;
  for (size_t k = 0; k < s->point_count; k++) {
    granular_point *p = &s->points[k];
    for (int a = 0; a < s->d; a++) p->u[a] = rate * (p->x[a] - 0.3), p->c[a][a] = (float)rate;
  }
  run_steps(&r, 1);
  for (size_t k = 0; k < s->point_count; k++) least = fmin(least, s->points[k].packing), most = fmax(most, s->points[k].packing);
  claim_relative("sand that opens: what points at its surface lose of their packing", 1 - least, 1 - 1 / (1 + s->d * rate * step), 1e-6,
                 "D phi/Dt = -phi div u");
  claim_absolute("sand that opens: packing within", most, 1, 0, "its cells count as full");
  run_close(&r);
}

static void test_sand_that_opens_loses_packing(void **state)
{
  (void)state;
  open_up("plane");
  open_up("space");
}

SUITE(test_granular_affine)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sand_that_turns_keeps_its_motion),
      cmocka_unit_test(test_points_read_products_of_axes_exactly),
      cmocka_unit_test(test_sand_that_opens_loses_packing),
  };
  return cmocka_run_group_tests_name("granular affine", tests, NULL, NULL);
}
