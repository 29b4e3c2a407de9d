/* The solver behind an implicit step: made for the present bonds and contact candidates, dropped when they change. */
#include <string.h>

#include "methods/bdem/contact/friction.h"
#include "methods/bdem/implicit/solve.h"
#include "methods/bdem/state/state.h"

void bdem_solver_drop(bdem_state *s)
{
  bdem_implicit_destroy(s->solver.newton);
  bdem_variational_destroy(s->solver.variational);
  s->solver.newton = NULL;
  s->solver.variational = NULL;
  s->contacts.unused_count = 0;
}

scr_status bdem_solver_follow(bdem_state *s, scr_error *error)
{
  bool kept = false;
  bdem_bonds_close(&s->body, &s->batches, &s->fracture);
  if (!s->list.changed) return SCR_OK;
  s->list.changed = false;
  scr_status status = s->solver.newton ? bdem_implicit_keep(s->solver.newton, &s->body, &s->contacts, &kept, error) : SCR_OK;
  if (!kept) bdem_solver_drop(s);
  return status;
}

/* The force that residuals are measured by: the smallest E r^2. */
static double force_scale(const bdem_state *s)
{
  double scale = INFINITY;
  for (size_t k = 0; k < s->model.scene->specimen_count; ++k)
    scale = fmin(scale, s->model.substances[k].young_modulus * s->model.substances[k].radius * s->model.substances[k].radius);
  return scale;
}

scr_status bdem_solver_step(bdem_state *s, double time, double dt, scr_error *error)
{
  bdem_implicit_options options = {.time_step = dt,
                                   .force_scale = force_scale(s),
                                   .tolerance = s->model.options->tolerance,
                                   .iteration_limit = (size_t)s->model.options->newton_limit,
                                   .threads = s->model.threads,
                                   .liveness = s->model.liveness,
                                   .preconditioner = (la_preconditioner_kind)s->model.options->preconditioner};
  bool middle = s->model.options->integrator == BDEM_INTEGRATOR_VARIATIONAL;
  bdem_implicit_report report = {0};
  scr_status status;
  part_motion before[SCR_PART_LIMIT];
  memcpy(before, s->contacts.parts, s->contacts.part_count * sizeof *before);
  s->total.elastic_known = false;
  parts_move(s->parts, middle ? time + 0.5 * dt : time + dt);
  bdem_parts_record_displacement(&s->contacts, before);
  if (s->contacts.friction) { /* grips' spheres move before the solver begins */
    s->contacts.friction->start = s->start.position;
    s->contacts.friction->turned = s->start.orientation;
    s->contacts.friction->middle = middle;
  }
  bdem_grips_place(&s->rig, &s->contacts, &s->body);
  if (middle) {
    if (!s->solver.variational) SCR_TRY(bdem_variational_create(&s->body, &s->solver.variational, error));
    status = bdem_variational_step(s->solver.variational, &s->body, s->model.load, &options, &report, error);
    parts_move(s->parts, time + dt);
    bdem_grips_place(&s->rig, &s->contacts, &s->body);
  } else {
    if (!s->solver.newton) SCR_TRY(bdem_implicit_create(&s->body, &s->solver.newton, error));
    status = bdem_implicit_step(s->solver.newton, &s->body, s->model.load, &options, &report, error);
  }
  s->step.solver.newton_iterations += report.newton_iterations;
  s->step.solver.cg_iterations += report.cg_iterations;
  s->step.solver.line_search_steps += report.line_search_steps;
  s->step.solver.residual = report.residual;
  return status;
}
