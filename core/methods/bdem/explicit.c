/** Symplectic Euler for bonded spheres: the bonds block by block, whose spheres move as soon as nobody needs to know where they were. */
#include "methods/bdem/explicit.h"

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

static void advance(bdem_body *body, size_t k, double dt, scr_vec3 force, scr_vec3 torque)
{
  double per_mass = dt / body->mass[k], per_inertia = 2.5 * per_mass / (body->radius[k] * body->radius[k]);
  scr_vec3 v = released(vec3_add(body->velocity[k], vec3_scale(force, per_mass)), body->held[k]);
  scr_vec3 w = released(vec3_add(body->spin[k], vec3_scale(torque, per_inertia)), body->held[k] >> 3);
  body->velocity[k] = v;
  body->spin[k] = w;
  body->position[k] = vec3_add(body->position[k], vec3_scale(v, dt));
  body->orientation[k] = quat_normalise(quat_multiply(quat_exp(vec3_scale(w, dt)), body->orientation[k]));
}

static void advance_block(void *context, const bdem_batches *t, size_t index, const batch_sum *sum)
{
  const step_of *step = context;
  const batch_block *block = &t->block[index];
  for (size_t row = 0; row < block->own_count; ++row) {
    size_t k = t->sphere[block->first_place + row];
    if (step->force) step->force[k] = sum[row].force;
    if (step->torque) step->torque[k] = sum[row].torque;
    advance(step->body, k, step->dt, step->load ? vec3_add(sum[row].force, step->load[k]) : sum[row].force, sum[row].torque);
  }
}

void bdem_explicit_step(bdem_body *body, bdem_batches *bonds, double dt, const scr_vec3 *load, scr_vec3 *force, scr_vec3 *torque)
{
  step_of step = {body, dt, load, force, torque};
  bdem_batches_sweep(bonds, body, advance_block, &step);
}
