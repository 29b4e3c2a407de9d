/* Shapes filled with bonded spheres: where the spheres are, what they weigh, what the bonds cross. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "methods/bdem/body/filling.h"
#include "scene/shape/shape.h"
#include "tests/support/suites.h"

static const double r = 0.01, density = 1200;

static bdem_filling fill(scr_shape shape, bdem_packing packing)
{
  bdem_specimen division = {.spacing = 2 * r, .packing = packing};
  scr_specimen specimen = {.shape = shape, .values = &division};
  bdem_filling filling = {0};
  assert_int_equal(bdem_filling_build(&filling, &specimen, false, density, 1, NULL), SCR_OK);
  assert_true((double)filling.sphere_count <= bdem_filling_expected(&specimen));
  uint32_t *piece = mem_array(filling.sphere_count, sizeof *piece);
  assert_non_null(piece);
  assert_int_equal(bdem_pieces(filling.sphere_count, (const uint32_t(*)[2])filling.pairs, filling.pair_count, piece), 1);
  mem_free(piece);
  return filling;
}

/* Mass over the shape's: the spheres share it out, to rounding. (Until they did, lattice spheres weighed their cells, and a body ten
 * spheres across up to a fifth less than its shape.) */
static double mass_ratio(const bdem_filling *filling, scr_shape shape)
{
  return (double)filling->sphere_count * filling->mass / (density * scr_shape_volume(&shape));
}

static void test_a_cylinder_holds_spheres_within_its_faces_and_its_mass(void **state)
{
  (void)state;
  scr_shape disc = {.kind = SCR_SHAPE_CYLINDER, .radius = 0.12, .length = 0.1};
  for (int packing = BDEM_PACKING_HEXAGONAL_CLOSE; packing <= BDEM_PACKING_RANDOM_CLOSE; packing++) {
    bdem_filling filling = fill(disc, (bdem_packing)packing);
    for (size_t k = 0; k < filling.sphere_count; k++) {
      scr_vec3 p = filling.centre[k];
      assert_true(hypot(p.x, p.y) <= 0.12 - 0.49 * r && fabs(p.z) <= 0.05 - 0.49 * r);
    }
    double ratio = mass_ratio(&filling, disc);
    print_message("# packing %d: %zu spheres, cells over the cylinder's volume %.4f\n", packing, filling.sphere_count, filling.cells);
    assert_true(fabs(ratio - 1) < 1e-12);
    assert_true(filling.cells > 0.8 && filling.cells <= 1);
    bdem_filling_clear(&filling);
  }
}

/* Below the notch's top no bond reaches from one side to the other, also where the slot is narrower than a sphere; above it many do. */
static void test_no_bond_crosses_a_notch(void **state)
{
  (void)state;
  scr_shape beam = {.kind = SCR_SHAPE_NOTCHED_BOX, .size = {0.4, 0.1, 0.12}, .notch_width = 0.004, .notch_depth = 0.05};
  for (int packing = BDEM_PACKING_HEXAGONAL_CLOSE; packing <= BDEM_PACKING_RANDOM_CLOSE; packing++) {
    bdem_filling filling = fill(beam, (bdem_packing)packing);
    size_t above = 0;
    for (size_t b = 0; b < filling.pair_count; b++) {
      scr_vec3 p = filling.centre[filling.pairs[b][0]], q = filling.centre[filling.pairs[b][1]];
      if (p.x * q.x >= 0) continue;
      double z = p.z + (q.z - p.z) * p.x / (p.x - q.x);
      assert_true(z > beam.notch_depth - 0.5 * beam.size.z - 1e-9);
      above++;
    }
    assert_true(above > 10);
    bdem_filling_clear(&filling);
  }
}

/* Copies of the random cell meet without overlap, and a sphere has 8.5 bonds on average inside: 7 with those at the faces. */
static void test_a_random_filling_has_no_overlap_and_its_bonds(void **state)
{
  (void)state;
  scr_shape box = {.kind = SCR_SHAPE_BOX, .size = {0.4, 0.3, 0.3}};
  bdem_filling filling = fill(box, BDEM_PACKING_RANDOM_CLOSE);
  double least = INFINITY;
  for (size_t i = 0; i < filling.sphere_count; i++)
    for (size_t j = i + 1; j < filling.sphere_count; j++) least = fmin(least, vec3_length(vec3_sub(filling.centre[j], filling.centre[i])));
  double bonds = 2.0 * (double)filling.pair_count / (double)filling.sphere_count;
  print_message("# %zu spheres, %.2f bonds each\n", filling.sphere_count, bonds);
  assert_true(least >= 2 * r * (1 - 1e-12));
  assert_true(bonds > 6.5 && bonds < 8.5);
  bdem_filling_clear(&filling);
}

SUITE(test_bdem_filling)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_cylinder_holds_spheres_within_its_faces_and_its_mass),
      cmocka_unit_test(test_no_bond_crosses_a_notch),
      cmocka_unit_test(test_a_random_filling_has_no_overlap_and_its_bonds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
