/* One step by the scene's integrator, and what every step is checked for. */
#include "methods/bdem/step/stages.h"

static bool all_finite(const bdem_state *s)
{
  const bdem_body *body = &s->body;
  int lost = 0;
#pragma omp parallel for schedule(static) num_threads(s->model.threads) reduction(| : lost)
  for (size_t i = 0; i < body->sphere_count; ++i) {
    scr_vec3 sum = vec3_add(vec3_add(body->position[i], body->velocity[i]), body->spin[i]);
    lost |= !isfinite(sum.x + sum.y + sum.z + body->orientation[i].w);
  }
  return lost == 0;
}

/* The state must stay finite. Explicit steps look at every sphere anyway. */
static scr_status check_state(bdem_state *s, scr_error *error)
{
  const bdem_body *body = &s->body;
  bool known = (s->model.options->integrator == BDEM_INTEGRATOR_EXPLICIT && s->step.finite) || all_finite(s);
  for (size_t i = 0; !known && i < body->sphere_count; ++i) {
    scr_vec3 sum = vec3_add(vec3_add(body->position[i], body->velocity[i]), body->spin[i]);
    if (!isfinite(sum.x + sum.y + sum.z + body->orientation[i].w))
      return scr_fail(error, SCR_DIVERGED, NULL,
                      "step %llu: sphere %zu of grain %u is no longer finite; use a smaller time step (now %.3g s) or slower loading",
                      (unsigned long long)s->step.number, i, s->model.grain_of[i], s->model.time_step);
  }
  if (s->control.fast || s->step.number % BDEM_PAIR_CHECK_STEPS == 0)
    s->control.deepest = fmax(s->control.deepest, bdem_deepest_pair(&s->body, &s->contacts));
  return bdem_check_depth(&s->model, &s->body, &s->contacts, s->step.number, &s->control.deepest, error);
}

scr_status bdem_advance(bdem_state *s, double time, uint64_t step, scr_error *error)
{
  double end = (double)step * s->model.time_step; /* rounded as it will be after loading a checkpoint */
  s->step = (bdem_step_context){.number = step};
  s->fracture.noted = 0;
  if (s->model.options->integrator == BDEM_INTEGRATOR_EXPLICIT)
    SCR_TRY(bdem_advance_explicit(s, s->model.time_step, end, error));
  else
    SCR_TRY(bdem_advance_implicit(s, time, error));
  parts_move(s->parts, end);
  ledger_close(s->ledger, s->parts, s->ledger->start + fabs(ledger_external(s->ledger)));
  if (s->list.broken_count != s->fracture.broken_count)
    SCR_TRY(bdem_contact_update(bdem_listing_of(s), 0.0, error)); /* pairs of broken bonds show in the energies at once */
  if (s->model.options->integrator != BDEM_INTEGRATOR_EXPLICIT) SCR_TRY(bdem_solver_follow(s, error));
  return check_state(s, error);
}
