
#include "methods/peridem/step/quasi_static.h"

#include "methods/peridem/step/step.h"

enum {
  WEIGH_EVERY = 25, /* increments, after which contacts are looked at anew for fictitious masses */
  SETTLED = 1000,   /* increments, after which a body that has an equilibrium is near it */
  APPROACH = 50     /* increments in which the rig moves: at once, nodes would overshoot, and slip that no slow motion makes */
};
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
  SCR_TRY(
      scr_sim_declare_series(sim, "relaxation.residual", "1", "Forces out of balance over the loads, at the end of a load step", error));
  return scr_sim_declare_series(sim, "relaxation.iterations", "1", "Increments that a load step took", error);
}

/* Sum of the rig's loads and the weight, N; at least a hundredth of the largest so far, as what is torn bears nothing, and what holds bonds
 * that are stretched by 1e-10. */
static double load_scale(const pd_state *s, const pd_balance *balance)
{
  double scale = balance->weight, least = 0;
  for (size_t p = 0; p < s->rig->count; p++) scale += vec3_length(s->rig->load[p].force);
  for (size_t b = 0; b < s->body_count; b++)
    least = fmax(least, 1e-10 * s->bodies[b].bulk_modulus * s->bodies[b].spacing * s->bodies[b].spacing);
  return fmax(scale, fmax(least, 0.01 * s->largest_load));
}

/* Forces without breaking. What they book of the rig's work is for steps in time. */
static scr_status pass(pd_state *s, size_t *torn, scr_error *error)
{
  double rig = s->ledger->rig;
  *torn = s->backend->bond_forces(s);
  scr_status status = pd_forces_beyond_bonds(s, error);
  s->ledger->rig = rig;
  return status;
}

/* The rig where it is due at `time`, nodes in grips with it. */
static void move_rig(pd_state *s, double time)
{
  parts_move(s->rig, time);
  for (size_t p = 0; p < s->rig->count; p++)
    if (grips_hold(&s->grips, p)) s->backend->move_held(s, p, vec3_sub(s->rig->now[p].pose.position, s->rig->form[p].start));
}

/* The increments of a load step: where the rig goes along the first of them, and what is done, J. */
typedef struct load_path {
  double begin;    /* s, where the load step begins */
  uint64_t moving; /* increments in which the rig moves there; 0 once it is there */
  double rig;      /* work of the rig along them */
  double gravity;  /* work of gravity on nodes */
  double forces;   /* work of all forces on nodes: the fictitious motion has it, and loses it */
} load_path;

/* The work of the rig over one increment, from what it was before it. */
static double rig_work(pd_state *s, const part_motion *before, const part_load *loads)
{
  double booked = s->ledger->rig;
  ledger_book_parts(s->ledger, s->rig, before, loads);
  double work = s->ledger->rig - booked;
  s->ledger->rig = booked;
  return work;
}

/* Increment k: nodes move, and the rig as far as it is due. */
static scr_status increment(pd_state *s, uint64_t k, double damping, size_t *torn, load_path *path, scr_error *error)
{
  part_motion before[SCR_PART_LIMIT];
  part_load loads[SCR_PART_LIMIT];
  for (size_t p = 0; p < s->rig->count; p++) before[p] = s->rig->now[p], loads[p] = s->rig->load[p];
  s->backend->relax(s, damping, k == 0);
  if (k < path->moving) move_rig(s, path->begin + s->time_step * (double)(k + 1) / (double)path->moving);
  SCR_TRY(pass(s, torn, error));
  if (k < path->moving) path->rig += rig_work(s, before, loads);
  return SCR_OK;
}

/* Nodes to equilibrium with the bonds that there are; counts increments. */
static scr_status relax(pd_state *s, size_t *torn, load_path *path, scr_error *error)
{
  const uint64_t limit = (uint64_t)s->options->relaxation_limit;
  double damping = 0;
  pd_balance now;
  s->backend->rest(s);
  for (uint64_t k = 0; s->iterations < limit; k++, s->iterations++) {
    if (k % WEIGH_EVERY == 0) s->backend->weigh(s);
    SCR_TRY(increment(s, k, damping, torn, path, error));
    s->backend->measure_balance(s, &now);
    path->gravity += now.gravity;
    path->forces += now.work;
    s->residual = now.unbalanced / load_scale(s, &now);
    if (!(s->residual > s->options->relaxation_tolerance) && k + 1 >= path->moving) break;
    damping = now.curvature > 0 && now.inertia > 0 ? fmin(2 * sqrt(now.curvature / now.inertia), most_damping) : 0;
  }
  path->moving = 0;
  s->backend->rest(s);
  return SCR_OK;
}

/* Breaks in equilibrium and relaxes again, in turns, until nothing breaks; fracture is booked. @param torn bonds found past the critical
 * stretch
 * @param broke whether any did break */
static scr_status break_and_relax(pd_state *s, const scr_liveness *liveness, size_t torn, bool *broke, load_path *path, scr_error *error)
{
  for (uint64_t before = s->broken_bonds; torn > 0; before = s->broken_bonds) {
    scr_report_alive(liveness);
    SCR_TRY(s->backend->break_bonds(s, &s->ledger->fracture, &s->broken_bonds, error));
    if (s->broken_bonds == before) return SCR_OK;
    *broke = true;
    SCR_TRY(pass(s, &torn, error));
    SCR_TRY(relax(s, &torn, path, error));
    if (s->iterations >= (uint64_t)s->options->relaxation_limit) return SCR_OK;
  }
  return SCR_OK;
}

static double held_energy(const pd_state *s)
{
  sim_energies held = {0};
  s->backend->energies(s, &held);
  return held.elastic + held.contact + held.wall;
}

/* What a load step takes out of the bodies. Along its increments the rig did path->rig, friction took `heat`, and the fictitious motion
 * lost path->forces, all found from forces and ways. By a slow motion the rig does `rig`, the mean of its loads in both equilibria times
 * its way, so that what is lost then is less by the difference: to friction as far as that goes, the rest to what breaking set free, booked
 * to damping. None of this looks at what bodies hold after the step, so that the balance finds losses as well as gains. Where nothing broke
 * or slipped nothing is lost, and `rig` is held against what bodies hold. */
static void book(pd_state *s, const load_path *path, double rig, double friction, bool broke)
{
  sim_ledger *ledger = s->ledger;
  double heat = ledger->friction - friction, lost = rig - path->rig + path->forces + heat;
  ledger->gravity += path->gravity;
  if (broke || heat > 0) {
    double rubbed = fmin(heat, fmax(lost, 0));
    ledger->friction = friction + rubbed;
    ledger->damping += fmax(lost - rubbed, 0);
  }
  ledger_close(ledger, s->rig, fmax(held_energy(s), fabs(ledger->start + ledger_external(ledger))));
}

/* What a load step without an equilibrium is doubted with: often a body that nothing holds is pushed aside. */
static void doubt(scr_sim *sim, const pd_state *s, uint64_t step)
{
  size_t grain;
  pd_balance now;
  s->backend->measure_balance(s, &now);
  double net = s->backend->net_force(s, &grain);
  scr_sim_doubt(
      sim, "unbalanced",
      "load step %llu was left with forces of %.2g of the loads out of balance; relaxation_tolerance asks for %.2g: allow more than %lld "
      "increments (relaxation_limit), or use more load_steps",
      (unsigned long long)step, s->residual, s->options->relaxation_tolerance, (long long)s->options->relaxation_limit);
  if (net > 0.3 * now.unbalanced && s->iterations >= SETTLED)
    scr_sim_doubt(sim, "unheld",
                  "in load step %llu grain %zu is pushed with %.3g N as a whole, which nothing resists: it slides or turns away, and there "
                  "is no equilibrium; let friction on the rig or a grip hold it, or load it in time (loading \"dynamic\")",
                  (unsigned long long)step, grain, net);
}

static scr_status judge(scr_sim *sim, double time, uint64_t step, scr_error *error)
{
  const pd_state *s = sim->state;
  if (!(s->residual > s->options->relaxation_tolerance)) return SCR_OK;
  const double row[] = {time, (double)step, s->residual, (double)s->broken_bonds};
  doubt(sim, s, step);
  return scr_sim_add_row(sim, s->unbalanced_table, row, error);
}

scr_status pd_load_step(scr_sim *sim, double time, uint64_t step, scr_error *error)
{
  pd_state *s = sim->state;
  part_motion before[SCR_PART_LIMIT];
  part_load loads[SCR_PART_LIMIT];
  const uint64_t limit = (uint64_t)s->options->relaxation_limit;
  load_path path = {.begin = time, .moving = limit / 4 < APPROACH ? limit / 4 + 1 : APPROACH};
  double rig = s->ledger->rig, friction = s->ledger->friction, load = 0;
  size_t torn;
  bool broke = false;
  s->step = step;
  s->iterations = 0;
  for (size_t p = 0; p < s->rig->count; p++) before[p] = s->rig->now[p], loads[p] = s->rig->load[p];
  parts_begin(s->rig, time + s->time_step, s->time_step);
  SCR_TRY(pass(s, &torn, error));
  SCR_TRY(relax(s, &torn, &path, error));
  ledger_book_parts(s->ledger, s->rig, before, loads); /* by the mean of both equilibria; nothing moves the rig while bonds break */
  for (size_t p = 0; p < s->rig->count; p++)
    path.gravity +=
        s->parts[p].held_mass * vec3_dot(s->scene->rig.gravity, vec3_sub(s->rig->now[p].pose.position, before[p].pose.position));
  SCR_TRY(break_and_relax(s, &sim->liveness, torn, &broke, &path, error));
  book(s, &path, s->ledger->rig - rig, friction, broke);
  for (size_t p = 0; p < s->rig->count; p++) load += vec3_length(s->rig->load[p].force);
  s->largest_load = fmax(s->largest_load, load);
  SCR_TRY(pd_inspect_state(s, step, error));
  return judge(sim, time + s->time_step, step, error);
}
