/* Forces between nodes of different grains and between broken pieces of one grain (spec 3.2, 3.3).
 *
 * A pair stands in the rows of both its nodes and each end computes the force on itself, so no two threads write one node. */
#include "methods/peridem/host/contact/contact.h"

#include <string.h>

#include "methods/peridem/host/contact/pair_law.h"

/* Forces of one node's row on that node: total, damping part, friction part. */
typedef struct gathered {
  double force[3], damping[3], friction[3];
} gathered;

enum { SOME = 128 }; /* candidates looked at together */

/* Those of the candidates [k, k + SOME) of node i's row that no bond joins with it and that are nearer than they meet at most: few are. @return how many */
static size_t close_of(const pd_state *s, size_t i, uint32_t k, uint32_t end, uint32_t *close)
{
  const pd_host *h = s->host;
  const double *const position[3] = {h->position.x, h->position.y, h->position.z};
  const double at[3] = {position[0][i], position[1][i], position[2][i]};
  return h->kernels->within(h->near.other + k, end - k < SOME ? end - k : SOME, position, at, h->wide[i] ? s->contact_radius : h->touch, close);
}

static void add_damped_pair(const pd_state *s, size_t i, size_t j, gathered *sum)
{
  pd_pair pair;
  double vn, t[3], normal, sliding;
  if (!pd_pair_meets(s, i, j, &pair)) return;
  double slip = pd_pair_slip(s, i, j, pair.toward, &vn, t);
  pd_pair_dampers(s, &pair, vn, slip, &normal, &sliding);
  double fd = normal * vn;
  for (int a = 0; a < 3; a++) {
    sum->force[a] -= (pair.force + fd) * pair.toward[a] + sliding * t[a];
    sum->damping[a] -= fd * pair.toward[a];
    sum->friction[a] -= sliding * t[a];
  }
}

static void row_with_damping(pd_state *s, size_t i)
{
  pd_host *h = s->host;
  gathered sum = {0};
  uint32_t close[SOME + PD_LANES];
  for (uint32_t k = h->near.first[i], end = h->near.first[i + 1]; k < end; k += SOME)
    for (size_t n = 0, found = close_of(s, i, k, end, close); n < found; n++) add_damped_pair(s, i, close[n], &sum);
  for (int a = 0; a < 3; a++) {
    pd_axis(&h->force, a)[i] += sum.force[a];
    pd_axis(&h->damping, a)[i] = sum.damping[a];
    pd_axis(&h->friction, a)[i] = sum.friction[a];
  }
}

/* Repulsion only; notes which pairs touch, for dissipation.c. */
static void row_without_damping(pd_state *s, size_t i)
{
  pd_host *h = s->host;
  double sum[3] = {0};
  uint32_t met = 0, first = h->near.first[i], close[SOME + PD_LANES];
  for (uint32_t k = first, end = h->near.first[i + 1]; k < end; k += SOME)
    for (size_t n = 0, found = close_of(s, i, k, end, close); n < found; n++) {
      pd_pair pair;
      if (!pd_pair_meets(s, i, close[n], &pair)) continue;
      for (int a = 0; a < 3; a++) sum[a] -= pair.force * pair.toward[a];
      h->pair_met[first + met++] = close[n];
    }
  h->met_count[i] = met;
  for (int a = 0; a < 3 && met > 0; a++) pd_axis(&h->force, a)[i] += sum[a];
}

scr_status pd_contact_pass(pd_state *s, scr_error *error)
{
  if (pd_contact_list_is_old(s)) SCR_TRY(pd_contact_list(s, false, error));
  enum { STRIP = 64 };
  pd_host *h = s->host;
#pragma omp parallel for schedule(static, 1) num_threads(s->threads)
  for (size_t strip = 0; strip < s->node_count; strip += STRIP) {
    size_t end = strip + STRIP < s->node_count ? strip + STRIP : s->node_count;
    if (s->explicit_damping)
      for (size_t i = strip; i < end; i++) row_with_damping(s, i);
    else if (h->near.first[end] > h->near.first[strip])
      for (size_t i = strip; i < end; i++) row_without_damping(s, i);
    else
      memset(h->met_count + strip, 0, (end - strip) * sizeof *h->met_count); /* no rows, as in the midst of a body */
  }
  return SCR_OK;
}

double pd_energy_contact(const pd_state *s)
{
  const pd_host *h = s->host;
  double total = 0;
  for (size_t i = 0; i < s->node_count; i++)
    for (uint32_t k = h->near.first[i]; k < h->near.first[i + 1]; k++) {
      pd_pair pair;
      size_t j = h->near.other[k];
      if (j <= i || (h->near.other[k] & PD_BONDED)) continue;
      if (pd_pair_meets(s, i, j, &pair)) total += 0.5 * pair.force * pair.force / pair.stiffness;
    }
  return total;
}
