/* Solids filled with lattice nodes: which cells a rod and a notched block take, and which bonds cross a notch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "geometry/fill/faces.h"
#include "geometry/fill/lattice.h"
#include "tests/support/suites.h"

/* Cell centres at half-odd multiples of the spacing within the circle, times the layers of the length: counted by hand from the definition.
 * R = 11.6, L = 4, h = 1. */
static void test_a_rod_takes_the_cells_whose_centres_lie_in_its_circle(void **state)
{
  (void)state;
  geo_solid rod = {.kind = GEO_SOLID_CYLINDER, .radius = 11.6, .size = {.z = 4}};
  geo_lattice lattice;
  size_t expected = 0;
  for (double x = -15.5; x < 16; x++)
    for (double y = -15.5; y < 16; y++) expected += x * x + y * y <= 11.6 * 11.6;
  assert_int_equal(geo_lattice_fill(&lattice, &rod, 1, NULL), SCR_OK);
  assert_int_equal(lattice.node_count, 4 * expected);
  for (size_t i = 0; i < lattice.node_count; i++) {
    scr_vec3 p = geo_lattice_position(&lattice, i);
    assert_true(hypot(p.x, p.y) <= 11.6 && fabs(p.z) < 2);
  }
  assert_true(fabs(geo_lattice_expected(&rod, 1) / (double)lattice.node_count - 1) < 0.03);
  geo_lattice_clear(&lattice);
}

/* A block of 10 x 3 x 6 cells with a notch 2 deep: one narrower than a cell between two columns takes no cell, one of three cells' width
 * takes 2 columns (centres at +-0.5; those at +-1.5 lie on its border and stay). */
static void test_a_notch_takes_the_cells_whose_centres_lie_in_it(void **state)
{
  (void)state;
  geo_solid block = {.kind = GEO_SOLID_BOX, .size = {10, 3, 6}, .notch_depth = 2};
  const double widths[3] = {0.9, 1.0, 3.0};
  const size_t missing[3] = {0, 0, 2 * 3 * 2};
  for (int k = 0; k < 3; k++) {
    geo_lattice lattice;
    block.notch_width = widths[k];
    assert_int_equal(geo_lattice_fill(&lattice, &block, 1, NULL), SCR_OK);
    assert_int_equal(lattice.node_count, 180 - missing[k]);
    geo_lattice_clear(&lattice);
  }
}

/* The slot |x| < 1, z < -1 of a block 6 high: straight lines that pass through it don't join, those that pass above it, run along its
 * border or end there do. */
static void test_lines_through_a_notch_do_not_join(void **state)
{
  (void)state;
  geo_solid block = {.kind = GEO_SOLID_BOX, .size = {10, 3, 6}, .notch_width = 2, .notch_depth = 2};
  const struct {
    scr_vec3 a, b;
    bool joins;
  } lines[] = {
      {{-2, 0, -2}, {2, 0, -2}, false},         /* straight across */
      {{-2, 0, -0.5}, {2, 0, -0.5}, true},      /* above it */
      {{-2, 0, -1}, {2, 0, -1}, true},          /* along its top */
      {{-1, 0, -2}, {-1, 1, -2.5}, true},       /* along its side */
      {{-2, 0, -2}, {-1, 0, -2}, true},         /* ends at its side */
      {{-2, 0, 0}, {0.5, 0, -1.5}, false},      /* ends within */
      {{-2, 0, -0.5}, {-0.5, 0, -0.9}, true},   /* ends above */
      {{-1.5, 0, -1.2}, {1.5, 0, -0.2}, false}, /* cuts its corner */
      {{-1.5, 0, -1.2}, {1.5, 0, 1.8}, true},   /* passes its corner */
      {{0, 0, 0}, {0, 0, -0.999}, true},        /* straight down to just above it */
  };
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
    if (geo_solid_joins(&block, lines[k].a, lines[k].b) != lines[k].joins) fail_msg("line %zu", k);
    if (geo_solid_joins(&block, lines[k].b, lines[k].a) != lines[k].joins) fail_msg("line %zu backward", k);
  }
  block.notch_width = 0;
  assert_true(geo_solid_joins(&block, lines[0].a, lines[0].b));
}

/* By hand: of each solid a point and the faces less than 1 above it, in their order, with their curvature, one over the radius. */
static void test_a_point_knows_the_faces_above_it(void **state)
{
  (void)state;
  const geo_solid box = {.kind = GEO_SOLID_BOX, .size = {10, 8, 6}, .notch_width = 2, .notch_depth = 2};
  const geo_solid rod = {.kind = GEO_SOLID_CYLINDER, .radius = 5, .size = {.z = 6}};
  const geo_solid shell = {.kind = GEO_SOLID_SPHERE, .radius = 5, .inner_radius = 4};
  const struct {
    const geo_solid *solid;
    scr_vec3 point;
    size_t count;
    geo_face face[3];
  } cases[] = {
      {&box, {4.5, -3.75, 2.9}, 3, {{{1, 0, 0}, 0.5, 0, {0, 0, 0}}, {{0, -1, 0}, 0.25, 0, {0, 0, 0}}, {{0, 0, 1}, 0.1, 0, {0, 0, 0}}}},
      {&box, {-1.5, 0, -1.5}, 1, {{{1, 0, 0}, 0.5, 0, {0, 0, 0}}}}, /* beside the notch */
      {&box, {0.5, 0, -0.5}, 1, {{{0, 0, -1}, 0.5, 0, {0, 0, 0}}}}, /* above it */
      {&box, {3, 0, 0}, 0, {{{0, 0, 0}, 0, 0, {0, 0, 0}}}},
      {&rod,
       {-4.25, 0, -2.5},
       2,
       {{{0, 0, -1}, 0.5, 0, {0, 0, 0}}, {{-1, 0, 0}, 0.75, 1.0 / 5, {0, 0, 1}}}}, /* the mantle is straight along z */
      {&rod, {0, 0, 2.5}, 1, {{{0, 0, 1}, 0.5, 0, {0, 0, 0}}}},
      {&shell,
       {0, 4.25, 0},
       2,
       {{{0, 1, 0}, 0.75, 1.0 / 5, {0, 0, 0}}, {{0, -1, 0}, 0.25, -1.0 / 4, {0, 0, 0}}}}, /* the void bends towards the inside */
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    geo_face face[GEO_FACES];
    if (geo_faces_near(cases[k].solid, cases[k].point, 1, face) != cases[k].count) fail_msg("case %zu", k);
    for (size_t f = 0; f < cases[k].count; f++)
      if (vec3_length(vec3_sub(face[f].normal, cases[k].face[f].normal)) > 1e-15 || fabs(face[f].depth - cases[k].face[f].depth) > 1e-12 ||
          fabs(face[f].curvature - cases[k].face[f].curvature) > 1e-12 ||
          vec3_length(vec3_sub(face[f].straight, cases[k].face[f].straight)) > 1e-15)
        fail_msg("case %zu, face %zu", k, f);
  }
}

SUITE(test_geometry_lattice)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_rod_takes_the_cells_whose_centres_lie_in_its_circle),
      cmocka_unit_test(test_a_notch_takes_the_cells_whose_centres_lie_in_it),
      cmocka_unit_test(test_lines_through_a_notch_do_not_join),
      cmocka_unit_test(test_a_point_knows_the_faces_above_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
