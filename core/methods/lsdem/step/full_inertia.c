/* Momenta and the implicit midpoint rule of deforming, turning grains. */
#include "methods/lsdem/step/full_inertia.h"

enum { UNKNOWNS = 3 + LSDEM_MODE_LIMIT };

void lsdem_full_inertia(const lsdem_template *shape, const double *amplitude, double inertia[3][3])
{
  const double rest[3] = {shape->inertia.x, shape->inertia.y, shape->inertia.z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = i == j ? rest[i] : 0;
      for (size_t a = 0; a < shape->mode_count; a++) {
        sum += amplitude[a] * shape->modal.shape[a][i][j];
        for (size_t b = 0; b < shape->mode_count; b++) sum += amplitude[a] * amplitude[b] * shape->modal.pair[a][b][i][j];
      }
      inertia[i][j] = sum;
    }
}

/* G_b */
static scr_vec3 coupling(const lsdem_template *shape, const double *amplitude, size_t b)
{
  scr_vec3 sum = vec3(0, 0, 0);
  for (size_t a = 0; a < shape->mode_count; a++) sum = vec3_add(sum, vec3_scale(shape->modal.gyro[a][b], amplitude[a]));
  return sum;
}

/* Solves a x = b, n <= UNKNOWNS, by elimination with the largest pivot of each column; x comes in b. */
static void solve(size_t n, double a[UNKNOWNS][UNKNOWNS], double *b)
{
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
    for (size_t j = k; j < n && best != k; j++) {
      double kept = a[k][j];
      a[k][j] = a[best][j], a[best][j] = kept;
    }
    double kept = b[k];
    b[k] = b[best], b[best] = kept;
    for (size_t i = k + 1; i < n; i++) {
      double share = a[i][k] / a[k][k];
      for (size_t j = k; j < n; j++) a[i][j] -= share * a[k][j];
      b[i] -= share * b[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
}

scr_vec3 lsdem_full_spin(const lsdem_template *shape, const double *amplitude, const double *rate, scr_vec3 angular)
{
  double a[UNKNOWNS][UNKNOWNS], inertia[3][3];
  for (size_t b = 0; b < shape->mode_count; b++) angular = vec3_sub(angular, vec3_scale(coupling(shape, amplitude, b), rate[b]));
  double b[3] = {angular.x, angular.y, angular.z};
  lsdem_full_inertia(shape, amplitude, inertia);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] = inertia[i][j];
  solve(3, a, b);
  return vec3(b[0], b[1], b[2]);
}

void lsdem_full_momentum(const lsdem_template *shape, const double *amplitude, const double *rate, scr_vec3 spin, double *momentum)
{
  for (size_t a = 0; a < shape->mode_count; a++) {
    momentum[a] = vec3_dot(coupling(shape, amplitude, a), spin);
    for (size_t b = 0; b < shape->mode_count; b++) momentum[a] += shape->modal.mass[a][b] * rate[b];
  }
}

void lsdem_full_rates(const lsdem_template *shape, const double *amplitude, scr_vec3 angular, const double *momentum, double damped,
                      scr_vec3 *spin, double *rate)
{
  double a[UNKNOWNS][UNKNOWNS], inertia[3][3], b[UNKNOWNS] = {angular.x, angular.y, angular.z};
  size_t n = shape->mode_count;
  lsdem_full_inertia(shape, amplitude, inertia);
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) a[i][j] = inertia[i][j];
  for (size_t i = 0; i < n; i++) {
    scr_vec3 g = coupling(shape, amplitude, i);
    a[0][3 + i] = a[3 + i][0] = g.x, a[1][3 + i] = a[3 + i][1] = g.y, a[2][3 + i] = a[3 + i][2] = g.z;
    b[3 + i] = momentum[i];
    for (size_t j = 0; j < n; j++) a[3 + i][3 + j] = shape->modal.mass[i][j] * (1 + damped * shape->damping[j]);
  }
  solve(3 + n, a, b);
  *spin = vec3(b[0], b[1], b[2]);
  for (size_t i = 0; i < n; i++) rate[i] = b[3 + i];
}

/* dT/deps_b at fixed w and eta, N. */
static double centrifugal(const lsdem_template *shape, const double *amplitude, const double *rate, scr_vec3 spin, size_t b)
{
  const double w[3] = {spin.x, spin.y, spin.z};
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double change = shape->modal.shape[b][i][j];
      for (size_t a = 0; a < shape->mode_count; a++) change += 2 * amplitude[a] * shape->modal.pair[a][b][i][j];
      sum += 0.5 * w[i] * change * w[j];
    }
  for (size_t a = 0; a < shape->mode_count; a++) sum += rate[a] * vec3_dot(shape->modal.gyro[b][a], spin);
  return sum;
}

void lsdem_full_drift(const lsdem_template *shape, scr_vec3 angular, double dt, scr_quat *rotation, double *amplitude, double *rate)
{
  enum { SWEEPS = 4 }; /* each makes the error smaller by dt times the spin; the rule itself is of second order */
  size_t n = shape->mode_count;
  double start[LSDEM_MODE_LIMIT], push[LSDEM_MODE_LIMIT], middle[LSDEM_MODE_LIMIT], momentum[LSDEM_MODE_LIMIT], mid_rate[LSDEM_MODE_LIMIT];
  scr_vec3 spin = lsdem_full_spin(shape, amplitude, rate, quat_rotate(quat_conjugate(*rotation), angular));
  lsdem_full_momentum(shape, amplitude, rate, spin, start);
  for (size_t a = 0; a < n; a++) mid_rate[a] = rate[a];
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    scr_quat half = quat_multiply(*rotation, quat_exp(vec3_scale(spin, 0.5 * dt)));
    for (size_t a = 0; a < n; a++) middle[a] = amplitude[a] + 0.5 * dt * mid_rate[a];
    for (size_t a = 0; a < n; a++) {
      push[a] = centrifugal(shape, middle, mid_rate, spin, a);
      momentum[a] = start[a] + 0.5 * dt * push[a];
    }
    lsdem_full_rates(shape, middle, quat_rotate(quat_conjugate(half), angular), momentum, 0, &spin, mid_rate);
  }
  *rotation = quat_normalise(quat_multiply(*rotation, quat_exp(vec3_scale(spin, dt))));
  for (size_t a = 0; a < n; a++) {
    amplitude[a] += dt * mid_rate[a];
    momentum[a] = start[a] + dt * push[a];
  }
  lsdem_full_rates(shape, amplitude, quat_rotate(quat_conjugate(*rotation), angular), momentum, 0, &spin, rate);
}
