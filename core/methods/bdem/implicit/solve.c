/* The solver behind an implicit step: made for the present bonds and contact candidates, dropped when they change. */
#include <string.h>

#include "methods/bdem/contact/friction.h"
#include "methods/bdem/implicit/solve.h"
#include "methods/bdem/implicit/stabilised_contact.h"

static const bdem_solver_kind kinds[] = {
    [BDEM_INTEGRATOR_IMPLICIT_EULER] = {bdem_implicit_create, bdem_implicit_destroy, bdem_implicit_step, bdem_implicit_keep, 1.0},
    [BDEM_INTEGRATOR_VARIATIONAL] = {bdem_variational_create, bdem_variational_destroy, bdem_variational_step, NULL, 0.5},
};

const bdem_solver_kind *bdem_solver_kind_of(int integrator)
{
  return integrator == BDEM_INTEGRATOR_EXPLICIT ? NULL : &kinds[integrator];
}

void bdem_solver_drop(bdem_solver *solver, bdem_contacts *contacts)
{
  if (solver->made) solver->kind->destroy(solver->made);
  solver->made = NULL;
  contacts->unused_count = 0;
}

scr_status bdem_solver_follow(bdem_solver *solver, const bdem_body *body, bdem_contacts *contacts, bool *changed, scr_error *error)
{
  bool kept = false, asks = solver->made && solver->kind->keep;
  if (!*changed) return SCR_OK;
  *changed = false;
  scr_status status = asks ? solver->kind->keep(solver->made, body, contacts, &kept, error) : SCR_OK;
  if (!kept) bdem_solver_drop(solver, contacts);
  return status;
}

/* The force that residuals are measured by: the smallest E r^2. */
static double force_scale(const bdem_model *model)
{
  double scale = INFINITY;
  for (size_t k = 0; k < model->scene->specimen_count; ++k)
    scale = fmin(scale, model->substances[k].young_modulus * model->substances[k].radius * model->substances[k].radius);
  return scale;
}

scr_status bdem_solver_step(const bdem_solve_stage *s, double time, double dt, scr_error *error)
{
  const bdem_options *chosen = s->model->options;
  const bdem_solver_kind *kind = s->solver->kind;
  bdem_implicit_options options = {.time_step = dt,
                                   .force_scale = force_scale(s->model),
                                   .tolerance = chosen->tolerance,
                                   .iteration_limit = (size_t)chosen->newton_limit,
                                   .execution = s->model->execution,
                                   .liveness = s->model->liveness,
                                   .preconditioner = (la_preconditioner_kind)chosen->preconditioner};
  bool middle = kind->parts_at < 1.0;
  bdem_implicit_report report = {0};
  part_motion before[SCR_PART_LIMIT];
  memcpy(before, s->contacts->parts, s->contacts->part_count * sizeof *before);
  if (!s->solver->made) SCR_TRY(kind->create(s->body, &s->solver->made, error));
  if (middle) SCR_TRY(bdem_contacts_stabilise(s->contacts, s->body, dt, error));
  s->total->elastic_known = false;
  parts_move(s->parts, time + kind->parts_at * dt);
  bdem_parts_record_displacement(s->contacts, before);
  if (s->contacts->friction) { /* grips' spheres move before the solver begins */
    s->contacts->friction->start = s->start->position;
    s->contacts->friction->turned = s->start->orientation;
    s->contacts->friction->middle = middle;
  }
  bdem_grips_place(s->rig, s->contacts, s->body);
  scr_status status = kind->step(s->solver->made, s->body, s->model->load, &options, &report, error);
  if (middle) {
    parts_move(s->parts, time + dt);
    bdem_grips_place(s->rig, s->contacts, s->body);
    *s->contact_damping = bdem_contacts_release(s->contacts, s->body);
  }
  s->counts->newton_iterations += report.newton_iterations;
  s->counts->cg_iterations += report.cg_iterations;
  s->counts->line_search_steps += report.line_search_steps;
  s->counts->residual = report.residual;
  return status;
}
