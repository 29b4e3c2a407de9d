/* Band matrices: rows of the factor are made one after the other, from those within the band above. */
#include "linalg/band.h"

#include <math.h>
#include <string.h>

#include "linalg/wide.h"

static size_t first_of(const la_band *a, size_t i)
{
  return i > a->width ? i - a->width : 0;
}

size_t la_band_factor(la_band *a)
{
  double made[LA_BAND_WIDTH_MAX + 1] = {0}, *line = a->row;
  if (a->width > LA_BAND_WIDTH_MAX) return 0;
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

WIDE void la_band_solve_lanes(const la_band *l, size_t from, size_t to, double (*x)[LA_BAND_LANES])
{
  for (size_t i = from; i < l->size; i++) {
    const double *line = l->row + i * (l->width + 1), inverse = 1 / line[0];
    double sum[LA_BAND_LANES];
    memcpy(sum, x[i], sizeof sum);
    for (size_t j = first_of(l, i) > from ? first_of(l, i) : from; j < i; j++)
      for (int k = 0; k < LA_BAND_LANES; k++) sum[k] -= line[i - j] * x[j][k];
    for (int k = 0; k < LA_BAND_LANES; k++) x[i][k] = sum[k] * inverse;
  }
  for (size_t i = l->size; i-- > to;) {
    const double *line = l->row + i * (l->width + 1), inverse = 1 / line[0];
    double value[LA_BAND_LANES];
    for (int k = 0; k < LA_BAND_LANES; k++) value[k] = x[i][k] *= inverse;
    for (size_t j = first_of(l, i) > to ? first_of(l, i) : to; j < i; j++)
      for (int k = 0; k < LA_BAND_LANES; k++) x[j][k] -= line[i - j] * value[k];
  }
}

void la_band_inverse(const la_band *l, la_band *z)
{
  for (size_t i = l->size; i-- > 0;) {
    size_t last = i + l->width < l->size ? i + l->width : l->size - 1;
    double inverse = 1 / *la_band_at(l, i, i);
    for (size_t j = last + 1; j-- > i;) {
      double sum = i == j ? inverse : 0;
      for (size_t k = i + 1; k <= last; k++) sum -= *la_band_at(l, k, i) * (k > j ? *la_band_at(z, k, j) : *la_band_at(z, j, k));
      *la_band_at(z, j, i) = sum * inverse;
    }
  }
}
