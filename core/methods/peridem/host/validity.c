/* Whether a state still makes sense. */
#include "methods/peridem/host/validity.h"

#include "methods/peridem/host/ranks/ranks.h"

static bool depths_are_valid(const pd_state *s, const pd_rig_block *block)
{
  bool valid = true;
  for (size_t k = 0; k < block->count; k++) valid = valid && !(block->now[k].distance < block->now[k].zero - 3 * s->contact_radius);
  return valid;
}

/* Whether a block's nodes are finite and none is deep inside the rig: its contacts know how deep, the rig pass left them. */
static bool block_is_valid(const pd_state *s, size_t b)
{
  const pd_host *h = s->host;
  size_t begin = b * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
  double sum = 0;
  for (size_t i = begin; i < end; i++) /* zero, or NaN from what is not finite */
    sum += 0 * (h->position.x[i] + h->position.y[i] + h->position.z[i] + h->velocity.x[i] + h->velocity.y[i] + h->velocity.z[i]);
  return sum == 0 && depths_are_valid(s, &h->rig_blocks[b]);
}

bool pd_rig_depths_are_valid(const pd_state *s)
{
  bool valid = true;
  for (size_t b = 0; b < s->host->block_count; b++) valid = depths_are_valid(s, &s->host->rig_blocks[b]) && valid;
  return valid;
}

/* The largest of the negative numbers of invalid blocks. */
static void first_invalid(const void *user, size_t from, size_t to, double *before)
{
  const pd_state *s = user;
  for (size_t n = to; n-- > from;)
    if (!block_is_valid(s, s->host->own[n])) *before = fmax(*before, -(double)s->host->own[n]);
}

/* What is wrong with a block: nodes that are not finite come before those deep inside the rig. */
static pd_verdict inspect_block(const pd_state *s, size_t b)
{
  const pd_host *h = s->host;
  size_t begin = b * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
  for (size_t i = begin; i < end; i++)
    if (!isfinite(h->position.x[i] + h->position.y[i] + h->position.z[i] + h->velocity.x[i] + h->velocity.y[i] + h->velocity.z[i]))
      return (pd_verdict){.soundness = PD_NOT_FINITE, .node = i, .grain = h->grain_of[i]};
  const pd_rig_block *block = &h->rig_blocks[b];
  for (size_t k = 0; k < block->count; k++) {
    const pd_rig_contact *contact = &block->now[k];
    if (contact->distance < contact->zero - 3 * s->contact_radius)
      return (pd_verdict){PD_INSIDE, contact->node, h->grain_of[contact->node], contact->part, contact->distance};
  }
  return (pd_verdict){.soundness = PD_VALID};
}

/* The verdict of the one rank that has it, to all. */
static pd_verdict spread(const pd_state *s, pd_verdict mine)
{
  double number[] = {mine.soundness, (double)mine.node, (double)mine.grain, (double)mine.part, mine.amount};
  team_sum_bits(s->host->ranks->team, number, sizeof number / sizeof *number);
  return (pd_verdict){(pd_soundness)number[0], (size_t)number[1], (size_t)number[2], (size_t)number[3], number[4]};
}

/* The state must stay finite, and inside the rig: the first block that is not. */
static pd_verdict inspect_nodes(const pd_state *s)
{
  const pd_host *h = s->host;
  const pd_verdict valid = {.soundness = PD_VALID};
  double before = -(double)h->block_count;
  execution_largest(s->execution, h->own_count, 1, first_invalid, s, &before);
  size_t first = (size_t)-pd_ranks_largest(s, before);
  if (first == h->block_count) return valid;
  return spread(s, pd_is_own(h, first * PD_BLOCK) ? inspect_block(s, first) : valid);
}

/* Bonds that cannot break could stretch without end. The first of each row tells. */
static pd_verdict inspect_own_bonds(const pd_state *s)
{
  const pd_host *h = s->host;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &h->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    if (isfinite(body->critical_stretch)) continue;
    for (size_t k = 0; k < body->node_count; k++) {
      uint32_t slot = grain->bonds->first[k];
      if (grain->bonds->count[k] == 0 || !pd_is_own(h, grain->first + k)) continue;
      size_t i = grain->first + k, j = grain->first + grain->bonds->other[slot];
      double dx = h->position.x[j] - h->position.x[i], dy = h->position.y[j] - h->position.y[i], dz = h->position.z[j] - h->position.z[i];
      double stretch = sqrt(dx * dx + dy * dy + dz * dz) * grain->bonds->inverse_length[slot] - 1;
      if (!(stretch <= 10)) return (pd_verdict){.soundness = PD_STRETCHED, .node = i, .grain = g, .amount = stretch};
    }
  }
  return (pd_verdict){.soundness = PD_VALID};
}

static pd_verdict inspect_bonds(const pd_state *s)
{
  const pd_verdict mine = inspect_own_bonds(s), valid = {.soundness = PD_VALID};
  double node = mine.soundness == PD_VALID ? (double)-INFINITY : -(double)mine.node, first = pd_ranks_largest(s, node);
  if (first == (double)-INFINITY) return valid;
  return spread(s, node == first ? mine : valid);
}

void pd_inspect(const pd_state *s, bool bonds, pd_verdict *verdict)
{
  *verdict = inspect_nodes(s);
  if (bonds && verdict->soundness == PD_VALID) *verdict = inspect_bonds(s);
}
