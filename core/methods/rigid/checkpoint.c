/* All that later bits depend on: bodies, impulses that the next step begins with, contacts for pictures, sums. The ledger is saved by the shell. */
#include "base/memory.h"
#include "methods/rigid/state.h"

scr_status rigid_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const rigid_state *s = sim->state;
  SCR_TRY(scr_blob_write_array(blob, s->bodies, s->body_count, sizeof *s->bodies, error));
  SCR_TRY(scr_blob_write_u64(blob, s->warm.count, error));
  SCR_TRY(scr_blob_write_f64(blob, s->warm.time_step, error));
  SCR_TRY(scr_blob_write_array(blob, s->warm.entry, s->warm.count, sizeof *s->warm.entry, error));
  SCR_TRY(scr_blob_write_u64(blob, s->contact_count, error));
  SCR_TRY(scr_blob_write_array(blob, s->contacts, s->contact_count, sizeof *s->contacts, error));
  SCR_TRY(scr_blob_write_f64(blob, s->contact_time, error));
  SCR_TRY(scr_blob_write(blob, &s->report, sizeof s->report, error));
  return scr_blob_write(blob, &s->kept, sizeof s->kept, error);
}

static scr_status damaged(const char *what, scr_error *error)
{
  return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint's %s are not those of this scene; it is damaged or of another run", what);
}

/* A number of elements and room for them. */
static scr_status read_room(scr_blob *blob, void *array, size_t *capacity, size_t size, const char *what, size_t *count, scr_error *error)
{
  uint64_t given;
  SCR_TRY(scr_blob_read_u64(blob, &given, error));
  if (given > UINT32_MAX) return damaged(what, error);
  *count = (size_t)given;
  return mem_grow(array, capacity, *count, size) ? SCR_OK : scr_fail_memory(error, what, *count * size);
}

static bool is_sound(const rigid_state *s, const rigid_contact *c)
{
  double sum = c->impulse[0] + c->impulse[1] + c->impulse[2] + c->touch.gap + c->hold + c->couple[0] + c->couple[1] + c->couple[2];
  return c->touch.a < s->body_count && c->touch.b < s->body_count + SCR_PART_LIMIT && (unsigned)c->state <= RIGID_SLIDING && isfinite(sum);
}

scr_status rigid_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  rigid_state *s = sim->state;
  SCR_TRY(scr_blob_read_array(blob, s->bodies, s->body_count, sizeof *s->bodies, "bodies", error));
  SCR_TRY(read_room(blob, &s->warm.entry, &s->warm.capacity, sizeof *s->warm.entry, "impulses", &s->warm.count, error));
  SCR_TRY(scr_blob_read_f64(blob, &s->warm.time_step, error));
  SCR_TRY(scr_blob_read_array(blob, s->warm.entry, s->warm.count, sizeof *s->warm.entry, "impulses", error));
  SCR_TRY(read_room(blob, &s->contacts, &s->contact_capacity, sizeof *s->contacts, "contacts", &s->contact_count, error));
  SCR_TRY(scr_blob_read_array(blob, s->contacts, s->contact_count, sizeof *s->contacts, "contacts", error));
  SCR_TRY(scr_blob_read_f64(blob, &s->contact_time, error));
  SCR_TRY(scr_blob_read(blob, &s->report, sizeof s->report, error));
  SCR_TRY(scr_blob_read(blob, &s->kept, sizeof s->kept, error));
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *body = &s->bodies[i];
    bool sound = body->shape < s->shape_count && body->material <= s->scene->material_count && body->mass > 0 && body->scale > 0;
    if (!sound || !isfinite(vec3_length(body->centre) + quat_length(body->attitude) + vec3_length(body->momentum))) return damaged("bodies", error);
  }
  if (!(s->contact_time >= 0) || s->contact_time > 1.001 * sim->time_step) return damaged("contacts", error);
  for (size_t k = 0; k < s->contact_count; k++)
    if (!is_sound(s, &s->contacts[k])) return damaged("contacts", error);
  return SCR_OK;
}
