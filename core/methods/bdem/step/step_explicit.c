/* Explicit steps, of a run or of a burst within a large step.
 *
 *  v += dt/2 F/m;  x += dt v;  F(x);  v += dt/2 F/m;  impulses at contacts;  bonds above their strength break.
 *  Parts that move freely go along: their velocities are kicked by the same forces at the same times.
 *  The same trajectory as leapfrog's, with velocities at the positions' time. */
#include <string.h>

#include "methods/bdem/step/stages.h"

enum { CUT_LIMIT = 24 };

static scr_status advance_explicit(bdem_state *s, double dt, double end, scr_error *error)
{
  part_load load_before[SCR_PART_LIMIT];
  part_motion before[SCR_PART_LIMIT];
  memcpy(before, s->contacts.parts, s->contacts.part_count * sizeof *before);
  bdem_parts_load(&s->contacts, &s->body, s->rig.load); /* without last step's impulses */
  bdem_grips_load(&s->model, &s->body, &s->total, &s->contacts, &s->rig);
  memcpy(load_before, s->rig.load, s->contacts.part_count * sizeof *load_before);
  s->ledger->rig -= bdem_grips_kinetic(&s->rig, &s->body);
  s->total.elastic_known = false;
  s->step.end = end;
  parts_begin(s->parts, end, dt);
  parts_move(s->parts, end);
  bdem_parts_record_displacement(&s->contacts, before);
  bdem_grips_set_velocity(&s->rig, &s->contacts, before, dt, &s->body);
  double moved = bdem_kick_and_drift(&s->model, &s->body, &s->total, &s->list, s->ledger, &s->scratch, dt);
  bdem_grips_place(&s->rig, &s->contacts, &s->body);
  SCR_TRY(bdem_contact_follow(bdem_listing_of(s), fmax(moved, bdem_rig_moved_since_listed(&s->list, &s->body, &s->contacts, &s->rig)), 0.0,
                              error));
  s->step.finite =
      bdem_force_and_kick(&s->model, &s->body, &s->contacts, &s->total, &s->rig, s->ledger, &s->scratch, 0.5 * dt, &s->control.fast);
  parts_end(s->parts, dt);
  ledger_book_parts(s->ledger, s->parts, before, load_before);
  if (s->control.fast) SCR_TRY(bdem_check_passed(&s->model, &s->body, &s->contacts, &s->total, before, s->step.number, dt, error));
  bdem_contact_impulses(&s->model, &s->body, &s->contacts, &s->rig, s->ledger, dt);
  bdem_grips_set_velocity(&s->rig, &s->contacts, NULL, 0, &s->body);
  s->ledger->rig += bdem_grips_kinetic(&s->rig, &s->body);
  return bdem_mark_bonds(&s->model, &s->body, &s->batches, &s->fracture, (bdem_moment){s->step.number, s->step.end}, false)
             ? bdem_break_marked(&s->body, &s->batches, &s->fracture, &s->total, s->ledger, error)
             : SCR_OK;
}

/* The same in halves as long as it would take a sphere too far past what it meets. */
static scr_status advance_swept(bdem_state *s, double dt, double end, int cuts, scr_error *error)
{
  bool contact_ahead = false;
  if (s->control.fast || bdem_parts_travel(&s->body, &s->contacts, dt, end) > bdem_harmless_travel(&s->model))
    SCR_TRY(bdem_look_ahead(s, dt, end, &contact_ahead, error));
  if (!contact_ahead) return advance_explicit(s, dt, end, error);
  if (cuts == CUT_LIMIT)
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "step %llu: a sphere or part of the rig moves by %.3g m in %.3g s, too fast to find what it meets",
                    (unsigned long long)s->step.number, bdem_expected_travel(&s->model, &s->body, &s->contacts, dt, end), dt);
  s->control.fast = true;
  SCR_TRY(advance_swept(s, 0.5 * dt, end - 0.5 * dt, cuts + 1, error));
  s->control.fast = true;
  return advance_swept(s, 0.5 * dt, end, cuts + 1, error);
}

scr_status bdem_advance_explicit(bdem_state *s, double dt, double end, scr_error *error)
{
  return advance_swept(s, dt, end, 0, error);
}
