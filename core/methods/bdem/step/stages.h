/** The stages of a step, in their order, all called from step.c. Each takes what it reads and writes, and can be called alone.
 *
 *  explicit step                                                writes
 *    look ahead         bdem_look_ahead (sweep.h)                list; the step is cut in halves where something would be passed
 *    half-kick, drift   bdem_kick_and_drift                      body, total (emptied), ledger
 *    neighbour list     bdem_contact_follow (contact_list.h)     contacts, list
 *    forces, half-kick  bdem_force_and_kick                      body, total, contacts (springs of friction), rig, ledger
 *    contact solve      bdem_contact_impulses (impulse.h)        body (velocities), rig, ledger
 *    fracture           bdem_mark_bonds, bdem_break_marked (fracture.h)   fracture, batches, total, ledger
 *
 *  implicit step, part by part
 *    keep               bdem_part_keep                           start
 *    look ahead         bdem_look_ahead                          list
 *    neighbour list     bdem_contact_update                      contacts, list
 *    solve              bdem_solver_step (solve.h)               body, parts; again with a wider list where something went further
 *    forces             bdem_force_pass                          total, contacts, rig
 *    judgement          bdem_find_missed_contact (sweep.h), bdem_part_measure, bdem_mark_bonds: done; or bdem_part_restore, and again in
 *                       halves or as a burst of explicit steps
 *    contact solve      bdem_contact_impulses
 *    fracture           bdem_break_marked
 *
 *  every step           bdem_first_not_finite, bdem_deepest_pair (sweep.h), bdem_check_depth
 *
 *  Contact forces are found from the candidates in the force pass itself: detection is the list, and the overlap of each of its pairs. */
#ifndef SCREE_METHODS_BDEM_STAGES_H
#define SCREE_METHODS_BDEM_STAGES_H

#include "methods/bdem/contact/impulse.h"
#include "methods/bdem/contact/sweep.h"
#include "methods/bdem/state/state.h"

/** What the first pass of an explicit step reads and writes. */
typedef struct bdem_drift {
  const bdem_model *model;
  const bdem_neighbour_list *list; /**< where the contact candidates were listed */
  double dt;                       /**< s */
  bdem_body *body;                 /**< written: the motion */
  bdem_total *total;               /**< read, then zero */
  sim_ledger *ledger;              /**< added to: the weight's work, what local damping takes */
} bdem_drift;

/** Half a step's acceleration by the last forces and the weight, then the way of the whole step.
 *  @return how far a sphere is at most from where the contact candidates were listed, m */
double bdem_kick_and_drift(const bdem_drift *d);

/** What the second pass reads and writes. */
typedef struct bdem_kick {
  const bdem_model *model;
  double dt;               /**< s, of the acceleration: half a step */
  bdem_body *body;         /**< written: velocities and spins */
  bdem_contacts *contacts; /**< written: springs of friction */
  bdem_total *total;       /**< zero on entry; receives force and torque at the present positions */
  bdem_rig *rig;           /**< written: loads */
  sim_ledger *ledger;      /**< added to: what friction and local damping take */
  bdem_scratch *scratch;
} bdem_kick;

/** Force and torque at the new positions, the loads on the rig, and the acceleration over dt.
 *  @param fast receives whether a sphere is fast    @return whether all spheres' state is finite */
bool bdem_force_and_kick(const bdem_kick *s, bool *fast);

/** Force and torque of bonds and contacts on every sphere at the present positions, and the loads on the rig. */
void bdem_force_pass(const bdem_model *model, const bdem_body *body, bdem_contacts *contacts, bdem_total *total, bdem_rig *rig);

/** Keeps where the spheres and springs are, so that a part of a step can be undone; puts them back there. */
scr_status bdem_part_keep(const bdem_model *model, const bdem_body *body, bdem_contacts *contacts, bdem_start *start, scr_error *error);
void bdem_part_restore(const bdem_model *model, const bdem_start *start, bdem_body *body, bdem_contacts *contacts);

/** Energy of bonds, contacts and springs, J; that of the bonds is kept in `total` until something moves. */
double bdem_potential(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, bdem_total *total);

/** A solved part of an implicit step, whose forces are those at its end. */
typedef struct bdem_solved_part {
  const bdem_model *model;
  const bdem_body *body;
  const bdem_contacts *contacts;
  const bdem_rig *rig;
  const bdem_start *start;     /**< where it began */
  const part_motion *before;   /**< [part_count] where the parts were then */
  bdem_total *total;           /**< written: the bonds' energy */
  double potential_before, dt; /**< J, s */
  double friction;             /**< J, dissipated by friction in it */
  double contact_damping;      /**< J, taken out by stabilised contacts in it */
} bdem_solved_part;

/** What a solved part did, J. */
typedef struct bdem_part_works {
  double gravity, parts; /**< works */
  double lost;           /**< taken out without a reason */
  double impact;         /**< the most of it that an impact lost, or made: where contacts stopped nothing fast, it took vibrations out */
  double loading;        /**< of `lost` what is no motion: the work of the parts by what they bear at the end over that by the mean of
                              start and end, whose sum over a load that rises and falls is zero. None for a fast part whose load more
                              than triples: a blow */
  double impact_motion;  /**< as `impact`, of `lost` without `loading` */
} bdem_part_works;

bdem_part_works bdem_part_measure(const bdem_solved_part *part);

/** Whether a part of the rig at such a speed, m/s, loads slowly, so that its first touch is no impact: below a thousandth of a radius in T,
 *  which is about the speed of sound. */
bool bdem_loads_slowly(const bdem_model *model, double speed);

/** The first sphere whose state is not finite, SIZE_MAX: all are. */
size_t bdem_first_not_finite(const bdem_model *model, const bdem_body *body);

/** No sphere may be pushed through a part of the rig: SCR_DIVERGED.
 *  @param deepest raised to the overlap of the deepest contact over the radius, if that is more */
scr_status bdem_check_depth(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, uint64_t step, double *deepest,
                            scr_error *error);

/** An implicit step is done in parts of its 2^-24th at the least. */
enum { BDEM_HALVINGS_LIMIT = 24 };

/** What the first touch of a rig that loads slowly may lose, J: it sets at most all mass in motion at the rig's speed. 0: it is fast. */
double bdem_first_touch(const bdem_state *state);

/** One step by the scene's integrator. `time`: at its start, s; `step`: its number, from 1: it ends at step * time_step. */
scr_status bdem_advance(bdem_state *state, double time, uint64_t step, scr_error *error);

#endif
