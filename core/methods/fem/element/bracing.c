/* Energy of incompatible modes under large compression. */
#include "methods/fem/element/bracing.h"

#include <math.h>
#include <string.h>

#include "methods/fem/element/law.h"

static const double strength = 100; /* c0 */

static void multiply(const double a[9], const double b[9], bool turned, double product[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += a[3 * i + k] * (turned ? b[3 * j + k] : b[3 * k + j]);
      product[3 * i + j] = sum;
    }
}

bool fem_bracing_find(const fem_hex *hex, const double displacement[FEM_CORNERS][3], fem_bracing *b)
{
  double d[9] = {0}, left[9], square = 0;
  b->share = b->slope = b->curve = 0;
  memset(b->mean, 0, sizeof b->mean);
  for (int g = 0; g < FEM_GAUSS; g++)
    for (int a = 0; a < FEM_CORNERS; a++)
      for (int j = 0; j < 3; j++) b->mean[a][j] += hex->gauss[g].weight / hex->volume * hex->gauss[g].gradient[a][j];
  for (int a = 1; a < FEM_CORNERS; a++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) d[3 * i + j] += (displacement[a][i] - displacement[0][i]) * b->mean[a][j];
  double dilatation = fem_dilatation(d, b->turned);
  if (!(dilatation > -1)) return false;
  for (int k = 0; k < 9; k++) b->turned[k] /= 1 + dilatation, square += b->turned[k] * b->turned[k];
  double over = square / fem_bracing_begins - 1;
  if (!(over > 0)) return true;
  b->share = strength * over * over * over;
  b->slope = 3 * strength * over * over / fem_bracing_begins;
  b->curve = 6 * strength * over / (fem_bracing_begins * fem_bracing_begins);
  multiply(b->turned, b->turned, true, left);
  multiply(left, b->turned, false, b->first);
  for (int k = 0; k < 9; k++) b->first[k] *= -2;
  memset(b->gram, 0, sizeof b->gram);
  for (int g = 0; g < FEM_GAUSS; g++)
    for (int k = 0; k < FEM_MODES; k++)
      for (int l = 0; l < FEM_MODES; l++)
        for (int j = 0; j < 3; j++)
          b->gram[k][l] += hex->gauss[g].weight * hex->gauss[g].gradient[FEM_CORNERS + k][j] * hex->gauss[g].gradient[FEM_CORNERS + l][j];
  return true;
}

double fem_bracing_measure(const fem_bracing *b, const double *mode, double *slope)
{
  double sum = 0;
  for (int k = 0; k < FEM_MODES; k++)
    for (int i = 0; i < 3; i++) {
      double *to = &slope[3 * k + i];
      *to = b->gram[k][0] * mode[i] + b->gram[k][1] * mode[3 + i] + b->gram[k][2] * mode[6 + i];
      sum += 0.5 * *to * mode[3 * k + i];
    }
  return sum;
}

/* From dt = -t dF^T t:  d2I/dF_iJ dF_kL = 2 (t_iL c_kJ + (t t^T)_ik (t^T t)_JL + c_iL t_kJ),  c = t t^T t */
void fem_bracing_second(const fem_bracing *b, double second[81])
{
  const double *t = b->turned;
  double left[9], right[9] = {0};
  multiply(t, t, true, left);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) right[3 * i + j] += t[3 * k + i] * t[3 * k + j];
  for (int p = 0; p < 9; p++)
    for (int q = 0; q < 9; q++) {
      int i = p / 3, j = p % 3, k = q / 3, m = q % 3;
      second[9 * p + q] =
          2 * (left[3 * i + k] * right[3 * j + m] - 0.5 * (t[3 * i + m] * b->first[3 * k + j] + b->first[3 * i + m] * t[3 * k + j]));
    }
}
