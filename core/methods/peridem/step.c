/* One velocity-Verlet step (spec 3.5) and the energy ledger.
 *
 *   u += dt v + dt^2/2 a;  x = X + u;  F(x, v_old), break bonds;  a_new = F/m + g;  v += dt/2 (a + a_new);  parts move
 *
 * With limited damping (the default) F depends on positions and friction's springs only, and dissipation.c takes damping from the new v.
 *
 * With explicit damping F holds it too. The kinetic energy changes by exactly (F_old + F_new)/2 . dt (v + dt/4 (a + a_new)); the work of the
 * dissipative forces is booked over that same path, which differs from the displacement by dt^2/4 (a - a_new). Friction that changes sign
 * from one step to the next makes that difference as large as the work itself. */
#include "methods/peridem/state.h"

#include <string.h>

static void predict_block(pd_state *s, size_t begin, size_t end, double dt)
{
  for (int a = 0; a < 3; a++) {
    double *u = pd_axis(&s->moved, a), *x = pd_axis(&s->position, a);
    const double *X = pd_axis(&s->reference, a), *v = pd_axis(&s->velocity, a), *acc = pd_axis(&s->acceleration, a);
    for (size_t i = begin; i < end; i++) {
      double du = dt * v[i] + 0.5 * dt * dt * acc[i];
      u[i] += du;
      x[i] = X[i] + u[i];
    }
  }
}

/* One grain's nodes in a block, where F holds no damping. @return the work of gravity */
static double kick(pd_state *s, const pd_body *body, size_t begin, size_t end, double dt)
{
  const double g[3] = {s->scene->rig.gravity.x, s->scene->rig.gravity.y, s->scene->rig.gravity.z};
  double per_mass = 1 / body->node_mass, gravity = 0;
  for (int a = 0; a < 3; a++) {
    double *v = pd_axis(&s->velocity, a), *acc = pd_axis(&s->acceleration, a), path = 0;
    const double *F = pd_axis(&s->force, a);
    for (size_t i = begin; i < end; i++) {
      double next = F[i] * per_mass + g[a], gain = 0.5 * dt * (acc[i] + next);
      path += v[i] + 0.5 * gain;
      v[i] += gain;
      acc[i] = next;
    }
    gravity += body->node_mass * g[a] * dt * path;
  }
  return gravity;
}

/* The same where F holds explicit damping, whose work and that of friction are added up. @return the work of gravity */
static double kick_damped(pd_state *s, const pd_body *body, size_t begin, size_t end, double dt, double work[2])
{
  const double g[3] = {s->scene->rig.gravity.x, s->scene->rig.gravity.y, s->scene->rig.gravity.z};
  double per_mass = 1 / body->node_mass, gravity = 0;
  for (int a = 0; a < 3; a++) {
    double *v = pd_axis(&s->velocity, a), *acc = pd_axis(&s->acceleration, a);
    const double *F = pd_axis(&s->force, a), *D = pd_axis(&s->damping, a), *T = pd_axis(&s->friction, a);
    const double *D_old = pd_axis(&s->last_damping, a), *T_old = pd_axis(&s->last_friction, a);
    for (size_t i = begin; i < end; i++) {
      double next = F[i] * per_mass + g[a], gain = 0.5 * dt * (acc[i] + next), path = dt * (v[i] + 0.5 * gain);
      v[i] += gain;
      acc[i] = next;
      work[0] += 0.5 * (D_old[i] + D[i]) * path;
      work[1] += 0.5 * (T_old[i] + T[i]) * path;
      gravity += body->node_mass * g[a] * path;
    }
  }
  return gravity;
}

static double kinetic_of(const pd_state *s, const pd_body *body, size_t begin, size_t end)
{
  double sum = 0;
  for (size_t i = begin; i < end; i++)
    sum += s->velocity.x[i] * s->velocity.x[i] + s->velocity.y[i] * s->velocity.y[i] + s->velocity.z[i] * s->velocity.z[i];
  return 0.5 * body->node_mass * sum;
}

static void integrate_block(pd_state *s, size_t begin, size_t end, double dt)
{
  double work[2] = {0, 0}, gravity = 0, kinetic = 0, *sums = s->block_sums + begin / PD_BLOCK * PD_SUMS;
  while (begin < end) {
    const pd_grain *grain = &s->grains[s->grain_of[begin]];
    const pd_body *body = &s->bodies[grain->body];
    size_t last = grain->first + body->node_count < end ? grain->first + body->node_count : end;
    gravity += s->explicit_damping ? kick_damped(s, body, begin, last, dt, work) : kick(s, body, begin, last, dt);
    kinetic += kinetic_of(s, body, begin, last);
    begin = last;
  }
  sums[PD_SUM_DAMPING] = work[0];
  sums[PD_SUM_FRICTION] = work[1];
  sums[PD_SUM_GRAVITY] = gravity;
  sums[PD_SUM_KINETIC] = kinetic;
}

static void drag_block(pd_state *s, size_t begin, size_t end, double rate)
{
  for (size_t i = begin; i < end; i++) {
    double factor = -rate * s->bodies[s->grains[s->grain_of[i]].body].node_mass;
    for (int a = 0; a < 3; a++) {
      double drag = factor * pd_axis(&s->velocity, a)[i];
      pd_axis(&s->damping, a)[i] += drag;
      pd_axis(&s->force, a)[i] += drag;
    }
  }
}

/* `factor`: the time step, or what the work needs instead. */
static void for_blocks(pd_state *s, double factor, void (*work)(pd_state *, size_t, size_t, double))
{
#pragma omp parallel for schedule(static) num_threads(s->threads)
  for (size_t b = 0; b < s->block_count; b++) {
    size_t begin = b * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
    work(s, begin, end, factor);
  }
}

void pd_drag_pass(pd_state *s)
{
  for_blocks(s, s->options->damping_rate, drag_block);
}

scr_status pd_force_pass(pd_state *s, scr_error *error)
{
  size_t torn = pd_bond_pass(s);
  SCR_TRY(pd_contact_pass(s, error));
  if (s->rig->count) SCR_TRY(pd_rig_pass(s, error));
  if (s->explicit_damping && s->options->damping_rate > 0) pd_drag_pass(s);
  if (s->held_count) pd_grip_pass(s);
  return torn ? pd_break_bonds(s, error) : SCR_OK;
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
  const pd_part *part = &s->parts[p], *old = &left->part;
  scr_vec3 axis = s->rig->form[p].axis, velocity = s->rig->now[p].velocity, slower = left->now.velocity;
  double path = vec3_dot(vec3_sub(part->acted.pose.position, old->acted.pose.position), axis);
  s->ledger.external -= 0.5 * vec3_dot(vec3_add(left->load.force, s->rig->load[p].force), axis) * path;
  s->ledger.damping += 0.5 * (old->damping + part->damping) * path; /* heat counts the velocity relative to the part */
  s->ledger.friction += 0.5 * (old->friction + part->friction) * path;
  double square = vec3_dot(velocity, velocity) - vec3_dot(slower, slower);
  s->ledger.external += 0.5 * part->held_mass * square; /* what a grip gives the nodes it moves */
  if (!s->rig->form[p].turns) return;
  double turn = part->acted.angle - old->acted.angle;
  scr_vec3 torque = vec3_add(left->load.torque, s->rig->load[p].torque);
  s->ledger.external -= 0.5 * vec3_dot(torque, s->rig->form[p].turn_axis) * turn;
  s->ledger.damping += 0.5 * (old->damping_torque + part->damping_torque) * turn;
  s->ledger.friction += 0.5 * (old->friction_torque + part->friction_torque) * turn;
}

/* Takes the step's work into the ledger. left: [rig->count] */
static void book_work(pd_state *s, const left_part *left)
{
  double damping = 0, friction = 0, gravity = 0, kinetic = 0;
  for (size_t b = 0; b < s->block_count; b++) {
    const double *sums = s->block_sums + b * PD_SUMS;
    damping += sums[PD_SUM_DAMPING];
    friction += sums[PD_SUM_FRICTION];
    gravity += sums[PD_SUM_GRAVITY];
    kinetic += sums[PD_SUM_KINETIC];
  }
  s->ledger.damping -= damping;
  s->ledger.friction -= friction;
  s->ledger.external += gravity;
  for (size_t p = 0; p < s->rig->count; p++) book_part(s, p, &left[p]);
  s->ledger.largest = fmax(s->ledger.largest, fmax(kinetic, fabs(s->ledger.start + s->ledger.external)));
}

/* Half of a broken bond's last force acts over the step after; u has just been predicted, so v dt + a dt^2 / 2 is how far each node went. */
static void book_torn_bonds(pd_state *s)
{
  double dt = s->time_step;
  for (size_t k = 0; k < s->torn_bond_count; k++) {
    const pd_torn_bond *bond = &s->torn_bonds[k];
    for (int a = 0; a < 3; a++) {
      const double *v = pd_axis(&s->velocity, a), *acc = pd_axis(&s->acceleration, a);
      double apart = dt * (v[bond->far] - v[bond->near]) + 0.5 * dt * dt * (acc[bond->far] - acc[bond->near]);
      s->ledger.fracture += 0.5 * bond->force[a] * apart;
    }
  }
  s->torn_bond_count = 0;
}

static scr_status fail_lost(const pd_state *s, size_t i, uint64_t step, scr_error *error)
{
  return scr_fail(error, SCR_DIVERGED, NULL,
                  "step %llu: node %zu of grain %u is no longer finite; use a smaller time step (now %.3g s) or slower loading",
                  (unsigned long long)step, i, s->grain_of[i], s->time_step);
}

static scr_status fail_inside(const pd_state *s, const pd_rig_contact *contact, uint64_t step, scr_error *error)
{
  return scr_fail(
      error, SCR_DIVERGED, NULL,
      "step %llu: node %u of grain %u is %.3g m inside %s, more than two contact radii of %.3g m; use a smaller time step, slower "
      "loading or a larger contact_stiffness_factor",
      (unsigned long long)step, contact->node, s->grain_of[contact->node], -contact->distance, s->rig->form[contact->part].name,
      s->contact_radius);
}

/* Whether a block's nodes are finite and none is deep inside the rig: its contacts know how deep, the rig pass left them. */
static bool block_is_sound(const pd_state *s, size_t b)
{
  size_t begin = b * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
  const pd_rig_block *block = &s->rig_blocks[b];
  double sum = 0;
  for (size_t i = begin; i < end; i++) /* zero, or NaN from what is not finite */
    sum += 0 * (s->position.x[i] + s->position.y[i] + s->position.z[i] + s->velocity.x[i] + s->velocity.y[i] + s->velocity.z[i]);
  bool sound = sum == 0;
  for (size_t k = 0; k < block->count; k++) sound = sound && !(block->now[k].distance < block->now[k].zero - 3 * s->contact_radius);
  return sound;
}

/* The state must stay finite, and inside the rig. */
static scr_status check_state(const pd_state *s, uint64_t step, scr_error *error)
{
  size_t first = s->block_count;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(min : first)
  for (size_t b = 0; b < s->block_count; b++)
    if (!block_is_sound(s, b) && b < first) first = b;
  if (first == s->block_count) return SCR_OK;
  for (size_t i = 0; i < s->node_count; i++)
    if (!isfinite(s->position.x[i] + s->position.y[i] + s->position.z[i] + s->velocity.x[i] + s->velocity.y[i] + s->velocity.z[i]))
      return fail_lost(s, i, step, error);
  const pd_rig_block *block = &s->rig_blocks[first];
  for (size_t k = 0; k < block->count; k++)
    if (block->now[k].distance < block->now[k].zero - 3 * s->contact_radius) return fail_inside(s, &block->now[k], step, error);
  return SCR_OK;
}

/* Bonds that cannot break could stretch without end. */
static scr_status check_stretch(const pd_state *s, uint64_t step, scr_error *error)
{
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &s->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    if (isfinite(body->critical_stretch)) continue;
    for (size_t k = 0; k < body->node_count; k++) {
      uint32_t slot = grain->bonds->first[k];
      if (grain->bonds->count[k] == 0) continue;
      size_t i = grain->first + k, j = grain->first + grain->bonds->other[slot];
      double dx = s->position.x[j] - s->position.x[i], dy = s->position.y[j] - s->position.y[i], dz = s->position.z[j] - s->position.z[i];
      double stretch = sqrt(dx * dx + dy * dy + dz * dz) * grain->bonds->inverse_length[slot] - 1;
      if (!(stretch <= 10))
        return scr_fail(error, SCR_DIVERGED, NULL,
                        "step %llu: a bond of node %zu of grain %zu is stretched by %.3g; at most 10 makes sense: use a smaller time step "
                        "or slower loading",
                        (unsigned long long)step, i, g, stretch);
    }
  }
  return SCR_OK;
}

static void swap_vectors(pd_vectors *a, pd_vectors *b)
{
  pd_vectors keep = *a;
  *a = *b;
  *b = keep;
}

scr_status pd_advance(pd_state *s, double time, uint64_t step, scr_error *error)
{
  double dt = s->time_step;
  left_part left[SCR_PART_LIMIT];
  s->step = step;
  for (size_t p = 0; p < s->rig->count; p++) left[p] = (left_part){s->parts[p], s->rig->now[p], s->rig->load[p]};
  if (s->explicit_damping) { /* the contact pass sets the new ones anew */
    swap_vectors(&s->damping, &s->last_damping);
    swap_vectors(&s->friction, &s->last_friction);
  }
  parts_begin(s->rig, time + dt, dt);
  pd_grips_aim(s, time);
  for_blocks(s, dt, predict_block);
  pd_grips_place(s, time + dt);
  book_torn_bonds(s);
  SCR_TRY(pd_force_pass(s, error));
  for_blocks(s, dt, integrate_block);
  parts_move(s->rig, time + dt);
  for (size_t p = 0; s->held_count && p < s->rig->count; p++) pd_grips_set_velocity(s, p, s->rig->now[p].velocity);
  book_work(s, left);
  if (!s->explicit_damping) SCR_TRY(pd_dissipate(s, error));
  SCR_TRY(check_state(s, step, error));
  return step % 128 == 0 ? check_stretch(s, step, error) : SCR_OK;
}

double pd_energy_kinetic(const pd_state *s)
{
  double total = 0;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &s->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    double sum = 0;
    for (size_t i = grain->first; i < grain->first + body->node_count; i++)
      sum += s->velocity.x[i] * s->velocity.x[i] + s->velocity.y[i] * s->velocity.y[i] + s->velocity.z[i] * s->velocity.z[i];
    total += 0.5 * body->node_mass * sum;
  }
  return total;
}
