/* Rigid flight. */
#include "methods/fem/dynamics/spin.h"

#include <math.h>

#include "linalg/symmetric_eigen.h"

enum { NEWTON_LIMIT = 30 };
static const double longest_turn = 0.05; /* rad, of one part of a step */

static scr_vec3 at(const double *x, size_t node)
{
  return vec3(x[3 * node], x[3 * node + 1], x[3 * node + 2]);
}

/* A right-handed rotation as a quaternion (Shepperd's choice of the largest component by squares). */
static scr_quat quat_of(const scr_vec3 column[3])
{
  const double m[3][3] = {
      {column[0].x, column[1].x, column[2].x}, {column[0].y, column[1].y, column[2].y}, {column[0].z, column[1].z, column[2].z}};
  double trace = m[0][0] + m[1][1] + m[2][2], q[4]; /* w, x, y, z */
  int best = 0;
  for (int k = 0; k < 3; k++)
    if (m[k][k] > (best ? m[best - 1][best - 1] : trace)) best = k + 1;
  if (best == 0) {
    q[0] = 1 + trace, q[1] = m[2][1] - m[1][2], q[2] = m[0][2] - m[2][0], q[3] = m[1][0] - m[0][1];
  } else {
    int i = best - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = m[k][j] - m[j][k];
    q[1 + i] = 1 + m[i][i] - m[j][j] - m[k][k];
    q[1 + j] = m[j][i] + m[i][j];
    q[1 + k] = m[k][i] + m[i][k];
  }
  return quat_normalise(quat(q[1], q[2], q[3], q[0]));
}

void fem_spin_axes(const fem_system *system, const fem_frames *frames, size_t body, fem_spin *spin)
{
  double inertia[9] = {0}, values[3], vectors[9];
  scr_vec3 column[3];
  for (size_t n = system->node_first[body]; n < system->node_first[body + 1]; n++) {
    scr_vec3 x = vec3_sub(at(system->rest, n), frames->body[body].centre), lever = at(frames->lever, n);
    const double a[3] = {x.x, x.y, x.z}, b[3] = {lever.x, lever.y, lever.z};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) inertia[3 * i + j] += (i == j ? vec3_dot(x, lever) : 0) - 0.5 * (a[i] * b[j] + a[j] * b[i]);
  }
  la_symmetric_eigen(3, inertia, values, vectors);
  for (int k = 0; k < 3; k++) column[k] = at(vectors, (size_t)k);
  if (vec3_dot(vec3_cross(column[0], column[1]), column[2]) < 0) column[2] = vec3_scale(column[2], -1);
  spin->mass = frames->body[body].mass;
  spin->moments = vec3(values[0], values[1], values[2]);
  spin->axes = quat_of(column);
}

fem_spin fem_spin_of(const fem_system *system, const fem_frames *frames, size_t body, const double *displacement, const double *momentum)
{
  fem_spin spin;
  fem_rigid rigid = fem_rigid_motion(system, frames, body, displacement, momentum);
  fem_spin_axes(system, frames, body, &spin);
  spin.centre = rigid.centre;
  spin.velocity = vec3_scale(rigid.linear, 1 / spin.mass);
  spin.attitude = quat_multiply(rigid.rotation, spin.axes);
  spin.momentum = quat_rotate(quat_conjugate(spin.attitude), rigid.angular);
  return spin;
}

static scr_vec3 over_moments(const fem_spin *spin, scr_vec3 v)
{
  return vec3(v.x / spin->moments.x, v.y / spin->moments.y, v.z / spin->moments.z);
}

static scr_vec3 times_moments(const fem_spin *spin, scr_vec3 v)
{
  return vec3(v.x * spin->moments.x, v.y * spin->moments.y, v.z * spin->moments.z);
}

void fem_spin_spread(const fem_system *system, const fem_frames *frames, size_t body, const fem_spin *spin, double *displacement,
                     double *velocity)
{
  scr_quat turn = quat_multiply(spin->attitude, quat_conjugate(spin->axes));
  scr_vec3 omega = quat_rotate(spin->attitude, over_moments(spin, spin->momentum));
  for (size_t n = system->node_first[body]; n < system->node_first[body + 1]; n++) {
    scr_vec3 rest = at(system->rest, n), arm = quat_rotate(turn, vec3_sub(rest, frames->body[body].centre));
    scr_vec3 u = vec3_sub(vec3_add(spin->centre, arm), rest), v = vec3_add(spin->velocity, vec3_cross(omega, arm));
    displacement[3 * n] = u.x, displacement[3 * n + 1] = u.y, displacement[3 * n + 2] = u.z;
    velocity[3 * n] = v.x, velocity[3 * n + 1] = v.y, velocity[3 * n + 2] = v.z;
  }
}

double fem_spin_energy(const fem_spin *spin)
{
  return 0.5 * spin->mass * vec3_dot(spin->velocity, spin->velocity) + 0.5 * vec3_dot(spin->momentum, over_moments(spin, spin->momentum));
}

/* x of A x = b by Cramer's rule, rows of A given. */
static scr_vec3 solve3(const scr_vec3 row[3], scr_vec3 b)
{
  scr_vec3 a = vec3_cross(row[1], row[2]), c = vec3_cross(row[2], row[0]), d = vec3_cross(row[0], row[1]);
  double det = vec3_dot(row[0], a);
  return vec3_scale(vec3_add(vec3_add(vec3_scale(a, b.x), vec3_scale(c, b.y)), vec3_scale(d, b.z)), 1 / det);
}

/* Rows of g'(z) = I + [z]x I - [I z]x - h Pi z^T */
static void slope_at(const fem_spin *spin, scr_vec3 z, double h, scr_vec3 row[3])
{
  scr_vec3 m = spin->moments, iz = times_moments(spin, z), p = vec3_scale(spin->momentum, h);
  row[0] = vec3(m.x - p.x * z.x, -z.z * m.y + iz.z - p.x * z.y, z.y * m.z - iz.y - p.x * z.z);
  row[1] = vec3(z.z * m.x - iz.z - p.y * z.x, m.y - p.y * z.y, -z.x * m.z + iz.x - p.y * z.z);
  row[2] = vec3(-z.y * m.x + iz.y - p.z * z.x, z.x * m.y - iz.x - p.z * z.y, m.z - p.z * z.z);
}

static scr_status turn(fem_spin *spin, double h, scr_error *error)
{
  scr_vec3 z = vec3_scale(over_moments(spin, spin->momentum), 0.5 * h);
  double size = vec3_length(spin->momentum) * h;
  for (int k = 0; size > 0; k++) {
    scr_vec3 iz = times_moments(spin, z), row[3];
    scr_vec3 g = vec3_sub(vec3_add(iz, vec3_cross(z, iz)), vec3_scale(spin->momentum, 0.5 * h * (1 + vec3_dot(z, z))));
    if (vec3_length(g) <= 4e-16 * size) break;
    if (k == NEWTON_LIMIT && vec3_length(g) > 1e-13 * size)
      return scr_fail(error, SCR_DIVERGED, NULL,
                      "the turn of a flying body was not found in %d iterations (step %.3g s, %.3g left): use a smaller time step",
                      NEWTON_LIMIT, h, vec3_length(g) / size);
    if (k == NEWTON_LIMIT) break;
    slope_at(spin, z, h, row);
    z = vec3_sub(z, solve3(row, g));
  }
  double c = 1 / sqrt(1 + vec3_dot(z, z));
  scr_quat step = quat(c * z.x, c * z.y, c * z.z, c);
  spin->attitude = quat_normalise(quat_multiply(spin->attitude, step));
  spin->momentum = quat_rotate(quat_conjugate(step), spin->momentum);
  return SCR_OK;
}

scr_status fem_spin_step(fem_spin *spin, scr_vec3 gravity, double h, scr_error *error)
{
  double least = fmin(spin->moments.x, fmin(spin->moments.y, spin->moments.z)), angle = h * vec3_length(spin->momentum) / least;
  if (!(angle < 1e6 * longest_turn))
    return scr_fail(error, SCR_DIVERGED, NULL, "a body turns by %.3g rad in a step of %.3g s: use a smaller time step", angle, h);
  unsigned parts = 1 + (unsigned)(angle / longest_turn);
  for (unsigned k = 0; k < parts; k++) SCR_TRY(turn(spin, h / parts, error));
  spin->centre = vec3_add(spin->centre, vec3_add(vec3_scale(spin->velocity, h), vec3_scale(gravity, 0.5 * h * h)));
  spin->velocity = vec3_add(spin->velocity, vec3_scale(gravity, h));
  return SCR_OK;
}
