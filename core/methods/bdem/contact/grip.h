/** The rig's parts in motion, and grips: spheres whose motion a part imposes. */
#ifndef SCREE_METHODS_BDEM_GRIP_H
#define SCREE_METHODS_BDEM_GRIP_H

#include "methods/bdem/contact/contact.h"
#include "methods/bdem/state/model.h"
#include "methods/bdem/state/total.h"
#include "sim/rig/grips.h"

/** What the rig feels and holds. Where its parts are: bdem_contacts.parts. */
typedef struct bdem_rig {
  part_load *load; /**< the simulation's, on its parts, impulses of the last step included; borrowed */
  sim_grips grips; /**< spheres in grips; which components those rule over: bdem_body.held */
} bdem_rig;

/** Where the spheres were, and what the rig bore, when a part of a step began that may be done again. */
typedef struct bdem_start {
  scr_vec3 *position, *velocity, *spin; /**< [n] m, m/s, rad/s */
  scr_quat *orientation;                /**< [n] */
  part_load load[SCR_PART_LIMIT];       /**< [part_count], without impulses; of implicit parts */
} bdem_start;

/** Notes how far parts have gone from where they were, for friction. */
void bdem_parts_record_displacement(bdem_contacts *contacts, const part_motion *before);

/** How far from part p's position spheres can meet its surface, m: to its end, or to the farthest sphere. */
double bdem_part_span(const bdem_contacts *contacts, const bdem_body *body, size_t p);
/** Farthest that part p's surface has come from where it was at `before`, m, as far as spheres can meet it. */
double bdem_part_travel(const bdem_contacts *contacts, const bdem_body *body, size_t p, const part_motion *before);
/** Largest speed of part p's surface, m/s, as far as spheres can meet it. */
double bdem_part_speed(const bdem_contacts *contacts, const bdem_body *body, size_t p);

/** Whether part p of the rig is a grip: its load is its spheres', and its work is booked with theirs. */
bool bdem_is_grip(const bdem_contacts *contacts, size_t p);
/** Finds the spheres that grips hold at the start and marks what they may not do in the body's `held`. @return SCR_OK, SCR_NO_MEMORY */
scr_status bdem_grips_create(const bdem_contacts *contacts, bdem_body *body, bdem_rig *rig, scr_error *error);
/** Spheres at most `length` from the face of a grip, where tabs keep bonds whole: 1 in `tabbed`, [n]. */
void bdem_tabs_mark(const bdem_contacts *contacts, const bdem_body *body, double length, uint8_t *tabbed);

/** Gripped spheres to where the parts are now. */
void bdem_grips_place(const bdem_rig *rig, const bdem_contacts *contacts, bdem_body *body);
/** Velocities of gripped spheres: their parts' now, or with `from` those that lead from there to the parts' places within dt. */
void bdem_grips_set_velocity(const bdem_rig *rig, const bdem_contacts *contacts, const part_motion *from, double dt, bdem_body *body);
/** Adds what the gripped spheres feel to their parts' force and torque; `total` must be that of the present positions. */
void bdem_grips_load(const bdem_model *model, const bdem_body *body, const bdem_total *total, const bdem_contacts *contacts, bdem_rig *rig);
/** Kinetic energy of gripped spheres in the components that grips rule, J. */
double bdem_grips_kinetic(const bdem_rig *rig, const bdem_body *body);
/** Work of the inertia of gripped spheres over an implicit part: sum of m (v - v_start) . v + I (w - w_start) . w, J. */
double bdem_grips_inertia_work(const bdem_rig *rig, const bdem_body *body, const bdem_start *start);

#endif
