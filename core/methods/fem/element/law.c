/* The two elastic laws. */
#include "methods/fem/element/law.h"

#include <math.h>
#include <stddef.h>

fem_moduli fem_moduli_of(double young_modulus, double poisson_ratio)
{
  return (fem_moduli){.mu = young_modulus / (2 * (1 + poisson_ratio)),
                      .lambda = young_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio))};
}

double fem_dilatation(const double d[9], double *cofactor)
{
  double trace = d[0] + d[4] + d[8], det = 0;
  double minors = d[0] * d[4] - d[1] * d[3] + d[4] * d[8] - d[5] * d[7] + d[8] * d[0] - d[6] * d[2];
  for (int j = 0; j < 3; j++) det += d[j] * (d[3 + (j + 1) % 3] * d[6 + (j + 2) % 3] - d[3 + (j + 2) % 3] * d[6 + (j + 1) % 3]);
  if (cofactor) {
    double f[9];
    for (int k = 0; k < 9; k++) f[k] = d[k] + (k % 4 == 0 ? 1 : 0);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        int a = 3 * ((i + 1) % 3), b = 3 * ((i + 2) % 3), c = (j + 1) % 3, e = (j + 2) % 3;
        cofactor[3 * i + j] = f[a + c] * f[b + e] - f[a + e] * f[b + c];
      }
  }
  return trace + minors + det;
}

/* |F|^2 - 3 */
static double stretch(const double d[9])
{
  double sum = 2 * (d[0] + d[4] + d[8]);
  for (int k = 0; k < 9; k++) sum += d[k] * d[k];
  return sum;
}

double fem_law_energy(fem_law law, const fem_moduli *moduli, const double d[9])
{
  if (law == FEM_NEO_HOOKEAN) {
    double j = fem_dilatation(d, NULL), l = log1p(j);
    if (!(j > -1)) return INFINITY;
    return moduli->mu * (0.5 * stretch(d) - l) + 0.5 * moduli->lambda * l * l;
  }
  double trace = d[0] + d[4] + d[8], shear = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double e = 0.5 * (d[3 * i + j] + d[3 * j + i]);
      shear += e * e;
    }
  return moduli->mu * shear + 0.5 * moduli->lambda * trace * trace;
}

static void linear_stress(const fem_moduli *moduli, const double d[9], double stress[9], double *tangent)
{
  double trace = d[0] + d[4] + d[8];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) stress[3 * i + j] = moduli->mu * (d[3 * i + j] + d[3 * j + i]) + (i == j ? moduli->lambda * trace : 0);
  if (!tangent) return;
  for (int p = 0; p < 9; p++)
    for (int q = 0; q < 9; q++) {
      int i = p / 3, j = p % 3, k = q / 3, l = q % 3;
      tangent[9 * p + q] = (i == j && k == l ? moduli->lambda : 0) + (p == q ? moduli->mu : 0) + (i == l && j == k ? moduli->mu : 0);
    }
}

/* P = mu F + (lambda l - mu) F^-T;  A = mu 1 + (mu - lambda l) F^-1_Ji-type products + lambda F^-T (x) F^-T */
static bool neo_hookean_stress(const fem_moduli *moduli, const double d[9], double stress[9], double *tangent)
{
  double t[9], dilatation = fem_dilatation(d, t), l = log1p(dilatation);
  if (!(dilatation > -1)) return false;
  for (int k = 0; k < 9; k++) t[k] /= 1 + dilatation; /* F^-T */
  double pull = moduli->lambda * l - moduli->mu;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      /* mu (F - F^-T) by D + (1 - F^-T), without the large equal parts: 1 - F^-T = F^-T (F^T - 1) = F^-T D^T */
      double rest = t[3 * i] * d[3 * j] + t[3 * i + 1] * d[3 * j + 1] + t[3 * i + 2] * d[3 * j + 2];
      stress[3 * i + j] = moduli->mu * (d[3 * i + j] + rest) + moduli->lambda * l * t[3 * i + j];
    }
  if (!tangent) return true;
  for (int p = 0; p < 9; p++)
    for (int q = 0; q < 9; q++) {
      int i = p / 3, j = p % 3, k = q / 3, m = q % 3;
      tangent[9 * p + q] = (p == q ? moduli->mu : 0) - pull * t[3 * i + m] * t[3 * k + j] + moduli->lambda * t[p] * t[q];
    }
  return true;
}

bool fem_law_stress(fem_law law, const fem_moduli *moduli, const double d[9], double stress[9], double *tangent)
{
  if (law == FEM_NEO_HOOKEAN) return neo_hookean_stress(moduli, d, stress, tangent);
  linear_stress(moduli, d, stress, tangent);
  return true;
}

bool fem_law_cauchy(fem_law law, const fem_moduli *moduli, const double d[9], double cauchy[6])
{
  static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
  double p[9];
  if (!fem_law_stress(law, moduli, d, p, NULL)) return false;
  for (int k = 0; k < 6; k++) {
    int i = row[k], j = column[k];
    cauchy[k] = p[3 * i + j];
    if (law == FEM_LINEAR) continue;
    for (int m = 0; m < 3; m++) cauchy[k] += p[3 * i + m] * d[3 * j + m]; /* P F^T */
    cauchy[k] /= 1 + fem_dilatation(d, NULL);
  }
  return true;
}

double fem_von_mises(const double c[6])
{
  double a = c[0] - c[1], b = c[1] - c[2], e = c[2] - c[0];
  return sqrt(0.5 * (a * a + b * b + e * e) + 3 * (c[3] * c[3] + c[4] * c[4] + c[5] * c[5]));
}

/* The largest root of the characteristic polynomial by the angle form. */
double fem_principal(const double c[6])
{
  double mean = (c[0] + c[1] + c[2]) / 3, a = c[0] - mean, b = c[1] - mean, e = c[2] - mean;
  double p = sqrt((a * a + b * b + e * e + 2 * (c[3] * c[3] + c[4] * c[4] + c[5] * c[5])) / 6);
  if (!(p > 0)) return mean;
  double det = a * (b * e - c[4] * c[4]) - c[3] * (c[3] * e - c[4] * c[5]) + c[5] * (c[3] * c[4] - b * c[5]);
  double r = fmax(-1, fmin(1, det / (2 * p * p * p)));
  return mean + 2 * p * cos(acos(r) / 3);
}
