/** What each kind of optimizer supplies to optimizer.c; private to this folder. Every create makes a state that fits the step and the
 *  destroy next to it. A step finds the body at its starting point with the bdem_step_problem begun, and leaves it at the solution;
 *  optimizer.c takes over velocities or, on failure, puts the body back. */
#ifndef SCREE_TESTS_BENCH_OPTIMIZERS_OPTIMIZER_KINDS_H
#define SCREE_TESTS_BENCH_OPTIMIZERS_OPTIMIZER_KINDS_H

#include "methods/bdem/implicit/step_progress.h"
#include "tests/studies/optimizers/optimizer.h"

typedef struct bdem_optimizer_kind_functions {
  const char *name;
  scr_status (*create)(const bdem_body *body, void **state, scr_error *error);
  scr_status (*solve)(void *state, bdem_step_problem *problem, const bdem_optimizer_tuning *tuning, const bdem_progress *progress,
                      scr_error *error);
  void (*destroy)(void *state); /**< accepts NULL */
} bdem_optimizer_kind_functions;

extern const bdem_optimizer_kind_functions bdem_optimizer_gradient, bdem_optimizer_rotation, bdem_optimizer_penalty,
    bdem_optimizer_augmented, bdem_optimizer_lagrange;

#endif
