/** Second derivatives of a bond's energy, written directly in (e, y_i, y_j): the 4-component quaternion derivatives reduced by
 *  hand, so that no 11 x 11 matrix is formed. About 1100 flops.
 *
 *  Notation: t^ is the matrix of t x; rel = s q_j conj(q_i) = (rho, sigma); d_i = R(q_i) d0; d = R(c) d0; h = d x n;
 *  f1 = -t/sin t and f2 = (sin t - t cos t)/sin^3 t of the shear angle t. The curvature of the unit sphere adds -(q . dV/dq) I to the
 *  rotational diagonal blocks. */
#include "methods/bdem/bonds/bond.h"

#include <string.h>

#include "linalg/symmetric_eigen.h"

typedef struct matrix3 {
  double m[9];
} matrix3;

static inline matrix3 diagonal(double s)
{
  return (matrix3){{s, 0, 0, 0, s, 0, 0, 0, s}};
}

static inline matrix3 add(matrix3 a, matrix3 b)
{
  for (int k = 0; k < 9; ++k) a.m[k] += b.m[k];
  return a;
}

static inline matrix3 scale(matrix3 a, double s)
{
  for (int k = 0; k < 9; ++k) a.m[k] *= s;
  return a;
}

static inline matrix3 multiply(matrix3 a, matrix3 b)
{
  matrix3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c.m[3 * i + j] = a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
  return c;
}

static inline matrix3 transpose(matrix3 a)
{
  return (matrix3){{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}

static inline matrix3 outer(scr_vec3 a, scr_vec3 b)
{
  return (matrix3){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z}};
}

static inline matrix3 symmetric_outer(scr_vec3 a, scr_vec3 b)
{
  return add(outer(a, b), outer(b, a));
}

static inline matrix3 cross_matrix(scr_vec3 t)
{
  return (matrix3){{0, -t.z, t.y, t.z, 0, -t.x, -t.y, t.x, 0}};
}

static inline scr_vec3 transform(matrix3 a, scr_vec3 v)
{
  return vec3(a.m[0] * v.x + a.m[1] * v.y + a.m[2] * v.z, a.m[3] * v.x + a.m[4] * v.y + a.m[5] * v.z,
              a.m[6] * v.x + a.m[7] * v.y + a.m[8] * v.z);
}

/* R(q) as a matrix. */
static matrix3 rotation(scr_quat q)
{
  double x = q.x, y = q.y, z = q.z, w = q.w;
  return (matrix3){{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
                    2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}

/* f2 from x = cos t, y = sin t; as a series near 0, where the closed form cancels (next term 0.03 y^10). */
static double shear_second_slope(double x, double y)
{
  double t = y * y;
  if (x > 0.0 && t < 1e-3) return 1.0 / 3.0 + t * (2.0 / 15.0 + t * (8.0 / 105.0 + t * (16.0 / 315.0 + t * (128.0 / 3465.0))));
  return (y - atan2(y, x) * x) / (y * t);
}

/* Everything about the current state that the blocks share. */
typedef struct bond_state {
  scr_vec3 n, d, d0, di, rho, h;
  scr_quat rel_raw; /* q_j conj(q_i), without the sign s */
  double length, sigma, x, y;
} bond_state;

static bond_state state_of(const bdem_bond *bond, scr_vec3 e, scr_quat qi, scr_quat qj)
{
  bond_state b;
  b.d0 = vec3(bond->direction[0], bond->direction[1], bond->direction[2]);
  b.length = vec3_length(e);
  b.n = vec3_scale(e, 1.0 / b.length);
  b.rel_raw = quat_multiply(qj, quat_conjugate(qi));
  double s = b.rel_raw.w < 0.0 ? -1.0 : 1.0;
  b.sigma = s * b.rel_raw.w;
  b.rho = vec3_scale(quat_vector(b.rel_raw), s);
  b.d = quat_rotate(quat_normalise(quat_add(qi, quat_scale(qj, s))), b.d0);
  b.di = quat_rotate(qi, b.d0);
  b.h = vec3_cross(b.d, b.n);
  b.x = vec3_dot(b.n, b.d);
  b.y = vec3_length(b.h);
  return b;
}

static void accumulate(double *block, matrix3 a)
{
  for (int k = 0; k < 9; ++k) block[k] += a.m[k];
}

/* kn [n n^T + (1 - l0/l)(I - n n^T)]; the second factor is kept >= 0 for Gauss-Newton. */
static void add_stretch(const bdem_bond *bond, const bond_state *b, bdem_curvature curvature, bdem_bond_hessian *hessian)
{
  double tangential = 1.0 - bond->length / b->length;
  if (curvature == BDEM_CURVATURE_GAUSS_NEWTON && tangential < 0.0) tangential = 0.0;
  accumulate(hessian->ee, add(scale(outer(b->n, b->n), bond->stretch * (1.0 - tangential)), diagonal(bond->stretch * tangential)));
}

/* V = 1/2 kt theta(x)^2 with x = n.d: H = kt (f2 grad x grad x^T + f1 hess x), sphere curvature included.
 *  grad x: (d - x n)/l in e; with k = 1/(1 + sigma): (h + k h x rho) in y_i and (h - k h x rho) in y_j.
 *  hess x, from the quaternion form x = a^T N a / a^T a, a = q_i + s q_j, and k' = 2/|a|^2 = k:
 *    ii: k [d_i n^T + n d_i^T - (n.d_i) I - x I - rho g_i^T - g_i rho^T] + k (h.rho) I
 *    ij: k [-m_s n^ + m n^T + n m^T - (n.m) I - x (sigma I - rho^) - rho g_j^T + g_i rho^T],  (m, m_s) = rel d_i
 *    jj: as ii with d_j, -rho, g_j, and -k (h.rho) I
 *    ee: -(n dp^T + dp n^T + x (I - n n^T))/l^2, dp = d - x n
 *    ei: -(I - n n^T) d^ (I + k rho^)/l,  ej: the same with -rho. */
static void add_shear_exact(const bdem_bond *bond, const bond_state *b, bdem_bond_hessian *hessian)
{
  double k = 1.0 / (1.0 + b->sigma), f1 = bond->shear * bdem_shear_slope(b->x, b->y), f2 = bond->shear * shear_second_slope(b->x, b->y);
  double hr = vec3_dot(b->h, b->rho);
  scr_vec3 dp = vec3_sub(b->d, vec3_scale(b->n, b->x)), side = vec3_scale(vec3_cross(b->h, b->rho), k);
  scr_vec3 ge = vec3_scale(dp, 1.0 / b->length), gi = vec3_add(b->h, side), gj = vec3_sub(b->h, side);
  matrix3 tangent = add(diagonal(1.0), scale(outer(b->n, b->n), -1.0)), rho_cross = cross_matrix(b->rho);

  matrix3 ee = scale(add(symmetric_outer(b->n, dp), scale(tangent, b->x)), -f1 / (b->length * b->length));
  accumulate(hessian->ee, add(ee, scale(outer(ge, ge), f2)));

  matrix3 td = scale(multiply(tangent, cross_matrix(b->d)), -f1 / b->length), tdr = scale(multiply(td, rho_cross), k);
  accumulate(hessian->ei, add(add(td, tdr), scale(outer(ge, gi), f2)));
  accumulate(hessian->ej, add(add(td, scale(tdr, -1.0)), scale(outer(ge, gj), f2)));

  scr_quat m = quat_multiply(quat(b->rho.x, b->rho.y, b->rho.z, b->sigma), quat_pure(b->di));
  scr_vec3 mv = quat_vector(m);
  /* d_j = R(q_j) d0 = rel d_i conj(rel) */
  scr_vec3 dj = quat_vector(quat_multiply(m, quat(-b->rho.x, -b->rho.y, -b->rho.z, b->sigma)));
  matrix3 ii = add(symmetric_outer(b->n, b->di), diagonal(-vec3_dot(b->n, b->di) - b->x + hr));
  matrix3 jj = add(symmetric_outer(b->n, dj), diagonal(-vec3_dot(b->n, dj) - b->x - hr));
  matrix3 ij = add(scale(cross_matrix(b->n), -m.w), add(symmetric_outer(mv, b->n), diagonal(-vec3_dot(b->n, mv))));
  ii = add(ii, scale(symmetric_outer(b->rho, gi), -1.0));
  jj = add(jj, symmetric_outer(b->rho, gj));
  ij = add(ij, add(diagonal(-b->x * b->sigma), scale(rho_cross, b->x)));
  ij = add(ij, add(scale(outer(b->rho, gj), -1.0), outer(gi, b->rho)));
  accumulate(hessian->ii, add(scale(ii, f1 * k), scale(outer(gi, gi), f2)));
  accumulate(hessian->ij, add(scale(ij, f1 * k), scale(outer(gi, gj), f2)));
  accumulate(hessian->jj, add(scale(jj, f1 * k), scale(outer(gj, gj), f2)));
}

/* kt Js^T Js, Js the Jacobian of n x d: -d^ (I - n n^T)/l in e, -n^ d^ (I +- rho^/(1 + sigma)) in y_i, y_j. */
static void add_shear_gauss_newton(const bdem_bond *bond, const bond_state *b, bdem_bond_hessian *hessian)
{
  double k = 1.0 / (1.0 + b->sigma);
  matrix3 tangent = add(diagonal(1.0), scale(outer(b->n, b->n), -1.0)), dx = cross_matrix(b->d);
  matrix3 turn = scale(multiply(cross_matrix(b->n), dx), -1.0), slope = scale(multiply(turn, cross_matrix(b->rho)), k);
  matrix3 je = scale(multiply(dx, tangent), -1.0 / b->length), ji = add(turn, slope), jj = add(turn, scale(slope, -1.0));
  accumulate(hessian->ee, scale(multiply(transpose(je), je), bond->shear));
  accumulate(hessian->ei, scale(multiply(transpose(je), ji), bond->shear));
  accumulate(hessian->ej, scale(multiply(transpose(je), jj), bond->shear));
  accumulate(hessian->ii, scale(multiply(transpose(ji), ji), bond->shear));
  accumulate(hessian->ij, scale(multiply(transpose(ji), jj), bond->shear));
  accumulate(hessian->jj, scale(multiply(transpose(jj), jj), bond->shear));
}

/* u = vec(conj(q_j) q_i) changes by U (y_i - y_j), U = (u_s I - u^) R(q_j)^T: blocks +-U^T A U. The exact Hessian adds, with
 * P = q_j (A u) conj(q_i) = (P_v, P_s): -P_s I on ii and jj, P_s I - P_v^ on ij. */
static void add_bend_twist(const bdem_bond *bond, const bond_state *b, scr_quat qi, scr_quat qj, bdem_curvature curvature,
                           bdem_bond_hessian *hessian)
{
  scr_quat relative = quat_multiply(quat_conjugate(qj), qi);
  scr_vec3 u = quat_vector(relative);
  matrix3 jacobian = multiply(add(diagonal(relative.w), scale(cross_matrix(u), -1.0)), transpose(rotation(qj)));
  scr_vec3 along = transform(transpose(jacobian), b->d0);
  matrix3 block = add(scale(multiply(transpose(jacobian), jacobian), bond->bend), scale(outer(along, along), bond->twist - bond->bend));
  matrix3 cross = scale(block, -1.0);
  if (curvature != BDEM_CURVATURE_GAUSS_NEWTON) {
    scr_vec3 w = vec3_add(vec3_scale(u, bond->bend), vec3_scale(b->d0, (bond->twist - bond->bend) * vec3_dot(u, b->d0)));
    scr_quat p = quat_multiply(quat_multiply(qj, quat_pure(w)), quat_conjugate(qi));
    block = add(block, diagonal(-p.w));
    cross = add(cross, add(diagonal(p.w), scale(cross_matrix(quat_vector(p)), -1.0)));
  }
  accumulate(hessian->ii, block);
  accumulate(hessian->jj, block);
  accumulate(hessian->ij, cross);
}

/* Block row and column of each member of the struct. */
static const int corners[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

/* H = D^-1 clip(D H D) D^-1 with D = diag(I, I/l0, I/l0): in (e, l0 y_i, l0 y_j) all entries are N/m. */
static void clip(double length, bdem_bond_hessian *hessian)
{
  double *blocks[6] = {hessian->ee, hessian->ei, hessian->ej, hessian->ii, hessian->ij, hessian->jj}, full[81];
  const double scale[3] = {1.0, 1.0 / length, 1.0 / length};
  for (int b = 0; b < 6; ++b)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        int row = 3 * corners[b][0] + r, column = 3 * corners[b][1] + c;
        full[9 * row + column] = full[9 * column + row] = blocks[b][3 * r + c] * scale[corners[b][0]] * scale[corners[b][1]];
      }
  if (!la_symmetric_clip(9, full)) return; /* positive semi-definite already: keep every digit */
  for (int b = 0; b < 6; ++b)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        blocks[b][3 * r + c] = full[9 * (3 * corners[b][0] + r) + 3 * corners[b][1] + c] / (scale[corners[b][0]] * scale[corners[b][1]]);
}

void bdem_bond_hessian_of(const bdem_bond *bond, scr_vec3 e, scr_quat qi, scr_quat qj, bdem_curvature curvature, bdem_bond_hessian *hessian)
{
  bond_state b = state_of(bond, e, qi, qj);
  memset(hessian, 0, sizeof *hessian);
  add_stretch(bond, &b, curvature, hessian);
  if (curvature == BDEM_CURVATURE_GAUSS_NEWTON)
    add_shear_gauss_newton(bond, &b, hessian);
  else
    add_shear_exact(bond, &b, hessian);
  add_bend_twist(bond, &b, qi, qj, curvature, hessian);
  if (curvature == BDEM_CURVATURE_CLIPPED) clip(bond->length, hessian);
}
