#include "methods/peridem/host/view/forms.h"

#include "linalg/symmetric_eigen.h"

/* Second moments over the mass about the middle, m^2; row-major. */
static void moments_of(const pd_state *s, size_t grain, const uint32_t *nodes, size_t count, double moment[9])
{
  const pd_host *h = s->host;
  size_t first = h->grains[grain].first;
  double middle[3] = {0}, sum[6] = {0}, per = 1 / (double)count, spacing = s->bodies[h->grains[grain].body].spacing;
  for (size_t k = 0; k < count; k++)
    for (int a = 0; a < 3; a++) middle[a] += per * pd_axis(&h->position, a)[first + (nodes ? nodes[k] : k)];
  for (size_t k = 0; k < count; k++) {
    size_t i = first + (nodes ? nodes[k] : k);
    double x = h->position.x[i] - middle[0], y = h->position.y[i] - middle[1], z = h->position.z[i] - middle[2];
    sum[0] += x * x, sum[1] += y * y, sum[2] += z * z, sum[3] += x * y, sum[4] += y * z, sum[5] += z * x;
  }
  for (int k = 0; k < 6; k++) sum[k] = per * sum[k] + (k < 3 ? spacing * spacing / 12 : 0);
  const double full[9] = {sum[0], sum[3], sum[5], sum[3], sum[1], sum[4], sum[5], sum[4], sum[2]};
  for (int k = 0; k < 9; k++) moment[k] = full[k];
}

static void swap_if_less(double *a, double *b)
{
  double low = fmin(*a, *b);
  *a = fmax(*a, *b);
  *b = low;
}

void pd_forms_add(const pd_state *s, size_t grain, const uint32_t *nodes, size_t count, pd_forms *forms)
{
  const pd_body *body = &s->bodies[s->host->grains[grain].body];
  double moment[9], edge[3], axes[9], mass = body->node_mass * (double)count;
  if (count < 2 && body->node_count > 1) return;
  moments_of(s, grain, nodes, count, moment);
  la_symmetric_eigen(3, moment, edge, axes);
  for (int a = 0; a < 3; a++) edge[a] = sqrt(12 * fmax(edge[a], 0));
  swap_if_less(&edge[0], &edge[1]);
  swap_if_less(&edge[1], &edge[2]);
  swap_if_less(&edge[0], &edge[1]);
  forms->mass += mass;
  forms->elongation += mass * edge[1] / edge[0];
  forms->flatness += mass * edge[2] / edge[1];
  if (forms->each && forms->status == SCR_OK) forms->status = forms->each(forms->user, grain, count, mass, edge);
}

void pd_forms_add_grain(const pd_state *s, size_t grain, const uint32_t *piece, uint32_t *order, uint32_t *start, pd_forms *forms)
{
  size_t n = s->bodies[s->host->grains[grain].body].node_count, pieces = 0;
  for (size_t i = 0; i <= n; i++) start[i] = 0;
  for (size_t i = 0; i < n; i++) {
    start[piece[i] + 1]++;
    pieces = piece[i] + 1 > pieces ? piece[i] + 1 : pieces;
  }
  for (size_t k = 0; k < pieces; k++) start[k + 1] += start[k];
  for (size_t i = 0; i < n; i++) order[start[piece[i]]++] = (uint32_t)i; /* start[k] is where piece k ends now */
  for (size_t k = 0; k < pieces; k++) {
    uint32_t begin = k ? start[k - 1] : 0;
    pd_forms_add(s, grain, order + begin, start[k] - begin, forms);
  }
}
