/* What bonds of method bdem leave when they break: no force, their energy in the ledger, and pairs that push from the distance at which
 * they broke. */
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* A bar whose spheres are shifted and turned by up to a hundredth of their radius, of bonds that bear next to nothing. */
static bdem_run open_strained(void)
{
  bdem_run r =
      run_open("{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e7,"
               "\"tensile_strength\":1e-3,\"shear_strength\":1e-3}],\"specimens\":[{\"name\":\"bar\",\"material\":\"m\",\"spacing\":0.02,"
               "\"shape\":{\"type\":\"box\",\"size\":[0.2,0.08,0.08]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1}}",
               1);
  bdem_body *body = &run_state(&r)->body;
  uint64_t seed = 11;
  for (size_t i = 0; i < body->sphere_count; i++) {
    double most = 0.01 * body->radius[i];
    body->position[i] = vec3_add(body->position[i], vec3(most * noise(&seed), most * noise(&seed), most * noise(&seed)));
    body->orientation[i] = quat_exp(vec3(0.01 * noise(&seed), 0.01 * noise(&seed), 0.01 * noise(&seed)));
  }
  return r;
}

/* When every bond of a body has broken no sphere feels a force or torque, energy.fracture is what energy.elastic was, and the curves count
 * what happened. To rounding of the forces that were there. */
static void test_broken_bonds_leave_no_force_and_their_energy(void **state)
{
  (void)state;
  bdem_run r = open_strained();
  bdem_state *s = run_state(&r);
  size_t n = s->body.sphere_count, bonds = s->body.bond_count;
  double largest = 0, left = 0, elastic = run_curve(&r, "energy.elastic");
  bdem_batches_forces(&s->batches, &s->body, s->total.force, s->total.torque);
  for (size_t i = 0; i < n; i++) largest = fmax(largest, vec3_length(s->total.force[i]));
  assert_true(largest > 1 && bonds > 100);
  assert_int_equal(bdem_mark_bonds(&s->model, &s->body, &s->batches, &s->fracture, (bdem_moment){1, 0}, false), bonds);
  assert_int_equal(bdem_break_marked(&s->body, &s->batches, &s->fracture, &s->total, s->ledger, NULL), SCR_OK);
  for (size_t i = 0; i < n; i++) {
    left = fmax(left, vec3_length(s->total.force[i]) / largest);
    left = fmax(left, vec3_length(s->total.torque[i]) / (largest * s->body.radius[i]));
  }
  claim_absolute("all bonds broken: force or torque left over the largest force before", left, 0, 1e-10, "no bond, no force");
  claim_relative("all bonds broken: energy.fracture, J", run_curve(&r, "energy.fracture"), elastic, 1e-9, "energy.elastic before");
  claim_absolute("all bonds broken: energy.elastic over the energy before", run_value(&r, "energy.elastic") / elastic, 0, 1e-12, "no bond");
  claim_absolute("all bonds broken: broken_bonds", run_value(&r, "broken_bonds"), (double)bonds, 0, "all");
  claim_absolute("all bonds broken: fragments", run_value(&r, "fragments"), (double)n, 0, "each sphere one");
  run_close(&r);
}

/* The pair that a bond leaves pushes from the distance on at which it broke, at most from touching spheres on: a stretched bond leaves no
 * gap that pushes, a compressed one no push that jumps. */
static void test_broken_pairs_push_from_the_distance_they_broke_at(void **state)
{
  (void)state;
  bdem_run r = open_strained();
  bdem_state *s = run_state(&r);
  size_t near = 0, far = 0, bonds = s->body.bond_count;
  bdem_batches_forces(&s->batches, &s->body, s->total.force, s->total.torque);
  bdem_mark_bonds(&s->model, &s->body, &s->batches, &s->fracture, (bdem_moment){1, 0}, false);
  assert_int_equal(bdem_break_marked(&s->body, &s->batches, &s->fracture, &s->total, s->ledger, NULL), SCR_OK);
  assert_int_equal(s->fracture.broken_count, bonds);
  for (size_t k = 0; k < bonds; k++) {
    const bdem_pair_reach *pair = &s->fracture.broken[k];
    double distance = vec3_length(vec3_sub(s->body.position[pair->j], s->body.position[pair->i]));
    double touching = s->body.radius[pair->i] + s->body.radius[pair->j];
    assert_float_equal(pair->reach / touching, distance < touching ? distance / touching : 1, 1e-12);
    if (distance < touching) near++;
    if (distance > touching) far++;
  }
  assert_true(near > 20 && far > 20);
  run_close(&r);
}

/* Worst-first breaking marks the bonds whose larger ratio of stress to strength is within 1 % of the largest, and no other. */
static void test_only_the_worst_bonds_are_marked(void **state)
{
  (void)state;
  bdem_run r = open_strained();
  bdem_state *s = run_state(&r);
  const bdem_section *section = &s->model.substances[0].section;
  double worst = 0;
  size_t expected = 0, bonds = s->body.bond_count;
  double *ratio = calloc(bonds, sizeof *ratio);
  assert_non_null(ratio);
  for (size_t b = 0; b < bonds; b++) {
    uint32_t i = s->body.ends[b][0], j = s->body.ends[b][1];
    bdem_bond_stress stress = bdem_bond_stress_of(&s->body.bonds[b], section, vec3_sub(s->body.position[j], s->body.position[i]),
                                                  s->body.orientation[i], s->body.orientation[j]);
    ratio[b] = fmax(stress.tension / section->tensile_strength, stress.shear / section->shear_strength);
    worst = fmax(worst, ratio[b]);
  }
  for (size_t b = 0; b < bonds; b++) expected += ratio[b] > 0.99 * worst;
  bdem_batches_forces(&s->batches, &s->body, s->total.force, s->total.torque);
  assert_int_equal(bdem_mark_bonds(&s->model, &s->body, &s->batches, &s->fracture, (bdem_moment){1, 0}, true), expected);
  for (size_t k = 0; k < expected; k++) assert_true(ratio[s->fracture.marked[k]] > 0.99 * worst);
  assert_true(expected < bonds / 4);
  free(ratio);
  run_close(&r);
}

SUITE(test_bdem_fracture)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_broken_bonds_leave_no_force_and_their_energy),
      cmocka_unit_test(test_broken_pairs_push_from_the_distance_they_broke_at),
      cmocka_unit_test(test_only_the_worst_bonds_are_marked),
  };
  return cmocka_run_group_tests_name("bdem fracture", tests, NULL, NULL);
}
