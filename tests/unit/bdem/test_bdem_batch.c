/* Bonds in batches of eight against the scalar formula of bond.h. States are drawn from a fixed seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/fill/packing.h"
#include "methods/bdem/bonds/bond_batch.h"
#include "tests/support/failing_memory.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static scr_vec3 random_vector(uint64_t *seed, double size)
{
  double x = uniform(seed), y = uniform(seed), z = uniform(seed);
  return vec3_scale(vec3(x, y, z), size);
}

/* `count` separate pairs of spheres, each with one bond of its own constants and unturned. */
static bdem_body pairs(size_t count, uint64_t *seed)
{
  bdem_body body;
  assert_int_equal(bdem_body_create(2 * count, count, &body, NULL), SCR_OK);
  for (size_t k = 0; k < 2 * count; ++k) {
    body.radius[k] = 0.5;
    body.mass[k] = 1.0;
    body.position[k] = vec3_add(vec3(3.0 * (double)(k / 2), (double)(k % 2), 0), random_vector(seed, 0.2));
  }
  for (uint32_t b = 0; b < count; ++b) {
    bdem_elasticity material = {.young_modulus = 1.5 + uniform(seed), .poisson_ratio = 0.2 + 0.2 * uniform(seed)};
    uint32_t i = uniform(seed) > 0 ? 2 * b : 2 * b + 1;
    assert_int_equal(bdem_body_bond(&body, b, i, 4 * b + 1 - i, &material, NULL), SCR_OK);
  }
  return body;
}

static void assert_near(scr_vec3 got, scr_vec3 wanted, double allowed)
{
  if (!(vec3_length(vec3_sub(got, wanted)) <= allowed))
    fail_msg("got %.15g %.15g %.15g, wanted %.15g %.15g %.15g within %.2g", got.x, got.y, got.z, wanted.x, wanted.y, wanted.z, allowed);
}

/* Every bond's force and torques by one kernel, within 1e-13 of the bond's largest stiffness times its largest strain or turn. The scalar
 * formula itself loses digits relative to that measure only: it subtracts products of size 1 to find a small turn. */
static void check_pairs(const bdem_body *body, batch_kernel kernel)
{
  bdem_batches t;
  size_t n = body->sphere_count;
  scr_vec3 *got = mem_array(2 * n, sizeof *got);
  assert_non_null(got);
  assert_int_equal(bdem_batches_create(body, NULL, execution_of(1), &t, NULL), SCR_OK);
  t.kernel = kernel;
  bdem_batches_forces(&t, body, got, got + n);
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    const bdem_bond *bond = &body->bonds[b];
    bdem_bond_force f =
        bdem_bond_force_of(bond, vec3_sub(body->position[j], body->position[i]), body->orientation[i], body->orientation[j]);
    double size = fmax(vec3_length(f.force_j), fmax(vec3_length(f.torque_i), vec3_length(f.torque_j)));
    double allowed = 1e-13 * fmax(size, 1e-2 * fmax(bond->stretch, fmax(bond->shear, bond->bend)));
    assert_near(got[j], f.force_j, allowed);
    assert_near(got[i], vec3_scale(f.force_j, -1.0), allowed);
    assert_near(got[n + i], f.torque_i, allowed);
    assert_near(got[n + j], f.torque_j, allowed);
  }
  bdem_batches_destroy(&t);
  mem_free(got);
}

/* The kernels that this processor can run. */
static void check_kernels(const bdem_body *body)
{
  for (int set = 0; set < BATCH_SET_COUNT; ++set)
    if (batch_kernel_of((batch_set)set)) check_pairs(body, batch_kernel_of((batch_set)set));
}

/* Turns the ends of every bond by up to about `angle` against each other, moves them by up to `shift`, and turns the whole pair. */
static void shake(bdem_body *body, double angle, double shift, uint64_t *seed)
{
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    scr_quat whole = quat_exp(random_vector(seed, 2.0));
    scr_vec3 e = vec3_add(vec3_sub(body->position[j], body->position[i]), random_vector(seed, shift));
    body->position[j] = vec3_add(body->position[i], quat_rotate(whole, e));
    body->orientation[i] = quat_normalise(quat_multiply(whole, quat_exp(random_vector(seed, 0.5 * angle))));
    body->orientation[j] = quat_normalise(quat_multiply(whole, quat_exp(random_vector(seed, 0.5 * angle))));
    if (uniform(seed) > 0) body->orientation[j] = quat_scale(body->orientation[j], -1.0); /* the same orientation */
  }
}

/* Numbers of bonds that fill no batch, one, and one and a bit, at small and moderate turns. */
static void test_batches_of_any_size_give_the_forces_of_each_bond(void **state)
{
  static const size_t counts[] = {1, 7, 8, 9, 61, 1000};
  uint64_t seed = 5;
  (void)state;
  for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
    bdem_body body = pairs(counts[k], &seed);
    shake(&body, 0.3, 0.1, &seed);
    check_kernels(&body);
    bdem_body_destroy(&body);
  }
}

/* Turns of 1e-9, shear that small or none at all, up to shear and turns far beyond the polynomial's range. */
static void test_batches_hold_from_no_shear_to_large_shear(void **state)
{
  static const double sizes[] = {0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1.5};
  uint64_t seed = 6;
  (void)state;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    bdem_body body = pairs(203, &seed);
    shake(&body, sizes[k], 0.5 * sizes[k], &seed);
    check_kernels(&body);
    bdem_body_destroy(&body);
  }
}

/* Ends turned against each other by almost 180 degrees, where the sign of the quaternions' product decides the mean orientation. */
static void test_batches_hold_near_opposite_orientations(void **state)
{
  uint64_t seed = 7;
  (void)state;
  bdem_body body = pairs(203, &seed);
  for (size_t b = 0; b < body.bond_count; ++b) {
    scr_vec3 axis = random_vector(&seed, 1.0);
    double angle = 3.14159265358979 + 1e-3 * uniform(&seed);
    body.orientation[body.ends[b][0]] = quat_exp(random_vector(&seed, 1.0));
    body.orientation[body.ends[b][1]] =
        quat_normalise(quat_multiply(quat_exp(vec3_scale(axis, angle / vec3_length(axis))), body.orientation[body.ends[b][0]]));
  }
  check_kernels(&body);
  bdem_body_destroy(&body);
}

/* A shaken block of a hexagonal packing of more than two blocks of spheres. */
static bdem_body packing(uint64_t *seed)
{
  size_t counts[3] = {12, 11, 10}, n = 1320, bonds;
  uint32_t(*ends)[2];
  bdem_elasticity material = {.young_modulus = 1e7, .poisson_ratio = 0.3};
  bdem_body body;
  scr_vec3 *centres = mem_array(n, sizeof *centres);
  assert_non_null(centres);
  geo_packing_block(GEO_PACKING_HEXAGONAL_CLOSE, 0.01, counts, centres);
  assert_int_equal(geo_packing_pairs(centres, n, 0.0202, &ends, &bonds, NULL), SCR_OK);
  assert_int_equal(bdem_body_create(n, bonds, &body, NULL), SCR_OK);
  for (size_t k = 0; k < n; ++k) {
    body.position[k] = centres[k];
    body.radius[k] = 0.01;
    body.mass[k] = 0.004;
  }
  for (size_t b = 0; b < bonds; ++b) assert_int_equal(bdem_body_bond(&body, b, ends[b][0], ends[b][1], &material, NULL), SCR_OK);
  for (size_t k = 0; k < n; ++k) {
    body.position[k] = vec3_add(body.position[k], random_vector(seed, 1e-3));
    body.orientation[k] = quat_exp(random_vector(seed, 0.2));
  }
  mem_free(centres);
  mem_free(ends);
  return body;
}

/* Compares with bdem_body_add_forces. Twelve bonds act on a sphere: 1e-13 of the largest force of all. */
static void check_packing(bdem_batches *t, const bdem_body *body)
{
  size_t n = body->sphere_count;
  scr_vec3 *sums = mem_array(4 * n, sizeof *sums), *got = sums + 2 * n;
  double largest[2] = {0.0, 0.0};
  assert_non_null(sums);
  bdem_body_add_forces(body, sums, sums + n);
  for (size_t k = 0; k < 2 * n; ++k) largest[k >= n] = fmax(largest[k >= n], vec3_length(sums[k]));
  bdem_batches_forces(t, body, got, got + n);
  for (size_t k = 0; k < 2 * n; ++k) assert_near(got[k], sums[k], 1e-13 * largest[k >= n]);
  mem_free(sums);
}

static void test_a_packings_forces_add_up_over_blocks(void **state)
{
  uint64_t seed = 8;
  bdem_body body = packing(&seed);
  bdem_batches t;
  (void)state;
  assert_int_equal(bdem_batches_create(&body, NULL, execution_of(1), &t, NULL), SCR_OK);
  assert_true(t.block_count > 2);
  assert_true(t.batch_count * BATCH_LANES < body.bond_count * 11 / 10);
  check_packing(&t, &body);
  bdem_batches_destroy(&t);
  bdem_body_destroy(&body);
}

/* Bonds taken out give nothing, even when their spheres have gone far apart or to the same place; the rest keep their forces. */
static void test_dropped_bonds_give_no_force(void **state)
{
  uint64_t seed = 9;
  bdem_body body = packing(&seed);
  size_t all = body.bond_count, kept = 0;
  bdem_batches t;
  unsigned char *gone = mem_array(all, sizeof *gone);
  (void)state;
  assert_non_null(gone);
  assert_int_equal(bdem_batches_create(&body, NULL, execution_of(1), &t, NULL), SCR_OK);
  for (int round = 0; round < 2; ++round) { /* every third of what there is, and whatever holds sphere 700 */
    for (size_t b = kept = 0; b < body.bond_count; ++b) {
      gone[b] = b % 3 == 0 || body.ends[b][0] == 700 || body.ends[b][1] == 700;
      if (gone[b]) continue;
      memmove(body.ends[kept], body.ends[b], sizeof *body.ends);
      body.bonds[kept++] = body.bonds[b];
    }
    bdem_batches_drop(&t, gone);
    body.bond_count = kept;
    assert_int_equal(t.bond_count, kept);
    check_packing(&t, &body);
  }
  body.position[700] = vec3(1e6, 0, 0);
  check_packing(&t, &body);
  body.position[700] = body.position[701];
  check_packing(&t, &body);
  bdem_batches_destroy(&t);
  bdem_body_destroy(&body);
  mem_free(gone);
}

/* What is listed as strained is what the scalar stress finds above its strength, plus at most those within 1e-6 below it or turned
 * further than the batches look at; also after bonds were dropped. Strengths differ from bond to bond. */
static void check_strained(bdem_batches *t, const bdem_body *body, const bdem_section *const *section, size_t *above)
{
  uint32_t *listed = mem_array(body->bond_count, sizeof *listed);
  bool *marked = mem_array(body->bond_count, sizeof *marked);
  scr_vec3 *sums = mem_array(2 * body->sphere_count, sizeof *sums);
  assert_true(listed && marked && sums);
  bdem_batches_forces(t, body, sums, sums + body->sphere_count);
  size_t count = bdem_batches_strained(t, listed);
  for (size_t k = 0; k < count; ++k) {
    assert_false(marked[listed[k]]);
    marked[listed[k]] = true;
  }
  *above = 0;
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    scr_vec3 e = vec3_sub(body->position[j], body->position[i]);
    bdem_bond_stress stress = bdem_bond_stress_of(&body->bonds[b], section[b], e, body->orientation[i], body->orientation[j]);
    double ratio = fmax(stress.tension / section[b]->tensile_strength, stress.shear / section[b]->shear_strength);
    if (ratio > 1.0) assert_true(marked[b]);
    if (ratio < 1.0 - 2e-6) assert_false(marked[b]);
    *above += ratio > 1.0;
  }
  mem_free(listed);
  mem_free(marked);
  mem_free(sums);
}

static void test_bonds_above_their_strength_are_listed(void **state)
{
  uint64_t seed = 11;
  bdem_body body = packing(&seed);
  bdem_section sections[5];
  const bdem_section **section = mem_array(body.bond_count, sizeof *section);
  unsigned char *gone = mem_array(body.bond_count, sizeof *gone);
  batch_kernel kernels[] = {batch_kernel_portable, batch_kernel_best()};
  (void)state;
  assert_true(section && gone);
  for (int k = 0; k < 5; ++k)
    sections[k] = bdem_section_make(BDEM_CALIBRATION_PHYSICAL, 0.01, (1 + k) * 4e5, k == 4 ? INFINITY : (5 - k) * 2e5);
  for (size_t b = 0; b < body.bond_count; ++b) section[b] = &sections[b % 5];
  for (int k = 0; k < 2; ++k) {
    size_t above, after;
    bdem_batches t;
    assert_int_equal(bdem_batches_create(&body, section, execution_of(2), &t, NULL), SCR_OK);
    t.kernel = kernels[k];
    check_strained(&t, &body, section, &above);
    print_message("# %zu of %zu bonds above their strength\n", above, body.bond_count);
    assert_true(above > body.bond_count / 10 && above < body.bond_count * 9 / 10);
    if (k == 1) {
      size_t kept = 0;
      for (size_t b = 0; b < body.bond_count; ++b) {
        gone[b] = b % 7 == 2;
        if (gone[b]) continue;
        memmove(body.ends[kept], body.ends[b], sizeof *body.ends);
        section[kept] = section[b];
        body.bonds[kept++] = body.bonds[b];
      }
      bdem_batches_drop(&t, gone);
      body.bond_count = kept;
      check_strained(&t, &body, section, &after);
      assert_true(after < above);
    }
    bdem_batches_destroy(&t);
  }
  bdem_body_destroy(&body);
  mem_free(section);
  mem_free(gone);
}

/* The same bits for 1, 2 and 3 threads; equality is exact. */
static void test_forces_have_the_same_bits_for_any_number_of_threads(void **state)
{
  uint64_t seed = 10;
  bdem_body body = packing(&seed);
  size_t n = body.sphere_count;
  scr_vec3 *sums = mem_array(4 * n, sizeof *sums);
  (void)state;
  assert_non_null(sums);
  for (unsigned threads = 1; threads <= 3; ++threads) {
    bdem_batches t;
    scr_vec3 *to = threads == 1 ? sums : sums + 2 * n;
    assert_int_equal(bdem_batches_create(&body, NULL, execution_of(threads), &t, NULL), SCR_OK);
    bdem_batches_forces(&t, &body, to, to + n);
    assert_memory_equal(sums, to, 2 * n * sizeof *sums);
    bdem_batches_destroy(&t);
  }
  bdem_body_destroy(&body);
  mem_free(sums);
}

/* Spheres that are all alone, no spheres at all, and what must be refused. */
static void test_batches_accept_no_bonds_and_refuse_bad_bodies(void **state)
{
  bdem_body body;
  bdem_batches t;
  scr_error error = {0};
  scr_vec3 sums[6] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  (void)state;
  for (size_t n = 0; n <= 3; n += 3) {
    assert_int_equal(bdem_body_create(n, 0, &body, NULL), SCR_OK);
    assert_int_equal(bdem_batches_create(&body, NULL, execution_of(2), &t, NULL), SCR_OK);
    bdem_batches_forces(&t, &body, sums, sums + 3);
    for (size_t k = 0; k < n; ++k) assert_near(vec3_add(sums[k], sums[3 + k]), vec3(0, 0, 0), 0.0);
    bdem_batches_destroy(&t);
    bdem_body_destroy(&body);
  }
  assert_int_equal(bdem_body_create(2, 1, &body, NULL), SCR_OK);
  assert_int_equal(bdem_batches_create(&body, NULL, execution_of(1), &t, &error), SCR_BAD_USAGE); /* both ends are sphere 0 */
  body.ends[0][1] = 1;
  body.position[1].x = NAN;
  assert_int_equal(bdem_batches_create(&body, NULL, execution_of(1), &t, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "sphere 1"));
  bdem_batches_destroy(&t);
  bdem_body_destroy(&body);
}

/* Every allocation may fail: the reason is told, nothing is left behind, and with enough memory it works. */
static void test_batches_survive_a_lack_of_memory(void **state)
{
  uint64_t seed = 12;
  bdem_body body = pairs(20, &seed);
  scr_status status = SCR_NO_MEMORY;
  size_t allowed = 0;
  (void)state;
  if (!failing_memory_works()) {
    bdem_body_destroy(&body);
    skip();
  }
  for (; status != SCR_OK && allowed < 100; ++allowed) {
    scr_error error = {0};
    bdem_batches t;
    failing_memory_begin(allowed);
    status = bdem_batches_create(&body, NULL, execution_of(2), &t, &error);
    bdem_batches_destroy(&t);
    assert_true(failing_memory_end() <= 0); /* nothing of ours stays */
    if (status != SCR_OK) assert_int_equal(status, SCR_NO_MEMORY);
  }
  assert_int_equal(status, SCR_OK);
  assert_true(allowed > 10);
  bdem_body_destroy(&body);
}

SUITE(test_bdem_batch)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_batches_of_any_size_give_the_forces_of_each_bond),
      cmocka_unit_test(test_batches_hold_from_no_shear_to_large_shear),
      cmocka_unit_test(test_batches_hold_near_opposite_orientations),
      cmocka_unit_test(test_a_packings_forces_add_up_over_blocks),
      cmocka_unit_test(test_dropped_bonds_give_no_force),
      cmocka_unit_test(test_bonds_above_their_strength_are_listed),
      cmocka_unit_test(test_forces_have_the_same_bits_for_any_number_of_threads),
      cmocka_unit_test(test_batches_accept_no_bonds_and_refuse_bad_bodies),
      cmocka_unit_test(test_batches_survive_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
