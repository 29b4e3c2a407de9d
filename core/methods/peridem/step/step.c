/* One velocity-Verlet step (spec 3.5) and the energy ledger.
 *
 *   u += dt v + dt^2/2 a;  x = X + u;  F(x, v_old), break bonds;  a_new = F/m + g;  v += dt/2 (a + a_new);  parts move
 *
 * With limited damping (the default) F depends on positions and friction's springs only, and damping is taken from the new v.
 *
 * With explicit damping F holds it too. The kinetic energy changes by exactly (F_old + F_new)/2 . dt (v + dt/4 (a + a_new)); the work of
 * the dissipative forces is booked over that same path, which differs from the displacement by dt^2/4 (a - a_new). Friction that changes
 * sign from one step to the next makes that difference as large as the work itself.
 *
 * No array of nodes is touched here: the back end is told what to do, and gives sums. */
#include "methods/peridem/step/step.h"

#include "sim/time_step.h"

/* What the rig's parts do to the nodes, as loads on the parts and sums for the ledger. */
static scr_status push_by_rig(pd_state *s, scr_error *error)
{
  pd_part_sums sums[SCR_PART_LIMIT];
  for (size_t p = 0; p < s->rig->count; p++)
    s->parts[p].displacement = part_displacement_between(&s->rig->form[p], &s->parts[p].acted, &s->rig->now[p]);
  SCR_TRY(s->backend->rig_forces(s, sums, &s->ledger->friction, &s->ledger->rig, error));
  for (size_t p = 0; p < s->rig->count; p++) {
    pd_part *part = &s->parts[p];
    s->rig->load[p].force = sums[p].force;
    s->rig->load[p].torque = sums[p].torque;
    part->damping = sums[p].damping;
    part->friction = sums[p].friction;
    part->damping_torque = sums[p].damping_torque;
    part->friction_torque = sums[p].friction_torque;
    part->acted = s->rig->now[p];
  }
  return SCR_OK;
}

static bool holds_nodes(const pd_state *s, size_t p)
{
  return grips_hold(&s->grips, p);
}

static void hold_by_grips(pd_state *s)
{
  for (size_t p = 0; p < s->rig->count; p++) {
    if (!holds_nodes(s, p)) continue;
    s->parts[p].acted = s->rig->now[p];
    s->backend->hold(s, p, &s->rig->load[p].force, &s->rig->load[p].torque);
  }
}

scr_status pd_forces_beyond_bonds(pd_state *s, scr_error *error)
{
  SCR_TRY(s->backend->contact_forces(s, &s->ledger->friction, error));
  if (s->rig->count) SCR_TRY(push_by_rig(s, error));
  if (s->explicit_damping && s->options->damping_rate > 0) s->backend->drag(s);
  hold_by_grips(s);
  return SCR_OK;
}

scr_status pd_force_pass(pd_state *s, scr_error *error)
{
  size_t torn = s->backend->bond_forces(s);
  SCR_TRY(pd_forces_beyond_bonds(s, error));
  return torn ? s->backend->break_bonds(s, &s->ledger->fracture, &s->broken_bonds, error) : SCR_OK;
}

scr_status pd_start(pd_state *s, scr_error *error)
{
  sim_energies energies = {0};
  SCR_TRY(pd_force_pass(s, error));
  s->backend->energies(s, &energies);
  ledger_begin(s->ledger, s->rig,
               energies.kinetic + (energies.contact + energies.wall)); /* what is pressed together at the start holds energy */
  s->backend->accelerate(s);
  return SCR_OK;
}

/* Before prediction: gives held nodes the velocity that leads to where they are due one step after `time`. */
static void aim_grips(pd_state *s, double time)
{
  for (size_t p = 0; p < s->rig->count; p++) {
    if (!holds_nodes(s, p)) continue;
    scr_vec3 path = vec3_sub(parts_at(s->rig, p, time + s->time_step).pose.position, parts_at(s->rig, p, time).pose.position);
    s->backend->set_held_velocity(s, p, vec3_scale(path, 1 / s->time_step));
  }
}

/* After prediction: puts grips and what they hold, and parts that turn, exactly where they are due at `time`. */
static void place_grips(pd_state *s, double time)
{
  for (size_t p = 0; p < s->rig->count; p++) {
    if (holds_nodes(s, p) || s->rig->form[p].turns) s->rig->now[p] = parts_at(s->rig, p, time);
    if (holds_nodes(s, p)) s->backend->move_held(s, p, vec3_sub(s->rig->now[p].pose.position, s->rig->form[p].start));
  }
}

/* A part as the last step left it. */
typedef struct left_part {
  pd_part part;
  part_motion now;
  part_load load;
} left_part;

/* What a part did between the two force passes. */
static void book_part(pd_state *s, size_t p, const left_part *left)
{
  if (s->rig->form[p].is_free) return; /* what it does costs its own energy */
  const pd_part *part = &s->parts[p], *old = &left->part;
  scr_vec3 axis = s->rig->form[p].axis, velocity = s->rig->now[p].velocity, slower = left->now.velocity;
  double path = vec3_dot(vec3_sub(part->acted.pose.position, old->acted.pose.position), axis);
  s->ledger->rig -= 0.5 * vec3_dot(vec3_add(left->load.force, s->rig->load[p].force), axis) * path;
  s->ledger->damping += 0.5 * (old->damping + part->damping) * path; /* heat counts the velocity relative to the part */
  s->ledger->friction += 0.5 * (old->friction + part->friction) * path;
  double square = vec3_dot(velocity, velocity) - vec3_dot(slower, slower);
  s->ledger->rig += 0.5 * part->held_mass * square; /* what a grip gives the nodes it moves */
  if (!s->rig->form[p].turns) return;
  double turn = part->acted.angle - old->acted.angle;
  scr_vec3 torque = vec3_add(left->load.torque, s->rig->load[p].torque);
  s->ledger->rig -= 0.5 * vec3_dot(torque, s->rig->form[p].turn_axis) * turn;
  s->ledger->damping += 0.5 * (old->damping_torque + part->damping_torque) * turn;
  s->ledger->friction += 0.5 * (old->friction_torque + part->friction_torque) * turn;
}

/* Takes the step's work into the ledger. left: [rig->count] */
static void book_work(pd_state *s, const left_part *left, const pd_kick_sums *sums)
{
  s->ledger->damping -= sums->damping;
  s->ledger->friction -= sums->friction;
  s->ledger->rig += sums->gravity;
  for (size_t p = 0; p < s->rig->count; p++) book_part(s, p, &left[p]);
  ledger_close(s->ledger, s->rig, fmax(sums->kinetic, fabs(s->ledger->start + ledger_external(s->ledger))));
}

/* Limited damping: impulses on the parts. `taken` receives the energy that free parts gain by them, J. @return the work that others do on
 * the nodes by them, J */
static double take_impulses(pd_state *s, pd_impulse_sums *sums, double *taken)
{
  scr_vec3 impulse[SCR_PART_LIMIT], turning[SCR_PART_LIMIT];
  double work = 0, held = 0, before = parts_kinetic(s->rig);
  s->backend->damp(s, sums, impulse, turning);
  for (size_t p = 0; p < s->rig->count; p++) {
    part_load *load = &s->rig->load[p];
    load->impulse = impulse[p];
    load->turning = turning[p];
    if (s->rig->form[p].is_free) {
      parts_hit(s->rig, p, impulse[p], turning[p]);
      continue;
    }
    work -= vec3_dot(load->impulse, s->rig->now[p].velocity);
    if (s->rig->form[p].turns) work -= vec3_dot(load->turning, s->rig->now[p].spin);
  }
  for (size_t p = 0; p < s->rig->count; p++)
    if (holds_nodes(s, p)) s->backend->absorb(s, p, &s->rig->load[p].impulse, &s->rig->load[p].turning, &held);
  *taken = parts_kinetic(s->rig) - before;
  return work + held;
}

/* Takes limited damping and friction from the velocities, as the last force pass found the contacts, and books what they take: heat is what
 * the kinetic energy lost and the rig gave. */
static scr_status dissipate(pd_state *s, scr_error *error)
{
  size_t dampers;
  pd_impulse_sums sums;
  SCR_TRY(s->backend->count_dampers(s, &dampers, error));
  for (size_t p = 0; p < s->rig->count; p++) s->rig->load[p].impulse = s->rig->load[p].turning = vec3(0, 0, 0);
  if (dampers == 0 && !(s->options->damping_rate > 0)) return SCR_OK;
  double taken, work = take_impulses(s, &sums, &taken), heat = work - s->backend->apply_impulses(s) - taken;
  s->ledger->rig += work;
  double friction = sums.normal + sums.sliding > 0 ? heat * sums.sliding / (sums.normal + sums.sliding) : 0;
  s->ledger->friction += friction;
  s->ledger->damping += heat - friction;
  return SCR_OK;
}

scr_status pd_inspect_state(const pd_state *s, uint64_t step, scr_error *error)
{
  pd_verdict found;
  const unsigned long long n = (unsigned long long)step;
  s->backend->inspect(s, step % 128 == 0, &found);
  if (s->backend->failure) SCR_TRY(s->backend->failure(s, error));
  switch (found.soundness) {
  case PD_NOT_FINITE: return sim_not_finite(error, n, s->time_step, "node %zu of grain %zu", (size_t)found.node, (size_t)found.grain);
  case PD_INSIDE:
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "step %llu: node %zu of grain %zu is %.3g m inside %s, more than two contact radii of %.3g m; use a smaller time step, "
                    "slower loading or a larger contact_stiffness_factor",
                    n, found.node, found.grain, -found.amount, s->rig->form[found.part].name, s->contact_radius);
  case PD_STRETCHED:
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "step %llu: a bond of node %zu of grain %zu is stretched by %.3g; at most 10 makes sense: use a smaller time step "
                    "or slower loading",
                    n, found.node, found.grain, found.amount);
  case PD_VALID: break;
  }
  return SCR_OK;
}

scr_status pd_advance(pd_state *s, double time, uint64_t step, scr_error *error)
{
  double dt = s->time_step;
  left_part left[SCR_PART_LIMIT] = {0};
  pd_kick_sums sums;
  s->step = step;
  for (size_t p = 0; p < s->rig->count; p++) left[p] = (left_part){s->parts[p], s->rig->now[p], s->rig->load[p]};
  parts_begin(s->rig, time + dt, dt);
  aim_grips(s, time);
  s->backend->predict(s, &s->ledger->fracture);
  place_grips(s, time + dt);
  SCR_TRY(pd_force_pass(s, error));
  s->backend->kick(s, &sums);
  parts_end(s->rig, dt);
  parts_move(s->rig, time + dt);
  for (size_t p = 0; p < s->rig->count; p++)
    if (holds_nodes(s, p)) s->backend->set_held_velocity(s, p, s->rig->now[p].velocity);
  book_work(s, left, &sums);
  if (!s->explicit_damping) SCR_TRY(dissipate(s, error));
  return pd_inspect_state(s, step, error);
}
