/** The solver behind a scene's implicit steps: made for the present bonds and candidates, kept while its matrix's pattern holds what they
 *  join. */
#ifndef SCREE_METHODS_BDEM_SOLVE_H
#define SCREE_METHODS_BDEM_SOLVE_H

#include "methods/bdem/contact/contact_list.h"
#include "methods/bdem/implicit/implicit.h"
#include "methods/bdem/implicit/variational.h"

/** A way to solve a step: implicit Euler's, or the variational integrator's. */
typedef struct bdem_solver_kind {
  scr_status (*create)(const bdem_body *body, bdem_step_solver **solver, scr_error *error);
  void (*destroy)(bdem_step_solver *solver); /**< NULL: nothing to destroy */
  scr_status (*step)(bdem_step_solver *solver, bdem_body *body, const scr_vec3 *load, const bdem_implicit_options *options,
                     bdem_implicit_report *report, scr_error *error);
  /** NULL: it is made anew whenever bonds or candidates change. */
  scr_status (*keep)(bdem_step_solver *solver, const bdem_body *body, bdem_contacts *contacts, bool *kept, scr_error *error);
  double parts_at; /**< share of the step at which parts of the rig stand while it is solved: contacts act as they are then */
} bdem_solver_kind;

typedef struct bdem_solver {
  const bdem_solver_kind *kind; /**< the scene's; NULL: explicit steps need none */
  bdem_step_solver *made;       /**< NULL: make a new one */
} bdem_solver;

/** What the last step's solver did; zero in explicit runs. Goes into checkpoints as it is. */
typedef struct bdem_solver_counts {
  uint64_t newton_iterations, cg_iterations, line_search_steps, substeps;
  double residual; /**< largest of the parts that were kept, over the force scale; 0 of bursts */
} bdem_solver_counts;

/** What a solve reads and writes. */
typedef struct bdem_solve_stage {
  const bdem_model *model;
  const bdem_start *start; /**< where the spheres are: friction's springs and grips go by it */
  bdem_solver *solver;
  sim_parts *parts; /**< written: at the step's end */
  bdem_body *body;  /**< written: the motion */
  bdem_contacts *contacts;
  const bdem_rig *rig;
  bdem_total *total;          /**< written: its elastic energy is known no more */
  bdem_solver_counts *counts; /**< added to */
  double *contact_damping;    /**< J, set to what stabilised contacts took out (stabilised_contact.h) */
} bdem_solve_stage;

/** The kind of solver of an integrator. */
const bdem_solver_kind *bdem_solver_kind_of(int integrator);

/** Forgets the solver, which was made for other bonds or candidates. @param contacts whose unused pairs were its matrix's */
void bdem_solver_drop(bdem_solver *solver, bdem_contacts *contacts);
/** After a change of bonds or candidates, drops the solver unless its matrix holds what they join now; the list of bonds must be closed up.
 *  Before the solver's next step, and at the end of the scene's step, so that a resumed run asks at the same moments.
 *  @param changed whether pairs are listed that were not; receives false */
scr_status bdem_solver_follow(bdem_solver *solver, const bdem_body *body, bdem_contacts *contacts, bool *changed, scr_error *error);
/** Advances the spheres by one implicit or variational step of dt from `time` on, moves the rig's parts to its end and adds to the step's
 *  counts. SCR_DIVERGED: the spheres are as they were. */
scr_status bdem_solver_step(const bdem_solve_stage *stage, double time, double dt, scr_error *error);

#endif
