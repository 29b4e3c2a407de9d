/* All that later bits depend on stands in the table of fields; what it means is checked here. The ledger is saved by the shell. */
#include <string.h>

#include "base/memory.h"
#include "methods/rigid/state/state.h"

scr_status rigid_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return fields_save(rigid_fields, RIGID_FIELDS, sim->state, blob, error);
}

/* Whether it is the body that the scene has there, somewhere and in some motion. */
static bool body_is_valid(const rigid_body *body, const rigid_body *made)
{
  const scr_vec3 all[] = {body->centre, body->velocity, body->spin, body->momentum};
  double sum = 0;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) sum += all[k].x + all[k].y + all[k].z;
  return isfinite(sum) && fabs(quat_length(body->attitude) - 1) < 1e-6 && body->shape == made->shape && body->material == made->material &&
         body->scale == made->scale && body->mass == made->mass && vec3_length(vec3_sub(body->moments, made->moments)) == 0;
}

static bool contact_is_valid(const rigid_state *s, const rigid_contact *c, size_t parts)
{
  const scr_vec3 all[] = {c->touch.point, c->touch.normal, c->t1, c->t2};
  double sum = c->impulse[0] + c->impulse[1] + c->impulse[2] + c->touch.gap + c->hold + c->couple[0] + c->couple[1] + c->couple[2];
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) sum += all[k].x + all[k].y + all[k].z;
  return c->touch.a < s->body_count && c->touch.b < s->body_count + parts && (unsigned)c->state <= RIGID_SLIDING && isfinite(sum);
}

scr_status rigid_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  rigid_state *s = sim->state;
  rigid_body *made = mem_array(s->body_count, sizeof *made);
  if (!made) return scr_fail_memory(error, "the bodies", s->body_count * sizeof *made);
  memcpy(made, s->bodies, s->body_count * sizeof *made);
  scr_status status = fields_load(rigid_fields, RIGID_FIELDS, s, blob, error);
  for (size_t i = 0; status == SCR_OK && i < s->body_count; i++)
    if (!body_is_valid(&s->bodies[i], &made[i])) status = scr_sim_damaged("bodies", error);
  mem_free(made);
  SCR_TRY(status);
  if (!(s->contact_time >= 0) || s->contact_time > 1.001 * sim->time_step) return scr_sim_damaged("contacts", error);
  for (size_t k = 0; k < s->contact_count; k++)
    if (!contact_is_valid(s, &s->contacts[k], sim->parts.count)) return scr_sim_damaged("contacts", error);
  for (size_t k = 0; k < s->warm.count; k++)
    for (int c = 0; c < CONE_DIMENSION_MAX; c++)
      if (!isfinite(s->warm.entry[k].impulse[c])) return scr_sim_damaged("impulses", error);
  return SCR_OK;
}
