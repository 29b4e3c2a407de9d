#include "methods/peridem/quasi_static.h"

#include "methods/peridem/step.h"

enum { WEIGH_EVERY = 25 };             /* increments, after which contacts are looked at anew for fictitious masses */
static const double most_damping = 1.9; /* 2 would stop all */

scr_status pd_quasi_static_declare(scr_sim *sim, pd_state *s, scr_error *error)
{
  scr_column columns[] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "step", .unit = "1", .label = "Load step"},
      {.name = "residual", .unit = "1", .label = "Forces out of balance over the loads"},
      {.name = "broken_bonds", .unit = "1", .label = "Broken bonds by then"},
  };
  const scr_table table = {
      .name = "unbalanced_steps", .label = "Load steps that did not come to equilibrium", .column_count = 4, .columns = columns};
  if (s->options->loading != PD_QUASI_STATIC) return SCR_OK;
  s->unbalanced_table = sim->table_count;
  SCR_TRY(scr_sim_declare_table(sim, &table, error));
  SCR_TRY(scr_sim_announce_table(sim, s->unbalanced_table, "first_unbalanced_step", "first load steps did not come to equilibrium", error));
  SCR_TRY(scr_sim_declare_series(sim, "relaxation.residual", "1", "Forces out of balance over the loads, at the end of a load step", error));
  return scr_sim_declare_series(sim, "relaxation.iterations", "1", "Increments that a load step took", error);
}

/* Sum of the rig's loads and the weight, N; at least a hundredth of the largest so far, as what is torn bears nothing, and what holds bonds that are
 * stretched by 1e-10. */
static double load_scale(const pd_state *s, const pd_balance *balance)
{
  double scale = balance->weight, least = 0;
  for (size_t p = 0; p < s->rig->count; p++) scale += vec3_length(s->rig->load[p].force);
  for (size_t b = 0; b < s->body_count; b++) least = fmax(least, 1e-10 * s->bodies[b].bulk_modulus * s->bodies[b].spacing * s->bodies[b].spacing);
  return fmax(scale, fmax(least, 0.01 * s->largest_load));
}

/* Forces without breaking. */
static scr_status pass(pd_state *s, size_t *torn, scr_error *error)
{
  *torn = s->backend->bond_forces(s);
  return pd_outer_forces(s, error);
}

/* Nodes to equilibrium with the bonds that there are; counts increments. */
static scr_status relax(pd_state *s, size_t *torn, double *gravity, scr_error *error)
{
  const uint64_t limit = (uint64_t)s->options->relaxation_limit;
  double damping = 0;
  pd_balance now;
  s->backend->rest(s);
  for (uint64_t k = 0; s->iterations < limit; k++, s->iterations++) {
    if (k % WEIGH_EVERY == 0) s->backend->weigh(s);
    s->backend->relax(s, damping, k == 0);
    SCR_TRY(pass(s, torn, error));
    s->backend->measure_balance(s, &now);
    *gravity += now.gravity;
    s->residual = now.unbalanced / load_scale(s, &now);
    if (!(s->residual > s->options->relaxation_tolerance)) break;
    damping = now.curvature > 0 && now.inertia > 0 ? fmin(2 * sqrt(now.curvature / now.inertia), most_damping) : 0;
  }
  s->backend->rest(s);
  return SCR_OK;
}

/* Breaks in equilibrium and relaxes again, in turns, until nothing breaks; fracture is booked. @param torn bonds found past the critical stretch
 * @param broke whether any did break */
static scr_status break_and_relax(pd_state *s, const scr_pulse *pulse, size_t torn, bool *broke, double *gravity, scr_error *error)
{
  for (uint64_t before = s->broken_bonds; torn > 0; before = s->broken_bonds) {
    scr_pulse_beat(pulse);
    SCR_TRY(s->backend->break_bonds(s, &s->ledger->fracture, &s->broken_bonds, error));
    if (s->broken_bonds == before) return SCR_OK;
    *broke = true;
    SCR_TRY(pass(s, &torn, error));
    SCR_TRY(relax(s, &torn, gravity, error));
    if (s->iterations >= (uint64_t)s->options->relaxation_limit) return SCR_OK;
  }
  return SCR_OK;
}

/* The rig where it is due at `time`, nodes in grips with it. */
static void move_rig(pd_state *s, double time)
{
  parts_begin(s->rig, time, s->time_step);
  parts_move(s->rig, time);
  for (size_t p = 0; p < s->rig->count; p++)
    if (grips_hold(&s->grips, p)) s->backend->move_held(s, p, vec3_sub(s->rig->now[p].pose.position, s->rig->form[p].start));
}

/* What equilibria hold after the load step. Where something broke or slipped, what is held no longer went into motion that was damped away: booked
 * to damping. A load step in which neither happened has to balance by itself. */
static void book(pd_state *s, double gravity, double friction, bool broke)
{
  sim_energies held = {0};
  s->ledger->gravity += gravity;
  s->backend->energies(s, &held);
  double energy = held.elastic + held.contact + held.wall;
  double missing = s->ledger->start + ledger_external(s->ledger) - energy - s->ledger->damping - s->ledger->friction - s->ledger->fracture;
  if ((broke || s->ledger->friction > friction) && missing > 0) s->ledger->damping += missing;
  ledger_close(s->ledger, s->rig, fmax(energy, fabs(s->ledger->start + ledger_external(s->ledger))));
}

static scr_status judge(scr_sim *sim, double time, uint64_t step, scr_error *error)
{
  const pd_state *s = sim->state;
  if (!(s->residual > s->options->relaxation_tolerance)) return SCR_OK;
  const double row[] = {time, (double)step, s->residual, (double)s->broken_bonds};
  scr_sim_doubt(sim, "unbalanced",
                "load step %llu was left with forces of %.2g of the loads out of balance; relaxation_tolerance asks for %.2g: allow more than %lld "
                "increments (relaxation_limit), or use more load_steps",
                (unsigned long long)step, s->residual, s->options->relaxation_tolerance, (long long)s->options->relaxation_limit);
  return scr_sim_add_row(sim, s->unbalanced_table, row, error);
}

scr_status pd_load_step(scr_sim *sim, double time, uint64_t step, scr_error *error)
{
  pd_state *s = sim->state;
  part_motion before[SCR_PART_LIMIT];
  part_load loads[SCR_PART_LIMIT];
  double gravity = 0, push = s->ledger->rig, friction = s->ledger->friction, held = 0;
  size_t torn;
  bool broke = false;
  s->step = step;
  for (size_t p = 0; p < s->rig->count; p++) before[p] = s->rig->now[p], loads[p] = s->rig->load[p];
  move_rig(s, time + s->time_step);
  for (size_t p = 0; p < s->rig->count; p++)
    held += s->parts[p].held_mass * vec3_dot(s->scene->rig.gravity, vec3_sub(s->rig->now[p].pose.position, before[p].pose.position));
  SCR_TRY(pass(s, &torn, error));
  s->iterations = 0;
  SCR_TRY(relax(s, &torn, &gravity, error));
  s->ledger->rig = push;                              /* what the passes booked of it is for steps in time */
  ledger_book_parts(s->ledger, s->rig, before, loads); /* by the mean of both equilibria; nothing moves the rig while bonds break */
  push = s->ledger->rig;
  SCR_TRY(break_and_relax(s, &sim->pulse, torn, &broke, &gravity, error));
  s->ledger->rig = push;
  book(s, gravity + held, friction, broke);
  double load = 0;
  for (size_t p = 0; p < s->rig->count; p++) load += vec3_length(s->rig->load[p].force);
  s->largest_load = fmax(s->largest_load, load);
  SCR_TRY(pd_inspect_state(s, step, error));
  return judge(sim, time + s->time_step, step, error);
}
