/** Derivatives of a bond's energy in free quaternions, with the operators of quaternion products as matrices:
 *    a b = Ql(a) b = Qr(b) a,   vec(b conj(a)) = Gr(a) b,   vec(conj(a) b) = Gl(a) b. */
#include "tests/studies/optimizers/bond_euclid.h"

#include <string.h>

typedef struct matrix34 {
  double m[3][4];
} matrix34;

typedef struct matrix44 {
  double m[4][4];
} matrix44;

/* [s I + side t^ | -t]: Gr for side = 1, Gl for side = -1. */
static matrix34 reduction(scr_quat q, double side)
{
  return (matrix34){{{q.w, -side * q.z, side * q.y, -q.x}, {side * q.z, q.w, -side * q.x, -q.y}, {-side * q.y, side * q.x, q.w, -q.z}}};
}

/* [[s I + side t^, t], [-t^T, s]]: Ql for side = 1, Qr for side = -1. */
static matrix44 product_matrix(scr_quat q, double side)
{
  return (matrix44){{{q.w, -side * q.z, side * q.y, q.x},
                     {side * q.z, q.w, -side * q.x, q.y},
                     {-side * q.y, side * q.x, q.w, q.z},
                     {-q.x, -q.y, -q.z, q.w}}};
}

static void to_array(scr_vec3 v, double out[3])
{
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

/* The bond's angle as x = n . d and what its derivatives share. */
typedef struct shear_state {
  scr_vec3 n, d, d0;
  scr_quat c; /* a/|a|, a = q_i + s q_j */
  double length, a_length, x, y;
} shear_state;

static shear_state shear_of(const bdem_bond *bond, double sign, scr_vec3 e, scr_quat qi, scr_quat qj)
{
  shear_state b;
  scr_quat a = quat_add(qi, quat_scale(qj, sign));
  b.d0 = vec3(bond->direction[0], bond->direction[1], bond->direction[2]);
  b.length = vec3_length(e);
  b.n = vec3_scale(e, 1.0 / b.length);
  b.a_length = quat_length(a);
  b.c = quat_scale(a, 1.0 / b.a_length);
  b.d = quat_rotate(b.c, b.d0);
  b.x = vec3_dot(b.n, b.d);
  b.y = vec3_length(vec3_cross(b.n, b.d));
  return b;
}

double bdem_bond_euclid_energy(const bdem_bond *bond, double sign, scr_vec3 e, scr_quat qi, scr_quat qj)
{
  shear_state b = shear_of(bond, sign, e, qi, qj);
  double extension = b.length - bond->length, theta = atan2(b.y, b.x);
  scr_vec3 u = quat_vector(quat_multiply(quat_conjugate(qj), qi));
  double along = vec3_dot(u, b.d0), bending = bond->bend * vec3_dot(u, u) + (bond->twist - bond->bend) * along * along;
  return 0.5 * (bond->stretch * extension * extension + bond->shear * theta * theta + bending);
}

/* (sin t - t cos t)/sin^3 t; its series near 0, as in bond_hessian.c. */
static double second_slope(double x, double y)
{
  double t = y * y;
  if (x > 0.0 && t < 1e-3) return 1.0 / 3.0 + t * (2.0 / 15.0 + t * (8.0 / 105.0 + t * (16.0 / 315.0 + t * (128.0 / 3465.0))));
  return (y - atan2(y, x) * x) / (y * t);
}

/* Gradient of x in (e, a). */
static void slope_of_x(const shear_state *b, double slope[7])
{
  scr_vec3 h = vec3_cross(b->d, b->n), side = vec3_sub(b->d, vec3_scale(b->n, b->x));
  matrix34 gr = reduction(b->c, 1.0);
  double hh[3];
  to_array(vec3_scale(side, 1.0 / b->length), slope);
  to_array(h, hh);
  for (int k = 0; k < 4; ++k) slope[3 + k] = 2.0 / b->a_length * (gr.m[0][k] * hh[0] + gr.m[1][k] * hh[1] + gr.m[2][k] * hh[2]);
}

/* Second derivatives of x in (e, a), 7 x 7:
 *   ee  -(n s^T + s n^T + x (I - n n^T))/l^2, s = d - x n       ea  (I - n n^T) D/l, D = dd/da = -2/|a| d^ Gr(c)
 *   aa  2/|a|^2 (N - x I - a g_a^T - g_a a^T), N = -Ql(n) Qr(d0), from x = a^T N a / a^T a */
static void curvature_of_x(const shear_state *b, const double slope[7], double x2[7][7])
{
  double n[3], d[3], s[3], c[4] = {b->c.x, b->c.y, b->c.z, b->c.w}, turn[3][4];
  matrix34 gr = reduction(b->c, 1.0);
  matrix44 left = product_matrix(quat_pure(b->n), 1.0), right = product_matrix(quat_pure(b->d0), -1.0);
  to_array(b->n, n);
  to_array(b->d, d);
  for (int r = 0; r < 3; ++r) s[r] = d[r] - b->x * n[r];
  for (int k = 0; k < 4; ++k) { /* turn = -2/|a| d x (columns of Gr) */
    scr_vec3 column = vec3_cross(b->d, vec3(gr.m[0][k], gr.m[1][k], gr.m[2][k]));
    double part[3];
    to_array(vec3_scale(column, -2.0 / b->a_length), part);
    for (int r = 0; r < 3; ++r) turn[r][k] = part[r];
  }
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < 3; ++k) x2[r][k] = -(n[r] * s[k] + s[r] * n[k] + b->x * ((r == k) - n[r] * n[k])) / (b->length * b->length);
    for (int k = 0; k < 4; ++k) {
      double tangent = turn[r][k];
      for (int m = 0; m < 3; ++m) tangent -= n[r] * n[m] * turn[m][k];
      x2[r][3 + k] = x2[3 + k][r] = tangent / b->length;
    }
  }
  for (int r = 0; r < 4; ++r)
    for (int k = 0; k < 4; ++k) {
      double product = 0.0;
      for (int m = 0; m < 4; ++m) product -= left.m[r][m] * right.m[m][k];
      double radial = b->a_length * (c[r] * slope[3 + k] + slope[3 + r] * c[k]);
      x2[3 + r][3 + k] = 2.0 / (b->a_length * b->a_length) * (product - b->x * (r == k) - radial);
    }
}

/* Adds a value in (e, a) to (e, q_i, q_j): a = q_i + s q_j. Index m of the 7 goes to m and, for a, also to m + 4 times the sign. */
static void add_shear(const bdem_bond *bond, double sign, const shear_state *b, double *gradient, double *hessian)
{
  double f1 = bond->shear * bdem_shear_slope(b->x, b->y), slope[7], x2[7][7];
  slope_of_x(b, slope);
  for (int m = 0; m < 7; ++m) {
    gradient[m] += f1 * slope[m];
    if (m >= 3) gradient[m + 4] += sign * f1 * slope[m];
  }
  if (!hessian) return;
  double f2 = bond->shear * second_slope(b->x, b->y);
  curvature_of_x(b, slope, x2);
  for (int r = 0; r < 7; ++r)
    for (int k = 0; k < 7; ++k) {
      double value = f2 * slope[r] * slope[k] + f1 * x2[r][k];
      hessian[BDEM_EUCLID * r + k] += value;
      if (r >= 3) hessian[BDEM_EUCLID * (r + 4) + k] += sign * value;
      if (k >= 3) hessian[BDEM_EUCLID * r + k + 4] += sign * value;
      if (r >= 3 && k >= 3) hessian[BDEM_EUCLID * (r + 4) + k + 4] += value;
    }
}

static void add_stretch(const bdem_bond *bond, const shear_state *b, double *gradient, double *hessian)
{
  double n[3], tangential = 1.0 - bond->length / b->length;
  to_array(b->n, n);
  for (int r = 0; r < 3; ++r) {
    gradient[r] += bond->stretch * (b->length - bond->length) * n[r];
    for (int k = 0; hessian && k < 3; ++k)
      hessian[BDEM_EUCLID * r + k] += bond->stretch * ((1.0 - tangential) * n[r] * n[k] + tangential * (r == k));
  }
}

/* u = Gl(q_j) q_i = -Gl(q_i) q_j, V = 1/2 u^T A u, w = A u:
 *   ii Gl(q_j)^T A Gl(q_j),  jj Gl(q_i)^T A Gl(q_i),  ij -Gl(q_j)^T A Gl(q_i) + Qr((w, 0)) */
static void add_bend_twist(const bdem_bond *bond, scr_quat qi, scr_quat qj, double *gradient, double *hessian)
{
  const double *d0 = bond->direction;
  matrix34 of[2] = {reduction(qj, -1.0), reduction(qi, -1.0)}; /* du = of[0] dq_i - of[1] dq_j */
  double u[3], w[3], along;
  to_array(quat_vector(quat_multiply(quat_conjugate(qj), qi)), u);
  along = (bond->twist - bond->bend) * (u[0] * d0[0] + u[1] * d0[1] + u[2] * d0[2]);
  for (int r = 0; r < 3; ++r) w[r] = bond->bend * u[r] + along * d0[r];
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 4; ++k)
      gradient[3 + 4 * side + k] += (side ? -1.0 : 1.0) * (of[side].m[0][k] * w[0] + of[side].m[1][k] * w[1] + of[side].m[2][k] * w[2]);
  if (!hessian) return;
  matrix44 right = product_matrix(quat(w[0], w[1], w[2], 0.0), -1.0);
  for (int r = 0; r < 8; ++r)
    for (int k = 0; k < 8; ++k) {
      const matrix34 *a = &of[r / 4], *b = &of[k / 4];
      double sum = 0.0, ar = 0.0, bk = 0.0;
      for (int m = 0; m < 3; ++m) {
        sum += a->m[m][r % 4] * b->m[m][k % 4];
        ar += d0[m] * a->m[m][r % 4];
        bk += d0[m] * b->m[m][k % 4];
      }
      double value = (r / 4 == k / 4 ? 1.0 : -1.0) * (bond->bend * sum + (bond->twist - bond->bend) * ar * bk);
      if (r < 4 && k >= 4) value += right.m[r][k - 4];
      if (r >= 4 && k < 4) value += right.m[k][r - 4];
      hessian[BDEM_EUCLID * (r + 3) + k + 3] += value;
    }
}

void bdem_bond_euclid_derivatives(const bdem_bond *bond, double sign, scr_vec3 e, scr_quat qi, scr_quat qj, double *gradient,
                                  double *hessian)
{
  shear_state b = shear_of(bond, sign, e, qi, qj);
  memset(gradient, 0, BDEM_EUCLID * sizeof *gradient);
  if (hessian) memset(hessian, 0, (size_t)BDEM_EUCLID * BDEM_EUCLID * sizeof *hessian);
  add_stretch(bond, &b, gradient, hessian);
  add_shear(bond, sign, &b, gradient, hessian);
  add_bend_twist(bond, qi, qj, gradient, hessian);
}
