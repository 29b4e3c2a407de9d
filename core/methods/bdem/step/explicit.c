/** Symplectic Euler for bonded spheres: the bonds block by block, whose spheres move as soon as nobody needs to know where they were. */
#include "methods/bdem/step/explicit.h"

static scr_vec3 released(scr_vec3 v, unsigned held)
{
  return vec3(held & 1 ? 0.0 : v.x, held & 2 ? 0.0 : v.y, held & 4 ? 0.0 : v.z);
}

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

typedef struct step_of {
  bdem_body *body;
  double dt;
  const scr_vec3 *load;
  scr_vec3 *force, *torque;
} step_of;

/* All but the turn. */
static void advance(bdem_body *body, size_t k, double dt, scr_vec3 force, scr_vec3 torque)
{
  double per_mass = dt / body->mass[k], per_inertia = 2.5 * per_mass / (body->radius[k] * body->radius[k]);
  scr_vec3 v = released(vec3_add(body->velocity[k], vec3_scale(force, per_mass)), body->held[k]);
  body->velocity[k] = v;
  body->spin[k] = released(vec3_add(body->spin[k], vec3_scale(torque, per_inertia)), body->held[k] >> 3);
  body->position[k] = vec3_add(body->position[k], vec3_scale(v, dt));
}

static void advance_run(const step_of *step, const uint32_t *sphere, size_t count, const batch_sum *sum)
{
  bdem_body *body = step->body;
  bdem_turns turns;
  for (size_t row = 0; row < count; ++row) {
    size_t k = sphere[row];
    if (step->force) step->force[k] = sum[row].force;
    if (step->torque) step->torque[k] = sum[row].torque;
    advance(body, k, step->dt, step->load ? vec3_add(sum[row].force, step->load[k]) : sum[row].force, sum[row].torque);
    bdem_turns_set(&turns, row, vec3_scale(body->spin[k], step->dt), body->orientation[k]);
  }
  bdem_turns_do(&turns, count);
  for (size_t row = 0; row < count; ++row) body->orientation[sphere[row]] = bdem_turns_get(&turns, row);
}

static void advance_block(void *context, const bdem_batches *t, size_t index, const batch_sum *sum)
{
  const batch_block *block = &t->block[index];
  for (size_t row = 0; row < block->own_count; row += BDEM_TURNS) {
    size_t count = block->own_count - row < BDEM_TURNS ? block->own_count - row : BDEM_TURNS;
    advance_run(context, t->sphere + block->first_place + row, count, sum + row);
  }
}

static void fetch_advanced(const void *context, const uint32_t *sphere, size_t count)
{
  const step_of *step = context;
  const bdem_body *body = step->body;
  batch_fetch_array(body->velocity, sizeof *body->velocity, sphere, count);
  batch_fetch_array(body->spin, sizeof *body->spin, sphere, count);
  batch_fetch_array(body->mass, sizeof *body->mass, sphere, count);
  batch_fetch_array(body->radius, sizeof *body->radius, sphere, count);
  if (step->force) batch_fetch_array(step->force, sizeof *step->force, sphere, count);
  if (step->torque) batch_fetch_array(step->torque, sizeof *step->torque, sphere, count);
}

void bdem_explicit_step(bdem_body *body, bdem_batches *bonds, double dt, const scr_vec3 *load, scr_vec3 *force, scr_vec3 *torque)
{
  step_of step = {body, dt, load, force, torque};
  bdem_batches_sweep(bonds, body, advance_block, fetch_advanced, &step);
}
