/** Symplectic Euler for bonded spheres: the bonds block by block, then every sphere sums its parts and moves. */
#include "methods/bdem/explicit.h"

static scr_vec3 released(scr_vec3 v, unsigned held)
{
  return vec3(held & 1 ? 0.0 : v.x, held & 2 ? 0.0 : v.y, held & 4 ? 0.0 : v.z);
}

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

void bdem_explicit_step(bdem_body *body, bdem_batches *bonds, double dt, const scr_vec3 *load, scr_vec3 *force, scr_vec3 *torque)
{
  ptrdiff_t blocks = (ptrdiff_t)bonds->block_count;
  bdem_batches_evaluate(bonds, body);
#pragma omp parallel for schedule(static) num_threads(bonds->threads) if (bonds->threads > 1)
  for (ptrdiff_t index = 0; index < blocks; ++index) {
    const batch_block *block = &bonds->block[index];
    for (size_t place = block->first_place; place < block[1].first_place; ++place) {
      size_t k = bonds->sphere[place];
      batch_sum sum = bdem_batches_sum(bonds, block, place);
      if (force) force[k] = sum.force;
      if (torque) torque[k] = sum.torque;
      advance(body, k, dt, load ? vec3_add(sum.force, load[k]) : sum.force, sum.torque);
    }
  }
}
