#include "methods/peridem/body/directions.h"

#include <string.h>

#include "base/memory.h"

static const double least_factor = 0.1; /* of f, see above: a chain's end has 0.11 at a horizon of three spacings */

static double stiffening(const double factor[3], const double square[3])
{
  return 1 / sqrt(square[0] * factor[0] + square[1] * factor[1] + square[2] * factor[2]);
}

/* L and the squares of n of an offset in cells. */
static double place_of(const int32_t offset[3], scr_vec3 cell, double square[3])
{
  scr_vec3 xi = vec3(offset[0] * cell.x, offset[1] * cell.y, offset[2] * cell.z);
  double length = vec3_length(xi);
  square[0] = xi.x * xi.x, square[1] = xi.y * xi.y, square[2] = xi.z * xi.z;
  for (int a = 0; a < 3; a++) square[a] /= length * length;
  return length;
}

/* Sums of phi L n_a^4 and, in sum[3], of the mean of phi L n_a^2 n_b^2. */
static void add_up(const int32_t (*offset)[3], const double *weight, size_t count, scr_vec3 cell, double sum[4])
{
  double n[3];
  memset(sum, 0, 4 * sizeof *sum);
  for (size_t k = 0; k < count; k++) {
    double length = weight[k] * place_of(offset[k], cell, n);
    for (int a = 0; a < 3; a++) sum[a] += length * n[a] * n[a];
    sum[3] += length * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]) / 3;
  }
}

/* Weights times (sum n_a^2 F_a^2)^(-1/2), with F by which stretched cells are as stiff along each axis as cubes. A turn takes more than
 * half of what is left, whichever way cells are stretched. */
static void fit_weights(const int32_t (*offset)[3], double *weight, size_t count, scr_vec3 cell, double along)
{
  enum { TURNS = 30 };
  double n[3], sum[4], factor[3];
  for (int turn = 0; turn < TURNS; turn++) {
    add_up(offset, weight, count, cell, sum);
    for (int a = 0; a < 3; a++) factor[a] = sum[a] > 0 ? sum[a] / along * (sum[a] / along) : 1;
    for (size_t k = 0; k < count; k++) {
      place_of(offset[k], cell, n);
      weight[k] *= stiffening(factor, n);
    }
  }
  for (size_t k = 0; k < count; k++) weight[k] = pd_rounded(weight[k], 1);
}

pd_full_node pd_full_node_of(const int32_t (*offset)[3], double *weight, size_t count, double spacing, scr_vec3 cell)
{
  const scr_vec3 cube = vec3(spacing, spacing, spacing);
  pd_full_node full = {0};
  double sum[4], n[3];
  add_up(offset, weight, count, cube, sum);
  full.along = (sum[0] + sum[1] + sum[2]) / 3;
  full.crossing = sum[3];
  if (cell.x != spacing || cell.y != spacing || cell.z != spacing) fit_weights(offset, weight, count, cell, full.along);
  for (size_t k = 0; k < count; k++) {
    double length = place_of(offset[k], cell, n);
    full.parted += weight[k] * length * length * (sqrt(n[0]) + sqrt(n[1]) + sqrt(n[2])) / 3;
  }
  return full;
}

void pd_directions_calibrate(pd_body *body, const pd_full_node *full, double fracture_energy)
{
  double S11 = full->along, S12 = full->crossing, V = body->node_volume;
  body->micromodulus = 1.5 * body->bulk_modulus / (0.5 * V * (S11 - 2 * S12 * S12 / (S11 + S12)));
  body->stiffness = body->micromodulus * V * V;
  if (isfinite(body->critical_stretch)) body->critical_stretch = sqrt(4 * fracture_energy / (body->micromodulus * V * full->parted));
}

/* Squares of a bond's components along the axes. */
static void squares_of(const pd_body *body, size_t i, uint32_t k, double square[3])
{
  uint32_t j = body->bonds.other[k];
  scr_vec3 n = vec3_scale(vec3(body->x[j] - body->x[i], body->y[j] - body->y[i], body->z[j] - body->z[i]), body->bonds.inverse_length[k]);
  for (int a = 0; a < 3; a++) {
    double along = vec3_dot(n, body->axes[a]);
    square[a] = along * along;
  }
}

/* f_a^2 of a node. Equal surroundings give equal bits, so that rows of equal bonds stay equal. */
static void factors_of(const pd_body *body, const pd_full_node *full, size_t i, double factor[3])
{
  const pd_bonds *bonds = &body->bonds;
  double sum[3] = {0}, n[3];
  for (uint32_t k = bonds->first[i], end = k + bonds->count[i]; k < end; k++) {
    squares_of(body, i, k, n);
    for (int a = 0; a < 3; a++) sum[a] += bonds->weight[k] / bonds->inverse_length[k] * n[a] * n[a];
  }
  for (int a = 0; a < 3; a++) {
    double f = fmax(pd_rounded(sum[a] / full->along, 1), least_factor);
    factor[a] = f * f;
  }
}

scr_status pd_directions_apply(pd_body *body, const pd_full_node *full, double *worst, scr_error *error)
{
  pd_bonds *bonds = &body->bonds;
  size_t n = body->node_count;
  double(*factor)[3] = mem_array(n, sizeof *factor), square[3];
  if (!factor) return scr_fail_memory(error, "the surface correction", n * sizeof *factor);
  for (size_t i = 0; i < n; i++) factors_of(body, full, i, factor[i]);
  *worst = 0;
  for (size_t i = 0; i < n; i++) {
    double row = 0;
    for (uint32_t k = bonds->first[i], end = k + bonds->count[i]; k < end; k++) {
      squares_of(body, i, k, square);
      double both = stiffening(factor[i], square) + stiffening(factor[bonds->other[k]], square);
      bonds->weight[k] = pd_rounded(0.5 * both * bonds->weight[k], 1);
      row += bonds->weight[k] * body->micromodulus * body->node_volume * bonds->inverse_length[k];
    }
    *worst = fmax(*worst, row);
  }
  mem_free(factor);
  return SCR_OK;
}
