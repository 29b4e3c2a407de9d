/* Weighted volumes of nodes, and the weights of bonds that follow. */
#include "methods/peridem/body/moments.h"

#include "base/memory.h"

bool pd_uses_moments(const pd_options *options)
{
  return options->elasticity == PD_STATE || options->surface_correction == PD_CORRECT_VOLUME;
}

/* What theta's change by its nodes' displacements is at most: sum of |d theta_i / d u_c| over all nodes c, 1/m; `own` receives that of i
 * itself. */
static double dilatation_norm(const pd_body *body, const double *share, size_t i, double *own)
{
  const pd_bonds *bonds = &body->bonds;
  double sum = 0, at[3] = {0};
  for (uint32_t k = bonds->first[i], end = k + bonds->count[i]; k < end; k++) {
    uint32_t j = bonds->other[k];
    double unit = share[k] * bonds->inverse_length[k];
    sum += share[k];
    at[0] += unit * (body->x[j] - body->x[i]), at[1] += unit * (body->y[j] - body->y[i]), at[2] += unit * (body->z[j] - body->z[i]);
  }
  double scale = 3 * body->node_volume / body->moment[i];
  *own = scale * sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
  return scale * sum + *own;
}

/* Gershgorin's row sums of the volumetric part, over V^2 and halved, N/m^4: with those of the bonds they bound the largest frequency.
 * norm: [n] scratch */
static double volumetric_row(const pd_body *body, const double *share, const double *norm, size_t a)
{
  const pd_bonds *bonds = &body->bonds;
  double own, row = dilatation_norm(body, share, a, &own);
  row *= own;
  for (uint32_t k = bonds->first[a], end = k + bonds->count[a]; k < end; k++) {
    uint32_t i = bonds->other[k];
    row += 3 * body->node_volume / body->moment[i] * share[k] * norm[i];
  }
  return 0.5 * fmax(body->volumetric_modulus, 0) * row;
}

scr_status pd_moments_apply(pd_body *body, double *worst, scr_error *error)
{
  pd_bonds *bonds = &body->bonds;
  size_t n = body->node_count;
  double whole = M_PI * body->horizon * body->horizon * body->horizon * body->horizon;
  double *norm = mem_array(n, sizeof *norm), *share = mem_array(bonds->slot_count, sizeof *share);
  body->moment = mem_array(n, sizeof *body->moment);
  *worst = 0;
  if (norm && share && body->moment) {
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (uint32_t k = bonds->first[i], end = k + bonds->count[i]; k < end; k++)
        sum += (share[k] = bonds->weight[k]) / bonds->inverse_length[k];
      body->moment[i] = pd_rounded(sum * body->node_volume, whole);
    }
    for (size_t i = 0; i < n; i++) {
      double own;
      norm[i] = dilatation_norm(body, share, i, &own);
    }
    for (size_t i = 0; i < n; i++) {
      double row = volumetric_row(body, share, norm, i);
      for (uint32_t k = bonds->first[i], end = k + bonds->count[i]; k < end; k++) {
        double rate = body->modulus_rate * (1 / body->moment[i] + 1 / body->moment[bonds->other[k]]);
        bonds->weight[k] = share[k] * (rate / body->micromodulus);
        row += share[k] * rate * body->node_volume * bonds->inverse_length[k];
      }
      *worst = fmax(*worst, row);
    }
  }
  bool ok = norm && share && body->moment;
  mem_free(norm);
  mem_free(share);
  return ok ? SCR_OK : scr_fail_memory(error, "the weighted volumes of nodes", (2 * n + bonds->slot_count) * sizeof(double));
}
