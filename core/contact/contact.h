/** The frictional contact problem of one time step, and everything that solves it.
 *
 *      M v = f + H' r,    u = H v + w,    (u_i, r_i) in Coulomb's law for every contact i
 *
 *      v  velocities of all that moves, in blocks of `block_size` (6 of a rigid body, 3 of a node, 1 of anything)
 *      u  relative velocity of each contact in its own axes: along the normal, then the tangents
 *      r  its impulse, in the same axes, on the side whose motion H counts as positive
 *
 *  A problem is borrowed arrays, filled by whoever has bodies, nodes or fibres; nothing here knows what they are. What does not move has no
 *  block: its contact rows have one entry less, and its own motion goes into w. Example, a ball of 1 kg that falls on the ground for 0.1 s:
 *
 *      contact_problem problem = {.dimension = 3, .contact_count = 1, .block_size = 3, .block_count = 1,
 *                                 .mass_block = (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, .momentum = (double[]){0.2, 0, -1},
 *                                 .first = (size_t[]){0, 1}, .block = (uint32_t[]){0},
 *                                 .jacobian = (double[]){0, 1, 0,  0, 0, 1,  1, 0, 0},      n = z, t1 = x, t2 = y, column by column
 *                                 .offset = (double[]){0, 0, 0}, .friction = (double[]){0.3}};
 *      contact_options options = contact_options_default();
 *      double impulse[3] = {0}, velocity[3], relative[3];
 *      contact_result result;
 *      contact_solve(&problem, &options, impulse, velocity, relative, &result, &error);
 *
 *  Solutions need not be unique (impulses almost never are), and need not exist: see contact_status. The bits never depend on the number of
 *  threads. */
#ifndef SCREE_CONTACT_CONTACT_H
#define SCREE_CONTACT_CONTACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/execution.h"
#include "base/error.h"
#include "contact/local/local.h"
#include "linalg/band.h"
#include "linalg/sparse.h"

enum { CONTACT_BLOCK_MAX = 6, CONTACT_REASON_LENGTH = 200 };

/** One problem. All arrays are borrowed and only read; SI units, of generalised velocities where those are rotations or strains. */
typedef struct contact_problem {
  unsigned dimension;   /**< d: 2 plane, 3 space, 6 stresses of a continuum */
  size_t contact_count; /**< n */
  unsigned block_size;  /**< b, 1 to 6: how many velocities stand together */
  size_t block_count;   /**< of blocks: m = block_count b velocities in all */
  /** [block_count][b][b] the mass of each block by itself, symmetric positive definite, kg and kg m^2 in world axes; NULL when `mass` is
   *  given, or `chain` */
  const double *mass_block;
  /** the mass of all together, m x m, symmetric positive definite (both triangles stored): M + dt C + dt^2 K of elastic bodies; else NULL
   *  */
  const la_sparse *mass;
  /** [chain_count] the mass in chains, which is none of the two above: band matrices of blocks coupled in a row, not factorised, symmetric
   *  positive definite. They hold all blocks, each chain those that follow on the chain before: M + dt C + dt^2 K of fibres */
  const la_band *chain;
  size_t chain_count;
  const la_band *chain_factor; /**< [chain_count] Cholesky factors of them, where the caller has them; NULL: they are made */
  /** what chains' contacts did to each other in the solve before; NULL: nothing is known of it. Written by contact_solve */
  struct contact_chain_memory *chain_memory;
  const bool *chain_same; /**< [chain_count] chains whose factor and rows of H are those of the solve before with this memory; or NULL */
  const double *momentum; /**< f [m]: M v_old and the step's impulses without contact, kg m/s */
  const size_t *first;    /**< [n + 1] contact i has the entries first[i] .. first[i + 1] of the two arrays below; at least one */
  const uint32_t *block;  /**< [first[n]] the block that an entry of H acts on; none twice in a contact */
  const double *jacobian; /**< [first[n]][b][d] H of that contact and block, by columns: du/dv */
  const double *offset;   /**< w [n d] m/s: what u is without v: max(gap, 0)/dt, the motion of what is prescribed, restitution */
  const double *friction; /**< mu [n] >= 0; < 0 marks a fixed contact: u = 0 and its impulse free */
} contact_problem;

/** W of chains from one solve to the next: of Newton's method, whose last linearisations change few fibres, and of steps in which the same
 *  things touch. A solution has the same bits without it. */
typedef struct contact_chain_memory contact_chain_memory;
/** @return empty, to be destroyed; NULL: no memory */
contact_chain_memory *contact_chain_memory_create(void);
void contact_chain_memory_destroy(contact_chain_memory *memory);

/** Who solves. */
typedef enum contact_solver {
  CONTACT_AUTO,         /**< the cheap ones first, the strong ones for what they leave; says which and why */
  CONTACT_GAUSS_SEIDEL, /**< one contact after the other; robust and cheap, slow where masses differ much or impulses travel far */
  CONTACT_ADMM,         /**< alternating directions on the primal form, a penalty for each contact; one factor, many solves */
  CONTACT_FIXED_POINT,  /**< cone programs with the change of variable kept, each by the same iterations (Cadoux, Haslinger) */
  CONTACT_DESCENT,      /**< projected gradients with a line search */
  CONTACT_CONJUGATE,    /**< projected conjugate gradients */
  CONTACT_ACCELERATED,  /**< projected gradients with Nesterov's inertia */
  CONTACT_SPECTRAL,     /**< projected gradients with Barzilai and Borwein's step */
  CONTACT_NEWTON,       /**< proximal semismooth Newton method: few factorisations where there is some freedom */
  CONTACT_INTERIOR,     /**< interior point method: for packs near the wedged state */
  CONTACT_HYBRID,       /**< both of these, and interior points along random centres: solves what the others leave */
  CONTACT_SOLVER_COUNT
} contact_solver;

/** How Gauss-Seidel knows what the others do to a contact. */
typedef enum contact_form {
  CONTACT_FORM_AUTO,        /**< the next where mass comes in blocks, the one after where it is sparse; in chains, what reads less */
  CONTACT_FORM_MATRIX_FREE, /**< by the velocities of the bodies, kept up to date: little memory, any number of contacts a body */
  CONTACT_FORM_EXPLICIT     /**< by W = H M^-1 H' in sparse blocks */
} contact_form;

/** How the residual fell: a point whenever it was measured. The caller's arrays; the solver writes up to `capacity` points. */
typedef struct contact_history {
  size_t capacity, count;
  double *residual;       /**< [capacity] relative */
  unsigned *iteration;    /**< [capacity] work so far: sweeps, iterations and factorisations together */
  contact_solver *solver; /**< [capacity] whose point it is */
} contact_history;

typedef struct contact_options {
  contact_solver solver;
  double tolerance;       /**< of the relative residual; 1e-14 to 1 */
  double reference_speed; /**< m/s >= 0: residuals are relative to the largest component of q = H M^-1 f + w, or to this if it is larger */
  /** residuals are relative to `reference_speed` > 0 whatever q is: tolerance times it is what may be wrong, m/s. In packs q counts
   * balls that fly and gaps that stay open, and a part of it may be many times what gravity gives in a step */
  bool absolute;
  bool momentum; /**< sweeps of Gauss-Seidel go on along their last change (solvers/momentum.h): fewer by a factor of 2 to 5 in packs */
  /** sweeps or iterations of one solver; 0: its own. Under `auto` it bounds the sweeps, the gradients and ADMM, each; Newton's method,
   *  interior points and patches, which end what those leave, are bounded by `factor_limit` */
  unsigned iteration_limit;
  /** sparse factorisations in all; 0: as many as the solver's plan has, which for `auto` is thousands of small ones below 600 contacts
   *  (seconds, and worth it where a step must be solved) and some hundred beyond; a run that takes many steps and can do with the best
   *  point sets 50 to 200 */
  unsigned factor_limit;
  scr_execution execution;  /**< the result does not depend on it */
  local_solver local;       /**< of one contact, in Gauss-Seidel */
  contact_form form;        /**< of Gauss-Seidel */
  uint64_t seed;            /**< of what draws at random; the same seed gives the same bits */
  contact_history *history; /**< or NULL */
} contact_options;

typedef enum contact_status {
  CONTACT_SOLVED,    /**< the relative residual is within the tolerance */
  CONTACT_UNSOLVED,  /**< it is not; the best point found is returned */
  CONTACT_INFEASIBLE /**< not solved, and impulses grow without the residual falling: likely there is no solution (driven wedge, Painleve)
                      */
} contact_status;

typedef struct contact_result {
  contact_status status;
  double residual;                    /**< relative, of what is returned */
  unsigned iterations;                /**< sweeps and iterations of all solvers */
  unsigned factorisations;            /**< sparse ones */
  size_t open, sticking, sliding;     /**< contacts by Coulomb's three cases; fixed ones stick */
  size_t local_failures;              /**< contacts that Gauss-Seidel's local solver left unsolved in its last sweep */
  contact_solver solver;              /**< the one whose point is returned */
  char reason[CONTACT_REASON_LENGTH]; /**< a sentence: who ended it and why, who was tried before */
} contact_result;

/** auto, 1e-6, one thread, the local hybrid, seed 1. */
contact_options contact_options_default(void);

/** Solves it.
 *  @param impulse  [n d] N s: where to start (zeros when nothing is known), then the best point found; always finite
 *  @param velocity [m] receives v of that impulse, exactly M^-1 (f + H' r)    @param relative [n d] receives u
 *  @return SCR_OK, also when it is not solved (result->status says so); SCR_BAD_USAGE naming what is wrong with the problem or the options:
 *  sizes,
 *          numbers that are not finite, a mass that is not positive definite (names the block), a contact that nothing can move (names it);
 *          SCR_NO_MEMORY */
scr_status contact_solve(const contact_problem *problem, const contact_options *options, double *impulse, double *velocity,
                         double *relative, contact_result *result, scr_error *error);

/** What "solved" is measured in: the largest natural map |s r - proj_K(s r - u~)| of a contact, s = trace(W_ii)/d (where mu > 1: Alart and
 *  Curnier's, local/cone.h), over the largest component of q (or `reference_speed`). Takes v and u of the impulse along. Errors as
 *  contact_solve. */
scr_status contact_measure(const contact_problem *problem, const contact_options *options, const double *impulse, double *velocity,
                           double *relative, double *residual, scr_error *error);

/** "gauss-seidel"; NULL past the last. */
const char *contact_solver_name(contact_solver solver);
/** CONTACT_SOLVER_COUNT when there is none of that name. */
contact_solver contact_solver_named(const char *name);
/** One line on what it is. */
const char *contact_solver_text(contact_solver solver);

#endif
