/** Symplectic Euler for bonded spheres. */
#include "methods/bdem/explicit.h"

#include <string.h>

static scr_vec3 released(scr_vec3 v, unsigned held)
{
  return vec3(held & 1 ? 0.0 : v.x, held & 2 ? 0.0 : v.y, held & 4 ? 0.0 : v.z);
}

void bdem_explicit_step(bdem_body *body, double dt, const scr_vec3 *load, scr_vec3 *force, scr_vec3 *torque)
{
  memset(force, 0, body->sphere_count * sizeof *force);
  memset(torque, 0, body->sphere_count * sizeof *torque);
  bdem_body_add_forces(body, force, torque);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double mass = body->mass[k], inertia = 0.4 * mass * body->radius[k] * body->radius[k];
    scr_vec3 total = load ? vec3_add(force[k], load[k]) : force[k];
    body->velocity[k] = released(vec3_add(body->velocity[k], vec3_scale(total, dt / mass)), body->held[k]);
    body->spin[k] = released(vec3_add(body->spin[k], vec3_scale(torque[k], dt / inertia)), body->held[k] >> 3);
    body->position[k] = vec3_add(body->position[k], vec3_scale(body->velocity[k], dt));
    body->orientation[k] = quat_normalise(quat_multiply(quat_exp(vec3_scale(body->spin[k], dt)), body->orientation[k]));
  }
}
