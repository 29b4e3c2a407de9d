/* The passes of a step over the spheres, those of an explicit one as few as there can be: they move more memory than they compute.
 *
 *  bdem_kick_and_drift  v += dt/2 F/m;  x += dt v;  empties F and the torque, and on the way finds the weight's work and how far spheres
 *                       are from where the contact candidates were listed
 *  bdem_force_and_kick  adds the contacts' forces to the empty sums, which costs nothing for spheres that touch nothing, then the bonds'
 *                       block by block, and at once v += dt/2 F/m
 *
 * Components that a grip holds are not accelerated: their velocity is their part's.
 *
 * Local damping (Cundall 1987, in Brown (ed.), Analytical and Computational Methods in Engineering Rock Mechanics, ch. 4) takes
 * alpha |F| sign(v) from every component of a force and torque, here in each half of a step by the velocity before it. A half in which the
 * velocity would turn is left alone, so what is taken out never comes back. It acts on the motion only: forces on the rig stay what they
 * are. */
#include "base/execution.h"
#include "methods/bdem/step/explicit.h"
#include "methods/bdem/step/stages.h"

/* Compiled for wider registers too where the loader can choose. Products and sums are not fused, so all give the same bits. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* All of them, by the series of quat_exp for angles below 1 rad: no calls, no branches. */
WIDE static void turn_by_series(bdem_turns *turns)
{
  double *restrict qx = turns->orientation[0], *restrict qy = turns->orientation[1];
  double *restrict qz = turns->orientation[2], *restrict qw = turns->orientation[3];
  const double *restrict rx = turns->rotation[0], *restrict ry = turns->rotation[1], *restrict rz = turns->rotation[2];
  for (int k = 0; k < BDEM_TURNS; ++k) {
    double t = 0.25 * (rx[k] * rx[k] + ry[k] * ry[k] + rz[k] * rz[k]), t2 = t * t, t4 = t2 * t2;
    double sinc = (1.0 - t * (1.0 / 6.0) + t2 * (1.0 / 120.0 - t * (1.0 / 5040.0))) +
                  t4 * (1.0 / 362880.0 - t * (1.0 / 39916800.0) + t2 * (1.0 / 6227020800.0));
    double w = (1.0 - t * 0.5 + t2 * (1.0 / 24.0 - t * (1.0 / 720.0))) +
               t4 * (1.0 / 40320.0 - t * (1.0 / 3628800.0) + t2 * (1.0 / 479001600.0 - t * (1.0 / 87178291200.0)));
    double x = 0.5 * sinc * rx[k], y = 0.5 * sinc * ry[k], z = 0.5 * sinc * rz[k];
    double ax = w * qx[k] + qw[k] * x + y * qz[k] - z * qy[k], ay = w * qy[k] + qw[k] * y + z * qx[k] - x * qz[k];
    double az = w * qz[k] + qw[k] * z + x * qy[k] - y * qx[k], aw = w * qw[k] - x * qx[k] - y * qy[k] - z * qz[k];
    double inverse = 1.0 / sqrt(ax * ax + ay * ay + az * az + aw * aw);
    qx[k] = ax * inverse, qy[k] = ay * inverse, qz[k] = az * inverse, qw[k] = aw * inverse;
  }
}

void bdem_turns_do(bdem_turns *turns, size_t count)
{
  double largest = 0.0;
  for (size_t k = count; k < BDEM_TURNS; ++k) bdem_turns_set(turns, k, vec3(0, 0, 0), quat_identity());
  for (size_t k = 0; k < count; ++k) {
    const scr_vec3 r = {turns->rotation[0][k], turns->rotation[1][k], turns->rotation[2][k]};
    largest = fmax(largest, vec3_dot(r, r));
  }
  if (largest < 1.0) {
    turn_by_series(turns);
    return;
  }
  for (size_t k = 0; k < count; ++k) {
    scr_vec3 r = vec3(turns->rotation[0][k], turns->rotation[1][k], turns->rotation[2][k]);
    bdem_turns_set(turns, k, r, quat_normalise(quat_multiply(quat_exp(r), bdem_turns_get(turns, k))));
  }
}

static scr_vec3 accelerated(scr_vec3 v, scr_vec3 by, double factor, unsigned held)
{
  if (held == 0) return vec3_add(v, vec3_scale(by, factor));
  return vec3(held & 1 ? v.x : v.x + by.x * factor, held & 2 ? v.y : v.y + by.y * factor, held & 4 ? v.z : v.z + by.z * factor);
}

/* Alpha; bursts within large steps are not damped, as nothing else of those runs is. */
static double local_damping(const bdem_model *model)
{
  return model->options->integrator == BDEM_INTEGRATOR_EXPLICIT ? model->options->local_damping : 0;
}

/* dt/m and dt/I of the last sphere: most have the mass and radius of the one before, and divisions are slow. */
typedef struct response {
  double dt, mass, radius, per_mass, per_inertia;
} response;

__attribute__((always_inline)) static inline void accelerate(bdem_body *body, size_t i, response *r, scr_vec3 force, scr_vec3 torque)
{
  if (body->mass[i] != r->mass || body->radius[i] != r->radius) {
    r->mass = body->mass[i];
    r->radius = body->radius[i];
    r->per_mass = r->dt / r->mass;
    r->per_inertia = 2.5 * r->per_mass / (r->radius * r->radius);
  }
  body->velocity[i] = accelerated(body->velocity[i], force, r->per_mass, body->held[i]);
  body->spin[i] = accelerated(body->spin[i], torque, r->per_inertia, body->held[i] >> 3);
}

/* What local damping leaves of a force that accelerates from v by `factor` times it, in the components that are not held. `lost` grows by
 * the square of speed that it takes, over 2 factor: work per half a step. */
static scr_vec3 damped(scr_vec3 force, scr_vec3 v, double alpha, double factor, unsigned held, double *lost)
{
  double f[3] = {force.x, force.y, force.z};
  const double from[3] = {v.x, v.y, v.z};
  for (int a = 0; a < 3; ++a) {
    double against = from[a] > 0 ? -alpha * fabs(f[a]) : from[a] < 0 ? alpha * fabs(f[a]) : 0, with = f[a] + against;
    double twice = 2 * from[a] + with * factor; /* sum of the velocities before and after */
    if (held >> a & 1 || against * twice >= 0) continue;
    f[a] = with;
    *lost -= 0.5 * against * twice;
  }
  return vec3(f[0], f[1], f[2]);
}

/* The acceleration of half a step, damped. @return work that the damping takes, J */
static double accelerate_damped(bdem_body *body, size_t i, response *r, double alpha, scr_vec3 force, scr_vec3 torque)
{
  double lost = 0;
  double per_mass = r->dt / body->mass[i], per_inertia = 2.5 * per_mass / (body->radius[i] * body->radius[i]);
  force = damped(force, body->velocity[i], alpha, per_mass, body->held[i], &lost);
  torque = damped(torque, body->spin[i], alpha, per_inertia, body->held[i] >> 3, &lost);
  accelerate(body, i, r, force, torque);
  return lost * r->dt;
}

/* Value: work of the weight, per time; taken by local damping; the square of the largest way since the list. */
static void kick_and_drift_run(const void *user, size_t begin, size_t end, double *value)
{
  const bdem_drift *d = user;
  const size_t count = end - begin;
  bdem_body *body = d->body;
  bdem_turns turns;
  response half = {.dt = 0.5 * d->dt};
  double moved = 0.0, sum = 0.0, alpha = local_damping(d->model), taken = 0.0;
  for (size_t k = 0; k < count; ++k) {
    size_t i = begin + k;
    if (alpha > 0)
      taken += accelerate_damped(body, i, &half, alpha, vec3_add(d->total->force[i], d->model->load[i]), d->total->torque[i]);
    else
      accelerate(body, i, &half, vec3_add(d->total->force[i], d->model->load[i]), d->total->torque[i]);
    d->total->force[i] = d->total->torque[i] = vec3(0, 0, 0);
    scr_vec3 p = body->position[i] = vec3_add(body->position[i], vec3_scale(body->velocity[i], d->dt));
    scr_vec3 displacement = vec3_sub(p, vec3(d->list->position[0][i], d->list->position[1][i], d->list->position[2][i]));
    sum += vec3_dot(d->model->load[i], body->velocity[i]);
    double square = vec3_dot(displacement, displacement);
    if (square > moved) moved = square;
    bdem_turns_set(&turns, k, vec3_scale(body->spin[i], d->dt), body->orientation[i]);
  }
  bdem_turns_do(&turns, count);
  for (size_t k = 0; k < count; ++k) body->orientation[begin + k] = bdem_turns_get(&turns, k);
  value[0] += sum;
  value[1] += taken;
  if (moved > value[2]) value[2] = moved;
}

double bdem_kick_and_drift(const bdem_drift *d)
{
  double value[3] = {0, d->ledger->damping, 0};
  execution_reduce(d->model->execution, d->body->sphere_count, BDEM_TURNS, 2, 1, kick_and_drift_run, d, value);
  d->ledger->damping = value[1];
  d->ledger->gravity += value[0] * d->dt;
  return sqrt(value[2]);
}

typedef struct kick_of {
  const bdem_kick *stage;
  double *taken; /* [block_count] J, by local damping */
  double slow;   /* m^2/s^2, square of the speed that is slow */
  bool finite, fast;
} kick_of;

static void kick_block(void *context, const bdem_batches *t, size_t index, const batch_sum *sum)
{
  kick_of *kick = context;
  bdem_body *body = kick->stage->body;
  bdem_total *total = kick->stage->total;
  const scr_vec3 *load = kick->stage->model->load;
  const batch_block *block = &t->block[index];
  response half = {.dt = kick->stage->dt};
  double zero = 0.0, alpha = local_damping(kick->stage->model), taken = 0.0, fastest = 0.0;
  for (size_t row = 0; row < block->own_count; ++row) {
    size_t i = t->sphere[block->first_place + row];
    total->force[i] = vec3_add(total->force[i], sum[row].force);
    total->torque[i] = vec3_add(total->torque[i], sum[row].torque);
    if (alpha > 0)
      taken += accelerate_damped(body, i, &half, alpha, vec3_add(total->force[i], load[i]), total->torque[i]);
    else
      accelerate(body, i, &half, vec3_add(total->force[i], load[i]), total->torque[i]);
    scr_vec3 all = vec3_add(vec3_add(body->position[i], body->velocity[i]), body->spin[i]);
    double speed = vec3_dot(body->velocity[i], body->velocity[i]);
    if (speed > fastest) fastest = speed;
    zero += 0.0 * (all.x + all.y + all.z + body->orientation[i].w); /* not a number after any that is not finite */
  }
  kick->taken[index] = taken;
  if (fastest > kick->slow) {
#pragma omp atomic write
    kick->fast = true;
  }
  if (zero != 0.0) {
#pragma omp atomic write
    kick->finite = false;
  }
}

static void fetch_kicked(const void *context, const uint32_t *sphere, size_t count)
{
  const kick_of *kick = context;
  const bdem_body *body = kick->stage->body;
  const bdem_total *total = kick->stage->total;
  batch_fetch_array(body->velocity, sizeof *body->velocity, sphere, count);
  batch_fetch_array(body->spin, sizeof *body->spin, sphere, count);
  batch_fetch_array(body->mass, sizeof *body->mass, sphere, count);
  batch_fetch_array(body->radius, sizeof *body->radius, sphere, count);
  batch_fetch_array(total->force, sizeof *total->force, sphere, count);
  batch_fetch_array(total->torque, sizeof *total->torque, sphere, count);
  batch_fetch_array(kick->stage->model->load, sizeof *kick->stage->model->load, sphere, count);
}

bool bdem_force_and_kick(const bdem_kick *s, bool *fast)
{
  double slow = bdem_harmless_travel(s->model) / bdem_explicit_step_length(s->model);
  double *taken = s->scratch->real[1]; /* there are no more blocks than spheres */
  kick_of kick = {.stage = s, .taken = taken, .slow = slow * slow, .finite = true};
  s->ledger->friction += bdem_contacts_add_friction(s->contacts, s->body, 2.0 * s->dt, s->total->force, s->total->torque);
  bdem_batches_sweep(s->body->batches, s->body, kick_block, fetch_kicked, &kick);
  execution_add_up(s->body->batches->block_count, 1, taken, &s->ledger->damping);
  bdem_parts_load(s->contacts, s->body, s->rig->load);
  bdem_grips_load(s->model, s->body, s->total, s->contacts, s->rig);
  *fast = kick.fast;
  return kick.finite;
}

void bdem_force_pass(const bdem_model *model, const bdem_body *body, bdem_contacts *contacts, bdem_total *total, bdem_rig *rig)
{
  bdem_batches_forces(body->batches, body, total->force, total->torque);
  bdem_contacts_add_friction(contacts, body, 0.0, total->force, total->torque);
  bdem_parts_load(contacts, body, rig->load);
  bdem_grips_load(model, body, total, contacts, rig);
}
