/* The frictional contact problem of a step: rows of H, gaps and restitution in w, warm start, solution.
 *
 *   body a:  du = dv + dw x (p - c)           columns of H: e . e_k of the velocities, (p - c) x e of the spin
 *   body b:  the same with the other sign; a driven part: its motion goes into w; a part under a servo: one velocity along its axis */
#include <string.h>

#include "base/memory.h"
#include "methods/rigid/state/state.h"
#include "methods/rigid/step/islands.h"
#include "methods/rigid/step/pack.h"
#include "methods/rigid/step/sleep.h"
#include "methods/rigid/step/solve.h"

enum { D = 3, B = 6 };

/* ── memory ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

void rigid_problem_clear(rigid_problem *p)
{
  mem_free(p->mass);
  mem_free(p->momentum);
  mem_free(p->velocity);
  mem_free(p->first);
  mem_free(p->block);
  mem_free(p->jacobian);
  mem_free(p->offset);
  mem_free(p->friction);
  mem_free(p->impulse);
  mem_free(p->relative);
  mem_free(p->axes);
  mem_free(p->key);
  mem_free(p->kept);
  mem_free(p->active);
  mem_free(p->rolling_of);
  *p = (rigid_problem){0};
}

/* Grows all arrays of contacts together; what was in them is forgotten. Rolling resistance takes two rows, two blocks and up to six entries
 * more a contact. */
static scr_status reserve(rigid_state *s, size_t blocks, size_t n, scr_error *error)
{
  rigid_problem *p = &s->problem;
  if (!p->mass || n > p->capacity) {
    size_t capacity = n + n / 2 + 64, rows = s->rolls ? 3 * capacity : capacity, entries = s->rolls ? 8 * capacity : 2 * capacity;
    blocks += s->rolls ? 2 * capacity : 0;
    rigid_problem_clear(p);
    *p = (rigid_problem){.mass = mem_array(blocks * B * B, sizeof(double)),
                         .momentum = mem_array(blocks * B, sizeof(double)),
                         .velocity = mem_array(blocks * B, sizeof(double)),
                         .first = mem_array(rows + 1, sizeof(size_t)),
                         .block = mem_array(entries, sizeof(uint32_t)),
                         .jacobian = mem_array(entries * B * D, sizeof(double)),
                         .offset = mem_array(rows * D, sizeof(double)),
                         .friction = mem_array(rows, sizeof(double)),
                         .impulse = mem_array(rows * D, sizeof(double)),
                         .relative = mem_array(rows * D, sizeof(double)),
                         .axes = mem_array(capacity * D * D, sizeof(double)),
                         .key = mem_array(capacity, sizeof(contact_key)),
                         .kept = mem_array(6 * capacity, sizeof(double)),
                         .active = mem_array(capacity, sizeof(uint32_t)),
                         .rolling_of = mem_array(2 * capacity, sizeof(uint32_t)),
                         .capacity = capacity};
    if (!p->mass || !p->momentum || !p->velocity || !p->first || !p->block || !p->jacobian || !p->offset || !p->friction || !p->impulse ||
        !p->relative || !p->axes || !p->key || !p->kept || !p->active || !p->rolling_of)
      return scr_fail_memory(error, "the contact problem", entries * B * D * sizeof(double));
  }
  SCR_TRY(mem_reserve(&s->contacts, &s->contact_capacity, n, sizeof *s->contacts, "contacts", error));
  return SCR_OK;
}

/* ── contacts ───────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_vec3 rigid_impulse(const rigid_contact *c)
{
  scr_vec3 tangent = vec3_add(vec3_scale(c->t1, c->impulse[1]), vec3_scale(c->t2, c->impulse[2]));
  return vec3_along(tangent, c->touch.normal, c->impulse[0] - c->hold);
}

/* Two unit vectors that make a right-handed frame with n, without a branch that a small turn could flip (Duff et al. 2017). */
static void set_tangents(rigid_contact *c)
{
  scr_vec3 n = c->touch.normal;
  double sign = copysign(1, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
  c->t1 = vec3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  c->t2 = vec3(b, sign + n.y * n.y * a, -n.y);
}

/* What adhesion pulls in the step, shared by the contacts that two bodies have; neighbours in the list belong together. */
static void share_adhesion(rigid_state *s, double dt)
{
  double near = fmax(fmax(s->penetration, 1e-3 * s->margin), s->touching);
  for (size_t k = 0, next; k < s->contact_count; k = next) {
    const geo_touch *touch = &s->contacts[k].touch;
    double hold = rigid_law(s, touch->a, touch->b)->adhesion * dt;
    size_t closed = 0;
    for (next = k; next < s->contact_count && s->contacts[next].touch.a == touch->a && s->contacts[next].touch.b == touch->b; next++)
      closed += s->contacts[next].touch.gap < near;
    for (size_t i = k; i < next && hold > 0; i++)
      if (s->contacts[i].touch.gap < near) s->contacts[i].hold = hold / (double)closed;
  }
}

static void take_contacts(rigid_state *s, double dt)
{
  s->contact_count = s->detection.touches.count;
  s->report.penetration = 0;
  for (size_t i = 0; i < s->specimen_bodies; i++) s->free[i].untouched = true;
  for (size_t k = 0; k < s->contact_count; k++) {
    rigid_contact *c = &s->contacts[k];
    *c = (rigid_contact){.touch = s->detection.touches.items[k]};
    set_tangents(c);
    c->friction = rigid_law(s, c->touch.a, c->touch.b)->friction_coefficient;
    s->report.penetration = fmax(s->report.penetration, -c->touch.gap);
  }
  share_adhesion(s, dt);
}

/* ── rows ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void set_body_block(const rigid_state *s, size_t i, bool moving)
{
  const rigid_body *body = &s->bodies[i];
  double *mass = s->problem.mass + i * B * B, *momentum = s->problem.momentum + i * B;
  memset(mass, 0, B * B * sizeof *mass);
  memset(momentum, 0, B * sizeof *momentum);
  for (int a = 0; a < 3; a++) {
    mass[a * B + a] = body->mass;
    for (int b = 0; b < 3; b++) mass[(3 + a) * B + 3 + b] = s->free[i].turning.inertia[a][b];
  }
  if (!moving) return;
  const double f[B] = {body->mass * s->free[i].velocity.x,
                       body->mass * s->free[i].velocity.y,
                       body->mass * s->free[i].velocity.z,
                       body->momentum.x,
                       body->momentum.y,
                       body->momentum.z};
  memcpy(momentum, f, sizeof f);
}

/* A servo's part is as heavy as its dashpot is stiff, and goes at its own velocity when nothing holds it. Rows act along its axis alone. */
static size_t set_servo_blocks(rigid_state *s, const sim_parts *parts, bool moving, uint32_t servo_block[SCR_PART_LIMIT])
{
  size_t count = s->body_count;
  for (size_t p = 0; p < parts->count; p++) {
    servo_block[p] = UINT32_MAX;
    if (!(s->servo_inverse_mass[p] > 0)) continue;
    double *mass = s->problem.mass + count * B * B, *momentum = s->problem.momentum + count * B, inertia = 1 / s->servo_inverse_mass[p];
    scr_vec3 v = vec3_scale(parts->form[p].axis, moving ? s->servo_velocity[p] * inertia : 0);
    memset(mass, 0, B * B * sizeof *mass);
    for (int k = 0; k < B; k++) mass[k * B + k] = inertia, momentum[k] = 0;
    momentum[0] = v.x, momentum[1] = v.y, momentum[2] = v.z;
    servo_block[p] = (uint32_t)count++;
  }
  return count;
}

/* H of a body for the three axes of a contact, by columns. */
static void set_body_row(const rigid_contact *c, scr_vec3 arm, double sign, double *jacobian)
{
  const scr_vec3 axis[D] = {c->touch.normal, c->t1, c->t2};
  for (int row = 0; row < D; row++) {
    scr_vec3 turn = vec3_cross(arm, axis[row]);
    const double entries[B] = {axis[row].x, axis[row].y, axis[row].z, turn.x, turn.y, turn.z};
    for (int k = 0; k < B; k++) jacobian[k * D + row] = sign * entries[k];
  }
}

static void set_servo_row(const rigid_contact *c, scr_vec3 axis, double *jacobian)
{
  const scr_vec3 own[D] = {c->touch.normal, c->t1, c->t2};
  const double along[3] = {axis.x, axis.y, axis.z};
  memset(jacobian, 0, B * D * sizeof *jacobian);
  for (int row = 0; row < D; row++)
    for (int k = 0; k < 3; k++) jacobian[k * D + row] = -vec3_dot(own[row], axis) * along[k];
}

static void set_rows(rigid_state *s, const sim_parts *parts, const uint32_t servo_block[SCR_PART_LIMIT])
{
  rigid_problem *p = &s->problem;
  size_t entries = 0;
  for (size_t i = 0; i < s->contact_count; i++) {
    const rigid_contact *c = &s->contacts[i];
    const scr_vec3 axis[D] = {c->touch.normal, c->t1, c->t2};
    p->first[i] = entries;
    p->block[entries] = c->touch.a;
    set_body_row(c, vec3_sub(c->touch.point, s->bodies[c->touch.a].centre), 1, p->jacobian + entries++ * B * D);
    if (c->touch.b < s->body_count) {
      p->block[entries] = c->touch.b;
      set_body_row(c, vec3_sub(c->touch.point, s->bodies[c->touch.b].centre), -1, p->jacobian + entries++ * B * D);
    } else if (servo_block[c->touch.b - s->body_count] != UINT32_MAX) {
      p->block[entries] = servo_block[c->touch.b - s->body_count];
      set_servo_row(c, parts->form[c->touch.b - s->body_count].axis, p->jacobian + entries++ * B * D);
    }
    for (int row = 0; row < D; row++) {
      p->axes[(i * D + (size_t)row) * D] = axis[row].x;
      p->axes[(i * D + (size_t)row) * D + 1] = axis[row].y;
      p->axes[(i * D + (size_t)row) * D + 2] = axis[row].z;
    }
    p->key[i] = rigid_key(c);
    p->friction[i] = c->friction;
  }
  p->first[s->contact_count] = entries;
}

/* u = H v + w */
static void set_offsets(rigid_state *s, const sim_parts *parts, double dt)
{
  for (size_t i = 0; i < s->contact_count; i++) {
    const rigid_contact *c = &s->contacts[i];
    double *w = s->problem.offset + i * D;
    scr_vec3 driven = rigid_driven_velocity(s, parts, c, dt);
    w[0] = rigid_normal_offset(s, parts, c, dt) - vec3_dot(driven, c->touch.normal);
    w[1] = -vec3_dot(driven, c->t1);
    w[2] = -vec3_dot(driven, c->t2);
  }
}

/* Adhesion as an impulse that is known: f - H' of it. */
static void add_adhesion(rigid_state *s)
{
  rigid_problem *p = &s->problem;
  for (size_t i = 0; i < s->contact_count; i++)
    for (size_t e = p->first[i]; e < p->first[i + 1] && s->contacts[i].hold > 0; e++)
      for (int k = 0; k < B; k++) p->momentum[p->block[e] * B + (size_t)k] -= p->jacobian[(e * B + (size_t)k) * D] * s->contacts[i].hold;
}

/* ── solution ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static contact_problem problem_of(const rigid_state *s, size_t blocks, size_t rolling)
{
  const rigid_problem *p = &s->problem;
  return (contact_problem){.dimension = D,
                           .contact_count = s->active_count + rolling,
                           .block_size = B,
                           .block_count = blocks,
                           .mass_block = p->mass,
                           .momentum = p->momentum,
                           .first = p->first,
                           .block = p->block,
                           .jacobian = p->jacobian,
                           .offset = p->offset,
                           .friction = p->friction};
}

/* Contacts alone: rows of rolling resistance have states of their own. */
static void count_states(rigid_state *s)
{
  s->report.sticking = s->report.sliding = 0;
  for (size_t i = 0; i < s->contact_count; i++) {
    s->report.sticking += s->contacts[i].state == RIGID_STICKING;
    s->report.sliding += s->contacts[i].state == RIGID_SLIDING;
  }
}

static void take_solution(rigid_state *s, const uint32_t servo_block[SCR_PART_LIMIT], const sim_parts *parts, const contact_result *result)
{
  const rigid_problem *p = &s->problem;
  for (size_t i = 0; i < s->body_count; i++) {
    const double *v = p->velocity + i * B;
    bool sleeps = rigid_is_asleep(s, i);
    s->velocity[i] = sleeps ? vec3(0, 0, 0) : vec3(v[0], v[1], v[2]);
    s->spin[i] = sleeps ? vec3(0, 0, 0) : vec3(v[3], v[4], v[5]);
  }
  for (size_t k = 0; k < parts->count; k++) {
    if (servo_block[k] == UINT32_MAX) continue;
    const double *v = p->velocity + (size_t)servo_block[k] * B;
    s->servo_velocity[k] = vec3_dot(vec3(v[0], v[1], v[2]), parts->form[k].axis);
  }
  for (size_t i = 0; i < s->contact_count; i++) {
    rigid_contact *c = &s->contacts[i];
    memcpy(c->impulse, p->impulse + i * D, sizeof c->impulse);
    cone_state state = cone_state_of(D, c->friction, c->impulse, 1e-6);
    c->state = state == CONE_OPEN ? RIGID_OPEN : state == CONE_STICKING ? RIGID_STICKING : RIGID_SLIDING;
  }
  s->report.residual = result->residual;
  s->report.excess = result->residual / s->report.limit;
  s->report.iterations = result->iterations;
  s->report.factorisations = result->factorisations;
  rigid_take_rolling(s);
  count_states(s);
}

static void move_freely(rigid_state *s)
{
  for (size_t i = 0; i < s->body_count; i++) {
    s->velocity[i] = s->free[i].velocity;
    s->spin[i] = s->free[i].turning.spin;
  }
  s->report.residual = s->report.excess = 0;
  s->report.pack = s->report.rested = s->report.slow = s->report.is_above = 0;
  s->report.iterations = s->report.factorisations = s->report.sticking = s->report.sliding = 0;
}

/* Rows, masses and offsets of the general problem, without impulses and without rows of rolling resistance. @return its blocks */
static size_t build_problem(rigid_state *s, const sim_parts *parts, double dt, uint32_t servo_block[SCR_PART_LIMIT])
{
  for (size_t i = 0; i < s->body_count; i++) set_body_block(s, i, true);
  size_t blocks = set_servo_blocks(s, parts, true, servo_block);
  set_rows(s, parts, servo_block);
  set_offsets(s, parts, dt);
  add_adhesion(s);
  return blocks;
}

/* The solution of a pack as that of the general problem, for the files that keep it. */
static scr_status write_out_pack(rigid_state *s, const sim_parts *parts, double dt, scr_error *error)
{
  uint32_t servo_block[SCR_PART_LIMIT];
  double residual;
  size_t blocks = build_problem(s, parts, dt, servo_block);
  contact_options options = contact_options_default();
  for (size_t i = 0; i < s->contact_count; i++) memcpy(s->problem.impulse + i * D, s->contacts[i].impulse, D * sizeof(double));
  s->problem.rolling = 0;
  s->problem.solved = problem_of(s, blocks, 0);
  return contact_measure(&s->problem.solved, &options, s->problem.impulse, s->problem.velocity, s->problem.relative, &residual, error);
}

static scr_status solve_as_pack(rigid_state *s, const sim_parts *parts, double dt, scr_error *error)
{
  SCR_TRY(rigid_sweep_pack(s, parts, dt, error));
  rigid_find_untouched(s, parts, dt);
  return s->options->recorded_problems > 0 ? write_out_pack(s, parts, dt, error) : SCR_OK;
}

scr_status rigid_contacts(scr_sim *sim, double dt, scr_error *error)
{
  rigid_state *s = sim->state;
  const sim_parts *parts = &sim->parts;
  uint32_t servo_block[SCR_PART_LIMIT];
  contact_result result;
  SCR_TRY(reserve(s, s->body_count + SCR_PART_LIMIT, s->detection.touches.count, error));
  take_contacts(s, dt);
  if (s->contact_count == 0) {
    move_freely(s);
    warm_start_clear(&s->warm);
    return SCR_OK;
  }
  s->active_count = s->contact_count;
  if (rigid_is_pack(s, parts)) return solve_as_pack(s, parts, dt, error);
  if (rigid_islands_sleep(s)) s->active_count = rigid_set_islands_apart(s, parts, dt);
  size_t blocks = build_problem(s, parts, dt, servo_block);
  warm_start_recall(&s->warm, D, s->contact_count, s->problem.key, s->problem.axes, dt, s->problem.impulse);
  blocks = rigid_add_rolling(s, blocks, dt);
  const contact_problem problem = problem_of(s, blocks, s->problem.rolling);
  SCR_TRY(rigid_solve(s, &problem, dt, sim->execution, &result, error));
  s->problem.solved = problem;
  take_solution(s, servo_block, parts, &result);
  rigid_find_untouched(s, parts, dt);
  if (s->touching > 0) return SCR_OK;        /* a blow, which is no force that goes on */
  if (result.status == CONTACT_INFEASIBLE) { /* impulses without bound are no start for the next step */
    warm_start_clear(&s->warm);
    memset(s->calm, 0, s->body_count * sizeof *s->calm);
    return SCR_OK;
  }
  return warm_start_keep(&s->warm, D, s->contact_count, s->problem.key, s->problem.axes, s->problem.impulse, dt, error);
}

/* ── overlaps ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Each step removes four fifths of what is too deep. Where bodies fill a place that can't grow there is no solution, and strong solvers
 * would look for it in every step: so sweeps, and only so many; the next step goes on from there. A few do where bodies lie beside each
 * other; through a column of twelve some fifty have to pass, and fewer leave it as it is. Where these did nothing, it is a place that
 * can't grow: only every eighth step tries so hard again. */
static const double separation_tolerance = 0.2, separation_rate = 0.5;
enum { FEW_SWEEPS = 5, MORE_SWEEPS = 55, TRY_AGAIN = 8 };

/* Gaps as velocities that would close them; what overlaps by more than is tolerated is to open by that. @return 1, the tolerance for it */
static double set_separation(rigid_state *s, double dt)
{
  rigid_problem *p = &s->problem;
  double deepest = 0, largest = 0;
  for (size_t i = 0; i < s->contact_count; i++) {
    double gap = s->contacts[i].touch.gap, *w = p->offset + i * D;
    w[0] = (gap < -s->penetration ? gap + 0.5 * s->penetration : fmax(gap, 0)) / dt;
    w[1] = w[2] = 0;
    memset(p->impulse + i * D, 0, D * sizeof *p->impulse);
    deepest = fmax(deepest, -w[0]);
    largest = fmax(largest, fabs(w[0]));
  }
  return separation_tolerance * deepest / largest;
}

scr_status rigid_separate(rigid_state *s, sim_parts *parts, double dt, scr_execution execution, scr_error *error)
{
  uint32_t servo_block[SCR_PART_LIMIT];
  const rigid_problem *p = &s->problem;
  contact_result result;
  if (s->contact_count == 0 || s->report.penetration <= s->penetration) return SCR_OK;
  if (s->report.pack == RIGID_SWEPT) return rigid_separate_pack(s, dt, error);
  for (size_t i = 0; i < s->body_count; i++) set_body_block(s, i, false);
  const contact_problem problem = problem_of(s, set_servo_blocks(s, parts, false, servo_block), 0);
  contact_options options = contact_options_default();
  options.execution = execution;
  options.tolerance = fmax(set_separation(s, dt), 1e-12);
  options.solver = CONTACT_GAUSS_SEIDEL;
  double enough = separation_rate * options.tolerance / separation_tolerance;
  options.iteration_limit = FEW_SWEEPS;
  SCR_TRY(contact_solve(&problem, &options, p->impulse, p->velocity, p->relative, &result, error));
  if (result.residual > enough && s->report.stuck % TRY_AGAIN == 0) {
    options.iteration_limit = MORE_SWEEPS;
    SCR_TRY(contact_solve(&problem, &options, p->impulse, p->velocity, p->relative, &result, error));
  }
  s->report.stuck = result.residual > enough ? s->report.stuck + 1 : 0;
  for (size_t i = 0; i < s->body_count; i++) {
    const double *v = p->velocity + i * B;
    rigid_body *body = &s->bodies[i];
    scr_vec3 turn = vec3_scale(vec3(v[3], v[4], v[5]), dt);
    body->centre = vec3_along(body->centre, vec3(v[0], v[1], v[2]), dt);
    if (vec3_dot(turn, turn) > 0) body->attitude = quat_normalise(quat_multiply(quat_exp(turn), body->attitude));
  }
  for (size_t k = 0; k < parts->count; k++) {
    if (servo_block[k] == UINT32_MAX) continue;
    const double *v = p->velocity + (size_t)servo_block[k] * B;
    parts->servo_motion[k].steered += dt * vec3_dot(vec3(v[0], v[1], v[2]), parts->form[k].axis);
  }
  return SCR_OK;
}
