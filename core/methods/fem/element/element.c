/* Sums over Gauss points, the mean dilatation, and the condensation of the incompatible modes. */
#include "methods/fem/element/element.h"

#include <math.h>
#include <string.h>

#include "linalg/symmetric_eigen.h"
#include "methods/fem/element/bracing.h"

enum { UNKNOWNS = 3 * FEM_FUNCTIONS, MODE_LIMIT = 40, CUT_LIMIT = 20, SHIFT_LIMIT = 20, VANISHING = -1 };

/* What a pass over the Gauss points gathers, for corners and modes together. */
typedef struct sums {
  double energy;
  double gradient[UNKNOWNS];
  double stiffness[UNKNOWNS][UNKNOWNS]; /* block rows a <= block columns b until mirrored */
  double scale;                         /* N: sum of |w P G|, what the gradient's round-off is measured by */
} sums;

static int function_count(const fem_constitutive *constitutive)
{
  return constitutive->formulation == FEM_INCOMPATIBLE_MODES ? FEM_FUNCTIONS : FEM_CORNERS;
}

void fem_element_gradient(const fem_hex *hex, const fem_constitutive *constitutive, const double displacement[FEM_CORNERS][3],
                          const double *mode, int g, double d[9])
{
  const fem_gauss *point = &hex->gauss[g];
  memset(d, 0, 9 * sizeof *d);
  for (int a = 1; a < FEM_CORNERS; a++) /* gradients add up to zero, so a common displacement drops out */
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) d[3 * i + j] += (displacement[a][i] - displacement[0][i]) * point->gradient[a][j];
  if (constitutive->formulation != FEM_INCOMPATIBLE_MODES || !mode) return;
  for (int k = 0; k < FEM_MODES; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) d[3 * i + j] += mode[3 * k + i] * point->gradient[FEM_CORNERS + k][j];
}

/* ── a Gauss point's share ──────────────────────────────────────────────────────────────────────────────────────── */

static void add_gradient(const fem_gauss *point, int first, int count, const double stress[9], sums *s)
{
  double largest = 0;
  for (int a = first; a < count; a++)
    for (int i = 0; i < 3; i++) {
      double share = point->weight * (stress[3 * i] * point->gradient[a][0] + stress[3 * i + 1] * point->gradient[a][1] +
                                      stress[3 * i + 2] * point->gradient[a][2]);
      s->gradient[3 * a + i] += share;
      largest = fmax(largest, fabs(share));
    }
  s->scale += largest;
}

/* K_ab,ik += w G_aJ A_iJkL G_bL */
static void add_stiffness(const fem_gauss *point, int first, int count, const double tangent[81], sums *s)
{
  for (int b = first; b < count; b++) {
    double half[9][3];
    // cppcheck-suppress negativeIndex; b is never below first
    const double *g = point->gradient[b];
    for (int p = 0; p < 9; p++)
      for (int k = 0; k < 3; k++)
        half[p][k] =
            point->weight * (tangent[9 * p + 3 * k] * g[0] + tangent[9 * p + 3 * k + 1] * g[1] + tangent[9 * p + 3 * k + 2] * g[2]);
    for (int a = first; a <= b; a++) {
      const double *ga = point->gradient[a];
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
          s->stiffness[3 * a + i][3 * b + k] += ga[0] * half[3 * i][k] + ga[1] * half[3 * i + 1][k] + ga[2] * half[3 * i + 2][k];
    }
  }
}

static void mirror(int first, int end, sums *s)
{
  for (int r = first; r < end; r++)
    for (int c = first; c < r; c++)
      if (c / 3 < r / 3) s->stiffness[r][c] = s->stiffness[c][r];
}

/* ── the mean dilatation ────────────────────────────────────────────────────────────────────────────────────────── */

/* Adds V U(theta), U = lambda/2 ln^2 theta or lambda/2 (theta - 1)^2, theta the mean of det F or 1 + tr e. */
static void add_mean_dilatation(const fem_hex *hex, const fem_constitutive *constitutive, const double displacement[FEM_CORNERS][3],
                                bool clamp, bool stiffness, sums *s)
{
  bool large = constitutive->law == FEM_NEO_HOOKEAN;
  double slope[FEM_CORNERS][3] = {0}, cofactor[FEM_GAUSS][9], mean = 0; /* d theta / du, theta - 1 */
  for (int g = 0; g < FEM_GAUSS; g++) {
    const fem_gauss *point = &hex->gauss[g];
    double d[9], share = point->weight / hex->volume;
    fem_element_gradient(hex, constitutive, displacement, NULL, g, d);
    mean += share * (large ? fem_dilatation(d, cofactor[g]) : d[0] + d[4] + d[8]);
    for (int a = 0; a < FEM_CORNERS; a++)
      for (int i = 0; i < 3; i++) {
        const double *row = &cofactor[g][3 * i], *grad = point->gradient[a];
        slope[a][i] += share * (large ? row[0] * grad[0] + row[1] * grad[1] + row[2] * grad[2] : grad[i]);
      }
  }
  double lambda = constitutive->moduli.lambda, log = log1p(mean), theta = 1 + mean;
  double first = hex->volume * lambda * (large ? log / theta : mean);
  double second = hex->volume * lambda * (large ? (1 - log) / (theta * theta) : 1);
  s->energy += hex->volume * 0.5 * lambda * (large ? log * log : mean * mean);
  for (int r = 0; r < FEM_ELEMENT_UNKNOWNS; r++) s->gradient[r] += first * slope[r / 3][r % 3];
  if (!stiffness) return;
  if (clamp) second = fmax(second, 0);
  for (int r = 0; r < FEM_ELEMENT_UNKNOWNS; r++)
    for (int c = r - r % 3; c < FEM_ELEMENT_UNKNOWNS; c++) s->stiffness[r][c] += second * slope[r / 3][r % 3] * slope[c / 3][c % 3];
  if (!large || clamp) return;
  /* d2 det F / dF_iJ dF_kL = eps_ikm eps_JLN F_mN: J (t_iJ t_kL - t_iL t_kJ), t = F^-T */
  for (int g = 0; g < FEM_GAUSS; g++) {
    const fem_gauss *point = &hex->gauss[g];
    double d[9], part[FEM_CORNERS][3], det, factor;
    fem_element_gradient(hex, constitutive, displacement, NULL, g, d);
    det = 1 + fem_dilatation(d, NULL);
    factor = first * point->weight / hex->volume / det;
    for (int a = 0; a < FEM_CORNERS; a++)
      for (int i = 0; i < 3; i++) {
        const double *row = &cofactor[g][3 * i], *grad = point->gradient[a];
        part[a][i] = row[0] * grad[0] + row[1] * grad[1] + row[2] * grad[2];
      }
    for (int a = 0; a < FEM_CORNERS; a++)
      for (int b = a; b < FEM_CORNERS; b++)
        for (int i = 0; i < 3; i++)
          for (int k = 0; k < 3; k++) s->stiffness[3 * a + i][3 * b + k] += factor * (part[a][i] * part[b][k] - part[b][i] * part[a][k]);
  }
}

/* ── compression ────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Adds the energy that modes have under large compression: c(I) mu q(alpha). Clamped: what of its Hessian is positive by itself. */
static void add_bracing(const fem_bracing *bracing, const fem_constitutive *constitutive, const double *mode, int first, bool clamp,
                        bool stiffness, sums *s)
{
  double slope[FEM_MODE_UNKNOWNS], mu = constitutive->moduli.mu, measure = fem_bracing_measure(bracing, mode, slope) * mu;
  fem_gauss middle = {.weight = 1};
  memcpy(middle.gradient, bracing->mean, sizeof bracing->mean);
  s->energy += bracing->share * measure;
  for (int r = 0; r < FEM_MODE_UNKNOWNS; r++) s->gradient[FEM_ELEMENT_UNKNOWNS + r] += bracing->share * mu * slope[r];
  for (int k = 0; stiffness && k < FEM_MODES; k++)
    for (int l = k; l < FEM_MODES; l++)
      for (int i = 0; i < 3; i++)
        s->stiffness[FEM_ELEMENT_UNKNOWNS + 3 * k + i][FEM_ELEMENT_UNKNOWNS + 3 * l + i] += bracing->share * mu * bracing->gram[k][l];
  if (first > 0) return;
  double stress[9], tangent[81];
  for (int k = 0; k < 9; k++) stress[k] = bracing->slope * measure * bracing->first[k];
  add_gradient(&middle, 0, FEM_CORNERS, stress, s);
  if (!stiffness) return;
  fem_bracing_second(bracing, tangent);
  for (int p = 0; p < 9; p++)
    for (int q = 0; q < 9; q++)
      tangent[9 * p + q] = measure * (bracing->slope * tangent[9 * p + q] + bracing->curve * bracing->first[p] * bracing->first[q]);
  if (clamp) (void)la_symmetric_clip(9, tangent);
  add_stiffness(&middle, 0, FEM_CORNERS, tangent, s);
  if (clamp) return;
  for (int a = 0; a < FEM_CORNERS; a++)
    for (int i = 0; i < 3; i++) {
      const double *row = &bracing->first[3 * i], *grad = bracing->mean[a];
      double along = bracing->slope * mu * (row[0] * grad[0] + row[1] * grad[1] + row[2] * grad[2]);
      for (int r = 0; r < FEM_MODE_UNKNOWNS; r++) s->stiffness[3 * a + i][FEM_ELEMENT_UNKNOWNS + r] += along * slope[r];
    }
}

/* ── the element ────────────────────────────────────────────────────────────────────────────────────────────────── */

/* One element as it is displaced. */
typedef struct displaced {
  const fem_hex *hex;
  const fem_constitutive *constitutive;
  const fem_bracing *bracing;
  const double (*displacement)[3]; /* [FEM_CORNERS] m */
} displaced;

/* From function `first` on: 0, or FEM_CORNERS for the modes alone. */
static bool gather(const displaced *e, const double *mode, int first, bool clamp, bool stiffness, sums *s)
{
  const fem_hex *hex = e->hex;
  const fem_constitutive *constitutive = e->constitutive;
  const double(*displacement)[3] = e->displacement;
  int count = function_count(constitutive);
  bool b_bar = constitutive->formulation == FEM_B_BAR;
  fem_moduli moduli = constitutive->moduli;
  if (b_bar) moduli.lambda = 0;
  s->energy = s->scale = 0;
  memset(s->gradient, 0, sizeof s->gradient);
  for (int r = 3 * first; stiffness && r < 3 * count; r++)
    memset(s->stiffness[r] + 3 * first, 0, 3 * (size_t)(count - first) * sizeof(double));
  for (int g = 0; g < FEM_GAUSS; g++) {
    double d[9], stress[9], tangent[81] = {0};
    fem_element_gradient(hex, constitutive, displacement, mode, g, d);
    if (!fem_law_stress(constitutive->law, &moduli, d, stress, stiffness ? tangent : NULL)) return false;
    s->energy += hex->gauss[g].weight * fem_law_energy(constitutive->law, &moduli, d);
    add_gradient(&hex->gauss[g], first, count, stress, s);
    if (!stiffness) continue;
    if (clamp) (void)la_symmetric_clip(9, tangent);
    add_stiffness(&hex->gauss[g], first, count, tangent, s);
  }
  if (b_bar) add_mean_dilatation(hex, constitutive, displacement, clamp, stiffness, s);
  if (e->bracing->share > 0) add_bracing(e->bracing, constitutive, mode, first, clamp, stiffness, s);
  if (stiffness) mirror(3 * first, 3 * count, s);
  return isfinite(s->energy);
}

/* L D L^T of the modes' 9 x 9 block in place, unit lower triangle below the diagonal D. @return how many pivots are negative, as many as
 * the block has negative eigenvalues; VANISHING where one is zero */
static int factorise(double a[FEM_MODE_UNKNOWNS][FEM_MODE_UNKNOWNS])
{
  int negative = 0;
  for (int c = 0; c < FEM_MODE_UNKNOWNS; c++) {
    for (int k = 0; k < c; k++) a[c][c] -= a[c][k] * a[c][k] * a[k][k];
    if (!(fabs(a[c][c]) > 0)) return VANISHING;
    negative += a[c][c] < 0;
    for (int r = c + 1; r < FEM_MODE_UNKNOWNS; r++) {
      for (int k = 0; k < c; k++) a[r][c] -= a[r][k] * a[c][k] * a[k][k];
      a[r][c] /= a[c][c];
    }
  }
  return negative;
}

static void solve(double a[FEM_MODE_UNKNOWNS][FEM_MODE_UNKNOWNS], double x[FEM_MODE_UNKNOWNS])
{
  for (int r = 0; r < FEM_MODE_UNKNOWNS; r++)
    for (int k = 0; k < r; k++) x[r] -= a[r][k] * x[k];
  for (int r = FEM_MODE_UNKNOWNS - 1; r >= 0; r--) {
    x[r] /= a[r][r];
    for (int k = r + 1; k < FEM_MODE_UNKNOWNS; k++) x[r] -= a[k][r] * x[k];
  }
}

/* @param shift N/m, added to the diagonal */
static int factor_of_modes(const sums *s, double shift, double block[FEM_MODE_UNKNOWNS][FEM_MODE_UNKNOWNS])
{
  for (int r = 0; r < FEM_MODE_UNKNOWNS; r++)
    for (int c = 0; c < FEM_MODE_UNKNOWNS; c++)
      block[r][c] = s->stiffness[FEM_ELEMENT_UNKNOWNS + r][FEM_ELEMENT_UNKNOWNS + c] + (r == c ? shift : 0);
  return factorise(block);
}

/* The same where the energy is not convex: with the least of ever larger shifts that makes it so, so that steps go downhill and rest on no
 * saddle. */
static bool factor_downhill(const sums *s, double block[FEM_MODE_UNKNOWNS][FEM_MODE_UNKNOWNS])
{
  double shift = 0;
  if (factor_of_modes(s, 0, block) == 0) return true;
  for (int r = FEM_ELEMENT_UNKNOWNS; r < UNKNOWNS; r++) shift = fmax(shift, 1e-3 * fabs(s->stiffness[r][r]));
  for (int k = 0; k < SHIFT_LIMIT; k++) {
    if (factor_of_modes(s, shift, block) == 0) return true;
    shift *= 4;
  }
  return false;
}

/* The modes' equilibrium by Newton's method: where det F <= 0 on the way, or the energy grows, a step is halved. Only a minimum of the
 * energy counts. */
static bool solve_modes(const displaced *e, double *mode, sums *s)
{
  const fem_moduli *moduli = &e->constitutive->moduli;
  const double modulus = moduli->mu + fabs(moduli->lambda), volume = e->hex->volume, edge = cbrt(volume),
               rounding = fem_mode_rounding * modulus * edge * edge;
  double block[FEM_MODE_UNKNOWNS][FEM_MODE_UNKNOWNS];
  if (!gather(e, mode, FEM_CORNERS, false, true, s)) {
    memset(mode, 0, FEM_MODE_UNKNOWNS * sizeof *mode);
    if (!gather(e, mode, FEM_CORNERS, false, true, s)) return false;
  }
  for (int k = 0; k < MODE_LIMIT; k++) {
    double force[FEM_MODE_UNKNOWNS], start[FEM_MODE_UNKNOWNS], largest = 0, step = 1;
    double before = s->energy, noise = fem_mode_noise * before + fem_mode_spare * modulus * volume;
    for (int r = 0; r < FEM_MODE_UNKNOWNS; r++) force[r] = -s->gradient[FEM_ELEMENT_UNKNOWNS + r], largest = fmax(largest, fabs(force[r]));
    if (largest <= fem_mode_balance * s->scale + rounding) return factor_of_modes(s, 0, block) == 0;
    if (!factor_downhill(s, block)) return false;
    solve(block, force);
    memcpy(start, mode, sizeof start);
    for (int cut = 0;; cut++) {
      for (int r = 0; r < FEM_MODE_UNKNOWNS; r++) mode[r] = start[r] + step * force[r];
      if (gather(e, mode, FEM_CORNERS, false, true, s) && s->energy <= before + noise) break;
      if (cut == CUT_LIMIT) return false;
      step *= 0.5;
    }
  }
  return false;
}

/* K - K_um K_mm^-1 K_mu; with clamp the modes' block is positive semi-definite only, and a vanishing pivot leaves the modes out. */
static void condense(sums *s, double *stiffness)
{
  double block[FEM_MODE_UNKNOWNS][FEM_MODE_UNKNOWNS], column[FEM_MODE_UNKNOWNS];
  bool valid = factor_of_modes(s, 0, block) != VANISHING;
  for (int c = 0; c < FEM_ELEMENT_UNKNOWNS; c++) {
    for (int k = 0; k < FEM_MODE_UNKNOWNS; k++) column[k] = valid ? s->stiffness[FEM_ELEMENT_UNKNOWNS + k][c] : 0;
    if (valid) solve(block, column);
    for (int r = 0; r <= c; r++) {
      double sum = s->stiffness[r][c];
      for (int k = 0; k < FEM_MODE_UNKNOWNS; k++) sum -= s->stiffness[r][FEM_ELEMENT_UNKNOWNS + k] * column[k];
      stiffness[FEM_ELEMENT_UNKNOWNS * r + c] = stiffness[FEM_ELEMENT_UNKNOWNS * c + r] = sum;
    }
  }
}

bool fem_element_evaluate(const fem_hex *hex, const fem_constitutive *constitutive, const double displacement[FEM_CORNERS][3], double *mode,
                          bool clamp, const fem_element_out *out)
{
  sums s;
  bool modes = constitutive->formulation == FEM_INCOMPATIBLE_MODES;
  fem_bracing bracing = {.share = 0};
  if (modes && constitutive->law == FEM_NEO_HOOKEAN && !fem_bracing_find(hex, displacement, &bracing)) return false;
  const displaced e = {hex, constitutive, &bracing, displacement};
  if (modes && !solve_modes(&e, mode, &s)) return false;
  if (!gather(&e, modes ? mode : NULL, 0, clamp, out->stiffness != NULL, &s)) return false;
  if (out->energy) *out->energy = s.energy;
  if (out->gradient) memcpy(out->gradient, s.gradient, FEM_ELEMENT_UNKNOWNS * sizeof *out->gradient);
  if (!out->stiffness) return true;
  if (modes)
    condense(&s, out->stiffness);
  else
    for (int r = 0; r < FEM_ELEMENT_UNKNOWNS; r++)
      memcpy(out->stiffness + FEM_ELEMENT_UNKNOWNS * r, s.stiffness[r], FEM_ELEMENT_UNKNOWNS * sizeof(double));
  return true;
}
