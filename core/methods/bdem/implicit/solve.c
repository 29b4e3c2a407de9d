/* The solver behind an implicit step: made for the present bonds and contact candidates, dropped when they change. */
#include <string.h>

#include "methods/bdem/contact/friction.h"
#include "methods/bdem/state.h"

void bdem_solver_drop(bdem_state *s)
{
  bdem_implicit_destroy(s->newton);
  bdem_variational_destroy(s->variational);
  s->newton = NULL;
  s->variational = NULL;
  s->contacts.spare_count = 0;
}

/* The force that residuals are measured by: the smallest E r^2. */
static double force_scale(const bdem_state *s)
{
  double scale = INFINITY;
  for (size_t k = 0; k < s->scene->specimen_count; ++k)
    scale = fmin(scale, s->substances[k].young_modulus * s->substances[k].radius * s->substances[k].radius);
  return scale;
}

scr_status bdem_solver_step(bdem_state *s, double time, double dt, scr_error *error)
{
  bdem_implicit_options options = {.time_step = dt,
                                   .force_scale = force_scale(s),
                                   .tolerance = s->options->tolerance,
                                   .iteration_limit = (size_t)s->options->newton_limit,
                                   .threads = s->threads,
                                   .pulse = s->pulse,
                                   .preconditioner = (la_preconditioner_kind)s->options->preconditioner};
  bool middle = s->options->integrator == BDEM_INTEGRATOR_VARIATIONAL;
  bdem_implicit_report report = {0};
  scr_status status;
  bdem_part before[SCR_PART_LIMIT];
  memcpy(before, s->contacts.parts, sizeof before);
  s->elastic_known = false;
  bdem_parts_move(s, middle ? time + 0.5 * dt : time + dt);
  bdem_parts_note_way(s, before);
  if (s->contacts.friction) { /* grips' spheres move before the solver begins */
    s->contacts.friction->start = s->kept_vectors[0];
    s->contacts.friction->turned = s->kept_turns;
  }
  bdem_grips_place(s);
  if (middle) {
    if (!s->variational) SCR_TRY(bdem_variational_create(&s->body, &s->variational, error));
    status = bdem_variational_step(s->variational, &s->body, s->load, &options, &report, error);
    bdem_parts_move(s, time + dt);
    bdem_grips_place(s);
  } else {
    if (!s->newton) SCR_TRY(bdem_implicit_create(&s->body, &s->newton, error));
    status = bdem_implicit_step(s->newton, &s->body, s->load, &options, &report, error);
  }
  s->effort.newton_iterations += report.newton_iterations;
  s->effort.cg_iterations += report.cg_iterations;
  s->effort.line_search_steps += report.line_search_steps;
  s->effort.residual = report.residual;
  s->solver_seconds += report.seconds;
  return status;
}
