/* Candidates for contact between nodes.
 *
 * Every node keeps a row of candidates nearer than Rc + skin; rows are made anew when a node has moved by half the skin. */
#include "methods/peridem/host/bond_force.h"
#include "methods/peridem/host/contact.h"

#include "base/memory.h"

/* Whether j belongs into i's row now, and how. */
static bool candidate(const void *user, uint32_t i, uint32_t j, uint32_t *entry)
{
  const pd_state *s = user;
  *entry = j;
  if (s->host->grain_of[i] != s->host->grain_of[j]) return true;
  if (!s->options->self_contact) return false;
  const pd_grain *grain = &s->host->grains[s->host->grain_of[i]];
  if (!pd_bonded(grain, i, j)) return true;
  *entry |= PD_BONDED;
  return grain->bonds == &grain->own; /* bonds of an unbroken grain: its first break makes the list stale */
}

scr_status pd_contact_list(pd_state *s, bool from_listed, scr_error *error)
{
  pd_host *h = s->host;
  geo_near_list *near = &h->near;
  near->skin = s->options->contact_skin * s->contact_radius;
  if (!from_listed) geo_near_list_place(near, h->position.x, h->position.y, h->position.z, s->threads);
  SCR_TRY(geo_near_list_build(near, s->contact_radius * (1 + s->options->contact_skin), candidate, s, s->threads, error));
  if (s->explicit_damping || mem_grow(&h->pair_met, &h->met_capacity, near->first[near->count], sizeof *h->pair_met)) return SCR_OK;
  return scr_fail_memory(error, "the contact pairs", near->first[near->count] * sizeof *h->pair_met);
}

bool pd_contact_list_is_old(const pd_state *s)
{
  const pd_host *h = s->host;
  const pd_vectors *p = &h->position;
  return h->near.stale || geo_near_list_moved(&h->near, p->x, p->y, p->z, s->threads) > 0.5 * s->options->contact_skin * s->contact_radius;
}
