/* Bursts: parts of large steps that are done by explicit ones, because something breaks or is hit. Far cheaper than as short implicit ones.
 * */
#include "methods/bdem/step/stages.h"

/* Share of the energy scale by which the energy of contacts may vary during a burst for an impact to be over. */
static const double calm_contacts = 2e-3;

/* Speed of the rig below which it loads slowly, over a radius per stable step, which is about the speed of sound. */
static const double slow_loading = 1e-3;

double bdem_energy_scale(const bdem_state *s, double work)
{
  double external = ledger_external(s->ledger) + work, speed = 0.0;
  for (size_t p = 0; p < s->contacts.part_count; ++p) speed = fmax(speed, bdem_part_speed(&s->contacts, &s->body, p));
  bool slow = speed * s->model.stable_step < slow_loading * bdem_radius_extreme(&s->model, false);
  double touch = slow ? 0.5 * s->model.mass * speed * speed / BDEM_CALM_IMPACT : 0.0;
  return s->ledger->start + fabs(external) + s->model.weight_over_radius + s->model.rounding + touch;
}

scr_status bdem_advance_burst(bdem_state *s, double time, double dt, scr_error *error)
{
  size_t broken = s->fracture.broken_count;
  uint64_t count = (uint64_t)ceil(dt / bdem_explicit_step_length(&s->model));
  double least = INFINITY, most = 0.0;
  s->control.fast = true;
  for (uint64_t k = 1; k <= count; ++k) {
    SCR_TRY(bdem_advance_explicit(s, dt / (double)count, time + (double)k / (double)count * dt, error));
    if (s->control.fast || k % BDEM_PAIR_CHECK_STEPS == 0)
      s->control.deepest = fmax(s->control.deepest, bdem_deepest_pair(&s->body, &s->contacts));
    SCR_TRY(bdem_check_depth(&s->model, &s->body, &s->contacts, s->step.number, &s->control.deepest, error));
    double contact = bdem_pairs_energy(&s->contacts, &s->body) + bdem_touches_energy(&s->contacts, &s->body);
    least = fmin(least, contact);
    most = fmax(most, contact);
  }
  s->step.solver.substeps += count;
  bool pressed = most - least > fmax(calm_contacts * bdem_energy_scale(s, 0.0), 0.05 * most);
  s->control.bursting =
      s->fracture.broken_count > broken || pressed || bdem_velocity_jumped(&s->model, &s->body, &s->fracture, s->start.velocity);
  return SCR_OK;
}
