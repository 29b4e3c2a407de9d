/** Parts that move freely among the fibres: their velocities are unknowns of the same contact problem, so that fibres and bodies push each
 *  other within a step.
 *
 *      M (v', w') = (m (v + g dt), I w0) + H' r       u = ... - (v' + w' x arm),   arm from the centre of mass to the contact
 *
 *  I are the moments, and w0 is the spin, of a body that turns freely, in the middle of the step (sim/rig/spin.h). Velocity and spin are a
 *  chain of two blocks of a fibre's size, whose fourth unknowns mean nothing: nothing acts on them. A body in a step's problem goes dt v',
 *  turns by dt w' and has v' and L' = L + sum arm x r at its end, as implicit Euler steps of fibres do, so that what lies still has no
 *  velocity; one that may touch nothing flies as everywhere (sim/rig/flight.h). Bodies also meet each other and other parts, without
 *  bounce. */
#ifndef SCREE_FIBRE_BODIES_H
#define SCREE_FIBRE_BODIES_H

#include "base/execution.h"
#include "contact/warm_start.h"
#include "geometry/touch/touch.h"
#include "linalg/band.h"
#include "sim/ledger.h"
#include "sim/rig/spin.h"

struct fibre_state;
struct fibre_touch;

enum { FIBRE_BODY_BLOCKS = 2, FIBRE_BODY_UNKNOWNS = 8, FIBRE_BODY_BAND = 2, FIBRE_NO_BODY = -1 };

/** A free part. */
typedef struct fibre_body {
  uint32_t part;
  bool touches;              /**< is in the problem of the step */
  size_t block;              /**< the first of its blocks there */
  scr_vec3 centre;           /**< m, of mass, as the step begins */
  scr_vec3 impulse, turning; /**< N s, N m s about the centre: of all contacts of the step */
  scr_vec3 push;             /**< N s: its momentum with gravity's impulse */
  scr_quat attitude;         /**< unit, principal axes to the world's, as the step begins */
  solid_spin spin;           /**< of the step, were it touched by nothing */
  scr_vec3 spin_now;         /**< rad/s, by the last solution */
  part_flight start;         /**< as the step begins */
  double mass[FIBRE_BODY_UNKNOWNS][FIBRE_BODY_BAND + 1], factor[FIBRE_BODY_UNKNOWNS][FIBRE_BODY_BAND + 1]; /**< bands */
} fibre_body;

/** Where a body may meet another part. */
typedef struct fibre_body_touch {
  uint32_t body, part;
  double gap;              /**< m, < 0 where they overlap */
  scr_vec3 normal, t1, t2; /**< unit, right-handed; out of the part */
  scr_vec3 place;          /**< m, in the middle between both surfaces */
  contact_key key;
} fibre_body_touch;

typedef struct fibre_bodies {
  size_t count;
  int32_t of[SCR_PART_LIMIT]; /**< number of a part's body, or FIBRE_NO_BODY */
  fibre_body body[SCR_PART_LIMIT];
  geo_piece piece[SCR_PART_LIMIT];   /**< of parts that are solids with an end; owned */
  geo_placed placed[SCR_PART_LIMIT]; /**< them as the step begins */
  scr_vec3 *vectors;                 /**< that these have */
  touch_list near;                   /**< of a pair */
  fibre_body_touch *touch;
  size_t touch_count, touch_capacity;
} fibre_bodies;

/** Lists the free parts, and makes pieces of all parts where there are any. @return SCR_OK, SCR_NO_MEMORY */
scr_status fibre_bodies_create(fibre_bodies *bodies, const sim_parts *parts, scr_error *error);
void fibre_bodies_clear(fibre_bodies *bodies);

/** Remembers how they move as a step begins: before parts_begin. */
void fibre_bodies_begin(fibre_bodies *bodies, const sim_parts *parts);

/** Where bodies may meet other parts within dt. @return SCR_OK, SCR_NO_MEMORY */
scr_status fibre_bodies_find(struct fibre_state *state, const sim_parts *parts, double dt, scr_error *error);

/** Gives blocks and chains behind those of fibres to bodies that touch something. */
void fibre_bodies_list(struct fibre_state *state, const sim_parts *parts, double dt);

/** Adds a body's two entries of a contact's rows from `at` on. @param axis [3] normal, tangents    @param sign of its motion in u
 *  @return the next free entry */
size_t fibre_body_add_rows(struct fibre_state *state, const fibre_body *body, scr_vec3 point, const scr_vec3 *axis, double sign, size_t at);

/** The rows of all touches of bodies with other parts, behind the contacts of fibres. @return the next free entry */
size_t fibre_bodies_add_contacts(struct fibre_state *state, double dt, size_t entries);

/** Takes the spins of a solution. */
void fibre_bodies_take(struct fibre_state *state);

/** f of the bodies in the problem. */
void fibre_bodies_set_momenta(struct fibre_state *state);
/** Impulse of touch k of a body with another part, on the body, N s. */
scr_vec3 fibre_body_impulse(const struct fibre_state *state, size_t k);

/** Gives a body an impulse of the step, N s, at a point. */
void fibre_body_push(fibre_body *body, scr_vec3 point, scr_vec3 impulse);

/** Books touches of bodies with other parts, as fibre_problem_book does those of fibres. */
void fibre_bodies_book(struct fibre_state *state, sim_parts *parts, double dt);

/** Takes bodies to the end of the step, s, and books what the step takes of their motion. */
void fibre_bodies_end(struct fibre_state *state, sim_parts *parts, double end, double dt);

/** Speed of the fastest as the step began, m/s. */
double fibre_bodies_speed(const fibre_bodies *bodies);

/** The deepest overlap of a body with another part as the step began, over the extent of the smaller; 0: none. @param depth receives it, m
 */
double fibre_bodies_overlap(const fibre_bodies *bodies, const sim_parts *parts, double *depth);

#endif
