/* Four elements at a time, see batch.h. */
#include "methods/fem/element/batch.h"

#include <math.h>
#include <string.h>

#include "linalg/wide.h"
#include "methods/fem/element/bracing.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* lanes are handed on between functions that are all inlined */

#define INLINE static inline __attribute__((always_inline))

enum { SOLUTIONS = 12 /* of the modes by Newton's method; few elements need more than three */ };

typedef int64_t mask __attribute__((vector_size(FEM_LANES * sizeof(int64_t))));

bool fem_batch_takes(fem_formulation formulation)
{
  return formulation != FEM_B_BAR;
}

void fem_batch_prepare(const fem_hex *const *shape, const fem_constitutive *const *constitutive, uint32_t count, fem_batch *b)
{
  b->count = count;
  b->law = constitutive[0]->law;
  b->formulation = constitutive[0]->formulation;
  memset(b->gram, 0, sizeof b->gram);
  for (int l = 0; l < FEM_LANES; l++) {
    const fem_moduli *moduli = &constitutive[l]->moduli;
    double edge = cbrt(shape[l]->volume), modulus = moduli->mu + fabs(moduli->lambda);
    b->mu[l] = moduli->mu, b->lambda[l] = moduli->lambda;
    b->volume[l] = shape[l]->volume;
    b->rounding[l] = fem_mode_rounding * modulus * edge * edge;
    b->spare[l] = fem_mode_spare * modulus * shape[l]->volume;
    for (int g = 0; g < FEM_GAUSS; g++) {
      const fem_gauss *point = &shape[l]->gauss[g];
      b->weight[g][l] = point->weight;
      for (int a = 0; a < FEM_FUNCTIONS; a++)
        for (int j = 0; j < 3; j++) b->gradient[g][a][j][l] = point->gradient[a][j];
      for (int k = 0, pair = 0; k < FEM_MODES; k++)
        for (int m = 0; m <= k; m++, pair++)
          for (int j = 0; j < 3; j++)
            b->gram[pair][l] += point->weight * point->gradient[FEM_CORNERS + k][j] * point->gradient[FEM_CORNERS + m][j];
    }
  }
}

/* ── lanes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

INLINE void select_lanes(const mask *choice, const fem_lanes *one, const fem_lanes *other, fem_lanes *to)
{
  *to = (fem_lanes)((*choice & (mask)*one) | (~*choice & (mask)*other));
}

INLINE void absolute(const fem_lanes *x, fem_lanes *to)
{
  *to = (fem_lanes)((mask)*x & INT64_MAX);
}

/* to := the larger of it and |x| */
INLINE void raise(const fem_lanes *x, fem_lanes *to)
{
  fem_lanes size;
  absolute(x, &size);
  const mask larger = size > *to;
  select_lanes(&larger, &size, to, to);
}

INLINE bool is_any(const mask *m)
{
  int64_t any = 0;
  for (int l = 0; l < FEM_LANES; l++) any |= (*m)[l];
  return any != 0;
}

/* ln(1 + x) = 2 artanh(x/(2 + x)): the series leaves out less than 1e-18 of it up to |x| = 1/4; beyond that lane by lane. */
INLINE void log_of_one_and(const fem_lanes *x, fem_lanes *to)
{
  fem_lanes s = *x / (2.0 + *x), t = s * s, size;
  fem_lanes high = 1.0 / 13 + t * (1.0 / 15 + t * (1.0 / 17 + t * (1.0 / 19 + t * (1.0 / 21))));
  fem_lanes series = t * (1.0 / 3 + t * (1.0 / 5 + t * (1.0 / 7 + t * (1.0 / 9 + t * (1.0 / 11 + t * high)))));
  *to = 2.0 * (s + s * series);
  absolute(x, &size);
  const mask far = ~(size <= 0.25);
  if (!is_any(&far)) return;
  for (int l = 0; l < FEM_LANES; l++)
    if (far[l]) (*to)[l] = log1p((*x)[l]);
}

/* ── the laws ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What the laws say at a Gauss point: see law.c. */
typedef struct point_law {
  fem_lanes stress[9]; /* P */
  fem_lanes turned[9]; /* F^-T; of the linear law the unit matrix */
  fem_lanes pull;      /* lambda ln J - mu */
  fem_lanes energy;    /* density, J/m^3; neither NaN nor infinite where det F > 0 alone */
} point_law;

/* det F - 1, and F^-T = cof F / det F where `turned` is wanted. */
INLINE void dilatation_of(const fem_lanes d[9], fem_lanes *dilatation, fem_lanes *turned)
{
  fem_lanes f[9], minors = d[0] * d[4] - d[1] * d[3] + d[4] * d[8] - d[5] * d[7] + d[8] * d[0] - d[6] * d[2];
  fem_lanes det = d[0] * (d[4] * d[8] - d[5] * d[7]) + d[1] * (d[5] * d[6] - d[3] * d[8]) + d[2] * (d[3] * d[7] - d[4] * d[6]);
  *dilatation = d[0] + d[4] + d[8] + minors + det;
  fem_lanes inverse = 1.0 / (1.0 + *dilatation);
  for (int k = 0; k < 9; k++) f[k] = k % 4 == 0 ? 1.0 + d[k] : d[k];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = 3 * ((i + 1) % 3), b = 3 * ((i + 2) % 3), c = (j + 1) % 3, e = (j + 2) % 3;
      turned[3 * i + j] = (f[a + c] * f[b + e] - f[a + e] * f[b + c]) * inverse;
    }
}

/* P = mu (D + F^-T D^T) + lambda ln J F^-T,  psi = mu (|F|^2 - 3)/2 - mu ln J + lambda/2 ln^2 J */
INLINE void neo_hookean(const fem_batch *b, const fem_lanes d[9], point_law *p)
{
  fem_lanes dilatation, log, *t = p->turned, stretch = 2.0 * (d[0] + d[4] + d[8]);
  dilatation_of(d, &dilatation, t);
  log_of_one_and(&dilatation, &log);
  fem_lanes pressure = b->lambda * log;
  p->pull = pressure - b->mu;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      fem_lanes rest = t[3 * i] * d[3 * j] + t[3 * i + 1] * d[3 * j + 1] + t[3 * i + 2] * d[3 * j + 2];
      p->stress[3 * i + j] = b->mu * (d[3 * i + j] + rest) + pressure * t[3 * i + j];
      stretch += d[3 * i + j] * d[3 * i + j];
    }
  p->energy = b->mu * (0.5 * stretch - log) + 0.5 * pressure * log;
}

/* P = mu (D + D^T) + lambda tr D 1,  psi = P.D/2 */
INLINE void linear(const fem_batch *b, const fem_lanes d[9], point_law *p)
{
  const fem_lanes none = {0};
  fem_lanes trace = b->lambda * (d[0] + d[4] + d[8]), sum = none;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      fem_lanes stress = b->mu * (d[3 * i + j] + d[3 * j + i]);
      p->stress[3 * i + j] = i == j ? stress + trace : stress;
      p->turned[3 * i + j] = i == j ? 1.0 + none : none;
      sum += p->stress[3 * i + j] * d[3 * i + j];
    }
  p->pull = -b->mu;
  p->energy = 0.5 * sum;
}

/* ── the modes ──────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { N = FEM_MODE_UNKNOWNS };

/* What elements are made of while they are evaluated. */
typedef struct work {
  fem_lanes strain[FEM_GAUSS][9]; /* D of the corners alone */
  point_law point[FEM_GAUSS];
  fem_lanes energy;
  fem_lanes force[N];      /* dW/d alpha */
  fem_lanes hessian[N][N]; /* lower triangle; then unit L below D */
  fem_lanes scale;         /* N, what round-off of forces is measured by */
} work;

INLINE void find_strains(const fem_batch *b, const fem_lanes u[FEM_ELEMENT_UNKNOWNS], fem_lanes strain[FEM_GAUSS][9])
{
  fem_lanes moved[FEM_ELEMENT_UNKNOWNS];
  for (int a = 1; a < FEM_CORNERS; a++)
    for (int i = 0; i < 3; i++) moved[3 * a + i] = u[3 * a + i] - u[i];
  for (int g = 0; g < FEM_GAUSS; g++)
    for (int i = 0; i < 3; i++) {
      fem_lanes sum[3] = {{0}};
      for (int a = 1; a < FEM_CORNERS; a++)
        for (int j = 0; j < 3; j++) sum[j] += moved[3 * a + i] * b->gradient[g][a][j];
      memcpy(strain[g] + 3 * i, sum, sizeof sum);
    }
}

/* Adds a Gauss point's share to forces on modes and to their Hessian. */
INLINE void add_to_modes(const fem_batch *b, int g, const point_law *p, work *w)
{
  const fem_lanes(*gradient)[3] = b->gradient[g] + FEM_CORNERS;
  const fem_lanes tension = b->weight[g] * b->lambda, pull = b->weight[g] * p->pull;
  fem_lanes t[N], first[N], second[N], largest = {0};
  for (int k = 0; k < FEM_MODES; k++)
    for (int i = 0; i < 3; i++) {
      const fem_lanes *s = p->stress + 3 * i, *f = p->turned + 3 * i;
      fem_lanes force = b->weight[g] * (s[0] * gradient[k][0] + s[1] * gradient[k][1] + s[2] * gradient[k][2]);
      w->force[3 * k + i] += force;
      raise(&force, &largest);
      t[3 * k + i] = f[0] * gradient[k][0] + f[1] * gradient[k][1] + f[2] * gradient[k][2];
      first[3 * k + i] = tension * t[3 * k + i];
      second[3 * k + i] = pull * t[3 * k + i];
    }
  w->scale += largest;
  for (int k = 0; k < FEM_MODES; k++)
    for (int l = 0; l <= k; l++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < (k == l ? i + 1 : 3); j++)
          w->hessian[3 * k + i][3 * l + j] += first[3 * k + i] * t[3 * l + j] - second[3 * l + i] * t[3 * k + j];
}

/* D += sum_k alpha_k (x) G_k */
INLINE void add_modes(const fem_batch *b, int g, const fem_lanes mode[N], fem_lanes d[9])
{
  for (int k = 0; k < FEM_MODES; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) d[3 * i + j] += mode[3 * k + i] * b->gradient[g][FEM_CORNERS + k][j];
}

/* Stresses, energy and, with modes, what acts on them. */
INLINE void gather(const fem_batch *b, const fem_lanes *mode, bool modes, bool large, work *w)
{
  const fem_lanes none = {0};
  w->energy = w->scale = none;
  if (modes) memset(w->force, 0, sizeof w->force);
  for (int k = 0, pair = 0; modes && k < FEM_MODES; k++)
    for (int l = 0; l <= k; l++, pair++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) w->hessian[3 * k + i][3 * l + j] = i == j ? b->mu * b->gram[pair] : none;
  for (int g = 0; g < FEM_GAUSS; g++) {
    fem_lanes d[9];
    point_law *p = &w->point[g];
    memcpy(d, w->strain[g], sizeof d);
    if (modes) add_modes(b, g, mode, d);
    if (large)
      neo_hookean(b, d, p);
    else
      linear(b, d, p);
    w->energy += b->weight[g] * p->energy;
    if (modes) add_to_modes(b, g, p, w);
  }
}

/* L D L^T in place. @param positive receives where all pivots are > 0 */
INLINE void factorise(fem_lanes a[N][N], mask *positive)
{
  *positive = ~(mask){0};
  for (int c = 0; c < N; c++) {
    fem_lanes scaled[N];
    for (int k = 0; k < c; k++) scaled[k] = a[c][k] * a[k][k];
    for (int k = 0; k < c; k++) a[c][c] -= a[c][k] * scaled[k];
    *positive &= a[c][c] > 0.0;
    fem_lanes inverse = 1.0 / a[c][c];
    for (int r = c + 1; r < N; r++) {
      fem_lanes sum = a[r][c];
      for (int k = 0; k < c; k++) sum -= a[r][k] * scaled[k];
      a[r][c] = sum * inverse;
    }
  }
}

INLINE void solve(const fem_lanes a[N][N], fem_lanes x[N])
{
  for (int r = 0; r < N; r++)
    for (int k = 0; k < r; k++) x[r] -= a[r][k] * x[k];
  for (int r = N - 1; r >= 0; r--) {
    x[r] /= a[r][r];
    for (int k = r + 1; k < N; k++) x[r] -= a[k][r] * x[k];
  }
}

/* The modes' equilibrium. Lanes that have got there stay. @return where they are a minimum of the energy */
INLINE mask find_modes(const fem_batch *b, bool large, fem_lanes mode[N], work *w)
{
  mask open = ~(mask){0}, good = open;
  fem_lanes before = {0};
  for (int k = 0; k < SOLUTIONS; k++) {
    fem_lanes largest = {0};
    mask positive;
    gather(b, mode, true, large, w);
    if (k > 0) { /* without a step too long */
      fem_lanes most = before + fem_mode_noise * before + b->spare;
      good &= ~open | (w->energy <= most);
    }
    for (int r = 0; r < N; r++) raise(&w->force[r], &largest);
    factorise(w->hessian, &positive);
    good &= positive;
    open &= good & (largest > fem_mode_balance * w->scale + b->rounding);
    if (!is_any(&open)) return good;
    solve((const fem_lanes(*)[N])w->hessian, w->force);
    before = w->energy;
    for (int r = 0; r < N; r++) mode[r] -= (fem_lanes)((mask)w->force[r] & open);
  }
  return good & ~open;
}

/* ── the elements ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* Where the mean deformation is so far from rest that bracing.h adds to the energy. */
INLINE mask is_braced(const fem_batch *b, const work *w)
{
  fem_lanes d[9], dilatation, turned[9], square = {0};
  for (int k = 0; k < 9; k++) {
    fem_lanes sum = {0};
    // cppcheck-suppress uninitvar; find_strains has filled it
    for (int g = 0; g < FEM_GAUSS; g++) sum += b->weight[g] * w->strain[g][k];
    d[k] = sum / b->volume;
  }
  dilatation_of(d, &dilatation, turned);
  for (int k = 0; k < 9; k++) square += turned[k] * turned[k];
  return ~((dilatation > -1.0) & (square <= fem_bracing_begins));
}

/* Adds what a stress at a Gauss point is on functions `first` ... `end` - 1. */
INLINE void add_forces(const fem_batch *b, int g, const fem_lanes stress[9], int first, int end, fem_lanes *force)
{
  fem_lanes p[9];
  for (int k = 0; k < 9; k++) p[k] = b->weight[g] * stress[k];
  for (int a = first; a < end; a++)
    for (int i = 0; i < 3; i++)
      force[3 * (a - first) + i] +=
          p[3 * i] * b->gradient[g][a][0] + p[3 * i + 1] * b->gradient[g][a][1] + p[3 * i + 2] * b->gradient[g][a][2];
}

INLINE void find_forces(const fem_batch *b, const work *w, fem_lanes gradient[FEM_ELEMENT_UNKNOWNS])
{
  memset(gradient, 0, FEM_ELEMENT_UNKNOWNS * sizeof *gradient);
  for (int g = 0; g < FEM_GAUSS; g++) add_forces(b, g, w->point[g].stress, 0, FEM_CORNERS, gradient);
}

INLINE mask evaluate(const fem_batch *b, bool modes, bool large, fem_batch_values *v)
{
  work w;
  mask good = ~(mask){0};
  find_strains(b, v->displacement, w.strain);
  if (modes && large) good = ~is_braced(b, &w);
  if (modes)
    good &= find_modes(b, large, v->mode, &w);
  else
    gather(b, NULL, false, large, &w);
  good &= w.energy < (double)INFINITY;
  v->energy = w.energy;
  find_forces(b, &w, v->gradient);
  return good;
}

/* Bits of the lanes that are chosen. */
INLINE unsigned bits_of(const mask *choice)
{
  unsigned bits = 0;
  for (int l = 0; l < FEM_LANES; l++) bits |= (unsigned)((*choice)[l] != 0) << l;
  return bits;
}

WIDE unsigned fem_batch_evaluate(const fem_batch *batch, fem_batch_values *values)
{
  mask good;
  bool large = batch->law == FEM_NEO_HOOKEAN;
  if (batch->formulation == FEM_INCOMPATIBLE_MODES)
    good = large ? evaluate(batch, true, true, values) : evaluate(batch, true, false, values);
  else
    good = large ? evaluate(batch, false, true, values) : evaluate(batch, false, false, values);
  return bits_of(&good);
}

/* ── products ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* dP = mu dF - (lambda ln J - mu) F^-T dF^T F^-T + lambda (F^-T : dF) F^-T */
INLINE void stress_change(const fem_batch *b, const point_law *p, const fem_lanes d[9], fem_lanes stress[9])
{
  const fem_lanes *t = p->turned;
  fem_lanes half[9], along = {0};
  for (int k = 0; k < 9; k++) along += t[k] * d[k];
  for (int i = 0; i < 3; i++) /* F^-T dF^T */
    for (int j = 0; j < 3; j++) half[3 * i + j] = t[3 * i] * d[3 * j] + t[3 * i + 1] * d[3 * j + 1] + t[3 * i + 2] * d[3 * j + 2];
  fem_lanes tension = b->lambda * along;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      fem_lanes turned = half[3 * i] * t[j] + half[3 * i + 1] * t[3 + j] + half[3 * i + 2] * t[6 + j];
      stress[3 * i + j] = b->mu * d[3 * i + j] - p->pull * turned + tension * t[3 * i + j];
    }
}

INLINE mask multiply(const fem_batch *b, bool modes, bool large, fem_batch_product *v)
{
  work w;
  fem_lanes change[FEM_GAUSS][9], stress[9], reply[N] = {{0}};
  mask good = ~(mask){0};
  find_strains(b, v->displacement, w.strain);
  if (modes && large) good = ~is_braced(b, &w);
  gather(b, v->mode, modes, large, &w);
  find_strains(b, v->x, change);
  if (modes) {
    mask positive;
    factorise(w.hessian, &positive);
    good &= positive;
    for (int g = 0; g < FEM_GAUSS; g++) {
      stress_change(b, &w.point[g], change[g], stress);
      add_forces(b, g, stress, FEM_CORNERS, FEM_FUNCTIONS, reply);
    }
    solve((const fem_lanes(*)[N])w.hessian, reply);
    for (int r = 0; r < N; r++) reply[r] = -reply[r];
  }
  memset(v->y, 0, sizeof v->y);
  for (int g = 0; g < FEM_GAUSS; g++) {
    if (modes) add_modes(b, g, reply, change[g]);
    stress_change(b, &w.point[g], change[g], stress);
    add_forces(b, g, stress, 0, FEM_CORNERS, v->y);
  }
  return good & (w.energy < (double)INFINITY);
}

WIDE unsigned fem_batch_multiply(const fem_batch *batch, fem_batch_product *product)
{
  mask good;
  bool large = batch->law == FEM_NEO_HOOKEAN;
  if (batch->formulation == FEM_INCOMPATIBLE_MODES)
    good = large ? multiply(batch, true, true, product) : multiply(batch, true, false, product);
  else
    good = large ? multiply(batch, false, true, product) : multiply(batch, false, false, product);
  return bits_of(&good);
}
