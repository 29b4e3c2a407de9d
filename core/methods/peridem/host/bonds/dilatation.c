/* Two passes over the rows: the dilatation of every node, then the forces that follow from those of both ends of a bond. Each node gathers
 * in the order of its row, so the bits don't depend on threads; both ends of a bond compute the same force. */
#include "methods/peridem/host/bonds/dilatation.h"

#include "methods/peridem/body/moments.h"
#include "methods/peridem/host/ranks/ranks.h"

/* Positions of a grain's nodes, and its rows. */
typedef struct grain_view {
  const pd_body *body;
  const pd_bonds *bonds;
  const double *x, *y, *z;
} grain_view;

static grain_view view_of(const pd_state *s, const pd_grain *grain)
{
  const pd_vectors *p = &s->host->position;
  return (grain_view){&s->bodies[grain->body], grain->bonds, p->x + grain->first, p->y + grain->first, p->z + grain->first};
}

/* theta of node i of a grain. */
static double dilatation(const grain_view *g, size_t i)
{
  double sum = 0;
  for (uint32_t k = g->bonds->first[i], end = k + g->bonds->count[i]; k < end; k++) {
    uint32_t j = g->bonds->other[k];
    double dx = g->x[j] - g->x[i], dy = g->y[j] - g->y[i], dz = g->z[j] - g->z[i];
    sum += pd_bond_share(g->body, g->bonds->weight[k], i, j) * (sqrt(dx * dx + dy * dy + dz * dz) - 1 / g->bonds->inverse_length[k]);
  }
  return 3 * g->body->node_volume / g->body->moment[i] * sum;
}

/* V^2 sum_j phi (A_i + A_j) n of node i. theta: [n] of the grain's nodes */
static void push(const grain_view *g, const double *theta, size_t i, double force[3])
{
  const double *moment = g->body->moment;
  double own = theta[i] / moment[i];
  for (uint32_t k = g->bonds->first[i], end = k + g->bonds->count[i]; k < end; k++) {
    uint32_t j = g->bonds->other[k];
    double dx = g->x[j] - g->x[i], dy = g->y[j] - g->y[i], dz = g->z[j] - g->z[i];
    double f = pd_bond_share(g->body, g->bonds->weight[k], i, j) * (own + theta[j] / moment[j]) / sqrt(dx * dx + dy * dy + dz * dz);
    force[0] += f * dx, force[1] += f * dy, force[2] += f * dz;
  }
}

static bool has_dilatation(const pd_state *s, size_t node)
{
  return s->bodies[s->host->grains[s->host->grain_of[node]].body].volumetric_modulus != 0;
}

static bool any_dilatation(const pd_state *s)
{
  for (size_t b = 0; b < s->body_count; b++)
    if (s->bodies[b].volumetric_modulus != 0) return true;
  return false;
}

void pd_dilatation_pass(pd_state *s)
{
  pd_host *h = s->host;
  if (!any_dilatation(s)) return;
#pragma omp parallel for schedule(static) num_threads(s->execution.threads)
  for (size_t i = 0; i < s->node_count; i++) {
    if (!has_dilatation(s, i) || !pd_is_own(h, i)) continue;
    const pd_grain *grain = &h->grains[h->grain_of[i]];
    grain_view view = view_of(s, grain);
    h->dilatation[i] = dilatation(&view, i - grain->first);
  }
  const pd_node_field theta[] = {PD_NODE_FIELD(h->dilatation)};
  pd_ranks_update(s, theta, 1);
#pragma omp parallel for schedule(static) num_threads(s->execution.threads)
  for (size_t i = 0; i < s->node_count; i++) {
    if (!has_dilatation(s, i) || !pd_is_own(h, i)) continue;
    const pd_grain *grain = &h->grains[h->grain_of[i]];
    grain_view view = view_of(s, grain);
    double force[3] = {0}, scale = 3 * view.body->volumetric_modulus * view.body->node_volume * view.body->node_volume;
    push(&view, h->dilatation + grain->first, i - grain->first, force);
    h->force.x[i] += scale * force[0];
    h->force.y[i] += scale * force[1];
    h->force.z[i] += scale * force[2];
  }
}

double pd_dilatation_pull(const pd_state *s, const pd_grain *grain, size_t row, uint32_t slot)
{
  const pd_body *body = &s->bodies[grain->body];
  const double *theta = s->host->dilatation + grain->first;
  size_t far = grain->bonds->other[slot];
  double scale = 3 * body->volumetric_modulus * body->node_volume * body->node_volume;
  return scale * pd_bond_share(body, grain->bonds->weight[slot], row, far) *
         (theta[row] / body->moment[row] + theta[far] / body->moment[far]);
}

static double energy_of(const pd_state *s, size_t i)
{
  const pd_grain *grain = &s->host->grains[s->host->grain_of[i]];
  grain_view view = view_of(s, grain);
  double theta = dilatation(&view, i - grain->first);
  return 0.5 * view.body->volumetric_modulus * theta * theta * view.body->node_volume;
}

static void add_energies(const void *user, size_t begin, size_t end, double *total)
{
  const pd_state *s = user;
  for (size_t i = begin; i < end; i++)
    if (has_dilatation(s, i)) *total += energy_of(s, i);
}

double pd_energy_dilatation(const pd_state *s)
{
  double total = 0;
  if (any_dilatation(s)) pd_sum_nodes(s, 1, add_energies, s, &total);
  return total;
}
