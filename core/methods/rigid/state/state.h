/** The state of a run of method rigid, and the stages of a step.
 *
 *      free motion      what bodies do when nothing touches them; where parts go
 *      rigid_next_impact  whether the step is divided by an impact (motion/impact.c)
 *      detect_run       which bodies touch (detection/)
 *      rigid_contacts   the frictional contact problem of the step, and its solution (contacts.c)
 *      rigid_separate   overlaps removed, without giving bodies speed (contacts.c)
 *      then velocities, places, loads of parts, energies (step.c)
 *
 *  Scheme: velocities at the end of a step move bodies over the step; a contact with a gap may close it but not cross. */
#ifndef SCREE_RIGID_STATE_H
#define SCREE_RIGID_STATE_H

#include "base/execution.h"
#include "contact/balls/ball_pack.h"
#include "contact/contact.h"
#include "contact/warm_start.h"
#include "methods/rigid/detection/detect.h"
#include "methods/rigid/scene/options.h"
#include "scene/check/checker.h"
#include "sim/fields.h"
#include "sim/method.h"
#include "sim/view/contact_view.h"

/** What a contact does. */
typedef enum rigid_contact_state { RIGID_OPEN, RIGID_STICKING, RIGID_SLIDING } rigid_contact_state;

/** A contact of the last step. */
typedef struct rigid_contact {
  geo_touch touch;
  scr_vec3 t1, t2;   /**< unit, with the normal a right-handed frame */
  double impulse[3]; /**< N s, on body a, along normal, t1, t2; without what adhesion pulls */
  double hold;       /**< N s, of adhesion in the step: what pulls a and b together */
  double friction;   /**< 1 */
  double couple[3];  /**< N m s, of rolling resistance on body a, about t1, t2, the normal */
  rigid_contact_state state;
  uint32_t reserved; /**< 0: checkpoints hold contacts as they are */
} rigid_contact;

/** Arrays of the contact problem of a step, with room from step to step (contacts.c). */
typedef struct rigid_problem {
  double *mass, *momentum, *velocity;             /**< [blocks][36], [blocks][6], [blocks][6]: bodies, then parts that servos move */
  size_t *first;                                  /**< [n + 1] */
  uint32_t *block;                                /**< [2 n] */
  double *jacobian;                               /**< [2 n][6][3] by columns */
  double *offset, *friction, *impulse, *relative; /**< [n][3]; [n] */
  double *axes;                                   /**< [n][3][3] normal, tangents */
  contact_problem solved;                         /**< the last that was solved; borrows the arrays above */
  contact_key *key;                               /**< [n] */
  size_t capacity;                                /**< of contacts */
  size_t rolling;   /**< rows of rolling resistance behind those of the contacts, whose arrays have room for both */
  double *kept;     /**< [n][6] N s, N m s, in the world: impulses and couples of a pack's contacts, at first those of the step before */
  uint32_t *active; /**< [n] contacts of a pack of which not both sides sleep */
  uint32_t steered[SCR_PART_LIMIT]; /**< body of the pack that a part under a servo is in a step; UINT32_MAX: none */
  uint32_t *rolling_of;             /**< [rolling] twice the contact that a row belongs to, and 1 for that of its normal */
} rigid_problem;

/** How a contact problem is solved: to the tolerance; as a pack of balls, by sweeps (pack.c); as a pack of any bodies in motion, to the
 *  measure of packs (solve.c). */
typedef enum rigid_pack { RIGID_TO_TOLERANCE, RIGID_SWEPT, RIGID_MOVING } rigid_pack;

/** What the solver did in the last step, and in all. */
typedef struct rigid_report {
  double residual;                     /**< 1 */
  double penetration;                  /**< m, >= 0, deepest overlap at the start of the last step */
  uint64_t iterations, factorisations; /**< of the last step */
  uint64_t unsolved;                   /**< steps so far */
  uint64_t in_a_row;                   /**< unsolved steps up to now, without a solved one between */
  uint64_t stuck;                      /**< steps in a row in which overlaps could not be removed */
  uint64_t sticking, sliding;          /**< contacts of the last step */
  double worst_residual;               /**< 1, of the steps left unsolved */
  double deepest;                      /**< m, overlap at the start of a step, of all behind the first unsolved one */
  double start_share;                  /**< 1, deepest overlap of the first step over the extent of the smaller body */
  double limit;        /**< 1, residual at which the last step, or its last piece, counts as solved; of a pack the one that it promises */
  double excess;       /**< 1, residual over that limit, the largest of all pieces of the last step; at most 1: it is solved */
  uint64_t above;      /**< steps of packs so far whose sweeps ended above their measure */
  uint64_t is_above;   /**< 1: a piece of the last step is one of these */
  uint64_t pack;       /**< how the last contact problem was solved, a rigid_pack */
  uint64_t packs;      /**< such problems so far */
  uint64_t slow;       /**< of these, in a row, left far above the measure */
  uint64_t rested;     /**< 1: the last of these left all bodies at rest */
  double left;         /**< m/s, error in speed of a contact that the last of these left */
  double pack_overlap; /**< 1, deepest overlap so far of bodies swept as a pack, over the extent of the smaller */
  double overlap;      /**< 1, the same of all others, where it was beyond what is allowed; else 0 */
} rigid_report;

/** Contact problems kept in files so far. */
typedef struct rigid_kept {
  uint64_t count, bytes;
} rigid_kept;

/** The next impact of fast bodies within a step. */
typedef struct rigid_impact {
  size_t pairs;    /**< of bodies, or a body and a part, that meet so in what is left of the step */
  double time;     /**< s from now, before the touch by a little; 0: bodies touch now */
  double touching; /**< m, gaps up to which bodies touch now; 0: none does */
} rigid_impact;

typedef struct rigid_state {
  const scr_scene *scene;
  const rigid_options *options;
  rigid_shape *shapes; /**< [shape_count] one a specimen, then one a free part */
  size_t shape_count;
  geo_piece part_pieces[SCR_PART_LIMIT]; /**< of solids that are not free */
  uint32_t part_body[SCR_PART_LIMIT];    /**< body of a free part; UINT32_MAX: it is none */
  rigid_body *bodies;                    /**< [body_count] */
  size_t body_count, specimen_bodies;
  double thickness; /**< m, least of a body */
  double margin, penetration, restitution_speed;
  double time_step;    /**< s, of a whole step */
  double solid_volume; /**< m^3, of the specimens' bodies */
  bool rolls;          /**< some surface resists rolling */

  detection detection;
  /* for a step */
  rigid_free *free;                               /**< [body_count] */
  scr_vec3 *velocity, *spin;                      /**< [body_count] at its end */
  part_displacement displacement[SCR_PART_LIMIT]; /**< over the step */
  double servo_inverse_mass[SCR_PART_LIMIT];      /**< 1/kg, of a servo along its axis: how it yields to impulses; 0: none is under way */
  double servo_velocity[SCR_PART_LIMIT]; /**< m/s along its axis: with which it goes when nothing touches it, then at the end of the step */
  rigid_contact *contacts;               /**< [contact_count] of the last step; kept for pictures */
  size_t contact_count, contact_capacity;
  size_t active_count; /**< of them, those that are solved for, which come first: all but those of islands asleep */
  double contact_time; /**< s, in which their impulses acted: the step, or its last piece; kept like them */
  double touching;     /**< m, gaps up to which contacts are closed in an impact; 0 but then */
  rigid_problem problem;
  ball_pack pack;         /**< the problem of a step that is swept as a pack of balls */
  uint32_t *calm;         /**< [body_count] steps in a row in which a body of a pack rested; from SLEEP_STEPS on it sleeps (step/sleep.h) */
  uint32_t *island;       /**< [body_count] a body on the way to the one that stands for its island (step/islands.h) */
  scr_vec3 *push, *twist; /**< [body_count] N s, N m s, of contacts on sleepers in a step */
  uint8_t *woken;         /**< [body_count] in a round of waking: 1 wakes its neighbours, 2 was woken by one just now */
  warm_start warm;        /**< impulses of the last step */

  sim_ledger *ledger; /**< the simulation's; `impact` has what the steps take, too; borrowed */
  rigid_report report;
  rigid_kept kept;
  size_t unsolved_table, contacts_table, porosity_table;
  uint32_t bodies_drawn, contacts_drawn; /**< ids of drawables */
  sim_contact_view contact_view;         /**< drawables of contacts' forces, where options ask for them */
  double *buffer;                        /**< for pictures */
  size_t buffer_capacity;
} rigid_state;

/** Every array and list of the state but those of the contact problem and of the detection, which belong to these; what of it checkpoints
 *  hold (state.c). */
enum { RIGID_FIELDS = 16 };
extern const sim_field rigid_fields[RIGID_FIELDS];

/** Bodies and shapes of a scene (state.c). On failure what rigid_state_destroy accepts.
 *  @param ledger  empty, is begun; must outlive the state */
scr_status rigid_state_create(const scr_scene *scene, const sim_parts *parts, sim_ledger *ledger, double time_step, rigid_state **state,
                              scr_error *error);
void rigid_state_destroy(rigid_state *state);

/** Whether two that touch lie in each other by more than carelessness explains: a tenth of `extent`, which becomes how far the farthest
 *  point of the smaller is from its middle, m; of the body where the other is a part (start.c). */
bool rigid_lies_in(const rigid_state *state, const geo_touch *touch, double *extent);

/** Warns of bodies that lie in each other or in the rig at the start, at most START_REPORTS pairs; for the check of a scene (start.c).
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status rigid_check_start(const scr_checker *c, double time_step);

/** One step of dt that ends at `end`, s (step.c). */
scr_status rigid_advance(scr_sim *sim, double end, scr_error *error);

/** When bodies next meet fast within the `left` seconds of a step, by detection.touches. @param first the step begins now    @param many
 *  impacts are taken together (motion/impact.c) */
rigid_impact rigid_next_impact(const rigid_state *state, const sim_parts *parts, double left, bool first, bool many);

/** Leaves of detection.touches those that can close in a piece of dt of the step; the margin shrinks with it, as offsets of what can't
 *  close in so short a time would make all residuals look small (motion/impact.c). */
void rigid_narrow_touches(rigid_state *state, const sim_parts *parts, double dt);

/** Finds the bodies that contacts of this step have left alone, free[].untouched (motion/impact.c). */
void rigid_find_untouched(rigid_state *state, const sim_parts *parts, double dt);

/** Builds and solves the contact problem from detection.touches; fills contacts, velocity, spin, servo_velocity (contacts.c). */
scr_status rigid_contacts(scr_sim *sim, double dt, scr_error *error);

/** Name of a contact over time. */
contact_key rigid_key(const rigid_contact *contact);

/** Velocity at a contact of what does not answer to impulses, m/s: of a driven part over the step; 0 where it is a body. */
scr_vec3 rigid_driven_velocity(const rigid_state *s, const sim_parts *parts, const rigid_contact *contact, double dt);

/** What the normal velocity of a contact is counted from, m/s: gap / dt, or restitution where it bounces in this step. */
double rigid_normal_offset(const rigid_state *s, const sim_parts *parts, const rigid_contact *contact, double dt);

/** Keeps the problem of step sim->steps + 1, of the last piece if it was divided, in a file, with its solution where it was solved to the
 *  tolerance, when options ask for it and it carries a force; behind rigid_contacts (keep.c). */
scr_status rigid_keep_problem(scr_sim *sim, scr_error *error);

void rigid_problem_clear(rigid_problem *problem);

/** Moves bodies that overlap by more than `penetration` apart: the same contacts solved once more for displacements, from rest. Bodies get
 *  no speed by it, and rub while they are moved; parts under servos yield. Call it behind rigid_contacts, once bodies have moved. */
scr_status rigid_separate(rigid_state *s, sim_parts *parts, double dt, scr_execution execution, scr_error *error);

/** Adds the rows of rolling resistance behind those of the contacts, of which the impulses of the step before are known; each has a block
 *  of its own behind the `blocks` there are. @return the number of blocks then (rolling.c) */
size_t rigid_add_rolling(rigid_state *s, size_t blocks, double dt);

/** Takes couples from the solution; the couple of a contact on its body a, N m s; spin of body b, or of a part, at the end of the step,
 *  rad/s. */
void rigid_take_rolling(rigid_state *s);
scr_vec3 rigid_couple(const rigid_contact *contact);
scr_vec3 rigid_other_spin(const rigid_state *s, const rigid_contact *contact, double dt);

/** Kinetic energy of the specimens' bodies, J; free parts have their own. */
double rigid_kinetic(const rigid_state *s);

/** Velocity of body i at a point, m/s, with the velocities of the end of the step. */
scr_vec3 rigid_velocity_at(const rigid_state *s, size_t i, scr_vec3 point);

/** Surface law of two bodies, or of a body and a part. */
const rigid_surface *rigid_law(const rigid_state *s, uint32_t a, uint32_t b);

/** Impulse of a contact on its body a, N s, in the world, adhesion's pull taken off. */
scr_vec3 rigid_impulse(const rigid_contact *contact);

/** Declares curves, tables, drawables; their values; pictures (observe.c, draw.c). */
scr_status rigid_declare(scr_sim *sim, scr_error *error);
scr_status rigid_declare_drawables(scr_sim *sim, scr_error *error);
void rigid_observe(const scr_sim *sim, double *values);
void rigid_energies(const scr_sim *sim, sim_energies *now);
scr_status rigid_tabulate(scr_sim *sim, scr_error *error);
scr_status rigid_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);

scr_status rigid_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
scr_status rigid_load(scr_sim *sim, scr_blob *blob, scr_error *error);

#endif
