/** A contact problem of contact_maker with room for its solution: what validation of the contact solvers shares. */
#ifndef SCREE_SUPPORT_MADE_CASE_H
#define SCREE_SUPPORT_MADE_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contact/contact.h"
#include "tests/support/contact_maker.h"

/** A made problem with its solution. */
typedef struct generated_case {
  contact_maker maker;
  contact_problem problem;
  contact_options options;
  contact_result result;
  double *impulse, *relative, *velocity;
} generated_case;

/** Room for the problem that is in c->maker already, with the solver's defaults. */
static inline void made_room(generated_case *c)
{
  c->problem = contact_maker_problem(&c->maker);
  c->options = contact_options_default();
  c->impulse = calloc(3 * c->problem.contact_count + 1, sizeof *c->impulse);
  c->relative = calloc(3 * c->problem.contact_count + 1, sizeof *c->relative);
  c->velocity = calloc(c->problem.block_count * c->problem.block_size, sizeof *c->velocity);
  assert_true(c->impulse && c->relative && c->velocity);
}

/** Solves it; fails the test where that is an error. */
static inline void made_solve(generated_case *c)
{
  scr_error error = {0};
  if (contact_solve(&c->problem, &c->options, c->impulse, c->velocity, c->relative, &c->result, &error) != SCR_OK)
    fail_msg("%s", error.message);
}

static inline void made_clear(generated_case *c)
{
  contact_maker_clear(&c->maker);
  free(c->impulse);
  free(c->relative);
  free(c->velocity);
}

#endif
