/* Saving and loading the complete state: everything that later bits depend on, the live bonds and the positions of the last contact search
 * included. Bonds are stored by the ends that are left; their constants are those of the scene. */
#include <string.h>

#include "base/memory.h"
#include "methods/bdem/contact/friction.h"
#include "methods/bdem/state/checkpoint.h"
#include "methods/bdem/contact/touch_face.h"
#include "methods/bdem/step/stages.h"

/* Which faces contacts have is a matter of where their spheres came from. Touches, then pairs; none of those that have no faces to choose
 * from. */
static size_t count_holds(const bdem_state *s)
{
  if (!bdem_uses_face_contact(&s->model)) return 0;
  return s->contacts.touch_count + (s->model.facing_reach > 0.0 ? s->contacts.pair_count : 0);
}

static scr_status save_holds(const bdem_state *s, scr_blob *blob, scr_error *error)
{
  size_t count = count_holds(s), touches = s->contacts.touch_count;
  bdem_face_hold *hold = mem_array(count, sizeof *hold);
  if (!hold) return scr_fail_memory(error, "the contacts", count * sizeof *hold);
  for (size_t k = 0; k < count; ++k)
    hold[k] =
        k < touches ? bdem_touch_hold(&s->model, &s->contacts.touches[k]) : bdem_pair_hold(&s->model, &s->contacts.pairs[k - touches]);
  scr_status status = scr_blob_write_array(blob, hold, count, sizeof *hold, error);
  mem_free(hold);
  return status;
}

/* Of the contacts that have been listed again. A pair of spheres of two bodies alone has faces to choose from. */
static scr_status load_holds(bdem_state *s, scr_blob *blob, scr_error *error)
{
  size_t count = count_holds(s), touches = s->contacts.touch_count;
  bdem_face_hold *hold = mem_array(count, sizeof *hold);
  if (!hold) return scr_fail_memory(error, "the contacts", count * sizeof *hold);
  scr_status status = scr_blob_read_array(blob, hold, count, sizeof *hold, "contacts", error);
  for (size_t k = 0; status == SCR_OK && k < count; ++k) {
    bdem_touch *touch = k < touches ? &s->contacts.touches[k] : NULL;
    bool ok = touch ? bdem_touch_held(&s->model, &s->body, s->contacts.rig[touch->part].kind, hold[k], touch)
                    : bdem_pair_held(&s->model, &s->body, hold[k], &s->contacts.pairs[k - touches]);
    if (!ok) status = scr_sim_damaged("contacts", error);
  }
  mem_free(hold);
  return status;
}

scr_status bdem_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  bdem_state *s = sim->state;
  bdem_bonds_close(&s->body, &s->batches, &s->fracture);
  SCR_TRY(fields_save(bdem_fields, BDEM_FIELDS, s, blob, error));
  SCR_TRY(fields_save(bdem_body_fields, BDEM_BODY_FIELDS, &s->body, blob, error));
  SCR_TRY(scr_blob_write_array(blob, s->body.ends, s->body.bond_count, sizeof *s->body.ends, error));
  SCR_TRY(save_holds(s, blob, error));
  SCR_TRY(bdem_friction_save(&s->contacts, blob, error));
  bool there = s->solver.made && s->solver.kind->keep, carries = there && bdem_implicit_carries(s->solver.made);
  SCR_TRY(scr_blob_write_u64(blob, there, error));
  SCR_TRY(scr_blob_write_u64(blob, carries, error));
  return carries ? bdem_implicit_save(s->solver.made, blob, error) : SCR_OK;
}

/* A bond of the fresh scene that the checkpoint does not have. */
static void drop_bond(bdem_state *s, size_t b)
{
  s->fracture.live[s->body.ends[b][0]]--;
  s->fracture.live[s->body.ends[b][1]]--;
  s->fracture.removed[b] = 1;
}

/* The live bonds: a part of the fresh scene's in the same order. */
static scr_status load_bonds(bdem_state *s, scr_blob *blob, scr_error *error)
{
  bdem_body *body = &s->body;
  size_t count, at = 0;
  SCR_TRY(scr_blob_peek_count(blob, &count, error));
  if (count > body->bond_count) return scr_sim_damaged("bonds", error);
  uint32_t(*ends)[2] = mem_array(count, sizeof *ends);
  if (!ends) return scr_fail_memory(error, "the bonds", count * sizeof *ends);
  scr_status status = scr_blob_read_array(blob, ends, count, sizeof *ends, "bonds", error);
  for (size_t b = 0; status == SCR_OK && b < count; ++b, ++at) {
    while (at < body->bond_count && memcmp(body->ends[at], ends[b], sizeof *ends) != 0) drop_bond(s, at++);
    if (at == body->bond_count) {
      status = scr_sim_damaged("bonds", error);
      break;
    }
    memmove(body->ends[b], body->ends[at], sizeof *ends);
    s->fracture.removed[at] = 0;
    body->bonds[b] = body->bonds[at];
  }
  while (status == SCR_OK && at < body->bond_count) drop_bond(s, at++);
  mem_free(ends);
  if (status == SCR_OK && count < body->bond_count) bdem_batches_drop(&s->batches, s->fracture.removed);
  memset(s->fracture.removed, 0, body->bond_count);
  if (status == SCR_OK) body->bond_count = count;
  return status;
}

/* Whether pairs are sorted, each there once, and push no farther than their spheres reach. */
static bool pairs_are_valid(const bdem_state *s, const bdem_pair_reach *pairs, size_t count)
{
  for (size_t k = 0; k < count; ++k) {
    const bdem_pair_reach *pair = &pairs[k];
    bool sorted = k == 0 || pair[-1].i < pair->i || (pair[-1].i == pair->i && pair[-1].j < pair->j);
    if (!sorted || pair->i >= pair->j || pair->j >= s->body.sphere_count ||
        !(pair->reach >= 0.0 && pair->reach <= s->body.radius[pair->i] + s->body.radius[pair->j]))
      return false;
  }
  return true;
}

/* The pattern of the solver's matrix is not made of the present bonds and candidates alone, and the last bits of a solution depend on it:
 * the solver is made with the pairs that were unused. */
static scr_status load_solver(bdem_state *s, scr_blob *blob, scr_error *error)
{
  const bdem_contacts *contacts = &s->contacts;
  uint64_t there;
  SCR_TRY(scr_blob_read_u64(blob, &there, error));
  bool wanted = s->model.options->integrator == BDEM_INTEGRATOR_IMPLICIT_EULER;
  if (there > 1 || contacts->unused_count > s->model.bond_capacity || (contacts->unused_count > 0 && !there) || (there && !wanted))
    return scr_sim_damaged("unused pairs", error);
  for (size_t k = 0; k < contacts->unused_count; ++k)
    if (contacts->unused[k][0] >= contacts->unused[k][1] || contacts->unused[k][1] >= s->body.sphere_count)
      return scr_sim_damaged("unused pairs", error);
  return there ? bdem_implicit_create(&s->body, &s->solver.made, error) : SCR_OK;
}

/* The matrix that the last implicit step hands on to the next. */
static scr_status load_matrix(bdem_state *s, scr_blob *blob, scr_error *error)
{
  uint64_t carries;
  SCR_TRY(scr_blob_read_u64(blob, &carries, error));
  if (carries == 0) return SCR_OK;
  if (carries > 1 || !s->solver.made) return scr_sim_damaged("matrix", error);
  return bdem_implicit_load(s->solver.made, &s->body, &s->contacts, s->model.execution,
                            (la_preconditioner_kind)s->model.options->preconditioner, blob, error);
}

scr_status bdem_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  bdem_state *s = sim->state;
  SCR_TRY(fields_load(bdem_fields, BDEM_FIELDS, s, blob, error));
  SCR_TRY(fields_load(bdem_body_fields, BDEM_BODY_FIELDS, &s->body, blob, error));
  if (!(s->control.deepest >= 0) || s->control.halvings > BDEM_HALVINGS_LIMIT) return scr_sim_damaged("step sizes", error);
  for (size_t i = 0; i < s->body.sphere_count; ++i) {
    scr_quat q = s->body.orientation[i];
    if (!(fabs(quat_dot(q, q) - 1.0) < 1e-9)) return scr_sim_damaged("orientations", error);
  }
  if (s->list.skin < 0 || s->list.stretch < 0) return scr_sim_damaged("lists of contacts", error);
  SCR_TRY(load_bonds(s, blob, error));
  if (s->fracture.broken_count != s->model.bond_capacity - s->body.bond_count || /* those that are not live broke */
      !pairs_are_valid(s, s->fracture.broken, s->fracture.broken_count))
    return scr_sim_damaged("broken bonds", error);
  if (!pairs_are_valid(s, s->contacts.exposed, s->contacts.exposed_count)) return scr_sim_damaged("exposed pairs", error);
  s->contacts.pair_count = 0; /* those of the fresh scene are not the last list's */
  SCR_TRY(bdem_contact_list(&s->listing, s->list.skin, true, error));
  SCR_TRY(load_holds(s, blob, error));
  SCR_TRY(bdem_friction_load(&s->contacts, blob, error));
  SCR_TRY(load_solver(s, blob, error));
  s->list.changed = false; /* the solver's matrix: its pattern is the saved one */
  return load_matrix(s, blob, error);
}
