/* Whether a state still makes sense. */
#include "methods/peridem/host/validity.h"

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
static void first_invalid(const void *user, size_t begin, size_t end, double *before)
{
  for (size_t b = end; b-- > begin;)
    if (!block_is_valid(user, b)) *before = fmax(*before, -(double)b);
}

/* The state must stay finite, and inside the rig. */
static pd_verdict inspect_nodes(const pd_state *s)
{
  const pd_host *h = s->host;
  double before = -(double)h->block_count;
  execution_largest(s->execution, h->block_count, 1, first_invalid, s, &before);
  size_t first = (size_t)-before;
  if (first == h->block_count) return (pd_verdict){.soundness = PD_VALID};
  for (size_t i = 0; i < s->node_count; i++)
    if (!isfinite(h->position.x[i] + h->position.y[i] + h->position.z[i] + h->velocity.x[i] + h->velocity.y[i] + h->velocity.z[i]))
      return (pd_verdict){.soundness = PD_NOT_FINITE, .node = i, .grain = h->grain_of[i]};
  const pd_rig_block *block = &h->rig_blocks[first];
  for (size_t k = 0; k < block->count; k++) {
    const pd_rig_contact *contact = &block->now[k];
    if (contact->distance < contact->zero - 3 * s->contact_radius)
      return (pd_verdict){PD_INSIDE, contact->node, h->grain_of[contact->node], contact->part, contact->distance};
  }
  return (pd_verdict){.soundness = PD_VALID};
}

/* Bonds that cannot break could stretch without end. The first of each row tells. */
static pd_verdict inspect_bonds(const pd_state *s)
{
  const pd_host *h = s->host;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &h->grains[g];
    const pd_body *body = &s->bodies[grain->body];
    if (isfinite(body->critical_stretch)) continue;
    for (size_t k = 0; k < body->node_count; k++) {
      uint32_t slot = grain->bonds->first[k];
      if (grain->bonds->count[k] == 0) continue;
      size_t i = grain->first + k, j = grain->first + grain->bonds->other[slot];
      double dx = h->position.x[j] - h->position.x[i], dy = h->position.y[j] - h->position.y[i], dz = h->position.z[j] - h->position.z[i];
      double stretch = sqrt(dx * dx + dy * dy + dz * dz) * grain->bonds->inverse_length[slot] - 1;
      if (!(stretch <= 10)) return (pd_verdict){.soundness = PD_STRETCHED, .node = i, .grain = g, .amount = stretch};
    }
  }
  return (pd_verdict){.soundness = PD_VALID};
}

void pd_inspect(const pd_state *s, bool bonds, pd_verdict *verdict)
{
  *verdict = inspect_nodes(s);
  if (bonds && verdict->soundness == PD_VALID) *verdict = inspect_bonds(s);
}
