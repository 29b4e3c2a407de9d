/* The sparse structured grid against plain loops over all places and particles: sorting, numbers, shape functions, sums, and bits over
 * threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/grid/grid.h"
#include "tests/support/suites.h"

static const geo_grid_domain plane = {2, 0.1, {-1, 2, 0}, {37, 21, 1}}, space = {3, 0.1, {-1, 2, 0.5}, {19, 13, 22}};

/* Random numbers in 0 ... 1 from a fixed seed. */
static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

typedef struct cloud {
  double *at[3];
  size_t n;
} cloud;

/* Two lumps in opposite corners of the domain, so that blocks between them are empty; the last particle lies on the upper corner itself. */
static cloud make_cloud(const geo_grid_domain *d, size_t n, uint64_t seed)
{
  cloud c = {.n = n};
  for (int a = 0; a < 3; a++) {
    c.at[a] = calloc(n, sizeof(double));
    assert_non_null(c.at[a]);
  }
  for (size_t i = 0; i < n; i++)
    for (int a = 0; a < d->dimension; a++) {
      double x = 0.3 * draw(&seed) + (i % 2 ? 0.7 : 0);
      c.at[a][i] = d->origin[a] + d->h * d->cells[a] * (i + 1 == n ? 1 : x);
    }
  return c;
}

static void free_cloud(cloud *c)
{
  for (int a = 0; a < 3; a++) free(c->at[a]);
}

static geo_grid sorted(const geo_grid_domain *d, const cloud *c, unsigned threads)
{
  geo_grid grid;
  scr_error error = {0};
  const double *position[3] = {c->at[0], c->at[1], c->at[2]};
  assert_int_equal(geo_grid_create(d, &grid, &error), SCR_OK);
  if (geo_grid_sort(&grid, position, c->n, execution_of(threads), &error) != SCR_OK) fail_msg("%s", error.message);
  return grid;
}

/* Every particle is once in the cell that it lies in, cells list theirs in the order of their numbers, and all corners of such a cell
 * are active. */
static void check_sort(const geo_grid_domain *d)
{
  cloud c = make_cloud(d, 500, 1);
  geo_grid grid = sorted(d, &c, 2);
  size_t found = 0, blocks = (size_t)grid.blocks[0] * grid.blocks[1] * grid.blocks[2];
  assert_true(grid.block_count < blocks); /* it is sparse */
  for (uint32_t cell = 0; cell < grid.cell_count; cell++) {
    int64_t place[3];
    geo_grid_place(&grid, cell, place);
    for (uint32_t k = grid.first[cell]; k < grid.first[cell + 1]; k++, found++) {
      uint32_t i = grid.item[k], node[GEO_GRID_CORNERS];
      assert_int_equal(grid.cell_of[i], cell);
      assert_true(k == grid.first[cell] || grid.item[k - 1] < i);
      for (int a = 0; a < d->dimension; a++) {
        double x = (c.at[a][i] - d->origin[a]) / d->h;
        assert_true(x >= (double)place[a] && (x < (double)place[a] + 1 || (i + 1 == c.n && place[a] + 1 == d->cells[a])));
      }
      geo_grid_nodes(&grid, cell, node);
      for (uint32_t corner = 0; corner < grid.corner_count; corner++)
        assert_true(node[corner] != GEO_GRID_NONE &&
                    node[corner] == geo_grid_at(&grid, place[0] + (corner & 1), place[1] + (corner >> 1 & 1), place[2] + (corner >> 2)));
    }
  }
  assert_int_equal(found, c.n);
  geo_grid_clear(&grid);
  free_cloud(&c);
}

static void test_particles_lie_in_their_cells(void **state)
{
  (void)state;
  check_sort(&plane);
  check_sort(&space);
}

/* Numbers and places are each other's inverse, cells around a node are those that have it as a corner, and what is outside has no
 * number. */
static void check_numbers(const geo_grid_domain *d)
{
  cloud c = make_cloud(d, 300, 2);
  geo_grid grid = sorted(d, &c, 1);
  size_t active = 0;
  for (int64_t k = -1; k <= (int64_t)d->cells[2] + 1; k++)
    for (int64_t j = -1; j <= (int64_t)d->cells[1] + 1; j++)
      for (int64_t i = -1; i <= (int64_t)d->cells[0] + 1; i++) {
        uint32_t node = geo_grid_at(&grid, i, j, k), around[GEO_GRID_CORNERS];
        bool outside = i < 0 || j < 0 || k < 0 || i > d->cells[0] || j > d->cells[1] || k > (d->dimension == 3 ? d->cells[2] : 0);
        if (outside) assert_int_equal(node, GEO_GRID_NONE);
        if (node == GEO_GRID_NONE) continue;
        int64_t place[3];
        geo_grid_place(&grid, node, place);
        assert_true(place[0] == i && place[1] == j && place[2] == k);
        active++;
        geo_grid_cells(&grid, node, around);
        for (uint32_t n = 0; n < grid.corner_count; n++)
          assert_int_equal(around[n], geo_grid_at(&grid, i - 1 + (n & 1), j - 1 + (n >> 1 & 1), d->dimension == 3 ? k - 1 + (n >> 2) : 0));
      }
  assert_true(active > 0 && active <= grid.cell_count);
  geo_grid_clear(&grid);
  free_cloud(&c);
}

static void test_numbers_and_places_are_inverse(void **state)
{
  (void)state;
  check_numbers(&plane);
  check_numbers(&space);
}

/* Multilinear shape functions: they sum to 1, give linear fields back, and their gradients are differences of theirs, exact along each
 * axis. */
static void check_shape(const geo_grid_domain *d)
{
  cloud c = make_cloud(d, 200, 3);
  geo_grid grid = sorted(d, &c, 1);
  const double slope[3] = {2, -3, d->dimension == 3 ? 5 : 0};
  for (uint32_t i = 0; i < c.n; i++) {
    double x[3] = {c.at[0][i], c.at[1][i], c.at[2][i]}, weight[8], gradient[8][3], shifted[8], sum = 0, field = 0, rise[3] = {0},
           expected = 0;
    uint32_t node[8];
    geo_grid_shape(&grid, grid.cell_of[i], x, weight, gradient);
    geo_grid_nodes(&grid, grid.cell_of[i], node);
    for (uint32_t n = 0; n < grid.corner_count; n++) {
      int64_t place[3];
      double value = 0;
      geo_grid_place(&grid, node[n], place);
      for (int a = 0; a < d->dimension; a++) value += slope[a] * (d->origin[a] + d->h * (double)place[a]);
      sum += weight[n];
      field += weight[n] * value;
      for (int a = 0; a < 3; a++) rise[a] += gradient[n][a] * value;
    }
    for (int a = 0; a < d->dimension; a++) expected += slope[a] * x[a];
    assert_true(fabs(sum - 1) < 1e-14 && fabs(field - expected) < 1e-12);
    for (int a = 0; a < 3; a++) assert_true(fabs(rise[a] - slope[a]) < 1e-11);
    for (int a = 0; a < d->dimension; a++) {
      double moved[3] = {x[0], x[1], x[2]};
      moved[a] += 1e-3;
      geo_grid_shape(&grid, grid.cell_of[i], moved, shifted, NULL);
      for (uint32_t n = 0; n < grid.corner_count; n++) assert_true(fabs((shifted[n] - weight[n]) / 1e-3 - gradient[n][a]) < 1e-9);
    }
  }
  geo_grid_clear(&grid);
  free_cloud(&c);
}

static void test_shape_functions_are_multilinear(void **state)
{
  (void)state;
  check_shape(&plane);
  check_shape(&space);
}

typedef struct load {
  const geo_grid *grid;
  const cloud *cloud;
} load;

/* Mass 1 + a share by number, and its product with x. */
static double mass_of(uint32_t i)
{
  return 1 + 1e-3 * (i % 97);
}

static void spread(const void *user, uint32_t i, uint32_t cell, double *sum)
{
  const load *l = user;
  const double x[3] = {l->cloud->at[0][i], l->cloud->at[1][i], l->cloud->at[2][i]};
  double weight[8];
  geo_grid_shape(l->grid, cell, x, weight, NULL);
  for (uint32_t n = 0; n < l->grid->corner_count; n++)
    sum[2 * n] += weight[n] * mass_of(i), sum[2 * n + 1] += weight[n] * mass_of(i) * x[0];
}

static double *scattered(const geo_grid *grid, const cloud *c, unsigned threads)
{
  const load l = {grid, c};
  double *corners = malloc(grid->cell_count * grid->corner_count * 2 * sizeof *corners), *to = malloc(grid->cell_count * 2 * sizeof *to);
  assert_true(corners && to);
  memset(corners, 0xff, grid->cell_count * grid->corner_count * 2 * sizeof *corners); /* need not be initialised */
  geo_grid_scatter(grid, spread, &l, 2, corners, to, execution_of(threads));
  free(corners);
  return to;
}

/* Each node has the sum over all particles in cells at it, by a loop over particles alone; mass and first moment are kept, to rounding. */
static void check_scatter(const geo_grid_domain *d)
{
  cloud c = make_cloud(d, 2000, 4);
  geo_grid grid = sorted(d, &c, 3);
  double *to = scattered(&grid, &c, 3), *plain = calloc(grid.cell_count, sizeof *plain), mass = 0, moment = 0, all = 0, all_moment = 0;
  assert_non_null(plain);
  for (uint32_t i = 0; i < c.n; i++) {
    const double x[3] = {c.at[0][i], c.at[1][i], c.at[2][i]};
    double weight[8];
    uint32_t node[8];
    geo_grid_shape(&grid, grid.cell_of[i], x, weight, NULL);
    geo_grid_nodes(&grid, grid.cell_of[i], node);
    for (uint32_t n = 0; n < grid.corner_count; n++) plain[node[n]] += weight[n] * mass_of(i);
    all += mass_of(i), all_moment += mass_of(i) * x[0];
  }
  for (uint32_t node = 0; node < grid.cell_count; node++) {
    int64_t place[3];
    geo_grid_place(&grid, node, place);
    assert_true(fabs(to[2 * node] - plain[node]) < 1e-12 * all);
    mass += to[2 * node];
    moment += to[2 * node] * (d->origin[0] + d->h * (double)place[0]); /* multilinear functions carry the first moment exactly */
  }
  assert_true(fabs(mass - all) < 1e-12 * all);
  assert_true(fabs(moment - all_moment) < 1e-12 * all);
  free(to), free(plain);
  geo_grid_clear(&grid);
  free_cloud(&c);
}

static void test_nodes_have_the_sums_of_their_particles(void **state)
{
  (void)state;
  check_scatter(&plane);
  check_scatter(&space);
}

/* 40,000 particles, in several chunks: order and sums have the same bits for any number of threads, and whatever was sorted before. */
static void check_threads(const geo_grid_domain *d)
{
  cloud c = make_cloud(d, 40000, 5), other = make_cloud(d, 777, 6);
  geo_grid one = sorted(d, &c, 1);
  double *sums = scattered(&one, &c, 1);
  for (unsigned threads = 2; threads <= 5; threads++) {
    geo_grid more = sorted(d, &other, threads);
    const double *position[3] = {c.at[0], c.at[1], c.at[2]};
    assert_int_equal(geo_grid_sort(&more, position, c.n, execution_of(threads), NULL), SCR_OK);
    assert_int_equal(one.block_count, more.block_count);
    assert_memory_equal(one.block, more.block, one.block_count * sizeof *one.block);
    assert_memory_equal(one.first, more.first, (one.cell_count + 1) * sizeof *one.first);
    assert_memory_equal(one.item, more.item, c.n * sizeof *one.item);
    double *same = scattered(&more, &c, threads);
    assert_memory_equal(sums, same, 2 * one.cell_count * sizeof *sums);
    free(same);
    geo_grid_clear(&more);
  }
  free(sums);
  geo_grid_clear(&one);
  free_cloud(&c), free_cloud(&other);
}

static void test_bits_do_not_depend_on_threads(void **state)
{
  (void)state;
  check_threads(&plane);
  check_threads(&space);
}

static void assert_refused(geo_grid_domain domain, const char *says)
{
  geo_grid grid;
  scr_error error = {0};
  assert_int_equal(geo_grid_create(&domain, &grid, &error), SCR_BAD_USAGE);
  if (!strstr(error.message, says)) fail_msg("'%s' does not say '%s'", error.message, says);
  geo_grid_clear(&grid);
}

/* What is nowhere is refused with its number and coordinate, after which the grid can be used again; so are domains that are none or too
 * large. */
static void test_bad_input_is_refused(void **state)
{
  (void)state;
  double x[3] = {-0.5, 0.5, NAN}, y[3] = {2.5, 9, 2.5};
  const double *position[3] = {x, y, NULL};
  geo_grid grid;
  scr_error error = {0};
  assert_int_equal(geo_grid_create(&plane, &grid, NULL), SCR_OK);
  assert_int_equal(geo_grid_sort(&grid, position, 3, execution_of(2), &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "particle 1 is at y = 9 m"));
  y[1] = 2.5;
  assert_int_equal(geo_grid_sort(&grid, position, 3, execution_of(2), &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "particle 2 is at x = nan m"));
  assert_int_equal(geo_grid_sort(&grid, position, 2, execution_of(2), &error), SCR_OK);
  assert_int_equal(grid.first[grid.cell_count], 2);
  assert_int_equal(geo_grid_sort(&grid, position, 0, execution_of(2), &error), SCR_OK);
  assert_true(grid.cell_count == 0 && geo_grid_at(&grid, 1, 1, 0) == GEO_GRID_NONE);
  geo_grid_clear(&grid);
  assert_refused((geo_grid_domain){4, 1, {0}, {1, 1, 1}}, "dimension");
  assert_refused((geo_grid_domain){3, 0, {0}, {1, 1, 1}}, "side");
  assert_refused((geo_grid_domain){3, NAN, {0}, {1, 1, 1}}, "side");
  assert_refused((geo_grid_domain){2, 1, {0}, {4, 4, 2}}, "4 x 4 x 2");
  assert_refused((geo_grid_domain){3, 1, {0}, {4, 0, 2}}, "counts");
  assert_refused((geo_grid_domain){3, 1, {0}, {100000, 100000, 100000}}, "larger side");
}

SUITE(test_geometry_grid)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_particles_lie_in_their_cells),    cmocka_unit_test(test_numbers_and_places_are_inverse),
      cmocka_unit_test(test_shape_functions_are_multilinear), cmocka_unit_test(test_nodes_have_the_sums_of_their_particles),
      cmocka_unit_test(test_bits_do_not_depend_on_threads),   cmocka_unit_test(test_bad_input_is_refused),
  };
  return cmocka_run_group_tests_name("geometry_grid", tests, NULL, NULL);
}
