/* What is shown of the nodes: pieces, damage, speed. */
#include "methods/peridem/host/gather.h"

#include "sim/fragment_number.h"

void pd_count_pieces(const pd_state *s, fragment_summary *summary)
{
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &s->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    if (grain->bonds != &grain->own) { /* unbroken: the check made sure that it is one piece */
      fragments_add(summary, body->node_mass * (double)body->node_count, false);
      continue;
    }
    uint32_t *piece = s->piece + grain->first;
    (void)pd_pieces(grain->bonds, piece);
    fragments_add_body(summary, body->node_count, piece, &body->node_mass, true, s->scratch[0], s->scratch[1]);
  }
}

/* Fills piece with fragment numbers that are unique over the scene, and scratch 0 and 1 with damage and speed. */
static void prepare_fields(const pd_state *s)
{
  size_t offset = 0;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &s->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    bool broken = grain->bonds == &grain->own;
    size_t count = broken ? pd_pieces(grain->bonds, s->piece + grain->first) : 1;
    for (size_t k = 0; k < body->node_count; k++) {
      size_t i = grain->first + k;
      s->piece[i] = (broken ? s->piece[i] : 0) + (uint32_t)offset;
      s->scratch[0][i] = body->bond_degree[k] ? 1.0 - (double)grain->bonds->count[k] / body->bond_degree[k] : 0.0;
      s->scratch[1][i] =
          sqrt(s->velocity.x[i] * s->velocity.x[i] + s->velocity.y[i] * s->velocity.y[i] + s->velocity.z[i] * s->velocity.z[i]);
    }
    offset += count;
  }
  fragment_numbers(s->grain_of, s->node_count, s->piece, s->scratch[2]);
}

void pd_gather(const pd_state *s, pd_picture *picture)
{
  prepare_fields(s);
  *picture = (pd_picture){s->position.x, s->position.y, s->position.z, s->scratch[0], s->scratch[1], s->piece, s->grain_of};
}
