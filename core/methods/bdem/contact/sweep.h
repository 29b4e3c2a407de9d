/** What a step sweeps: a contact acts at a step's end only, so a step must not carry anything past what it meets; and what an impact lost.
 *  */
#ifndef SCREE_METHODS_BDEM_SWEEP_H
#define SCREE_METHODS_BDEM_SWEEP_H

#include "methods/bdem/contact/contact_list.h"

/** Way in one step below which nothing can pass anything, m: a quarter of the smallest radius, a half relative to what comes towards it. */
double bdem_harmless_travel(const bdem_model *model);
/** The longest way for which candidates are searched, in radii of the largest sphere. */
double bdem_longest_search(void);
/** Whether a way in one step is longer than candidates are searched for. */
bool bdem_out_of_reach(const bdem_model *model, double moved);
/** Furthest that a sphere or part goes in dt up to `end`, by its velocity and weight, or its program; m. */
double bdem_expected_travel(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, double dt, double end);
/** The same of parts alone. */
double bdem_parts_travel(const bdem_body *body, const bdem_contacts *contacts, double dt, double end);
/** Whether a sphere would go further in dt than half the smaller radius relative to something that it meets on its way up to `end`, by its
 *  present velocity: the step must be cut. Always when it goes further than contacts are searched for. May make a new list of candidates.
 *  */
scr_status bdem_look_ahead(const bdem_listing *listing, double dt, double end, bool *contact_ahead, scr_error *error);
/** The same of an implicit part that was solved, by the ways gone since its start. */
scr_status bdem_find_missed_contact(const bdem_listing *listing, const bdem_start *start, const part_motion *parts_before, double dt,
                                    bool *anything, scr_error *error);
/** After an explicit step of dt, before its impulses: SCR_DIVERGED when spheres passed through each other or through a part. */
scr_status bdem_check_passed(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, const bdem_total *total,
                             const part_motion *parts_before, uint64_t step, double dt, scr_error *error);
/** Largest overlap of a pair over the smaller radius. */
double bdem_deepest_pair(const bdem_body *body, const bdem_contacts *contacts);
/** Most of the energy that contacts of an implicit part that was solved took or gave, J: half their impulse times the speed of approach or
 *  parting at its start, which is all the energy of a body that the impulse stops. */
double bdem_impact_energy(const bdem_body *body, const bdem_contacts *contacts, const bdem_start *began, const part_motion *parts_before,
                          double dt);

#endif
