/* Elastic constants of packings of bonded spheres: cubes filled as a scene's specimens are, their skin held in a uniform strain, the inner
 * spheres brought to equilibrium. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/fill/packing.h"
#include "methods/bdem/body/filling.h"
#include "methods/bdem/implicit/implicit.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

static const double radius = 0.01, modulus = 1e7, edge = 0.36, strain = 1e-6;

typedef struct cube {
  bdem_body body;
  scr_vec3 *reference;
  double volume; /* per inner sphere, m^3 */
} cube;

/* Whether a sphere lies `depth` diameters inside the cube's faces. */
static bool deep(scr_vec3 p, double depth)
{
  double least = 0.5 * edge - 2 * radius * depth;
  return fabs(p.x) < least && fabs(p.y) < least && fabs(p.z) < least;
}

static cube make_cube(bdem_packing packing)
{
  bdem_specimen division = {.spacing = 2 * radius, .packing = packing};
  scr_specimen specimen = {.shape = {.kind = SCR_SHAPE_BOX, .size = {edge, edge, edge}}, .values = &division};
  bdem_elasticity material = {.young_modulus = modulus, .poisson_ratio = 0.3};
  bdem_filling filling = {0};
  cube c = {0};
  assert_int_equal(bdem_filling_build(&filling, &specimen, false, 1, 1, NULL), SCR_OK);
  assert_int_equal(bdem_body_create(filling.sphere_count, filling.pair_count, &c.body, NULL), SCR_OK);
  c.reference = mem_array(filling.sphere_count, sizeof *c.reference);
  assert_non_null(c.reference);
  memcpy(c.reference, filling.centre, filling.sphere_count * sizeof *c.reference);
  memcpy(c.body.position, filling.centre, filling.sphere_count * sizeof *c.reference);
  for (size_t k = 0; k < filling.sphere_count; ++k) c.body.radius[k] = radius, c.body.mass[k] = filling.mass;
  for (size_t b = 0; b < filling.pair_count; ++b)
    assert_int_equal(bdem_body_bond(&c.body, b, filling.pairs[b][0], filling.pairs[b][1], &material, NULL), SCR_OK);
  if (packing != BDEM_PACKING_RANDOM_CLOSE)
    c.volume =
        geo_packing_cell_volume(packing == BDEM_PACKING_BODY_CENTRED ? GEO_PACKING_BODY_CENTRED : GEO_PACKING_HEXAGONAL_CLOSE, radius);
  if (packing == BDEM_PACKING_RANDOM_CLOSE) { /* the cube's skin is looser than its inside */
    size_t inner = 0;
    for (size_t k = 0; k < filling.sphere_count; ++k) inner += deep(c.reference[k], 3.5);
    c.volume = pow(edge - 14 * radius, 3) / (double)inner;
  }
  bdem_filling_clear(&filling);
  return c;
}

/* Half of a bond's energy to either end: energy of the spheres 3.5 diameters inside. */
static double inner_energy(const cube *c, size_t *spheres)
{
  double sum = 0;
  *spheres = 0;
  for (size_t i = 0; i < c->body.sphere_count; ++i) *spheres += deep(c->reference[i], 3.5);
  for (size_t b = 0; b < c->body.bond_count; ++b) {
    uint32_t i = c->body.ends[b][0], j = c->body.ends[b][1];
    int ends = deep(c->reference[i], 3.5) + deep(c->reference[j], 3.5);
    if (!ends) continue;
    bdem_bond_energy e = bdem_bond_energy_of(&c->body.bonds[b], vec3_sub(c->body.position[j], c->body.position[i]), c->body.orientation[i],
                                             c->body.orientation[j]);
    sum += 0.5 * ends * (e.stretch + e.shear + e.bend_twist);
  }
  return sum;
}

/* Twice the energy density over the squared strain and over E, for the strain with diagonal d and shear s in the xy plane. */
static double stiffness(bdem_packing packing, scr_vec3 d, double s)
{
  cube c = make_cube(packing);
  bdem_step_solver *solver;
  bdem_implicit_report report;
  const bdem_implicit_options options = {.time_step = INFINITY,
                                         .force_scale = modulus * radius * radius,
                                         .tolerance = 1e-12,
                                         .iteration_limit = 20,
                                         .execution = execution_of(1)};
  for (size_t i = 0; i < c.body.sphere_count; ++i) {
    scr_vec3 p = c.reference[i];
    c.body.position[i] = vec3_add(p, vec3_scale(vec3(d.x * p.x + 0.5 * s * p.y, d.y * p.y + 0.5 * s * p.x, d.z * p.z), strain));
    if (!deep(p, 1.5)) c.body.held[i] = BDEM_HELD_ALL;
  }
  assert_int_equal(bdem_implicit_create(&c.body, &solver, NULL), SCR_OK);
  scr_error error = {0};
  if (bdem_implicit_step(solver, &c.body, NULL, &options, &report, &error) != SCR_OK) {
    print_message("# %s\n", error.message);
    fail();
  }
  size_t spheres;
  double energy = inner_energy(&c, &spheres), density = energy / ((double)spheres * c.volume);
  bdem_implicit_destroy(solver);
  bdem_body_destroy(&c.body);
  mem_free(c.reference);
  return 2 * density / (strain * strain) / modulus;
}

/* A close packing of a spec's unit bonds has a bulk modulus of 0.74048 E, whatever the bonds' shear and bending: all bonds stretch alike.
 * */
static void test_a_hexagonal_packing_has_the_bulk_modulus_of_its_bonds(void **state)
{
  (void)state;
  double bulk = stiffness(BDEM_PACKING_HEXAGONAL_CLOSE, vec3(1, 1, 1), 0) / 9;
  claim_absolute("hexagonal packing: bulk modulus over E", bulk, 0.740480489693061, 1e-5, "pi sqrt(2)/6");
  double centred = stiffness(BDEM_PACKING_BODY_CENTRED, vec3(1, 1, 1), 0) / 9;
  claim_absolute("body-centred packing: bulk modulus over E", centred, 0.453449841058554, 1e-5, "pi sqrt(3)/12");
}

/* A random packing has no direction of its own: K and G from two strains give the stiffness of uniaxial strain along any axis. Its bulk
 * modulus is what a scene's bulk_modulus is calibrated by; three seeds gave 0.421, 0.431 and 0.432 (a cube of some thousand spheres
 * fluctuates by 2 %), Poisson's ratio 0.142 to 0.151. */
static void test_a_random_packing_is_isotropic(void **state)
{
  (void)state;
  double bulk = stiffness(BDEM_PACKING_RANDOM_CLOSE, vec3(1, 1, 1), 0) / 9, shear = stiffness(BDEM_PACKING_RANDOM_CLOSE, vec3(0, 0, 0), 1);
  double along_x = stiffness(BDEM_PACKING_RANDOM_CLOSE, vec3(1, 0, 0), 0), along_z = stiffness(BDEM_PACKING_RANDOM_CLOSE, vec3(0, 0, 1), 0);
  double expected = bulk + 4.0 / 3.0 * shear;
  claim_guard("random packing: bulk modulus over E", bulk, 0.428, 0.03);
  claim_shown("random packing: shear modulus over E", shear);
  claim_shown("random packing: Young's modulus over E", 9 * bulk * shear / (3 * bulk + shear));
  claim_shown("random packing: Poisson's ratio", (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear)));
  claim_relative("random packing: modulus of uniaxial strain along x", along_x, expected, 0.03, "K + 4 G/3: isotropy");
  claim_relative("random packing: modulus of uniaxial strain along z", along_z, expected, 0.03, "K + 4 G/3: isotropy");
}

SUITE(validate_bdem_packing)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_hexagonal_packing_has_the_bulk_modulus_of_its_bonds),
      cmocka_unit_test(test_a_random_packing_is_isotropic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
