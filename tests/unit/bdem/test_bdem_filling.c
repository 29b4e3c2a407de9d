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

static bdem_filling fill_as(scr_shape shape, bdem_packing packing, bool fitted)
{
  bdem_specimen division = {.spacing = 2 * r, .packing = packing};
  scr_specimen specimen = {.shape = shape, .values = &division};
  bdem_filling filling = {0};
  assert_int_equal(bdem_filling_build(&filling, &specimen, fitted, density, 1, NULL), SCR_OK);
  assert_true((double)filling.sphere_count <= bdem_filling_expected(&specimen));
  uint32_t *piece = mem_array(filling.sphere_count, sizeof *piece);
  assert_non_null(piece);
  assert_int_equal(bdem_pieces(filling.sphere_count, (const uint32_t(*)[2])filling.pairs, filling.pair_count, piece), 1);
  mem_free(piece);
  return filling;
}

static bdem_filling fill(scr_shape shape, bdem_packing packing)
{
  return fill_as(shape, packing, false);
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

/* A box of 5.45 x 5.2 x 4.9 layers of a close packing takes 5, 5 and 4 of them. Regular ones leave a gap at the faces; fitted ones are
 * stretched by extent / (whole layers x their distance), so that the outermost layer lies half a layer below the face: the rows of z end
 * 1/2 of a layer below theirs, those of x and y, which shift from layer to layer by a half and a third of a distance, 1/4 and 1/3 of one.
 * The same spheres and bonds are there. A cylinder is stretched along its axis alone. */
static void test_fitted_lattices_end_at_flat_faces(void **state)
{
  (void)state;
  const double pitch[3] = {2 * r, sqrt(3.0) * r, 2 * sqrt(2.0 / 3.0) * r}, layers[3] = {5.45, 5.2, 4.9}, whole[3] = {5, 5, 4};
  const double below[3] = {0.25, 1.0 / 3, 0.5}; /* layers, of the outermost spheres */
  scr_shape box = {.kind = SCR_SHAPE_BOX, .size = {layers[0] * pitch[0], layers[1] * pitch[1], layers[2] * pitch[2]}};
  bdem_filling regular = fill(box, BDEM_PACKING_HEXAGONAL_CLOSE), fitted = fill_as(box, BDEM_PACKING_HEXAGONAL_CLOSE, true);
  const double size[3] = {box.size.x, box.size.y, box.size.z};
  const double far[3] = {fitted.box.high.x, fitted.box.high.y, fitted.box.high.z};
  assert_int_equal(fitted.sphere_count, 100);
  assert_int_equal(fitted.sphere_count, regular.sphere_count);
  assert_int_equal(fitted.pair_count, regular.pair_count);
  assert_memory_equal(fitted.pairs, regular.pairs, fitted.pair_count * sizeof *fitted.pairs);
  assert_true(fabs(fitted.cells - 1) < 1e-12 && regular.cells < 0.75);
  for (int a = 0; a < 3; ++a) {
    assert_true(fabs(fitted.stretch[a] - layers[a] / whole[a]) < 1e-9 && regular.stretch[a] == 1);
    assert_true(fabs(fitted.packed[a] - size[a]) < 1e-12 && fabs(regular.packed[a] - whole[a] * pitch[a]) < 1e-12);
    assert_true(fabs(0.5 * size[a] - far[a] - below[a] * size[a] / whole[a]) < 1e-9);
  }
  bdem_filling_clear(&regular);
  bdem_filling_clear(&fitted);
  scr_shape rod = {.kind = SCR_SHAPE_CYLINDER, .radius = 0.07, .length = 5.7 * pitch[2]};
  fitted = fill_as(rod, BDEM_PACKING_HEXAGONAL_CLOSE, true);
  assert_true(fitted.stretch[0] == 1 && fitted.stretch[1] == 1 && fabs(fitted.stretch[2] - 5.7 / 5) < 1e-9);
  assert_true(fabs(0.5 * rod.length - fitted.box.high.z - 0.5 * rod.length / 5) < 1e-9);
  bdem_filling_clear(&fitted);
}

/* A single layer has no distances that could be stretched across it. */
static void test_a_single_layer_is_not_stretched(void **state)
{
  (void)state;
  scr_shape sheet = {.kind = SCR_SHAPE_BOX, .size = {0.21, 0.21, 1.9 * 2 * sqrt(2.0 / 3.0) * r}};
  bdem_filling fitted = fill_as(sheet, BDEM_PACKING_HEXAGONAL_CLOSE, true);
  assert_true(fitted.stretch[2] == 1 && fitted.stretch[0] > 1 && fitted.stretch[1] > 1);
  bdem_filling_clear(&fitted);
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
      cmocka_unit_test(test_fitted_lattices_end_at_flat_faces),
      cmocka_unit_test(test_a_single_layer_is_not_stretched),
      cmocka_unit_test(test_no_bond_crosses_a_notch),
      cmocka_unit_test(test_a_random_filling_has_no_overlap_and_its_bonds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
