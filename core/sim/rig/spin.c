#include "sim/rig/spin.h"

#include <stdbool.h>

enum { ITERATIONS = 12 };

static bool is_round(scr_vec3 moments)
{
  return moments.x == moments.y && moments.y == moments.z;
}

static scr_vec3 times(scr_vec3 a, scr_vec3 b)
{
  return vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* Solves (diag(i) - h [m]x) x = b, [m]x the matrix of the cross product: by Cramer's rule. */
static scr_vec3 solve(scr_vec3 i, scr_vec3 m, double h, scr_vec3 b)
{
  scr_vec3 r0 = vec3(i.x, h * m.z, -h * m.y), r1 = vec3(-h * m.z, i.y, h * m.x), r2 = vec3(h * m.y, -h * m.x, i.z);
  scr_vec3 c0 = vec3_cross(r1, r2), c1 = vec3_cross(r2, r0), c2 = vec3_cross(r0, r1);
  double det = vec3_dot(r0, c0);
  return vec3_scale(vec3_add(vec3_add(vec3_scale(c0, b.x), vec3_scale(c1, b.y)), vec3_scale(c2, b.z)), 1 / det);
}

/* The spin of the middle in own axes, W: diag(I) W = exp(-dt W / 2) l, l the momentum in own axes at the start. Newton's method; the
 * derivative of the turn is taken to first order, m x, which is enough to converge by several digits an iteration. */
static scr_vec3 middle_spin(scr_vec3 moments, scr_vec3 l, double dt)
{
  scr_vec3 spin = vec3(l.x / moments.x, l.y / moments.y, l.z / moments.z);
  double size = vec3_length(l);
  for (int k = 0; k < ITERATIONS && size > 0; k++) {
    scr_vec3 turned = quat_rotate(quat_exp(vec3_scale(spin, -0.5 * dt)), l), error = vec3_sub(times(moments, spin), turned);
    if (vec3_length(error) <= 1e-15 * size) break;
    spin = vec3_sub(spin, solve(moments, turned, 0.5 * dt, error));
  }
  return spin;
}

static scr_quat middle_of(scr_quat attitude, const solid_spin *step, double dt)
{
  return quat_multiply(quat_exp(vec3_scale(step->spin, 0.5 * dt)), attitude);
}

solid_spin spin_free(scr_vec3 moments, scr_quat attitude, scr_vec3 momentum, double dt)
{
  solid_spin step = {0};
  if (is_round(moments)) {
    step.spin = vec3_scale(momentum, 1 / moments.x);
    for (int a = 0; a < 3; a++) step.inertia[a][a] = moments.x;
    return step;
  }
  scr_vec3 own = middle_spin(moments, quat_rotate(quat_conjugate(attitude), momentum), dt);
  step.spin = quat_rotate(attitude, own); /* a turn about the spin leaves it where it is */
  scr_quat middle = middle_of(attitude, &step, dt);
  const scr_vec3 axis[3] = {quat_rotate(middle, vec3(1, 0, 0)), quat_rotate(middle, vec3(0, 1, 0)), quat_rotate(middle, vec3(0, 0, 1))};
  const double moment[3] = {moments.x, moments.y, moments.z};
  for (int k = 0; k < 3; k++) {
    const double e[3] = {axis[k].x, axis[k].y, axis[k].z};
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) step.inertia[a][b] += e[a] * e[b] * moment[k];
  }
  return step;
}

scr_vec3 spin_impulse(scr_vec3 moments, scr_quat attitude, const solid_spin *step, scr_vec3 change, double dt)
{
  scr_quat middle = middle_of(attitude, step, dt);
  scr_vec3 own = quat_rotate(quat_conjugate(middle), change);
  return quat_rotate(middle, times(moments, own));
}

scr_vec3 spin_change(scr_vec3 moments, scr_quat attitude, const solid_spin *step, scr_vec3 impulse, double dt)
{
  scr_quat middle = middle_of(attitude, step, dt);
  scr_vec3 own = quat_rotate(quat_conjugate(middle), impulse);
  return quat_rotate(middle, vec3(own.x / moments.x, own.y / moments.y, own.z / moments.z));
}

scr_quat spin_turned(scr_quat attitude, scr_vec3 spin, double dt)
{
  if (spin.x == 0 && spin.y == 0 && spin.z == 0) return attitude;
  return quat_normalise(quat_multiply(quat_exp(vec3_scale(spin, dt)), attitude));
}
