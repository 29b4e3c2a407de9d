/* Symplectic Euler for bonded spheres: the bonds block by block, whose spheres move as soon as nobody needs to know where they were. */
#include "tests/support/bdem_explicit_step.h"

static scr_vec3 released(scr_vec3 v, unsigned held)
{
  return vec3(held & 1 ? 0.0 : v.x, held & 2 ? 0.0 : v.y, held & 4 ? 0.0 : v.z);
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
