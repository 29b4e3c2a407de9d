/* The surface correction by direction: a lattice as stiff and as strong as its material, inside and near its surfaces. */
#include "methods/peridem/scene/checker.h"
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

#define PARTIAL ",\"horizon_weight\":\"partial_volume\""
#define DIRECTION "\"surface_correction\":\"direction\""
#define BOX(x, y, z) "{\"type\":\"box\",\"size\":[" #x "e-3," #y "e-3," #z "e-3]}"
static const double bulk_modulus = 1e9, fracture_energy = 200; /* Pa, J/m^2 */

static sim_run open_body(const char *shape, double spacing, const char *rest, const char *options)
{
  char text[1200];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"body\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":%g,"
           "\"fracture_energy\":%g}],\"specimens\":[{\"name\":\"c\",\"material\":\"m\",\"spacing\":%.17g,\"shape\":%s%s}],"
           "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1},\"options\":{%s}}",
           bulk_modulus, fracture_energy, spacing, shape, rest, options);
  return run_open(text, 1);
}

static const pd_body *body_of(const sim_run *run)
{
  return &run_state(run)->bodies[0];
}

static size_t middle_of(const pd_body *body)
{
  size_t middle = 0;
  double least = INFINITY;
  for (size_t i = 0; i < body->node_count; i++) {
    double away = fabs(body->x[i]) + fabs(body->y[i]) + fabs(body->z[i]);
    if (away < least) least = away, middle = i;
  }
  return middle;
}

/* Energy density of a node under the strains e_a along x, y, z, over e^2 / 2, by its row: sum of c phi V L (sum e_a n_a^2)^2 / 2, Pa. */
static double stiffness_of(const pd_body *body, size_t i, const double e[3])
{
  double sum = 0;
  for (uint32_t k = body->bonds.first[i], end = k + body->bonds.count[i]; k < end; k++) {
    size_t j = body->bonds.other[k];
    double u = body->bonds.inverse_length[k],
           n[3] = {(body->x[j] - body->x[i]) * u, (body->y[j] - body->y[i]) * u, (body->z[j] - body->z[i]) * u};
    double stretch = e[0] * n[0] * n[0] + e[1] * n[1] * n[1] + e[2] * n[2] * n[2];
    sum += 0.5 * body->bonds.weight[k] * body->micromodulus * body->node_volume / u * stretch * stretch;
  }
  return sum;
}

/* Young's modulus along x: the determinant of C_ab over that without x. */
static double young_modulus_of(const pd_body *body, size_t i)
{
  double C[3][3];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      double e[3] = {0}, f[3] = {0};
      e[a] += 1, e[b] += 1, f[a] += 1, f[b] -= 1;
      C[a][b] = 0.25 * (stiffness_of(body, i, e) - stiffness_of(body, i, f));
    }
  double minor = C[1][1] * C[2][2] - C[1][2] * C[2][1];
  return C[0][0] + (C[0][1] * (C[1][2] * C[2][0] - C[1][0] * C[2][2]) + C[0][2] * (C[1][0] * C[2][1] - C[1][1] * C[2][0])) / minor;
}

/* Energy of the bonds that cross the plane x = `at` when all are at the critical stretch, from nodes of one row along x through y, z, over
 * the section of that row, J/m^2. */
static double parting_energy(const pd_body *body, double at, double y, double z)
{
  double sum = 0, row = body->node_volume / body->spacing;
  for (size_t i = 0; i < body->node_count; i++) {
    if (body->x[i] > at || fabs(body->y[i] - y) + fabs(body->z[i] - z) > 0.01 * body->spacing) continue;
    for (uint32_t k = body->bonds.first[i], end = k + body->bonds.count[i]; k < end; k++)
      if (body->x[body->bonds.other[k]] > at) sum += 0.5 * body->stiffness * body->bonds.weight[k] / body->bonds.inverse_length[k];
  }
  return sum * body->critical_stretch * body->critical_stretch / row;
}

/* Reference: the material's own moduli; sums over the same neighbours, so that only rounding is left. By the paper's constants, integrals
 * over a ball, the same node has E 1.077 times too large at three spacings with partial volumes, and takes 1.071 times the fracture energy.
 * */
static void test_full_nodes_have_the_modulus_and_the_fracture_energy_of_their_material(void **state)
{
  (void)state;
  static const struct {
    double horizon;
    const char *weights;
  } kinds[] = {{3e-3, PARTIAL}, {3e-3, ""}, {4e-3, PARTIAL}, {3e-3, ",\"micromodulus\":\"conic\""}};
  char options[200];
  for (size_t k = 0; k < 4; k++) {
    snprintf(options, sizeof options, DIRECTION ",\"horizon\":%g%s", kinds[k].horizon, kinds[k].weights);
    sim_run run = open_body(BOX(19, 19, 19), 1e-3, "", options);
    const pd_body *body = body_of(&run);
    claim_relative("full node: Young's modulus over 3 k / 2", young_modulus_of(body, middle_of(body)) / (1.5 * bulk_modulus), 1, 1e-9,
                   "elasticity");
    claim_relative("full nodes: energy to part a plane over Gc", parting_energy(body, 0.5e-3, 0, 0) / fracture_energy, 1, 1e-9,
                   "a count of bonds");
    run_close(&run);
  }
  sim_run stretched = open_body("{\"type\":\"box\",\"size\":[15.4e-3,14.6e-3,15e-3]}", 1e-3, "", DIRECTION PARTIAL);
  const pd_body *body = body_of(&stretched);
  double modulus = young_modulus_of(body, middle_of(body)) / (1.5 * bulk_modulus);
  claim_relative("cells stretched by 2.7 %: Young's modulus over 3 k / 2", modulus, 1, 0.002, "elasticity; S12 is that of cubes");
  claim_absolute("their outermost nodes below the face, cells", (7.7e-3 - body->box.high.x) / body->cell.x, 0.5, 1e-9, "geometry");
  run_close(&stretched);
  sim_run paper = open_body(BOX(15, 15, 15), 1e-3, "", "\"surface_correction\":\"none\"" PARTIAL);
  claim_shown("by the paper's constants: Young's modulus over 3 k / 2",
              young_modulus_of(body_of(&paper), middle_of(body_of(&paper))) / (1.5 * bulk_modulus));
  claim_shown("by the paper's constants: energy to part a plane over Gc", parting_energy(body_of(&paper), 0.5e-3, 0, 0) / fracture_energy);
  run_close(&paper);
}

/* A free cube of 10 nodes across, drawn along an axis and let narrow by a quarter: energy over that of the solid. Reference: E e^2 / 2.
 * Corner, edge and face nodes have fewer neighbours; factors are right for one direction at a time in a node all of whose bonds have its
 * own, which leaves 3 %; without them the cube stores a quarter less. */
static void test_bodies_store_the_energy_of_a_solid(void **state)
{
  (void)state;
  static const char *const options[] = {DIRECTION PARTIAL, "\"surface_correction\":\"none\"" PARTIAL};
  const double drawn[3] = {1, -0.25, -0.25};
  double energy[2];
  for (int k = 0; k < 2; k++) {
    sim_run run = open_body(BOX(10, 10, 10), 1e-3, "", options[k]);
    const pd_body *body = body_of(&run);
    energy[k] = 0;
    for (size_t i = 0; i < body->node_count; i++)
      energy[k] += stiffness_of(body, i, drawn) / (1.5 * bulk_modulus * (double)body->node_count);
    run_close(&run);
  }
  claim_relative("cube of 10 nodes across, drawn: energy over a solid's", energy[0], 1, 0.03, "elasticity");
  claim_shown("the same, not corrected", energy[1]);
  assert_true(energy[1] < 0.9);
}

/* A body turned in the scene has the bonds of one that is not, to the last bits of single numbers, and so has a row of equal bonds. */
static void test_turned_bodies_have_the_same_bonds(void **state)
{
  (void)state;
  sim_run straight = open_body(BOX(6, 7, 8), 1e-3, "", DIRECTION PARTIAL);
  sim_run turned = open_body(BOX(6, 7, 8), 1e-3, ",\"rotation\":{\"axis\":[1,2,3],\"angle_deg\":40}", DIRECTION PARTIAL);
  const pd_body *a = body_of(&straight), *b = body_of(&turned);
  double worst = 0;
  assert_true(a->bonds.slot_count == b->bonds.slot_count);
  for (size_t k = 0; k < a->bonds.slot_count; k++) worst = fmax(worst, fabs(a->bonds.weight[k] - b->bonds.weight[k]));
  claim_absolute("turned by 40 degrees: largest difference of a bond's weight", worst, 0, 4e-12, "2^-40, a few times");
  run_close(&straight);
  run_close(&turned);
}

/* Reference: density times the volume of the shape; whole cells have 5 % more in this ball, and 6 % less in this cylinder. */
static void test_bodies_have_the_mass_of_their_shape(void **state)
{
  (void)state;
  static const char *const shapes[] = {"{\"type\":\"sphere\",\"radius\":4.1e-3}",
                                       "{\"type\":\"cylinder\",\"radius\":4.1e-3,\"length\":9.4e-3}",
                                       "{\"type\":\"hollow_sphere\",\"radius\":6e-3,\"inner_radius\":3e-3}"};
  const double volume[] = {4 * M_PI / 3 * pow(4.1e-3, 3), M_PI * pow(4.1e-3, 2) * 9.4e-3, 4 * M_PI / 3 * (pow(6e-3, 3) - pow(3e-3, 3))};
  for (int k = 0; k < 3; k++) {
    sim_run run = open_body(shapes[k], 1e-3, "", DIRECTION PARTIAL),
            plain = open_body(shapes[k], 1e-3, "", "\"surface_correction\":\"none\"");
    claim_relative("mass over density times volume", body_of(&run)->node_mass * (double)body_of(&run)->node_count / (1000 * volume[k]), 1,
                   1e-12, "geometry");
    claim_shown("the same of a lattice of whole cells",
                body_of(&plain)->node_mass * (double)body_of(&plain)->node_count / (1000 * volume[k]));
    run_close(&run);
    run_close(&plain);
  }
}

/* Energy to part a plate of `layers` across, over Gc. */
static double plate_energy(int layers, const char *options)
{
  char shape[100];
  double sum = 0;
  snprintf(shape, sizeof shape, "{\"type\":\"box\",\"size\":[12e-3,12e-3,%de-3]}", layers);
  sim_run run = open_body(shape, 1e-3, "", options);
  for (int k = 0; k < layers; k++)
    sum += parting_energy(body_of(&run), 0, 0.5e-3, (k + 0.5 - 0.5 * layers) * 1e-3) / (fracture_energy * layers);
  run_close(&run);
  return sum;
}

/* The share of fracture energy that the check warns of, by bonds across the whole section, edges included. Reference: sum of w L |a| over
 * offsets (a, b, c) that stay in 36 x 4 nodes, over that of full nodes, times 1.0712 of those, counted by another program; corrected:
 * 0.96, as the plate's middle. */
static void test_the_check_knows_what_a_plate_lacks(void **state)
{
  (void)state;
  sim_run run = open_body(BOX(40, 36, 4), 1e-3, "", "\"surface_correction\":\"none\"" PARTIAL);
  sim_run corrected = open_body(BOX(40, 36, 4), 1e-3, ",\"rotation\":{\"axis\":[1,2,3],\"angle_deg\":40}", DIRECTION PARTIAL);
  claim_relative("plate of 4 layers, not corrected: share of Gc by the check", pd_parting_share(body_of(&run), fracture_energy), 0.766324,
                 1e-4, "a count of bonds, written apart");
  claim_between("the same, turned and corrected", pd_parting_share(body_of(&corrected), fracture_energy), 0.94, 0.98, "the plate's middle");
  run_close(&run);
  run_close(&corrected);
}

/* A through-thickness crack in a plate of few layers of nodes. Reference: Gc, whatever the thickness. Bonds that would leave the plate are
 * missing; factors by direction give most of them back, as they are those of stiffness and not of the number of bonds: 0.92 at 3 layers,
 * 0.96 at 4, 0.99 at 12 were computed before this was written. Without: 0.65, 0.74, 0.91. */
static void test_thin_plates_keep_their_fracture_energy(void **state)
{
  (void)state;
  static const int layers[] = {3, 4, 6, 8, 12};
  static const double least[] = {0.9, 0.94, 0.96, 0.97, 0.98};
  char name[100];
  for (int k = 0; k < 5; k++) {
    snprintf(name, sizeof name, "plate of %d layers: energy to part it over Gc", layers[k]);
    claim_between(name, plate_energy(layers[k], DIRECTION PARTIAL), least[k], 1.01, "Gc");
    snprintf(name, sizeof name, "plate of %d layers, not corrected", layers[k]);
    claim_shown(name, plate_energy(layers[k], "\"surface_correction\":\"none\"" PARTIAL) / 1.071);
  }
}

SUITE(validate_peridem_directions)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_full_nodes_have_the_modulus_and_the_fracture_energy_of_their_material),
      cmocka_unit_test(test_bodies_store_the_energy_of_a_solid),
      cmocka_unit_test(test_turned_bodies_have_the_same_bonds),
      cmocka_unit_test(test_bodies_have_the_mass_of_their_shape),
      cmocka_unit_test(test_the_check_knows_what_a_plate_lacks),
      cmocka_unit_test(test_thin_plates_keep_their_fracture_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
