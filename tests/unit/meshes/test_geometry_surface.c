/* Skins of sphere clouds: always closed and manifold, right in area, volume and topology. Clouds are drawn from fixed seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/search/block_grid.h"
#include "geometry/marching_cubes.h"
#include "geometry/mesh/mesh_distance.h"
#include "geometry/surface.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0; /* -1 ... 1 */
}

static scr_vec3 random_vector(uint64_t *seed, double size)
{
  double x = uniform(seed), y = uniform(seed), z = uniform(seed);
  return vec3_scale(vec3(x, y, z), size);
}

/* Makes a skin, which must be sound, and measures it. */
static geo_mesh_measures make_skin(const scr_vec3 *centre, const double *radius, size_t n, double cell, geo_mesh *mesh)
{
  geo_surface_options options = {.cell = cell};
  geo_mesh_measures m;
  scr_error error = {0};
  if (geo_surface_of_balls(centre, radius, n, &options, 0, mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  if (geo_mesh_check(mesh, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(geo_mesh_measure(mesh, &m, NULL), SCR_OK);
  return m;
}

/* One sphere's blend is its distance exactly; linear interpolation on cells of edge h leaves an error of O(h^2), four times less per
 * halving. The ratio is 4 within 25 %: vertices near grid points are moved by up to h / 100. */
static void test_one_sphere_converges_to_the_sphere(void **state)
{
  (void)state;
  const scr_vec3 centre = {0.123, -4.56, 7.89};
  const double radius = 0.7;
  double area[3], volume[3];
  for (int level = 0; level < 3; level++) {
    geo_mesh mesh = {0};
    geo_mesh_measures m = make_skin(&centre, &radius, 1, 0.2 / (1 << level), &mesh);
    assert_int_equal(m.euler, 2);
    area[level] = 1 - m.area / (4 * M_PI * 0.49);
    volume[level] = 1 - m.volume / (4 * M_PI * 0.343 / 3);
    geo_mesh_clear(&mesh);
  }
  for (int level = 0; level < 2; level++) {
    assert_true(fabs(area[level] / area[level + 1] - 4) < 1);
    assert_true(fabs(volume[level] / volume[level + 1] - 4) < 1);
  }
  assert_true(fabs(area[2]) < 2e-3 && fabs(volume[2]) < 4e-3);
}

/* All 2^8 sign patterns of a cube, and random ones of many cubes, with wild values: the promise of marching_cubes.h for any samples. Random
 * signs hold every ambiguous face and every way two cubes can meet. */
static void test_any_samples_give_a_closed_manifold(void **state)
{
  (void)state;
  uint64_t seed = 31;
  for (int round = 0; round < 256 + 40; round++) {
    block_grid grid = {.cell = 1};
    const block_range one = {{1, 1, 1}, {2, 2, 2}};
    assert_int_equal(block_grid_cover(&grid, &one, 100, NULL), SCR_OK);
    assert_int_equal(block_grid_allocate(&grid, 100, NULL), SCR_OK);
    for (size_t b = 0; b < 8; b++)
      for (int n = 0; n < BLOCK_POINTS; n++) {
        int at[3] = {n % 8, n / 8 % 8, n / 64}, edge = 0, corner = 1;
        for (int a = 0; a < 3; a++) { /* points on the outside of the eight blocks stay outside */
          int place = (block_key_along(grid.key[b], a) - 1) * BLOCK_EDGE + at[a];
          edge |= place == 0 || place == 15;
          corner &= place == 7 || place == 8;
        }
        int bits = (at[0] == 0) | (at[1] == 0) << 1 | (at[2] == 0) << 2; /* the eight points around the middle, one in each block */
        int inside = round < 256 ? corner && (round >> bits & 1) : !edge && uniform(&seed) < -0.6 + 0.03 * (round - 256);
        grid.value[b * BLOCK_POINTS + (size_t)n] = (float)((inside ? -1 : 1) * pow(10, 6 * uniform(&seed)));
      }
    geo_mesh mesh = {0};
    scr_error error = {0};
    if (geo_marching_cubes(&grid, 0, &mesh, &error) != SCR_OK) fail_msg("%s", error.message);
    if (round > 0 && geo_mesh_check(&mesh, &error) != SCR_OK) fail_msg("round %d: %s", round, error.message);
    assert_true((mesh.triangle_count == 0) == (round == 0));
    geo_mesh_clear(&mesh);
    block_grid_clear(&grid);
  }
}

/* Clusters of unequal spheres, overlapping, touching and apart: sound, around every sphere's core, and within the hull. */
static void test_random_clusters_have_closed_skins_between_core_and_hull(void **state)
{
  (void)state;
  uint64_t seed = 32;
  enum { most = 60 };
  for (int round = 0; round < 25; round++) {
    scr_vec3 centre[most];
    double radius[most];
    size_t n = 1 + (size_t)(30 * (1 + uniform(&seed)));
    for (size_t i = 0; i < n; i++) {
      centre[i] = random_vector(&seed, 2 + 4 * (round % 5));
      radius[i] = 1 + 0.6 * uniform(&seed);
    }
    geo_mesh mesh = {0};
    make_skin(centre, radius, n, 0.28, &mesh);
    double core = INFINITY; /* how far vertices lie inside the cores, and outside the hull: up to half a cell, where they cut a kink off */
    for (size_t v = 0; v < mesh.vertex_count; v++) {
      double hull = INFINITY;
      for (size_t i = 0; i < n; i++) {
        double d = vec3_length(vec3_sub(mesh.vertex[v], centre[i]));
        core = fmin(core, d - 0.75 * radius[i]);
        hull = fmin(hull, d - 2 * radius[i]);
      }
      assert_true(hull < 0.6 * 0.28);
    }
    assert_true(core > -0.5 * 0.28);
    geo_mesh_clear(&mesh);
  }
}

/* Spheres never get lost, however small beside their neighbours and however coarse the grid: every centre is inside the skin. */
static void test_every_centre_is_inside_the_skin(void **state)
{
  (void)state;
  enum { n = 40 };
  uint64_t seed = 34;
  scr_vec3 centre[n];
  double radius[n];
  for (int i = 0; i < n; i++) {
    centre[i] = random_vector(&seed, 3);
    radius[i] = i % 4 ? 0.25 : 1.5;
  }
  geo_mesh mesh = {0};
  geo_mesh_tree *tree;
  make_skin(centre, radius, n, GEO_SURFACE_FAITHFUL * 0.25, &mesh);
  assert_int_equal(geo_mesh_tree_create(&mesh, &tree, NULL), SCR_OK);
  for (int i = 0; i < n; i++) assert_true(geo_mesh_nearest(tree, centre[i]).distance < 0);
  geo_mesh_tree_destroy(tree);
  geo_mesh_clear(&mesh);
}

/* f of surface.h, straight from its definition, over all spheres. */
static double plain_function(const scr_vec3 *centre, const double *radius, size_t n, scr_vec3 x)
{
  double weight = 0, size = 0, core = INFINITY, hull = INFINITY;
  scr_vec3 mean = vec3(0, 0, 0);
  for (size_t i = 0; i < n; i++) {
    double d = vec3_length(vec3_sub(x, centre[i])), w = pow(fmax(0, 1 - pow(d / (4 * radius[i]), 2)), 3);
    weight += w;
    size += w * radius[i];
    mean = vec3_add(mean, vec3_scale(centre[i], w));
    core = fmin(core, d - 0.75 * radius[i]);
    hull = fmin(hull, d - 2 * radius[i]);
  }
  return fmax(fmin(vec3_length(vec3_sub(x, vec3_scale(mean, 1 / weight))) - size / weight, core), hull);
}

/* A ring of touching spheres is a torus: Euler's number 0. Two crossing rings share two nodes: genus 3, Euler's number -4. */
static void test_rings_have_the_topology_of_rings(void **state)
{
  (void)state;
  enum { n = 24 };
  scr_vec3 centre[2 * n];
  double radius[2 * n], big = 1 / sin(M_PI / n);
  for (int i = 0; i < n; i++) {
    double angle = 2 * M_PI * i / n;
    centre[i] = vec3(big * cos(angle), big * sin(angle), 0);
    centre[n + i] = vec3(big * cos(angle), 0, big * sin(angle));
    radius[i] = radius[n + i] = 1;
  }
  geo_mesh mesh = {0};
  assert_int_equal(make_skin(centre, radius, n, 0.4, &mesh).euler, 0);
  geo_mesh_clear(&mesh);
  assert_int_equal(make_skin(centre, radius, 2 * n, 0.4, &mesh).euler, -4);
  geo_mesh_clear(&mesh);
}

/* A block of n^3 cubic lattice cells loses a rim of about 0.13 r, so 6 n^2 (2 r)^2 0.13 r of its volume and a little at the edges. Its
 * faces are flat within 0.03 r. All vertices lie where f is 0, up to the interpolation's error: cell^2 / (8 r) = 0.008 on a face, four
 * times as much where f has a kink. */
static void test_a_lattice_block_keeps_its_volume_and_flat_faces(void **state)
{
  (void)state;
  enum { n = 10 };
  static scr_vec3 centre[n * n * n];
  static double radius[n * n * n];
  for (int i = 0; i < n * n * n; i++) {
    centre[i] = vec3(2 * (i % n), 2 * (i / n % n), 2 * (i / n / n));
    radius[i] = 1;
  }
  geo_mesh mesh = {0};
  geo_mesh_measures m = make_skin(centre, radius, n * n * n, 0.25, &mesh);
  assert_int_equal(m.euler, 2);
  assert_true(m.volume < 0.96 * 8000 && m.volume > 0.93 * 8000);
  double low = INFINITY, high = -INFINITY, off = 0;
  for (size_t v = 0; v < mesh.vertex_count; v++) {
    scr_vec3 p = mesh.vertex[v];
    if (v % 40 == 0) off = fmax(off, fabs(plain_function(centre, radius, n * n * n, p)));
    if (p.z < 9 || fabs(p.x - 9) > 5 || fabs(p.y - 9) > 5) continue;
    low = fmin(low, p.z);
    high = fmax(high, p.z);
  }
  assert_true(high - low < 0.03 && low > 18.85 && high < 18.9);
  assert_true(off < 0.04);
  geo_mesh_clear(&mesh);
}

/* A strained body must not fill with bubbles: a lattice stretched by a tenth has one shell still. */
static void test_a_stretched_lattice_stays_whole(void **state)
{
  (void)state;
  enum { n = 5 };
  scr_vec3 centre[n * n * n];
  double radius[n * n * n];
  for (int i = 0; i < n * n * n; i++) {
    centre[i] = vec3(2.2 * (i % n), 2.2 * (i / n % n), 2.2 * (i / n / n));
    radius[i] = 1;
  }
  geo_mesh mesh = {0};
  assert_int_equal(make_skin(centre, radius, n * n * n, 0.25, &mesh).euler, 2);
  geo_mesh_clear(&mesh);
}

/* Spheres of one fragment may lie apart, as across a crack: nothing joins centres more than 4 r apart. */
static void test_a_crack_wider_than_the_hull_stays_open(void **state)
{
  (void)state;
  const double radius[2] = {1, 1};
  const scr_vec3 apart[2] = {{0, 0, 0}, {4.3, 0, 0}}, touching[2] = {{0, 0, 0}, {2, 0, 0}};
  geo_mesh mesh = {0};
  assert_int_equal(make_skin(apart, radius, 2, 0.25, &mesh).euler, 4);
  geo_mesh_clear(&mesh);
  assert_int_equal(make_skin(touching, radius, 2, 0.25, &mesh).euler, 2);
  geo_mesh_clear(&mesh);
}

static void test_the_skin_is_the_same_for_any_number_of_threads(void **state)
{
  (void)state;
  enum { n = 300 };
  scr_vec3 centre[n];
  double radius[n];
  uint64_t seed = 33;
  for (int i = 0; i < n; i++) {
    centre[i] = random_vector(&seed, 8);
    radius[i] = 1 + 0.3 * uniform(&seed);
  }
  geo_mesh one = {0}, four = {0};
  geo_surface_options options = {.cell = 0.4, .threads = 1};
  assert_int_equal(geo_surface_of_balls(centre, radius, n, &options, 7, &one, NULL), SCR_OK);
  options.threads = 4;
  assert_int_equal(geo_surface_of_balls(centre, radius, n, &options, 7, &four, NULL), SCR_OK);
  assert_int_equal(one.vertex_count, four.vertex_count);
  assert_int_equal(one.triangle_count, four.triangle_count);
  assert_memory_equal(one.vertex, four.vertex, one.vertex_count * sizeof *one.vertex);
  assert_memory_equal(one.triangle, four.triangle, one.triangle_count * sizeof *one.triangle);
  assert_int_equal(one.part[0], 7);
  geo_mesh_clear(&one);
  geo_mesh_clear(&four);
}

/* What comes from a damaged recording must end in a message, not in a machine without memory. */
static void test_unsound_clouds_and_huge_grids_are_refused(void **state)
{
  (void)state;
  const struct {
    scr_vec3 far;
    double radius, cell;
    size_t node_limit;
    const char *names;
  } cases[] = {
      {{1, 0, 0}, 0, 0.5, 0, "sphere 1 has a radius of 0"},
      {{1, 0, 0}, NAN, 0.5, 0, "sphere 1 has a radius"},
      {{NAN, 0, 0}, 1, 0.5, 0, "sphere 1 is at"},
      {{1e10, 0, 0}, 1, 0.5, 0, "sphere 1 is at"},
      {{1, 0, 0}, 1, 0, 0, "cells of 0 m"},
      {{1, 0, 0}, 1, 1.1, 0, "at most 1 m"},
      {{1, 0, 0}, 1, NAN, 0, "cells of"},
      {{1e9, 0, 0}, 1, 0.5, 0, "use cells of at least"},
      {{1, 0, 0}, 1, 1e-4, 0, "more than the allowed 134217728 points"},
      {{100, 0, 0}, 1, 0.1, 512 * 100, "more than the allowed 51200 points"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    scr_vec3 centre[2] = {{0, 0, 0}, cases[k].far};
    double radius[2] = {1, cases[k].radius};
    geo_surface_options options = {.cell = cases[k].cell, .node_limit = cases[k].node_limit};
    geo_mesh mesh = {0};
    scr_error error = {0};
    assert_int_equal(geo_surface_of_balls(centre, radius, 2, &options, 0, &mesh, &error), SCR_BAD_USAGE);
    if (!strstr(error.message, cases[k].names)) fail_msg("case %zu: '%s' is not in: %s", k, cases[k].names, error.message);
    geo_mesh_clear(&mesh);
  }
}

/* A small sphere far from the origin: cells that coordinates still resolve give a sound skin, smaller ones are refused. */
static void test_a_surface_far_from_the_origin_is_sound_or_refused(void **state)
{
  (void)state;
  const scr_vec3 far[2] = {{1e6, -1e6, 1e6}, {1e6 + 1e-4, -1e6, 1e6}};
  double radius[2] = {1e-4, 1e-4};
  geo_mesh mesh = {0};
  assert_int_equal(make_skin(far, radius, 2, 5e-5, &mesh).euler, 2);
  geo_mesh_clear(&mesh);
  radius[0] = radius[1] = 1e-6;
  geo_surface_options options = {.cell = 5e-7};
  scr_error error = {0};
  assert_int_equal(geo_surface_of_balls(far, radius, 2, &options, 0, &mesh, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "rounding"));
}

SUITE(test_geometry_surface)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_sphere_converges_to_the_sphere),
      cmocka_unit_test(test_any_samples_give_a_closed_manifold),
      cmocka_unit_test(test_random_clusters_have_closed_skins_between_core_and_hull),
      cmocka_unit_test(test_every_centre_is_inside_the_skin),
      cmocka_unit_test(test_rings_have_the_topology_of_rings),
      cmocka_unit_test(test_a_lattice_block_keeps_its_volume_and_flat_faces),
      cmocka_unit_test(test_a_stretched_lattice_stays_whole),
      cmocka_unit_test(test_a_crack_wider_than_the_hull_stays_open),
      cmocka_unit_test(test_the_skin_is_the_same_for_any_number_of_threads),
      cmocka_unit_test(test_a_surface_far_from_the_origin_is_sound_or_refused),
      cmocka_unit_test(test_unsound_clouds_and_huge_grids_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
