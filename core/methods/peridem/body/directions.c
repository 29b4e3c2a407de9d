#include "methods/peridem/body/directions.h"

#include "base/memory.h"

static const double least_factor = 0.1; /* of f, see above: a chain's end has 0.11 at a horizon of three spacings */

void pd_full_node_add(pd_full_node *full, const int32_t offset[3], double length, double weight)
{
  double x = offset[0], y = offset[1], z = offset[2], r2 = x * x + y * y + z * z;
  double fourth = (x * x * x * x + y * y * y * y + z * z * z * z) / 3, mixed = (x * x * y * y + y * y * z * z + z * z * x * x) / 3;
  full->along += weight * length * fourth / (r2 * r2);
  full->crossing += weight * length * mixed / (r2 * r2);
  full->parted += weight * length * length * (fabs(x) + fabs(y) + fabs(z)) / (3 * sqrt(r2));
}

void pd_directions_calibrate(pd_body *body, const pd_full_node *full, double fracture_energy)
{
  double S11 = full->along, S12 = full->crossing, V = body->node_volume;
  body->micromodulus = 1.5 * body->bulk_modulus / (0.5 * V * (S11 - 2 * S12 * S12 / (S11 + S12)));
  body->stiffness = body->micromodulus * V * V;
  if (isfinite(body->critical_stretch)) body->critical_stretch = sqrt(4 * fracture_energy / (body->micromodulus * V * full->parted));
}

/* Squares of a bond's components along the axes. */
static void squares_of(const pd_body *body, size_t i, uint32_t k, const scr_vec3 axes[3], double square[3])
{
  uint32_t j = body->bonds.other[k];
  scr_vec3 n = vec3_scale(vec3(body->x[j] - body->x[i], body->y[j] - body->y[i], body->z[j] - body->z[i]), body->bonds.inverse_length[k]);
  for (int a = 0; a < 3; a++) {
    double along = vec3_dot(n, axes[a]);
    square[a] = along * along;
  }
}

/* f_a^2 of a node. Equal surroundings give equal bits, so that rows of equal bonds stay equal. */
static void factors_of(const pd_body *body, const pd_full_node *full, size_t i, const scr_vec3 axes[3], double factor[3])
{
  const pd_bonds *bonds = &body->bonds;
  double sum[3] = {0}, n[3];
  for (uint32_t k = bonds->first[i], end = k + bonds->count[i]; k < end; k++) {
    squares_of(body, i, k, axes, n);
    for (int a = 0; a < 3; a++) sum[a] += bonds->weight[k] / bonds->inverse_length[k] * n[a] * n[a];
  }
  for (int a = 0; a < 3; a++) {
    double f = fmax(pd_rounded(sum[a] / full->along, 1), least_factor);
    factor[a] = f * f;
  }
}

static double stiffening(const double factor[3], const double square[3])
{
  return 1 / sqrt(square[0] * factor[0] + square[1] * factor[1] + square[2] * factor[2]);
}

scr_status pd_directions_apply(pd_body *body, const pd_full_node *full, const scr_vec3 axes[3], double *worst, scr_error *error)
{
  pd_bonds *bonds = &body->bonds;
  size_t n = body->node_count;
  double(*factor)[3] = mem_array(n, sizeof *factor), square[3];
  if (!factor) return scr_fail_memory(error, "the surface correction", n * sizeof *factor);
  for (size_t i = 0; i < n; i++) factors_of(body, full, i, axes, factor[i]);
  *worst = 0;
  for (size_t i = 0; i < n; i++) {
    double row = 0;
    for (uint32_t k = bonds->first[i], end = k + bonds->count[i]; k < end; k++) {
      squares_of(body, i, k, axes, square);
      double both = stiffening(factor[i], square) + stiffening(factor[bonds->other[k]], square);
      bonds->weight[k] = pd_rounded(0.5 * both * bonds->weight[k], 1);
      row += bonds->weight[k] * body->micromodulus * body->node_volume * bonds->inverse_length[k];
    }
    *worst = fmax(*worst, row);
  }
  mem_free(factor);
  return SCR_OK;
}
