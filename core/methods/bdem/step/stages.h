/** The stages of a step, in their order. Each can be called alone; what it reads and writes stands with it.
 *
 *  explicit step (step_explicit.c)                          writes
 *    look ahead         bdem_look_ahead (sweep.h)           list; the step is cut in halves where something would be passed
 *    half-kick, drift   bdem_kick_and_drift                 body, total (emptied), ledger
 *    neighbour list     bdem_contact_follow                 contacts, list
 *    forces, half-kick  bdem_force_and_kick                 body, total, contacts (springs of friction), rig, ledger
 *    contact solve      bdem_contact_impulses (impulse.h)   body (velocities), rig, ledger
 *    fracture           bdem_mark_bonds, bdem_break_marked (fracture.h)   fracture, batches, total, ledger
 *
 *  implicit step, part by part (step_implicit.c)
 *    look ahead         bdem_look_ahead
 *    neighbour list     bdem_contact_update                 contacts, list
 *    solve              bdem_solver_step (solve.h)          body, rig's parts; again with a wider list where something went further than it
 *    forces             bdem_force_pass                     total, rig
 *    judgement          bdem_find_missed_contact, bdem_impact_energy, bdem_mark_bonds: done, or again in halves or as a burst of explicit
 *    steps contact solve      bdem_contact_impulses fracture           bdem_break_marked burst              bdem_advance_burst
 *    explicit steps instead, in halves as they need
 *
 *  Contact forces are found from the candidates in the force pass itself: detection is the list, and the overlap of each of its pairs. */
#ifndef SCREE_METHODS_BDEM_STAGES_H
#define SCREE_METHODS_BDEM_STAGES_H

#include "methods/bdem/contact/impulse.h"
#include "methods/bdem/contact/sweep.h"
#include "methods/bdem/state/state.h"

/** An implicit step is done in parts of its 2^-24th at the least. */
enum { BDEM_HALVINGS_LIMIT = 24 };

/** Steps after which contacts of pairs are looked at for how deep they are, when nothing is fast. */
enum { BDEM_PAIR_CHECK_STEPS = 8 };

/** Half a step's acceleration by the last forces and the weight, whose work it books, then the way of the whole step. Leaves `total` zero.
 *  @return how far a sphere is at most from where the contact candidates were listed, m */
double bdem_kick_and_drift(const bdem_model *model, bdem_body *body, bdem_total *total, const bdem_neighbour_list *list, sim_ledger *ledger,
                           bdem_scratch *scratch, double dt);

/** Force and torque at the new positions on top of `total`, which bdem_kick_and_drift left zero, the loads on the rig, and the acceleration
 *  over dt. @param fast receives whether a sphere is fast    @return whether all spheres' state is finite */
bool bdem_force_and_kick(const bdem_model *model, bdem_body *body, bdem_contacts *contacts, bdem_total *total, bdem_rig *rig,
                         sim_ledger *ledger, bdem_scratch *scratch, double dt, bool *fast);

/** Force and torque of bonds and contacts on every sphere at the present positions, and the loads on the rig. */
void bdem_force_pass(const bdem_model *model, const bdem_body *body, bdem_contacts *contacts, bdem_total *total, bdem_rig *rig);

/** One step of the explicit integrator, or one of a burst, in halves as long as it would take a sphere too far past what it meets; up to
 *  `end`, s. */
scr_status bdem_advance_explicit(bdem_state *state, double dt, double end, scr_error *error);

/** One step of the scene's implicit integrator from `time` on, in parts and bursts as it needs. */
scr_status bdem_advance_implicit(bdem_state *state, double time, scr_error *error);

/** A part of an implicit step from `time` on, done by explicit steps: what breaking and impacts need. Eventful to its end, it has the next
 *  part not tried implicitly at all (control.bursting). The part's start must have been kept. */
scr_status bdem_advance_burst(bdem_state *state, double time, double dt, scr_error *error);

/** What impacts are measured by, J: all energy put in, with `work` since the ledger; the weight's over one radius, so that settling under
 *  it is no impact; and such that neither is the first touch of a rig that loads slowly, which sets at most all mass in motion at its
 *  speed. */
double bdem_energy_scale(const bdem_state *state, double work);
/** Share of that which a part may lose in an impact without being done by explicit steps. */
#define BDEM_CALM_IMPACT 1e-3

/** No sphere may be pushed through a part of the rig: SCR_DIVERGED.
 *  @param deepest raised to the overlap of the deepest contact over the radius, if that is more */
scr_status bdem_check_depth(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, uint64_t step, double *deepest,
                            scr_error *error);

/** One step by the scene's integrator. `time`: at its start, s; `step`: its number, from 1: it ends at step * time_step. */
scr_status bdem_advance(bdem_state *state, double time, uint64_t step, scr_error *error);

#endif
