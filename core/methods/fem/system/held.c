/* Rigid motions that are left. */
#include "methods/fem/system/held.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "linalg/symmetric_eigen.h"

static const double singular = 1e-10; /* of the largest eigenvalue */

/* @return the largest extent, m */
static double span_of(const double *place, size_t count, double centre[3])
{
  double span = 0;
  for (size_t k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t n = 0; n < count; n++) low = fmin(low, place[3 * n + k]), high = fmax(high, place[3 * n + k]);
    centre[k] = 0.5 * (low + high);
    span = fmax(span, high - low);
  }
  return span;
}

/* The six rigid motions at a node, components by rows: shifts, then turns about `centre`, over `span` so that all are about 1. */
static void rigid_motions(const double x[3], const double centre[3], double span, double motion[3][6])
{
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 6; k++) motion[i][k] = i == k;
  for (int axis = 0; axis < 3; axis++) {
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    motion[j][3 + axis] = -(x[k] - centre[k]) / span;
    motion[k][3 + axis] = (x[j] - centre[j]) / span;
  }
}

/* Of the free motions, what is nearest to one shift along a coordinate axis or one turn about one, in words. */
static void name(const double values[6], const double vectors[36], double limit, char *text)
{
  double best[6] = {0}, most = 0;
  for (int wanted = 0; wanted < 6; wanted++) {
    double near[6] = {0}, size = 0;
    for (int k = 0; k < 6; k++)
      for (int i = 0; i < 6 && !(values[k] > limit); i++) near[i] += vectors[6 * k + wanted] * vectors[6 * k + i];
    for (int i = 0; i < 6; i++) size += near[i] * near[i];
    if (!(size > most * (1 + 1e-6))) continue; /* of equals the first: round-off does not choose */
    most = size;
    for (int i = 0; i < 6; i++) best[i] = near[i] / sqrt(size);
  }
  const double *turn = best + 3;
  bool turns = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] > 0.5;
  double v[3];
  for (int i = 0; i < 3; i++) v[i] = turns ? turn[i] : best[i], v[i] = fabs(v[i]) < 1e-6 ? 0 : v[i];
  double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  snprintf(text, FEM_HELD_TEXT, "%s (%.3g, %.3g, %.3g)", turns ? "turning about" : "moving along", v[0] / length, v[1] / length,
           v[2] / length);
}

size_t fem_free_motions(const double *place, size_t count, const unsigned char *fixed, char *text)
{
  double gram[36] = {0}, values[6], vectors[36], centre[3], span = span_of(place, count, centre), most = 0;
  for (size_t n = 0; n < count; n++) {
    double motion[3][6];
    rigid_motions(place + 3 * n, centre, span, motion);
    for (size_t i = 0; i < 3; i++)
      for (int a = 0; a < 36 && fixed[3 * n + i]; a++) gram[a] += motion[i][a / 6] * motion[i][a % 6];
  }
  la_symmetric_eigen(6, gram, values, vectors);
  size_t left = 0;
  for (int k = 0; k < 6; k++) most = fmax(most, values[k]);
  for (int k = 0; k < 6; k++) left += !(values[k] > singular * most);
  if (text) text[0] = '\0';
  if (text && left) name(values, vectors, singular * most, text);
  return left;
}
