/* Packs of balls: the problem of a step and that of its overlaps, both for contact/balls. */
#include "methods/rigid/step/pack.h"

#include <string.h>

#include "base/memory.h"
#include "methods/rigid/step/sleep.h"

static bool is_ball(const rigid_state *s, uint32_t body)
{
  const rigid_shape *shape = &s->shapes[s->bodies[body].shape];
  return shape->piece_count == 1 && shape->pieces[0].kind == GEO_PIECE_BALL;
}

/* Whether a contact lies straight behind its normal, seen from the centre of its ball. */
static bool is_straight(const rigid_contact *c, const rigid_body *ball)
{
  scr_vec3 arm = vec3_sub(c->touch.point, ball->centre);
  scr_vec3 across = vec3_along(arm, c->touch.normal, -vec3_dot(arm, c->touch.normal));
  return vec3_dot(across, across) <= 1e-18 * vec3_dot(arm, arm);
}

/* A part under a servo, by its number; UINT32_MAX: another part, or a body. */
static uint32_t steered_part(const rigid_state *s, const geo_touch *touch)
{
  uint32_t part = touch->b - (uint32_t)s->body_count;
  return touch->b >= s->body_count && s->servo_inverse_mass[part] > 0 ? part : UINT32_MAX;
}

/* Whether a contact faces a servo along its axis, and its part moves by the servo alone. */
static bool is_faced(const rigid_state *s, const sim_parts *parts, const geo_touch *touch, uint32_t part)
{
  const part_displacement *driven = &s->displacement[part];
  return fabs(vec3_dot(touch->normal, parts->form[part].axis)) > 1 - 1e-12 && vec3_length(driven->displacement) == 0 &&
         vec3_length(driven->turn) == 0;
}

bool rigid_is_pack(const rigid_state *s, const sim_parts *parts)
{
  enum { BODIES = 100 };
  const double masses = 10;
  if (!rigid_may_sweep(s->options) || s->body_count < BODIES) return false;
  for (size_t i = 0; i < s->contact_count; i++) {
    const rigid_contact *c = &s->contacts[i];
    const geo_touch *touch = &c->touch;
    if (!is_ball(s, touch->a) || !is_straight(c, &s->bodies[touch->a])) return false;
    if (touch->b >= s->body_count) {
      uint32_t part = steered_part(s, touch);
      if (part != UINT32_MAX && !is_faced(s, parts, touch, part)) return false;
      continue;
    }
    double a = s->bodies[touch->a].mass, b = s->bodies[touch->b].mass;
    if (!is_ball(s, touch->b) || fmax(a, b) > masses * fmin(a, b)) return false;
  }
  return true;
}

/* ── the problem ────────────────────────────────────────────────────────────────────────────────────────────────── */

static void set_vector(double *to, scr_vec3 from)
{
  to[0] = from.x, to[1] = from.y, to[2] = from.z;
}

static scr_vec3 vector_of(const double *x)
{
  return vec3(x[0], x[1], x[2]);
}

static void set_bodies(rigid_state *s, bool moving)
{
  ball_pack *p = &s->pack;
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *body = &s->bodies[i];
    p->body[i] = (ball_body){0};
    if (rigid_is_asleep(s, i)) continue;
    p->body[i].inverse_mass = 1 / body->mass;
    p->body[i].inverse_inertia = 1 / body->moments.x;
    if (!moving) continue;
    set_vector(p->body[i].velocity, s->free[i].velocity);
    set_vector(p->body[i].spin, s->free[i].turning.spin);
  }
  p->body[s->body_count] = (ball_body){0}; /* what stands */
  p->body_count = s->body_count + 1;
}

/* The body of what a contact touches, of a part that has a velocity there one of its own. */
static uint32_t set_driven(rigid_state *s, const sim_parts *parts, const rigid_contact *c, double dt)
{
  ball_pack *p = &s->pack;
  if (c->touch.b < s->body_count) return c->touch.b;
  scr_vec3 velocity = rigid_driven_velocity(s, parts, c, dt), spin = rigid_other_spin(s, c, dt);
  if (vec3_dot(velocity, velocity) == 0 && vec3_dot(spin, spin) == 0) return (uint32_t)s->body_count;
  p->body[p->body_count] = (ball_body){0};
  set_vector(p->body[p->body_count].velocity, velocity);
  set_vector(p->body[p->body_count].spin, spin);
  return (uint32_t)p->body_count++;
}

/* Arms, normals and friction of a contact with `b`; no impulse, no offset. */
static void set_contact(const rigid_state *s, const rigid_contact *c, uint32_t b, ball_contact *to)
{
  scr_vec3 n = c->touch.normal;
  *to = (ball_contact){.a = c->touch.a, .b = b, .friction = c->friction};
  set_vector(to->normal, n);
  to->arm_a = -vec3_dot(vec3_sub(c->touch.point, s->bodies[c->touch.a].centre), n);
  if (c->touch.b < s->body_count) to->arm_b = vec3_dot(vec3_sub(c->touch.point, s->bodies[c->touch.b].centre), n);
}

/* What adhesion pulls is known: bodies have it before they are solved for. */
static void pull(ball_pack *p, const rigid_contact *c, const ball_contact *of)
{
  ball_body *a = &p->body[of->a], *b = &p->body[of->b];
  for (int k = 0; k < 3 && c->hold > 0; k++) {
    a->velocity[k] -= a->inverse_mass * c->hold * of->normal[k];
    b->velocity[k] += b->inverse_mass * c->hold * of->normal[k];
  }
}

static void add_rolling(rigid_state *s, size_t contact, const ball_contact *of)
{
  const rigid_contact *c = &s->contacts[contact];
  double resistance = s->rolls ? rigid_law(s, c->touch.a, c->touch.b)->rolling_resistance : 0;
  double press = of->normal[0] * of->impulse[0] + of->normal[1] * of->impulse[1] + of->normal[2] * of->impulse[2];
  if (!(resistance > 0 && press > 0 && of->arm_a > 0)) return;
  ball_rolling *to = &s->pack.rolling[s->pack.rolling_count++];
  *to = (ball_rolling){.a = of->a, .b = of->b, .limit = resistance * press, .arm = of->arm_a};
  memcpy(to->normal, of->normal, sizeof to->normal);
  memcpy(to->couple, s->problem.kept + 6 * contact + 3, sizeof to->couple);
  s->problem.rolling_of[s->pack.rolling_count - 1] = (uint32_t)contact;
}

/* Impulses of the step before, to start from; those of sleepers go on. */
static scr_status recall(rigid_state *s, double dt, scr_error *error)
{
  size_t n = s->contact_count;
  for (size_t i = 0; i < n; i++) s->problem.key[i] = rigid_key(&s->contacts[i]);
  warm_start_recall(&s->warm, 6, n, s->problem.key, NULL, dt, s->problem.kept);
  return ball_pack_reserve(&s->pack, s->body_count + 1 + SCR_PART_LIMIT + n, n, s->rolls ? n : 0, error);
}

static void add_contact(rigid_state *s, const sim_parts *parts, size_t i, uint32_t b, double dt)
{
  ball_pack *p = &s->pack;
  const rigid_contact *c = &s->contacts[i];
  s->problem.active[p->contact_count] = (uint32_t)i;
  ball_contact *to = &p->contact[p->contact_count++];
  set_contact(s, c, b, to);
  to->offset = rigid_normal_offset(s, parts, c, dt);
  memcpy(to->impulse, s->problem.kept + 6 * i, sizeof to->impulse);
  pull(p, c, to);
  add_rolling(s, i, to);
}

/* A part under a servo is as heavy as its dashpot is stiff, and goes at its own velocity when nothing holds it. */
static uint32_t set_steered(rigid_state *s, const sim_parts *parts, uint32_t part)
{
  ball_body *body = &s->pack.body[s->pack.body_count];
  *body = (ball_body){.inverse_mass = s->servo_inverse_mass[part]};
  set_vector(body->velocity, vec3_scale(parts->form[part].axis, s->servo_velocity[part]));
  return (uint32_t)s->pack.body_count++;
}

/* The contacts of which not both sides sleep, from their impulses in problem.kept; those with parts under servos last. */
static void set_problem(rigid_state *s, const sim_parts *parts, double dt)
{
  ball_pack *p = &s->pack;
  set_bodies(s, true);
  p->contact_count = p->rolling_count = 0;
  for (size_t i = 0; i < s->contact_count; i++) {
    const rigid_contact *c = &s->contacts[i];
    if (rigid_is_frozen(s, c) || steered_part(s, &c->touch) != UINT32_MAX) continue;
    add_contact(s, parts, i, set_driven(s, parts, c, dt), dt);
  }
  size_t driven = p->contact_count;
  for (size_t k = 0; k < parts->count; k++) {
    s->problem.steered[k] = UINT32_MAX;
    if (!(s->servo_inverse_mass[k] > 0)) continue;
    s->problem.steered[k] = set_steered(s, parts, (uint32_t)k);
    for (size_t i = 0; i < s->contact_count; i++)
      if (steered_part(s, &s->contacts[i].touch) == k) add_contact(s, parts, i, s->problem.steered[k], dt);
  }
  p->steered_count = p->contact_count - driven;
}

/* ── the solution ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* What errors in speed are measured by: what gravity gives in a whole step; without gravity the largest speed at which contacts that
 * are closed would close or slide. */
static double pack_speed(const rigid_state *s)
{
  double gravity = vec3_length(s->scene->rig.gravity), largest = 0;
  if (gravity > 0) return gravity * s->time_step;
  for (size_t i = 0; i < s->pack.contact_count; i++) {
    const ball_contact *c = &s->pack.contact[i];
    double u[3];
    if (s->contacts[s->problem.active[i]].touch.gap > s->penetration) continue;
    ball_pack_relative(&s->pack, i, u);
    for (int k = 0; k < 3; k++) largest = fmax(largest, fabs(u[k] + c->offset * c->normal[k]));
  }
  return largest;
}

static bool is_rest(const rigid_state *s, double dt)
{
  double slow = 0.1 * vec3_length(s->scene->rig.gravity) * dt;
  for (size_t i = 0; i < s->body_count; i++) {
    double extent = s->shapes[s->bodies[i].shape].extent * s->bodies[i].scale;
    if (!(vec3_length(s->velocity[i]) + extent * vec3_length(s->spin[i]) < slow)) return false;
  }
  return slow > 0;
}

/* Impulses and couples of the contacts that were solved for. */
static void keep_impulses(rigid_state *s)
{
  const ball_pack *p = &s->pack;
  for (size_t k = 0; k < p->contact_count; k++) {
    double *to = s->problem.kept + 6 * (size_t)s->problem.active[k];
    memcpy(to, p->contact[k].impulse, 3 * sizeof *to);
    memset(to + 3, 0, 3 * sizeof *to);
  }
  for (size_t k = 0; k < p->rolling_count; k++)
    memcpy(s->problem.kept + 6 * (size_t)s->problem.rolling_of[k] + 3, p->rolling[k].couple, sizeof p->rolling[k].couple);
}

static void take_solution(rigid_state *s, const sim_parts *parts)
{
  const ball_pack *p = &s->pack;
  for (size_t i = 0; i < s->body_count; i++) {
    s->velocity[i] = vector_of(p->body[i].velocity);
    s->spin[i] = vector_of(p->body[i].spin);
  }
  for (size_t k = 0; k < parts->count; k++) {
    uint32_t body = s->problem.steered[k];
    if (body != UINT32_MAX) s->servo_velocity[k] = vec3_dot(vector_of(p->body[body].velocity), parts->form[k].axis);
  }
  s->report.sticking = s->report.sliding = 0;
  for (size_t i = 0; i < s->contact_count; i++) {
    rigid_contact *c = &s->contacts[i];
    const scr_vec3 r = vector_of(s->problem.kept + 6 * i), couple = vector_of(s->problem.kept + 6 * i + 3);
    c->impulse[0] = fmax(vec3_dot(r, c->touch.normal), 0);
    c->impulse[1] = vec3_dot(r, c->t1);
    c->impulse[2] = vec3_dot(r, c->t2);
    c->couple[0] = vec3_dot(couple, c->t1), c->couple[1] = vec3_dot(couple, c->t2), c->couple[2] = vec3_dot(couple, c->touch.normal);
    cone_state state = cone_state_of(3, c->friction, c->impulse, 1e-6);
    c->state = state == CONE_OPEN ? RIGID_OPEN : state == CONE_STICKING ? RIGID_STICKING : RIGID_SLIDING;
    s->report.sticking += c->state == RIGID_STICKING;
    s->report.sliding += c->state == RIGID_SLIDING;
  }
}

static void report_pack(rigid_state *s, const ball_result *result, double speed, double dt)
{
  const double far = 10;
  const rigid_promise *promise = rigid_promised(s->options);
  rigid_report *report = &s->report;
  report->pack = RIGID_SWEPT;
  report->packs++;
  report->limit = promise->most;
  report->residual = result->residual;
  report->excess = result->residual / report->limit;
  report->is_above = result->residual > promise->residual;
  report->iterations = result->sweeps;
  report->factorisations = 0;
  report->slow = result->residual > far * promise->residual ? report->slow + 1 : 0;
  report->left = result->residual * speed;
  report->rested = is_rest(s, dt);
}

/* Sweeps on to another tolerance. */
static void go_on(rigid_state *s, ball_options *options, double tolerance, unsigned sweeps, ball_result *result)
{
  ball_result further;
  options->tolerance = tolerance;
  options->sweeps = sweeps;
  ball_pack_go_on(&s->pack, options, &further);
  result->residual = further.residual;
  result->sweeps += further.sweeps;
}

/* Sweeps with momentum, measured by one speed. What rested in the step before is swept a little further each step, until it is exact:
 * it would creep by what the measure allows. Where sweeps stay far from the measure for many steps, as they do along columns, there are
 * many times more of them, and where a step would leave more than is promised: when many fall onto the floor at once. */
static void solve_problem(rigid_state *s, double speed, ball_result *result)
{
  enum { LEAST = 4, REST_SWEEPS = 10, SLOW = 20, TIMES = 10 };
  const double rest = 1e-6, beside_sleepers = 0.1;
  const rigid_promise *promise = rigid_promised(s->options);
  const double tolerance = promise->residual * (rigid_many_sleep(s) ? beside_sleepers : 1);
  const unsigned given = s->options->iterations > 0 ? (unsigned)s->options->iterations : UINT32_MAX;
  unsigned sweeps = promise->sweeps * (s->report.slow >= SLOW ? TIMES : 1), first = s->report.rested ? REST_SWEEPS : sweeps;
  ball_options options = {.speed = speed > 0 ? speed : 1,
                          .tolerance = s->report.rested ? rest : tolerance,
                          .sweeps = first < given ? first : given,
                          .least = LEAST};
  ball_pack_solve(&s->pack, &options, result);
  if (s->report.rested && result->residual > promise->residual)
    go_on(s, &options, promise->residual, sweeps < given ? sweeps : given, result);
  if (result->residual > promise->most) go_on(s, &options, promise->most, TIMES * sweeps < given ? TIMES * sweeps : given, result);
  keep_impulses(s);
}

/* Solved for those that are awake; for more where that wakes others, until all that sleep are in balance. */
scr_status rigid_sweep_pack(rigid_state *s, const sim_parts *parts, double dt, scr_error *error)
{
  enum { NEAR_ROUNDS = 10 };
  ball_result result;
  unsigned sweeps = 0, round = 0;
  SCR_TRY(recall(s, dt, error));
  rigid_wake_by_parts(s, parts, dt);
  set_problem(s, parts, dt);
  double speed = pack_speed(s);
  do {
    if (round > 0) set_problem(s, parts, dt);
    solve_problem(s, speed, &result);
    sweeps += result.sweeps;
  } while (rigid_wake_unbalanced(s, dt, round++ >= NEAR_ROUNDS) > 0);
  result.sweeps = sweeps;
  take_solution(s, parts);
  report_pack(s, &result, speed, dt);
  if (s->touching > 0) return SCR_OK; /* a blow, which is no force that goes on */
  return warm_start_keep(&s->warm, 6, s->contact_count, s->problem.key, NULL, s->problem.kept, dt, error);
}

/* ── overlaps ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Five sweeps a step: overlaps pass on from step to step, and the deepest of a pour is the same as with a hundred
 * (tests/reports/bench/PACKS.md). */
scr_status rigid_separate_pack(rigid_state *s, double dt, scr_error *error)
{
  enum { SWEEPS = 5 };
  const double tolerance = 0.2;
  ball_pack *p = &s->pack;
  double deepest = 0;
  ball_result result;
  SCR_TRY(ball_pack_reserve(p, s->body_count + 1, s->contact_count, 0, error));
  set_bodies(s, false);
  p->contact_count = p->rolling_count = p->steered_count = 0;
  for (size_t i = 0; i < s->contact_count; i++) {
    const rigid_contact *c = &s->contacts[i];
    double gap = c->touch.gap;
    if (rigid_is_frozen(s, c)) continue;
    ball_contact *to = &p->contact[p->contact_count++];
    set_contact(s, c, c->touch.b < s->body_count ? c->touch.b : (uint32_t)s->body_count, to);
    to->offset = (gap < -s->penetration ? gap + 0.5 * s->penetration : fmax(gap, 0)) / dt;
    deepest = fmax(deepest, -to->offset);
  }
  if (!(deepest > 0)) return SCR_OK;
  const ball_options options = {.speed = deepest, .tolerance = tolerance, .sweeps = SWEEPS};
  ball_pack_solve(p, &options, &result);
  for (size_t i = 0; i < s->body_count; i++) {
    rigid_body *body = &s->bodies[i];
    scr_vec3 turn = vec3_scale(vector_of(p->body[i].spin), dt);
    body->centre = vec3_along(body->centre, vector_of(p->body[i].velocity), dt);
    if (vec3_dot(turn, turn) > 0) body->attitude = quat_normalise(quat_multiply(quat_exp(turn), body->attitude));
  }
  return SCR_OK;
}
