/* Fields of modes and the integrals they bring. */
#include "methods/lsdem/grain/mode.h"

#include <string.h>

/* The axes of a bar along `axis`, so that components p[0] along the bar, p[1], p[2] across are those of the formula. */
static void into_bar(int axis, scr_vec3 v, double p[3])
{
  const double c[3] = {v.x, v.y, v.z};
  for (int k = 0; k < 3; k++) p[k] = c[(axis + k) % 3];
}

static scr_vec3 out_of_bar(int axis, const double p[3])
{
  double c[3];
  for (int k = 0; k < 3; k++) c[(axis + k) % 3] = p[k];
  return vec3(c[0], c[1], c[2]);
}

static scr_vec3 bending_at(const lsdem_mode *mode, scr_vec3 point)
{
  double p[3], a = M_PI / mode->length;
  into_bar(mode->axis, point, p);
  double s = sin(a * (p[0] + 0.5 * mode->length)), c = cos(a * (p[0] + 0.5 * mode->length)), nu = mode->contraction, kappa = a * a * s;
  const double u[3] = {p[2] * a * c, nu * p[1] * p[2] * kappa, -s + 0.5 * nu * (p[2] * p[2] - p[1] * p[1]) * kappa};
  return out_of_bar(mode->axis, u);
}

static void bending_gradient(const lsdem_mode *mode, scr_vec3 point, scr_matrix3 *gradient)
{
  double p[3], a = M_PI / mode->length;
  into_bar(mode->axis, point, p);
  double s = sin(a * (p[0] + 0.5 * mode->length)), c = cos(a * (p[0] + 0.5 * mode->length)), nu = mode->contraction;
  double kappa = a * a * s, slope = a * a * a * c;
  const double g[3][3] = {
      {-p[2] * a * a * s, 0, a * c},
      {nu * p[1] * p[2] * slope, nu * p[2] * kappa, nu * p[1] * kappa},
      {-a * c + 0.5 * nu * (p[2] * p[2] - p[1] * p[1]) * slope, -nu * p[1] * kappa, nu * p[2] * kappa},
  };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) gradient->m[(mode->axis + i) % 3][(mode->axis + j) % 3] = g[i][j];
}

/* The eight corners' shares of a value and of its gradient along the axes, which is added to. */
static scr_vec3 field_at(const lsdem_mode *mode, scr_vec3 point, scr_matrix3 *gradient)
{
  double f[3];
  const float *first = mode->value + lsdem_field_cell(mode, point, f) * mode->stride;
  scr_vec3 sum = vec3(0, 0, 0);
  for (unsigned c = 0; c < 8; c++) {
    unsigned i = c >> 2, j = c >> 1 & 1, k = c & 1;
    const float *v = first + lsdem_field_corner(mode, c) * mode->stride;
    double x = i ? f[0] : 1 - f[0], y = j ? f[1] : 1 - f[1], z = k ? f[2] : 1 - f[2], s = mode->per_spacing;
    sum = vec3_add(sum, vec3_scale(vec3(v[0], v[1], v[2]), x * y * z));
    if (!gradient) continue;
    const double slope[3] = {(i ? s : -s) * y * z, (j ? s : -s) * x * z, (k ? s : -s) * x * y};
    for (int r = 0; r < 3; r++)
      for (int q = 0; q < 3; q++) gradient->m[r][q] += (double)v[r] * slope[q];
  }
  return sum;
}

static scr_vec3 given_at(const lsdem_mode *mode, scr_vec3 point)
{
  switch (mode->kind) {
  case LSDEM_MODE_AFFINE: break;
  case LSDEM_MODE_FIELD: return field_at(mode, point, NULL);
  case LSDEM_MODE_BENDING: return bending_at(mode, point);
  }
  return matrix_times(&mode->gradient, point);
}

scr_vec3 lsdem_mode_at(const lsdem_mode *mode, scr_vec3 point)
{
  return vec3_sub(given_at(mode, point), vec3_add(mode->shift, vec3_cross(mode->turn, point)));
}

scr_vec3 lsdem_mode_gradient(const lsdem_mode *mode, scr_vec3 point, scr_matrix3 *gradient)
{
  *gradient = mode->gradient;
  if (mode->kind == LSDEM_MODE_FIELD) (void)field_at(mode, point, gradient); /* added to zeros */
  if (mode->kind == LSDEM_MODE_BENDING) bending_gradient(mode, point, gradient);
  scr_vec3 t = mode->turn;
  gradient->m[0][1] += t.z, gradient->m[0][2] -= t.y;
  gradient->m[1][0] -= t.z, gradient->m[1][2] += t.x;
  gradient->m[2][0] += t.y, gradient->m[2][1] -= t.x;
  return lsdem_mode_at(mode, point);
}

/* ── integrals ───────────────────────────────────────────────────────────────────────────────────────────────────── */

void lsdem_mode_momenta(const lsdem_mode *mode, const lsdem_quadrature *volume, double density, scr_vec3 *linear, scr_vec3 *angular)
{
  scr_vec3 s = vec3(0, 0, 0), h = s;
  for (size_t k = 0; k < volume->count; k++) {
    scr_vec3 phi = vec3_scale(lsdem_mode_at(mode, volume->point[k]), density * volume->weight[k]);
    s = vec3_add(s, phi);
    h = vec3_add(h, vec3_cross(volume->point[k], phi));
  }
  *linear = s;
  *angular = h;
}

void lsdem_modes_free(lsdem_mode *modes, size_t count, const lsdem_quadrature *volume)
{
  enum { SWEEPS = 8 }; /* each takes off what the last left: rounding, and what products of inertia bring */
  double mass = 0;
  scr_vec3 inertia = vec3(0, 0, 0);
  for (size_t k = 0; k < volume->count; k++) {
    scr_vec3 x = volume->point[k];
    double w = volume->weight[k];
    mass += w;
    inertia = vec3_add(inertia, vec3_scale(vec3(x.y * x.y + x.z * x.z, x.z * x.z + x.x * x.x, x.x * x.x + x.y * x.y), w));
  }
  for (size_t a = 0; a < count; a++)
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      scr_vec3 linear, angular;
      lsdem_mode_momenta(&modes[a], volume, 1, &linear, &angular);
      modes[a].shift = vec3_add(modes[a].shift, vec3_scale(linear, 1 / mass));
      modes[a].turn = vec3_add(modes[a].turn, vec3(angular.x / inertia.x, angular.y / inertia.y, angular.z / inertia.z));
    }
}

static void add_outer(double to[3][3], double weight, scr_vec3 a, scr_vec3 b)
{
  const double p[3] = {a.x, a.y, a.z}, q[3] = {b.x, b.y, b.z};
  double dot = vec3_dot(a, b);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) to[i][j] += weight * ((i == j ? dot : 0) - 0.5 * (p[i] * q[j] + q[i] * p[j]));
}

void lsdem_modal_integrate(lsdem_modal *modal, const lsdem_mode *modes, size_t count, const lsdem_quadrature *volume, double density)
{
  memset(modal, 0, sizeof *modal);
  modal->count = count;
  for (size_t k = 0; k < volume->count; k++) {
    scr_vec3 x = volume->point[k], phi[LSDEM_MODE_LIMIT];
    double w = density * volume->weight[k];
    for (size_t a = 0; a < count; a++) phi[a] = lsdem_mode_at(&modes[a], x);
    for (size_t a = 0; a < count; a++) {
      add_outer(modal->shape[a], 2 * w, x, phi[a]);
      for (size_t b = 0; b < count; b++) {
        modal->mass[a][b] += w * vec3_dot(phi[a], phi[b]);
        add_outer(modal->pair[a][b], w, phi[a], phi[b]);
        modal->gyro[a][b] = vec3_add(modal->gyro[a][b], vec3_scale(vec3_cross(phi[a], phi[b]), w));
      }
    }
  }
}

void lsdem_modal_stiffness(lsdem_modal *modal, const lsdem_mode *modes, const lsdem_quadrature *volume, double young, double poisson)
{
  double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  memset(modal->stiffness, 0, sizeof modal->stiffness);
  for (size_t k = 0; k < volume->count; k++) {
    scr_matrix3 g[LSDEM_MODE_LIMIT];
    for (size_t a = 0; a < modal->count; a++) (void)lsdem_mode_gradient(&modes[a], volume->point[k], &g[a]);
    for (size_t a = 0; a < modal->count; a++)
      for (size_t b = 0; b < modal->count; b++) {
        double trace_a = g[a].m[0][0] + g[a].m[1][1] + g[a].m[2][2], trace_b = g[b].m[0][0] + g[b].m[1][1] + g[b].m[2][2], sum = 0;
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) sum += 0.5 * (g[a].m[i][j] + g[a].m[j][i]) * 0.5 * (g[b].m[i][j] + g[b].m[j][i]);
        modal->stiffness[a][b] += volume->weight[k] * (lambda * trace_a * trace_b + 2 * mu * sum);
      }
  }
}
