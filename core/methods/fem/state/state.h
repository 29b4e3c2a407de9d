/** Everything that one run of the method holds. */
#ifndef SCREE_METHODS_FEM_STATE_H
#define SCREE_METHODS_FEM_STATE_H

#include "base/execution.h"
#include "methods/fem/dynamics/solver.h"
#include "methods/fem/dynamics/statics.h"
#include "methods/fem/scene/options.h"
#include "methods/fem/step/flight.h"
#include "methods/fem/view/tables.h"
#include "scene/check/checker.h"
#include "sim/method.h"
#include "sim/view/contact_view.h"

/** Sums since the start, beside those of the ledger. */
typedef struct fem_totals {
  double closing;       /**< J, taken out by forces that close contacts */
  double projection;    /**< J, change of kinetic energy where approaching velocity was taken out */
  double most_friction; /**< J, largest that friction ever took */
  uint64_t halvings, clamped;
  double iterations;       /**< of the last step */
  double normal_force;     /**< N, of its contacts, added up: mean over the step, or of the static equilibrium */
  double contact_residual; /**< worst so far */
  double overlap;          /**< m, the deepest so far at the end of a step */
  double turn;             /**< rad, the largest so far of an element of law linear */
} fem_totals;

/** A drawable: the surface of all grains of a specimen. */
typedef struct fem_skin {
  size_t vertex_count;
  uint32_t *node; /**< [vertex_count] of the system */
} fem_skin;

typedef struct fem_state {
  const scr_scene *scene;
  const fem_options *options;
  size_t body_count, specimen_count, face_count; /**< faces: of all surfaces */
  size_t pair_count;                             /**< body_count (body_count + 1): of bodies with each other and the rig */
  fem_system system;
  fem_frames frames;
  geo_hexes_surface *surfaces; /**< [body_count] numbers of nodes counted in the system */
  double *friction;            /**< [body_count][body_count + 1] */
  double (*quarter)[4];        /**< [face_count] body by body, m^2, at rest: what the corners of a face stand for */
  double *pressed;             /**< [body_count][body_count + 1] m^2, scratch: of each body's surface on each body, last on the rig */
  uint32_t *specimen_of;       /**< [body_count] */
  fem_edges edges;
  fem_overlaps overlaps;
  fem_contact_space space;
  fem_motion motion;
  fem_hold hold;
  double *gravity;                          /**< [3 n] N */
  double *load;                             /**< [3 n] N, of sides, grown up */
  double *rise;                             /**< [body_count] s */
  double *mass_damping, *stiffness_damping; /**< [body_count] 1/s; s */
  double *load_before, *load_after;         /**< [3 n] N */
  fem_solver solver;
  sim_ledger *ledger; /**< the simulation's; borrowed. gravity: work of gravity and of loads; impact: closing - projection */
  fem_totals totals;
  fem_flight flight;
  fem_statics_report loading; /**< what static loading found */
  fem_skin *skins;            /**< [specimen_count] */
  double *picture;            /**< [FEM_PICTURES][node_count] scratch for drawing */
  double *weight;             /**< [node_count] scratch for drawing */
  fem_tables tables;
  sim_contact_view contact_view; /**< the drawable of contacts' forces, where options ask for it */
} fem_state;

/** Every array and saved number of the state but those of system, frames, edges and solver, which have tables of their own. */
enum { FEM_FIELDS = 25, FEM_PICTURES = 6 };
extern const sim_field fem_fields[FEM_FIELDS];

/** Builds it for a checked scene. @return SCR_OK, SCR_NO_MEMORY, SCR_DIVERGED; on failure what fem_state_destroy accepts */
scr_status fem_state_create(const scr_scene *scene, const sim_parts *parts, sim_ledger *ledger, scr_execution execution,
                            const scr_liveness *liveness, fem_state **state, scr_error *error);
void fem_state_destroy(fem_state *state);

/** Loads at a time, s, into [3 n] N (flight.c). */
void fem_loads_at(const fem_state *state, double time, double *load);

/** rad: from where law linear is doubted and warned of. Its strain of a pure turn is 1 - cos(turn): 0.5 % here. */
#define FEM_LINEAR_TURN 0.1

/** Doubts law linear where elements turn by more than that. For the end of a step, and for where a run starts (tables.c). */
void fem_doubt_turns(scr_sim *sim);

/** A step of the run (advance.c). */
scr_status fem_advance(scr_sim *sim, scr_error *error);

/** Curves and drawables (observe.c). */
scr_status fem_declare(scr_sim *sim, scr_error *error);
void fem_observe(const scr_sim *sim, double *values);
/** What bodies hold (observe.c). */
void fem_energies(const scr_sim *sim, sim_energies *now);
scr_status fem_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);

/** State on disk (checkpoint.c). */
scr_status fem_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
scr_status fem_load(scr_sim *sim, scr_blob *blob, scr_error *error);

/** What the method and coarsenings of its scenes can do. */
#define FEM_ABILITIES                                                                                                                      \
  {                                                                                                                                        \
    .shapes_as = SCR_SHAPES_OF_HEXES, .lacks = SCR_LACKS_FREE_PARTS, .reasons = fem_cannot                                                 \
  }
extern const scr_substitute fem_cannot[];

/** Checks (check.c); fem_check_scene of a check that has begun. */
scr_status fem_check_scene(const scr_checker *report, scr_estimate *estimate);
scr_status fem_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);

#endif
