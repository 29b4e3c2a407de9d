/* A step of the run: parts and loads move on, the bodies follow, what happened is booked and told. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/state/state.h"

static const double doubted_overlap = 0.05; /* of an element: from there a start is refused too */
static const double doubted_gain = 0.01;    /* of the largest energy so far, from contacts */

/* Where grips take the nodes that they hold. */
static void aim(fem_state *s, const sim_parts *parts, const part_motion *end)
{
  for (size_t n = 0; n < s->system.node_count && s->hold.count; n++) {
    if (!s->hold.fixed[3 * n] && !s->hold.fixed[3 * n + 1] && !s->hold.fixed[3 * n + 2]) continue;
    uint32_t p = s->hold.part[n];
    const scr_part *form = &parts->form[p];
    const double *x = s->system.rest + 3 * n, *u = s->motion.displacement + 3 * n;
    scr_vec3 rest = vec3(x[0], x[1], x[2]), arm = vec3_sub(rest, form->start);
    scr_vec3 there = vec3_add(end[p].pose.position, quat_rotate(end[p].pose.rotation, arm)), speed = part_velocity_at(&end[p], there);
    const double displacement[3] = {there.x - x[0] - u[0], there.y - x[1] - u[1], there.z - x[2] - u[2]},
                 v[3] = {speed.x, speed.y, speed.z};
    for (size_t k = 0; k < 3; k++) {
      s->hold.displacement[3 * n + k] = s->hold.fixed[3 * n + k] ? displacement[k] : 0;
      s->hold.speed[3 * n + k] = s->hold.fixed[3 * n + k] ? v[k] : 0;
    }
  }
}

/* Contacts take energy; what they add is an error, which must not pass without a word. */
static void doubt_contacts(scr_sim *sim, const fem_totals *totals)
{
  double gained = totals->projection - totals->closing, largest = sim->ledger.largest;
  if (gained > doubted_gain * largest)
    scr_sim_doubt(sim, "energy_from_contacts",
                  "contacts have added %.3g J so far, %.2g of the largest energy, but can only take energy out (curve energy.impact, table "
                  "impacts): use a smaller time step, or \"impact\": \"mass\"",
                  gained, gained / largest);
}

/* Friction is Coulomb's by velocities at the end of a step, so where a touched node turns back within a long step it may push along the
 * node's way. */
static void doubt_friction(scr_sim *sim, fem_totals *totals)
{
  const sim_ledger *ledger = &sim->ledger;
  totals->most_friction = fmax(totals->most_friction, ledger->friction);
  double gained = totals->most_friction - ledger->friction;
  if (gained > doubted_gain * ledger->largest)
    scr_sim_doubt(sim, "energy_from_friction",
                  "friction has given %.3g J back so far, %.2g of the largest energy, but can only take energy out: sliding reverses "
                  "within a step; use a smaller time step",
                  gained, gained / ledger->largest);
}

/* Contacts keep bodies apart; what lies in something all the same at the end of a step, by the gaps found there, must not pass without a
 * word. */
static scr_status doubt_overlaps(scr_sim *sim, scr_error *error)
{
  fem_state *s = sim->state;
  fem_touches touches = {0};
  const double *u = s->motion.displacement, edge = s->solver.settings.edge;
  const fem_touch_search search = {.displacement = u, .before = u, .parts = &sim->parts, .start = sim->parts.now, .end = sim->parts.now};
  scr_status status = fem_find_touches(&s->space, &search, &touches, error);
  for (size_t k = 0; k < touches.count; k++) s->totals.overlap = fmax(s->totals.overlap, -touches.item[k].gap);
  mem_free(touches.item);
  if (s->totals.overlap > doubted_overlap * edge)
    scr_sim_doubt(sim, "overlap",
                  "bodies overlapped each other or parts by %.3g m, %.2g of an element (%.2g is accepted): forces there are wrong; use a "
                  "smaller time step or smaller elements",
                  s->totals.overlap, s->totals.overlap / edge, doubted_overlap);
  return status;
}

/* Books a step; a projection that changed energy and clamped tangents are rows of tables. */
static scr_status book(scr_sim *sim, const fem_report *report, scr_error *error)
{
  fem_state *s = sim->state;
  sim_ledger *ledger = s->ledger;
  fem_totals *totals = &s->totals;
  ledger->gravity += report->loads;
  ledger->rig += report->rig;
  ledger->damping += report->damping;
  ledger->friction += report->friction;
  totals->closing += report->closing;
  totals->projection += report->projection;
  ledger->impact = totals->closing - totals->projection;
  totals->halvings += report->halvings;
  totals->clamped += report->clamped;
  totals->iterations = report->iterations;
  totals->normal_force = report->normal_force;
  totals->contact_residual = fmax(totals->contact_residual, report->contact_residual);
  double kinetic = fem_kinetic(&s->solver);
  ledger_close(ledger, &sim->parts, fmax(kinetic + s->solver.energy, fmax(fabs(ledger->rig), fabs(ledger->gravity))));
  if (report->halvings)
    scr_sim_doubt(sim, "halved_steps",
                  "%llu steps were done in halves, as Newton's method did not converge in the whole ones: use a smaller time step",
                  (unsigned long long)totals->halvings);
  if (totals->contact_residual > 1e-9)
    scr_sim_doubt(sim, "contact_residual",
                  "the contact solver left a relative residual of %.2g at worst (it aims at 1e-11): forces between contacts that share "
                  "them are uncertain by "
                  "about as much; raise sweep_limit",
                  totals->contact_residual);
  doubt_contacts(sim, totals);
  doubt_friction(sim, totals);
  fem_doubt_turns(sim);
  SCR_TRY(fem_tabulate_clamped(sim, sim->time, report->clamped, error));
  return fem_tabulate_impact(sim, report->contacts, report->projection, error);
}

scr_status fem_advance(scr_sim *sim, scr_error *error)
{
  fem_state *s = sim->state;
  double dt = sim->time_step, end = (double)(sim->steps + 1) * dt;
  part_motion start[SCR_PART_LIMIT];
  fem_report report = {.part_load = sim->parts.load};
  memcpy(start, sim->parts.now, sizeof start);
  fem_loads_at(s, sim->time, s->load_before);
  fem_loads_at(s, end, s->load_after);
  parts_begin(&sim->parts, end, dt);
  parts_move(&sim->parts, end);
  memset(sim->parts.load, 0, sim->parts.count * sizeof *sim->parts.load);
  if (sim->steps == 0) {
    s->solver.touches.count = 0; /* of the static equilibrium: shown until here, the first step looks for its own */
    SCR_TRY(fem_tabulate_start(sim, error));
  }
  if (s->options->loading == FEM_LOADING_STATIC && sim->steps == 0) SCR_TRY(scr_sim_enter_stage(sim, FEM_STAGE_LAUNCH, error));
  bool flown;
  SCR_TRY(fem_fly(sim, end, &flown, error));
  if (flown) {
    sim->steps++;
    sim->time = end;
    s->totals.normal_force = fem_add_part_loads(&s->solver, &sim->parts, 1, sim->parts.load);
    fem_doubt_turns(sim);
    return SCR_OK;
  }
  aim(s, &sim->parts, sim->parts.now);
  const fem_drive drive = {dt, s->load_before, s->load_after, &sim->parts, start, sim->parts.now};
  scr_status status = fem_newmark(&s->solver, &drive, &report, error);
  if (status == SCR_DIVERGED && error) {
    char why[sizeof error->message];
    memcpy(why, error->message, sizeof why);
    why[sizeof why - 1] = 0;
    return scr_fail(error, SCR_DIVERGED, NULL, "step %llu of %.3g s: %.300s", (unsigned long long)sim->steps + 1, dt, why);
  }
  SCR_TRY(status);
  sim->steps++;
  sim->time = end;
  parts_end(&sim->parts, dt);
  SCR_TRY(book(sim, &report, error));
  SCR_TRY(doubt_overlaps(sim, error));
  return fem_take_off(sim, error);
}
