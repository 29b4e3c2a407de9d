/* What is shown of the nodes: pieces, damage, speed. */
#include "methods/peridem/host/view/gather.h"

#include "methods/peridem/host/view/forms.h"
#include "methods/peridem/host/view/stress.h"
#include "methods/peridem/host/ranks/ranks.h"
#include "sim/pieces/fragment_number.h"

/* Numbers of pieces, from 0 in each broken grain, by whoever has its rows; rank 0 gets all. */
static void number_pieces(const pd_state *s)
{
  const pd_host *h = s->host;
  bool any = false;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &h->grains[g];
    any = any || grain->broken;
    if (grain->broken && pd_holds(h, g)) (void)pd_pieces(grain->bonds, h->piece + grain->first);
  }
  const pd_node_field pieces[] = {PD_NODE_FIELD(h->piece)};
  if (any) pd_ranks_lead(s, pieces, 1);
}

static void add_pieces(const pd_state *s, fragment_summary *summary, pd_forms *forms)
{
  const pd_host *h = s->host;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &h->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    if (!grain->broken) { /* unbroken: the check made sure that it is one piece */
      fragments_add(summary, body->node_mass * (double)body->node_count, false);
      pd_forms_add(s, g, NULL, body->node_count, forms);
      continue;
    }
    uint32_t *piece = h->piece + grain->first;
    fragments_add_body(summary, body->node_count, piece, &body->node_mass, true, h->scratch[0], h->scratch[1]);
    uint32_t *order = (uint32_t *)(void *)h->scratch[0], *start = (uint32_t *)(void *)h->scratch[1]; /* [2 node_count] each */
    pd_forms_add_grain(s, g, piece, order, start, forms);
  }
}

void pd_count_pieces(const pd_state *s, fragment_summary *summary, pd_forms *forms)
{
  scr_team *team = s->host->ranks->team;
  number_pieces(s);
  pd_ranks_show(s);
  if (pd_leads(s)) add_pieces(s, summary, forms);
  double values[] = {forms->mass, forms->elongation, forms->flatness};
  team_share(team, summary, sizeof *summary);
  team_share(team, values, sizeof values);
  team_share(team, &forms->status, sizeof forms->status);
  forms->mass = values[0], forms->elongation = values[1], forms->flatness = values[2];
}

/* Fragment numbers that are unique over the scene. */
static void number_fragments(const pd_state *s)
{
  const pd_host *h = s->host;
  uint32_t offset = 0;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &h->grains[g];
    uint32_t most = 0;
    for (size_t i = grain->first, end = i + s->bodies[grain->body].node_count; i < end; i++) {
      uint32_t piece = grain->broken ? h->piece[i] : 0;
      most = piece > most ? piece : most;
      h->piece[i] = piece + offset;
    }
    offset += most + 1;
  }
  fragment_numbers(h->grain_of, s->node_count, h->piece, h->scratch[2]);
}

/* Own nodes' damage and speed into scratch 0 and 1. */
static void measure_nodes(const pd_state *s)
{
  const pd_host *h = s->host;
  for (size_t n = 0; n < h->own_count; n++) {
    size_t end, begin = pd_own_block(s, n, &end);
    for (size_t i = begin; i < end; i++) {
      const pd_grain *grain = &h->grains[h->grain_of[i]];
      uint32_t degree = s->bodies[grain->body].bond_degree[i - grain->first];
      h->scratch[0][i] = degree ? 1.0 - (double)grain->bonds->count[i - grain->first] / degree : 0.0;
      h->scratch[1][i] =
          sqrt(h->velocity.x[i] * h->velocity.x[i] + h->velocity.y[i] * h->velocity.y[i] + h->velocity.z[i] * h->velocity.z[i]);
    }
  }
}

scr_status pd_gather(const pd_state *s, pd_picture *picture, scr_error *error)
{
  const pd_host *h = s->host;
  number_pieces(s);
  pd_ranks_show(s);
  if (pd_leads(s)) number_fragments(s);
  measure_nodes(s);
  *picture = (pd_picture){h->position.x, h->position.y, h->position.z, h->scratch[0], h->scratch[1],
                          h->scratch[2], h->scratch[3], h->piece,      h->grain_of};
  SCR_TRY(pd_stress_pass(s, h->scratch[2], h->scratch[3], NULL, error));
  const pd_node_field fields[] = {PD_NODE_FIELD(h->scratch[0]), PD_NODE_FIELD(h->scratch[1]), PD_NODE_FIELD(h->scratch[2]),
                                  PD_NODE_FIELD(h->scratch[3])};
  pd_ranks_lead(s, fields, 4);
  return SCR_OK;
}
