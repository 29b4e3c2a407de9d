#include "methods/rigid/motion/body.h"

rigid_free rigid_body_free(const rigid_body *body, scr_vec3 gravity, double dt)
{
  return (rigid_free){.velocity = vec3_add(body->velocity, vec3_scale(gravity, dt)),
                      .turning = spin_free(body->moments, body->attitude, body->momentum, dt)};
}

/* The momentum of the middle that belongs to a spin: what it was, and what changed the spin. */
void rigid_body_move(rigid_body *body, const rigid_free *step, scr_vec3 velocity, scr_vec3 spin, double dt)
{
  scr_vec3 change = vec3_sub(spin, step->turning.spin);
  if (change.x != 0 || change.y != 0 || change.z != 0)
    body->momentum = vec3_add(body->momentum, spin_impulse(body->moments, body->attitude, &step->turning, change, dt));
  scr_vec3 mean = step->untouched ? vec3_scale(vec3_add(body->velocity, velocity), 0.5) : velocity;
  body->velocity = velocity;
  body->spin = spin;
  body->centre = vec3_add(body->centre, vec3_scale(mean, dt));
  body->attitude = spin_turned(body->attitude, spin, dt);
}

scr_vec3 rigid_body_momentum(const rigid_body *body, scr_vec3 spin)
{
  scr_vec3 own = quat_rotate(quat_conjugate(body->attitude), spin), i = body->moments;
  return quat_rotate(body->attitude, vec3(i.x * own.x, i.y * own.y, i.z * own.z));
}

double rigid_body_kinetic(const rigid_body *body)
{
  return 0.5 * body->mass * vec3_dot(body->velocity, body->velocity) + 0.5 * vec3_dot(body->spin, body->momentum);
}
