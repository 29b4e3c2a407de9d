/** What a step works on: the state that moves, and the solver's matrices and vectors.
 *
 *  A step of the dynamics (newmark.c) is the spec's implicit Newmark method with beta = 1/4, gamma = 1/2:
 *
 *      b    = h M v + h^2/4 F(q) - h^2/4 D(q) v
 *      g(d) = M d - b - h^2/4 F(q + d) + h^2/4 D(q + d) (2 d/h - v)  =  h^2/2 (N alpha + T beta)
 *      H(d) = M + h^2/4 K(q + d) + h/2 D(q + d)
 *      0 <= alpha  perp  gap(q + d) >= 0,   |beta| <= mu alpha against the slip at the end of the step
 *      v+   = 2 d/h - v, then what approaches at closed contacts is taken out (impact.c)
 *
 *  D(q) = a M + b R K(X) R^T, each body's stiffness at rest turned with the body: it does not brake what only moves and turns.
 *  Source: Chen, Levin, Matusik, Kaufman 2017, supplement, with the corrections that the tests show. */
#ifndef SCREE_METHODS_FEM_SOLVER_H
#define SCREE_METHODS_FEM_SOLVER_H

#include "base/execution.h"
#include "base/liveness.h"
#include "methods/fem/dynamics/contact_problem.h"
#include "methods/fem/system/frame.h"
#include "sim/fields.h"

/** Which metric approaching velocity is taken out in at contacts. */
typedef enum fem_impact { FEM_IMPACT_STEP, FEM_IMPACT_MASS, FEM_IMPACT_NONE } fem_impact;

typedef struct fem_settings {
  const double *mass_damping, *stiffness_damping; /**< [body_count] a, 1/s; b, s; borrowed */
  fem_impact impact;
  double tolerance;      /**< 1: a Newton step below this share of the mean edge ends the iteration */
  unsigned newton_limit; /**< iterations */
  unsigned sweep_limit;  /**< of the contact solver */
  double edge;           /**< m, the mean edge of elements: what lengths are compared with */
  scr_execution execution;
  scr_liveness liveness;
} fem_settings;

/** What moves. */
typedef struct fem_motion {
  double *displacement; /**< [node_count][3] m, from rest */
  double *velocity;     /**< [node_count][3] m/s */
  double *mode;         /**< [hex_count][9] m, incompatible modes */
} fem_motion;

/** Nodes whose motion is imposed. */
typedef struct fem_hold {
  unsigned char *fixed; /**< [3 node_count] whether this component is */
  uint32_t *part;       /**< [node_count] the grip that holds it; meaningless where nothing is fixed */
  double *displacement; /**< [3 node_count] m, in this step */
  double *speed;        /**< [3 node_count] m/s, at its end */
  size_t count;         /**< components that are fixed */
} fem_hold;

/** What acts in a step of `time`, s. */
typedef struct fem_drive {
  double time;
  const double *load_before, *load_after; /**< [node_count][3] N, gravity and loads, at its ends */
  const sim_parts *parts;
  const part_motion *start, *end; /**< [parts->count] */
} fem_drive;

/** What a step did; sums over halved steps. */
typedef struct fem_report {
  unsigned iterations;     /**< of Newton's method */
  unsigned halvings;       /**< steps that were done in two halves */
  unsigned clamped;        /**< factorisations that needed clamped tangents */
  unsigned contacts;       /**< closed at the end */
  double contact_residual; /**< worst relative residual of the contact solver */
  double loads;            /**< J, work of gravity and loads */
  double rig;              /**< J, work of parts on bodies */
  double damping;          /**< J, taken out by damping */
  double friction;         /**< J, taken out by friction */
  double closing;          /**< J, contact forces times the gaps that closed in the step: what impact takes out */
  double projection;       /**< J, change of kinetic energy by taking approaching velocity out; < 0: loss */
  double area;             /**< m^2, of closed contacts */
  double normal_force;     /**< N, of contacts along their normals, added up; mean over the whole step, also one done in halves */
  part_load *part_load;    /**< [part count] on the parts, means and sums over the whole step; borrowed; NULL: not wanted */
} fem_report;

typedef struct fem_solver {
  const fem_system *system;
  const fem_frames *frames;
  const fem_contact_space *space;
  fem_settings settings;
  fem_motion *motion;
  fem_hold *hold;
  size_t unknown_count, hex_count, body_count, block_count; /**< of the system: 3 n, ... */
  size_t rest_block_count;                                  /**< block_count; 0 without damping by stiffness */
  size_t kept_unknown_count, kept_hex_count;                /**< unknown_count, hex_count; 0 where all laws are linear */
  la_sparse matrix;
  la_factor *factor, *mass_factor;                            /**< mass_factor: NULL until it is needed */
  double *block, *rest_block;                                 /**< [block_count][9] N/m; rest_block NULL without damping by stiffness */
  double *gradient;                                           /**< [3 n] of the elastic energy at the present displacement */
  double energy;                                              /**< J, elastic, there */
  double *before, *delta, *step, *residual, *trial, *work[4]; /**< [3 n] */
  double *former_step;                                        /**< [3 n] m, of the iteration before */
  double *held_mode;                                          /**< [hex_count][9] modes at the start of the step */
  double *load;                                               /**< [3 n] N of contact forces on nodes, mean over the last step */
  double *reaction;                                           /**< [3 n] N of grips on nodes, mean over the last step */
  scr_quat *rotation, *rotation_before;                       /**< [body_count] */
  fem_touches touches, former;                                /**< of this iteration, then of the step; of the iteration before */
  fem_compliance compliance, mass_compliance;                 /**< of `factor` and `mass_factor` where contacts push */
  fem_contact_problem problem;
  size_t problem_factor; /**< `factor_count` when the problem of a step's iterations was made; SIZE_MAX: it is none of this step */
  double redo_time;      /**< s, the step whose compliance is to be made again with its factor, after a checkpoint was read; 0: none */
  bool linear;           /**< all laws are linear: the matrix depends on the step alone */
  double factor_time;    /**< s, the step that the factor is of; 0: there is none; infinite: of the statics */
  double *factor_place;  /**< [3 n] m, displacements that the factor is of; NULL where all laws are linear */
  double *factor_mode;   /**< [hex_count][9] m, modes from which those there are found; NULL likewise */
  bool factor_is_exact;  /**< the last step ended with a factor made in its last iteration, or laws are linear */
  bool factor_served;    /**< in the last step it took few iterations: it is kept for the next one */
  size_t factor_count;   /**< factorisations of steps and statics so far, in this process */
} fem_solver;

/** Every array of the solver; checkpoints hold the contacts. */
enum { FEM_SOLVER_FIELDS = 22 };
extern const sim_field fem_solver_fields[FEM_SOLVER_FIELDS];

/** `space`, `motion`, `hold`, `system`, `frames` and settings' arrays are borrowed. On failure what fem_solver_clear accepts. */
scr_status fem_solver_create(const fem_system *system, const fem_frames *frames, const fem_contact_space *space, fem_motion *motion,
                             fem_hold *hold, const fem_settings *settings, fem_solver *solver, scr_error *error);
void fem_solver_clear(fem_solver *solver);

/** Elastic energy and its gradient at the present displacement, after that was changed from outside.
 *  @return SCR_OK; SCR_DIVERGED where an element is folded */
scr_status fem_solver_refresh(fem_solver *solver, scr_error *error);

/** One step of the dynamics, done in halves where Newton's method fails (at most ten times). Adds to `report`.
 *  @return SCR_OK; SCR_DIVERGED naming what was not reached; SCR_NO_MEMORY */
scr_status fem_newmark(fem_solver *solver, const fem_drive *drive, fem_report *report, scr_error *error);

/** Adds what contacts and grips press parts with to `load` ([parts->count]): forces of the last step times `share`, which a part of a
 *  divided step has of it, and impulses. Moments are about where parts are now.  @return N, the share of the normal forces' sum */
double fem_add_part_loads(const fem_solver *solver, const sim_parts *parts, double share, part_load *load);

/** Kinetic energy, J. */
double fem_kinetic(const fem_solver *solver);

/* ── the parts of a step; for tests and for each other ── */

/** y = D x with rotations R of the bodies. @param y written */
void fem_damping_multiply(const fem_solver *solver, const scr_quat *rotation, const double *x, double *y);

/** Fills the matrix mass_share M + stiffness_share K + damping_share D, fixed rows and columns replaced by the unit matrix' times a mean
 *  diagonal. */
void fem_fill_matrix(fem_solver *solver, double mass_share, double stiffness_share, double damping_share);

/** The factor is of no use any more, nor is what was solved with it. */
void fem_discard_factor(fem_solver *solver);

/** Factorises the matrix of a step where `trial` is; after a checkpoint was read, where the kept factor was made, with its compliance.
 *  Where it is not positive definite, clamps tangents, fills and factorises again. A factor of other nodes still leads to the same
 *  solution: iterations then shrink evenly instead of ever faster.
 *  @param time  s; infinite: of the statics    @param anew receives whether the factor is of `trial` */
scr_status fem_factorise(fem_solver *solver, double time, unsigned *clamped, bool *anew, scr_error *error);

/** Rotations of the bodies, [body_count]; of linear ones none. */
void fem_rotations(const fem_solver *solver, const double *displacement, scr_quat *rotation);

/** push := A f, what contacts press nodes with, N. */
void fem_push_nodes(const fem_solver *solver, double *push);

/** Solves the contacts of an iteration: adds to `step`, which is the one with the forces that they have, what is new of these.
 *  @param time of the step, s    @param velocity at its start */
scr_status fem_solve_contacts(fem_solver *solver, const fem_drive *drive, double *residual, scr_error *error);

/** Takes approaching velocity out at closed contacts. */
scr_status fem_project_velocity(fem_solver *solver, fem_report *report, scr_error *error);

#endif
