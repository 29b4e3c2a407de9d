/* The matrix's pattern of implicit steps outlives bonds that break, until something new is joined or too much of it is unused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "methods/bdem/contact/contact.h"
#include "methods/bdem/implicit/step_problem.h"
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

static const char block[] = "{\"scree\":1,\"name\":\"block\",\"method\":\"bdem\","
                            "\"materials\":[{\"name\":\"soft\",\"density\":1000,\"young_modulus\":1e7}],"
                            "\"specimens\":[{\"name\":\"block\",\"material\":\"soft\",\"spacing\":0.02,"
                            "\"shape\":{\"type\":\"box\",\"size\":[0.16,0.12,0.1]},\"angular_velocity\":[1,2,3]}],"
                            "\"time\":{\"duration\":1},\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"implicit-euler\"}}";

/* Takes `count` bonds out from number `first` on, as breaking does; without a candidate for the pair. */
static void take_bonds(bdem_body *body, size_t first, size_t count)
{
  size_t left = body->bond_count - first - count;
  memmove(body->ends + first, body->ends + first + count, left * sizeof *body->ends);
  memmove(body->bonds + first, body->bonds + first + count, left * sizeof *body->bonds);
  body->bond_count -= count;
}

static void assert_same_pattern(const la_block_matrix *a, const la_block_matrix *b)
{
  assert_int_equal(a->block_count, b->block_count);
  assert_memory_equal(a->first, b->first, (a->row_count + 1) * sizeof *a->first);
  assert_memory_equal(a->column, b->column, a->block_count * sizeof *a->column);
}

/* One bond of a thousand breaks: its pair becomes unused, and a problem made anew with it has the same pattern. */
static void test_a_broken_bond_leaves_the_pattern_as_it_is(void **state)
{
  (void)state;
  bdem_run r = run_open(block, 1);
  bdem_body *body = &run_state(&r)->body;
  bdem_contacts *contacts = &run_state(&r)->contacts;
  bdem_step_problem old, new;
  bool kept;
  assert_int_equal(bdem_step_problem_create(body, &old, NULL), SCR_OK);
  uint32_t i = body->ends[200][0], j = body->ends[200][1];
  take_bonds(body, 200, 1);
  assert_int_equal(bdem_step_pattern_keep(&old, body, contacts, &kept, NULL), SCR_OK);
  assert_true(kept && contacts->unused_count == 1);
  assert_true(contacts->unused[0][0] == i && contacts->unused[0][1] == j);
  assert_int_equal(bdem_step_problem_create(body, &new, NULL), SCR_OK);
  assert_same_pattern(&old.matrix, &new.matrix);
  for (size_t b = 0; b < body->bond_count; b++) assert_memory_equal(old.slots[b], new.slots[b], sizeof old.slots[b]);
  assert_memory_equal(old.bond_of, new.bond_of, old.matrix.block_count * sizeof *old.bond_of);
  bdem_step_problem_destroy(&old);
  bdem_step_problem_destroy(&new);
  run_close(&r);
}

static void test_a_pattern_with_more_than_a_hundredth_idle_is_given_up(void **state)
{
  (void)state;
  bdem_run r = run_open(block, 1);
  bdem_body *body = &run_state(&r)->body;
  bdem_step_problem problem;
  bool kept;
  assert_int_equal(bdem_step_problem_create(body, &problem, NULL), SCR_OK);
  take_bonds(body, 100, body->bond_count / 100 + 1);
  assert_int_equal(bdem_step_pattern_keep(&problem, body, &run_state(&r)->contacts, &kept, NULL), SCR_OK);
  assert_false(kept);
  assert_int_equal(run_state(&r)->contacts.unused_count, 0);
  bdem_step_problem_destroy(&problem);
  run_close(&r);
}

static void test_a_pattern_that_lacks_a_candidate_is_given_up(void **state)
{
  (void)state;
  bdem_run r = run_open(block, 1);
  bdem_body *body = &run_state(&r)->body;
  bdem_contacts *contacts = &run_state(&r)->contacts;
  bdem_step_problem problem;
  bool kept;
  assert_int_equal(bdem_step_problem_create(body, &problem, NULL), SCR_OK);
  assert_true(mem_grow(&contacts->pairs, &contacts->pair_capacity, 1, sizeof *contacts->pairs));
  contacts->pairs[contacts->pair_count++] = (bdem_pair){.i = 0, .j = (uint32_t)body->sphere_count - 1, .reach = 0.02, .stiffness = 1};
  assert_int_equal(bdem_step_pattern_keep(&problem, body, contacts, &kept, NULL), SCR_OK);
  assert_false(kept);
  bdem_step_problem_destroy(&problem);
  run_close(&r);
}

static void break_bond(bdem_state *s, size_t b)
{
  s->fracture.log = NULL; /* this bond was not found by its stress */
  s->fracture.marked[0] = (uint32_t)b;
  s->fracture.marked_count = 1;
  bdem_force_pass(&s->model, &s->body, &s->contacts, &s->total, &s->rig);
  assert_int_equal(bdem_break_marked(&s->body, &s->batches, &s->fracture, &s->total, s->ledger, NULL), SCR_OK);
  assert_int_equal(bdem_contact_update(&s->listing, 0, NULL), SCR_OK);
  bdem_bonds_close(&s->body, &s->batches, &s->fracture);
  assert_int_equal(bdem_solver_follow(&s->solver, &s->body, &s->contacts, &s->list.changed, NULL), SCR_OK);
}

/* A bond breaks in a spinning block: the next step with the solver kept ends where it does with a new one, to the step's tolerance. */
static void test_a_kept_solver_gives_the_step_of_a_new_one(void **state)
{
  (void)state;
  bdem_run one = run_open(block, 1), two = run_open(block, 1);
  bdem_run *both[2] = {&one, &two};
  for (int k = 0; k < 2; k++) {
    run_steps(both[k], 2);
    bdem_state *s = run_state(both[k]);
    const bdem_step_solver *before = s->solver.made;
    break_bond(s, 300);
    assert_non_null(before);
    assert_ptr_equal(s->solver.made, before);
    if (k == 1) bdem_solver_drop(&s->solver, &s->contacts);
    run_steps(both[k], 3);
  }
  const bdem_body *a = &run_state(&one)->body, *b = &run_state(&two)->body;
  double worst = 0;
  for (size_t k = 0; k < a->sphere_count; k++) worst = fmax(worst, vec3_length(vec3_sub(a->position[k], b->position[k])));
  print_message("# kept and new solver differ by %.2g m\n", worst);
  assert_true(worst < 1e-8 * 0.01);
  run_close(&one);
  run_close(&two);
}

/* The last bits of a solution depend on the pattern, so a checkpoint has the unused pairs: the steps after it are the same bits. */
static void test_spare_pairs_survive_a_checkpoint(void **state)
{
  (void)state;
  bdem_run one = run_open(block, 1), two = run_open(block, 1);
  bdem_state *s = run_state(&one);
  scr_blob blob = {0};
  bool kept;
  run_steps(&one, 2);
  break_bond(s, 300);
  assert_true(s->contacts.pair_count > 0);
  s->contacts.pair_count = 0; /* as if all candidates had parted */
  assert_int_equal(bdem_implicit_keep(s->solver.made, &s->body, &s->contacts, &kept, NULL), SCR_OK);
  assert_true(kept && s->contacts.unused_count > 0);
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(two.sim, &blob, NULL), SCR_OK);
  assert_int_equal(run_state(&two)->contacts.unused_count, s->contacts.unused_count);
  assert_int_equal(bdem_contact_list(&s->listing, s->list.skin, true, NULL), SCR_OK); /* the candidates that loading has found again */
  run_steps(&one, 3);
  run_steps(&two, 3);
  size_t n = s->body.sphere_count;
  assert_memory_equal(s->body.position, run_state(&two)->body.position, n * sizeof *s->body.position);
  assert_memory_equal(s->body.spin, run_state(&two)->body.spin, n * sizeof *s->body.spin);
  scr_blob_destroy(&blob);
  run_close(&one);
  run_close(&two);
}

SUITE(test_bdem_step_pattern)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_broken_bond_leaves_the_pattern_as_it_is),
                                     cmocka_unit_test(test_a_pattern_with_more_than_a_hundredth_idle_is_given_up),
                                     cmocka_unit_test(test_a_pattern_that_lacks_a_candidate_is_given_up),
                                     cmocka_unit_test(test_a_kept_solver_gives_the_step_of_a_new_one),
                                     cmocka_unit_test(test_spare_pairs_survive_a_checkpoint)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
