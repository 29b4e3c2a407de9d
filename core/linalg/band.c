/* Band matrices: rows of the factor are made one after the other, from those within the band above. */
#include "linalg/band.h"

#include <math.h>
#include <string.h>

static size_t first_of(const la_band *a, size_t i)
{
  return i > a->width ? i - a->width : 0;
}

size_t la_band_factor(la_band *a)
{
  double made[64], *line = a->row;
  if (a->width >= sizeof made / sizeof *made) return 0;
  for (size_t i = 0; i < a->size; i++, line += a->width + 1) {
    size_t low = first_of(a, i);
    double pivot = line[0];
    for (size_t j = low; j < i; j++) {
      const double *above = a->row + j * (a->width + 1);
      double sum = line[i - j];
      for (size_t k = low > first_of(a, j) ? low : first_of(a, j); k < j; k++) sum -= made[i - k] * above[j - k];
      made[i - j] = sum / above[0];
      pivot -= made[i - j] * made[i - j];
    }
    if (!(pivot > 0)) return i;
    memcpy(line + 1, made + 1, (i - low) * sizeof *line);
    line[0] = sqrt(pivot);
  }
  return a->size;
}

void la_band_solve(const la_band *l, double *x)
{
  for (size_t i = 0; i < l->size; i++) {
    const double *line = l->row + i * (l->width + 1);
    double sum = x[i];
    for (size_t j = first_of(l, i); j < i; j++) sum -= line[i - j] * x[j];
    x[i] = sum / line[0];
  }
  for (size_t i = l->size; i-- > 0;) {
    const double *line = l->row + i * (l->width + 1);
    double value = x[i] /= line[0];
    for (size_t j = first_of(l, i); j < i; j++) x[j] -= line[i - j] * value;
  }
}

void la_band_multiply(const la_band *a, const double *x, double *y)
{
  for (size_t i = 0; i < a->size; i++) y[i] = 0;
  for (size_t i = 0; i < a->size; i++) {
    const double *line = a->row + i * (a->width + 1);
    double sum = line[0] * x[i];
    for (size_t j = first_of(a, i); j < i; j++) {
      sum += line[i - j] * x[j];
      y[j] += line[i - j] * x[i];
    }
    y[i] += sum;
  }
}
