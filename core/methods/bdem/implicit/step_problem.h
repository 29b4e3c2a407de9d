/** What one implicit step minimises, behind one interface: implicit Euler and the variational integrator stand on it. Private to this
 *  folder.
 *
 *    Phi = sum m/(2 dt^2) |p - p^|^2 + sum mq/(2 dt^2) |q - q^|^2 + bonds + contacts - load . p,   |q| = 1
 *
 *  with p^ = p_n + dt v_n, q^ = exp(dt w_n) q_n and mq = 8/5 m r^2. The trial state is the body's own positions and orientations.
 *  Unknowns per sphere: dp and z = r y, y half a rotation vector about world axes: all six in metres, all residuals in newtons.
 *
 *  Use: create once per set of bonds; begin and guess, then objective / gradient / hessian / solve / move as often as wanted, then finish
 *  (takes over the new velocities) or restore (puts the start back). Source: bonded DEM with manifold optimisation (2025), eqs 5-6, with
 *  the unit prediction q^ that keeps a free spin. */
#ifndef SCREE_METHODS_BDEM_STEP_PROBLEM_H
#define SCREE_METHODS_BDEM_STEP_PROBLEM_H

#include "base/execution.h"
#include "linalg/block6/pcg.h"
#include "linalg/block6/preconditioner_choice.h"
#include "methods/bdem/body/body.h"
#include "methods/bdem/contact/contact.h"
#include "methods/bdem/contact/friction.h"
#include "record/file/blob.h"

/** What a matrix was made from. */
typedef struct bdem_matrix_origin {
  size_t sphere_count;                    /**< n */
  scr_vec3 *position;                     /**< [n] m */
  scr_quat *orientation, *predicted_turn; /**< [n] */
  part_motion parts[SCR_PART_LIMIT];      /**< where the rig's parts were */
  double time_step;                       /**< s */
  bdem_curvature curvature;
  bdem_slide_curvature *slides; /**< [slide_count] of contacts with friction */
  size_t slide_count, slide_capacity;
} bdem_matrix_origin;

/** A block that belongs to no bond. */
#define BDEM_NO_BOND UINT32_MAX

typedef struct bdem_step_problem {
  size_t sphere_count, bond_count, scratch_count; /**< n, b when it was created, of `scratch` */
  bdem_body *body;                                /**< borrowed from begin on */
  const scr_vec3 *load;                           /**< [n] N or NULL, borrowed */
  double time_step;                               /**< s; INFINITY = no inertia */
  double inverse_square;                          /**< 1/dt^2, 0 without inertia */
  double force_scale;                             /**< N */
  double rounding; /**< most that rounding leaves of a residual, over force_scale: 2 DBL_EPSILON times the largest m/dt^2 (|p| + 2 r) */
  scr_execution execution;
  const scr_liveness *liveness; /**< beaten by every iteration of the linear solver; may be NULL */
  la_block_matrix matrix;
  la_preconditioner preconditioner;
  la_preconditioner_kind preconditioner_kind;
  unsigned preconditioner_threads; /**< it was created for */
  double *modes;                   /**< [n][36] rigid motions, for multigrid; else NULL */
  bool preconditioned;             /**< the preconditioner holds a matrix of this step and served well so far */
  bool factored;                   /**< the preconditioner holds `matrix` as it is now */
  bdem_matrix_origin origin;       /**< of `matrix` */
  double iterations_per_digit;     /**< iterations per digit of the solve just after it took that matrix */
  size_t bonds_placed;             /**< bonds when the pattern was made: room in what is [b] */
  size_t (*slots)[4];              /**< [b] of the matrix's blocks ii, jj, ij, ji */
  uint32_t *bond_of;               /**< [m] the bond of each block of the matrix, or BDEM_NO_BOND */
  double (*corners)[2][9];         /**< [b] rotational corners of what a bond adds to the diagonal blocks of its ends */
  bdem_bond_force *bond_force;     /**< [b] scratch */
  bool exact_torque;               /**< friction turns by lever times force, as the variational step has it; else by the gradient of D */
  signed char *hemisphere;         /**< [b] sign of q_i . q_j at the step's start: a bond keeps it for the whole step */
  scr_vec3 *start;                 /**< [n] p_n */
  scr_quat *turned;                /**< [n] q_n */
  scr_vec3 *predicted;             /**< [n] p^ */
  scr_quat *predicted_turn;        /**< [n] q^ */
  scr_vec3 *base;                  /**< [n] where the current line search began */
  scr_quat *base_turn;             /**< [n] */
  scr_vec3 *force, *torque;        /**< [n] scratch */
  double *right, *scratch;         /**< of solve */
} bdem_step_problem;

/** Sizes and the matrix's pattern from the body's bonds and listed contacts. On failure everything is released.
 *  SCR_BAD_USAGE for two bonds that join the same spheres. */
scr_status bdem_step_problem_create(const bdem_body *body, bdem_step_problem *problem, scr_error *error);
/** Accepts an emptied or half-built one. */
void bdem_step_problem_destroy(bdem_step_problem *problem);

/** The pattern of bdem_step_problem_create, from bonds, candidates and unused pairs, and where each bond is in it. Part of create. */
scr_status bdem_step_pattern_create(bdem_step_problem *problem, const bdem_body *body, scr_error *error);

/** Keeps the pattern, and with it all that solvers derive from it, for bonds of which some broke and other candidates, when it holds all
 *  that is joined now and at most 1 % of its pairs are left without use: those become the contacts' unused pairs, so that a problem created
 *  from them has the same pattern. Else nothing is changed and the problem must be made anew.
 *  @param contacts the body's, to write to    @return SCR_OK; SCR_NO_MEMORY */
scr_status bdem_step_pattern_keep(bdem_step_problem *problem, const bdem_body *body, struct bdem_contacts *contacts, bool *kept,
                                  scr_error *error);

/** Remembers the start, predicts and freezes the bonds' hemispheres; the body stays where it is. Held components are predicted neither to
 *  move nor to turn. */
void bdem_step_begin(bdem_step_problem *problem, bdem_body *body, const scr_vec3 *load, double time_step, double force_scale,
                     scr_execution execution);

/** What friction sees of the step: held spheres are where their grips have brought them already, whose start is known better tells
 *  friction. The body must have contacts with friction. */
bdem_slide_view bdem_step_slide_view(const bdem_step_problem *problem);

/** Lists the contacts with friction at the body's state (friction.h): after begin, and again from a solution until that does not change.
 *  Nothing without friction. @return SCR_OK, SCR_NO_MEMORY */
scr_status bdem_step_friction_list(bdem_step_problem *problem, scr_error *error);
/** Whether there is any, so that the step's solution may ask for another pass. */
bool bdem_step_has_friction(const bdem_step_problem *problem);
/** The friction's curvature at the trial state, for the next matrix. */
void bdem_step_friction_curve(bdem_step_problem *problem);
/** Notes what the solution does to the friction's springs; the trial state is the solution. */
void bdem_step_friction_reach(const bdem_step_problem *problem);

/** Moves the body to the first guess: the start or the prediction, whichever has the lower Phi. The prediction alone is a poor guess for
 *  stiff bodies that vibrate or meet something (tests/reports/bench/OPTIMIZERS.md compares).
 *  @param prediction_only takes the prediction wherever Phi exists there     @return Phi of the guess, bdem_step_objective's */
double bdem_step_guess(bdem_step_problem *problem, bool prediction_only);

/** False where a bond's ends are turned against each other by almost 180 degrees, or past that: the shear energy jumps there. */
bool bdem_step_admissible(const bdem_step_problem *problem);

/** Elastic energy of the bonds, J; INFINITY where the state is not admissible. */
double bdem_step_elastic(const bdem_step_problem *problem);

/** Forces and torques of bonds and contacts at the trial state into problem->force and problem->torque. */
void bdem_step_forces(const bdem_step_problem *problem);

/** Phi of the trial state up to a constant, J; INFINITY where it is not admissible. */
double bdem_step_objective(const bdem_step_problem *problem);

/** The reduced gradient, N, zero where held. @param gradient [n][6]  @return its largest entry over the force scale */
double bdem_step_gradient(const bdem_step_problem *problem, double *gradient);

/** Sets problem->matrix to the bonds' and contacts' second derivatives at the body's state, without inertia and with nothing held. */
void bdem_step_bond_hessian(bdem_step_problem *problem, bdem_curvature curvature);

/** Sets problem->matrix to the reduced Hessian of Phi; rows and columns of held unknowns are those of the identity. Notes its origin. */
void bdem_step_hessian(bdem_step_problem *problem, bdem_curvature curvature);
/** The same without the note. */
void bdem_step_assemble(bdem_step_problem *problem, bdem_curvature curvature);

scr_status bdem_step_origin_create(bdem_matrix_origin *origin, size_t sphere_count, scr_error *error);
void bdem_step_origin_clear(bdem_matrix_origin *origin);
/** Whether matrix and preconditioner belong together and may serve a step of the same length that is to come. */
bool bdem_step_carries(const bdem_step_problem *problem);
/** Writes the origin of a matrix that carries. */
scr_status bdem_step_origin_save(const bdem_step_problem *problem, scr_blob *blob, scr_error *error);
/** Makes matrix and preconditioner from a saved origin, bit by bit as they were; the body is as before. `contacts`: the body's, or NULL. */
scr_status bdem_step_origin_load(bdem_step_problem *problem, bdem_body *body, bdem_contacts *contacts, scr_execution execution,
                                 la_preconditioner_kind kind, scr_blob *blob, scr_error *error);

/** Makes rows and columns of held unknowns those of the identity. */
void bdem_step_hold(bdem_step_problem *problem);

/** Chooses the preconditioner of this step's solves; LA_AUTOMATIC by size and step. Without a call it is incomplete Cholesky. One that
 *  holds the present matrix is left as it is while the choice stays the same. */
scr_status bdem_step_precondition(bdem_step_problem *problem, la_preconditioner_kind kind, scr_error *error);

/** Solves matrix x = -gradient by preconditioned conjugate gradients; the outcome says when the matrix was found indefinite.
 *  A preconditioner that holds the present matrix is used as it is; multigrid and the direct factor are kept for other matrices of the same
 *  step too, while they serve.
 *  @param gradient,step [n][6] */
scr_status bdem_step_solve(bdem_step_problem *problem, const double *gradient, double tolerance, double *step, la_pcg_report *cg,
                           scr_error *error);

/** Takes problem->matrix into the preconditioner. */
scr_status bdem_step_factor(bdem_step_problem *problem, scr_error *error);

/** Largest |y| = |z|/r of a step, half a rotation in rad. */
double bdem_step_largest_turn(const bdem_step_problem *problem, const double *step);

/** Makes the trial state the origin of the moves that follow. */
void bdem_step_set_base(bdem_step_problem *problem);

/** Trial state = base moved by alpha times the step along geodesics. */
void bdem_step_move(const bdem_step_problem *problem, const double *step, double alpha);

/** New velocities and spins from the way gone; without inertia they stay. */
void bdem_step_finish(const bdem_step_problem *problem);

/** The body as it was at begin. */
void bdem_step_restore(const bdem_step_problem *problem);

#endif
