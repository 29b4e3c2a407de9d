/* What is shown of the nodes: pieces, damage, speed. */
#include "methods/peridem/host/view/gather.h"

#include "methods/peridem/host/view/forms.h"
#include "methods/peridem/host/view/stress.h"
#include "methods/peridem/host/ranks/ranks.h"
#include "sim/pieces/fragment_number.h"

void pd_count_pieces(const pd_state *s, fragment_summary *summary, pd_forms *forms)
{
  const pd_host *h = s->host;
  pd_ranks_complete(s);
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &h->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    if (grain->bonds != &grain->own) { /* unbroken: the check made sure that it is one piece */
      fragments_add(summary, body->node_mass * (double)body->node_count, false);
      pd_forms_add(s, g, NULL, body->node_count, forms);
      continue;
    }
    uint32_t *piece = h->piece + grain->first;
    (void)pd_pieces(grain->bonds, piece);
    fragments_add_body(summary, body->node_count, piece, &body->node_mass, true, h->scratch[0], h->scratch[1]);
    uint32_t *order = (uint32_t *)(void *)h->scratch[0], *start = (uint32_t *)(void *)h->scratch[1]; /* [2 node_count] each */
    pd_forms_add_grain(s, g, piece, order, start, forms);
  }
}

/* Fills piece with fragment numbers that are unique over the scene, and scratch 0 and 1 with damage and speed. */
static void prepare_fields(const pd_state *s)
{
  const pd_host *h = s->host;
  size_t offset = 0;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &h->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    bool broken = grain->bonds == &grain->own;
    size_t count = broken ? pd_pieces(grain->bonds, h->piece + grain->first) : 1;
    for (size_t k = 0; k < body->node_count; k++) {
      size_t i = grain->first + k;
      h->piece[i] = (broken ? h->piece[i] : 0) + (uint32_t)offset;
      h->scratch[0][i] = body->bond_degree[k] ? 1.0 - (double)grain->bonds->count[k] / body->bond_degree[k] : 0.0;
      h->scratch[1][i] =
          sqrt(h->velocity.x[i] * h->velocity.x[i] + h->velocity.y[i] * h->velocity.y[i] + h->velocity.z[i] * h->velocity.z[i]);
    }
    offset += count;
  }
  fragment_numbers(h->grain_of, s->node_count, h->piece, h->scratch[2]);
}

scr_status pd_gather(const pd_state *s, pd_picture *picture, scr_error *error)
{
  const pd_host *h = s->host;
  pd_ranks_complete(s);
  prepare_fields(s);
  *picture = (pd_picture){h->position.x, h->position.y, h->position.z, h->scratch[0], h->scratch[1],
                          h->scratch[2], h->scratch[3], h->piece,      h->grain_of};
  return pd_stress_pass(s, h->scratch[2], h->scratch[3], NULL, error);
}
