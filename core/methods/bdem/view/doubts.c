/* Why a run that ended can't be fully trusted, in sentences. */
#include "methods/bdem/state/state.h"
#include "methods/bdem/view/observe.h"

/* Overlap of a contact over the smaller radius beyond which spheres are about to pass through each other. */
static const double deep_contact = 0.5;
/* Shares of all energy put in: what impacts may lose, and what implicit steps may damp altogether; and of the duration, before which the
 * energy put in is too little to tell. What moves with less than a thousandth of that energy rests, and where is not changed by damping. */
static const double lost_impacts = 0.01, damped = 0.1, early = 0.1, moving = 1e-3;

static void doubt_contacts(scr_sim *sim, const bdem_state *s)
{
  if (!(s->control.deepest > deep_contact)) return;
  scr_sim_doubt(
      sim, "deep_contact",
      "spheres overlap at contacts by up to %.2g of the smaller radius, and may pass through each other or through the rig: use a "
      "larger contact_stiffness_factor, slower bodies or less load",
      s->control.deepest);
}

static void doubt_damping(scr_sim *sim, const bdem_state *s)
{
  double put_in = s->ledger->start + fabs(ledger_external(s->ledger));
  if (sim->time < early * s->model.scene->time.duration) return;
  if (s->impact_losses > lost_impacts * put_in + 1e-3 * s->model.weight_over_radius)
    scr_sim_doubt(
        sim, "large_step_impact",
        "steps of %.3g T changed the energy of impacts by up to %.2g of all energy put in, so what was hit rebounds and breaks too "
        "little or too much: use smaller steps, the integrator explicit, or impacts: explicit-bursts",
        s->model.time_step / s->model.stable_step, s->impact_losses / put_in);
  if (s->ledger->numerical > damped * put_in && bdem_body_kinetic(&s->body) > moving * put_in)
    scr_sim_doubt(sim, "numerical_damping",
                  "implicit Euler steps of %.3g T took %.2g of all energy put in out of the motion (energy.numerical), and it still "
                  "moves, slower than it should; use smaller steps or the integrator variational or explicit",
                  s->model.time_step / s->model.stable_step, s->ledger->numerical / put_in);
}

void bdem_raise_doubts(scr_sim *sim)
{
  const bdem_state *s = sim->state;
  doubt_contacts(sim, s);
  if (s->model.options->integrator != BDEM_INTEGRATOR_EXPLICIT) doubt_damping(sim, s);
}
