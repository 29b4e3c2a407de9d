/* All that later bits depend on stands in the table of fields; what it means is checked here. The ledger is saved by the shell. */
#include "methods/rigid/state.h"

scr_status rigid_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return fields_save(rigid_fields, RIGID_FIELDS, sim->state, blob, error);
}

static bool is_sound(const rigid_state *s, const rigid_contact *c)
{
  double sum = c->impulse[0] + c->impulse[1] + c->impulse[2] + c->touch.gap + c->hold + c->couple[0] + c->couple[1] + c->couple[2];
  return c->touch.a < s->body_count && c->touch.b < s->body_count + SCR_PART_LIMIT && (unsigned)c->state <= RIGID_SLIDING && isfinite(sum);
}

scr_status rigid_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  rigid_state *s = sim->state;
  SCR_TRY(fields_load(rigid_fields, RIGID_FIELDS, s, blob, error));
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *body = &s->bodies[i];
    bool sound = body->shape < s->shape_count && body->material <= s->scene->material_count && body->mass > 0 && body->scale > 0;
    if (!sound || !isfinite(vec3_length(body->centre) + quat_length(body->attitude) + vec3_length(body->momentum))) return scr_sim_damaged("bodies", error);
  }
  if (!(s->contact_time >= 0) || s->contact_time > 1.001 * sim->time_step) return scr_sim_damaged("contacts", error);
  for (size_t k = 0; k < s->contact_count; k++)
    if (!is_sound(s, &s->contacts[k])) return scr_sim_damaged("contacts", error);
  return SCR_OK;
}
