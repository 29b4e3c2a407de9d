/* One step by the scene's integrator, and what every step is checked for. */
#include "methods/bdem/step/stages.h"

void bdem_force_pass(const bdem_model *model, const bdem_body *body, bdem_contacts *contacts, bdem_total *total, bdem_rig *rig)
{
  bdem_batches_forces(body->batches, body, total->force, total->torque);
  bdem_contacts_rub(contacts, body, 0.0, total->force, total->torque);
  bdem_parts_load(contacts, body, rig->load);
  bdem_grips_load(model, body, total, contacts, rig);
}

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

scr_status bdem_check_depth(bdem_state *s, scr_error *error)
{
  const bdem_body *body = &s->body;
  for (size_t k = 0; k < s->contacts.touch_count; ++k) {
    scr_vec3 normal;
    const bdem_touch *touch = &s->contacts.touches[k];
    double overlap = bdem_touch_overlap(&s->contacts, touch, body, &normal), radius = body->radius[touch->sphere];
    s->control.deepest = fmax(s->control.deepest, overlap / radius);
    if (overlap > 3 * radius)
      return scr_fail(error, SCR_DIVERGED, NULL,
                      "step %llu: sphere %u of grain %u is %.3g m behind %s, more than two radii of %.3g m; use slower loading or a larger "
                      "contact_stiffness_factor",
                      (unsigned long long)s->step.number, touch->sphere, s->model.grain_of[touch->sphere], overlap - radius,
                      s->contacts.rig[touch->part].label, radius);
  }
  return SCR_OK;
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
  return bdem_check_depth(s, error);
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
    SCR_TRY(bdem_contact_update(s, 0.0, error)); /* pairs of broken bonds show in the energies at once */
  if (s->model.options->integrator != BDEM_INTEGRATOR_EXPLICIT) SCR_TRY(bdem_solver_follow(s, error));
  return check_state(s, error);
}
