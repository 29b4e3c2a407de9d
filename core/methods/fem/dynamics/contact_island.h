/** An island: contacts of bodies that hang together by contacts, those of each solved by themselves.
 *
 *      u = W f + q,   (u_k, f_k) in Coulomb's law for every contact k of it
 *
 *  What solves it: sweeps, one contact after the other, each exactly; Newton's method on all of them together. */
#ifndef SCREE_METHODS_FEM_CONTACT_ISLAND_H
#define SCREE_METHODS_FEM_CONTACT_ISLAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** All arrays are borrowed. Forces and velocities stand contact by contact in the order normal, first tangent, second tangent. */
typedef struct fem_island {
  unsigned directions;     /**< of a contact: 1 or 3 */
  size_t count;            /**< of contacts */
  const uint32_t *contact; /**< [count] which of the problem's, rising */
  double *w;               /**< [size][size], size = directions * count, symmetric */
  double *q;               /**< [size] u without contact forces */
  double *force;           /**< [size] where to start, then the solution */
  double *relative;        /**< [size] u, where fem_island_residual or sweeps have left it */
  double *friction;        /**< [count] */
  double *scale;           /**< [count] s, the mean diagonal of a contact's own block of W: fem_island_scale */
  double *work;            /**< [FEM_ISLAND_WORK(size)] of Newton's method */
  uint32_t *cases;         /**< [count] of its factor: twice a closed contact's number, and 1 where it slides */
  int32_t *pivot;          /**< [size] of its factor */
  size_t factored;         /**< closed contacts of the factor in `work`; 0: there is none, as at first */
  bool signs;              /**< the factor is L U: one of them slides, or W is singular but for its rounding */
  size_t steps, sweeps;    /**< factors of Newton's method, and sweeps, so far */
} fem_island;

/** Doubles that Newton's method works on: equations and four vectors. */
#define FEM_ISLAND_WORK(size) ((size) * (size) + 4 * (size))

/** Fills `scale`. */
void fem_island_scale(fem_island *island);

/** relative := W f + q. */
void fem_island_velocities(fem_island *island);

/** Largest natural map of a contact over `most`, the largest |q| of the whole problem; takes `relative` along.  @return infinite where
 *  something is not finite; 0 where `most` is */
double fem_island_residual(fem_island *island, double most);

/** Sweeps until the residual is `wanted` or less, or at most `limit` times.  @return the residual */
double fem_island_sweep(fem_island *island, double most, double wanted, unsigned limit);

/* ── Newton's method ──────────────────────────────────────────────────────────────────────────────────────────────── */

/** Newton's method on all contacts of an island together.
 *
 *  With s the mean diagonal of a contact's own block of W and y = s f - u, Alart and Curnier's map P cuts y to Coulomb's cone, and a
 *  solution is a root of s f - P(y):
 *
 *      open      y_n <= 0               P = 0                         f = 0
 *      sticking  |y_t| <= mu y_n        P = y                         u = 0
 *      sliding   else, t = y_t/|y_t|    P_n = y_n, P_t = mu y_n t     u_n = 0,  f_t = mu f_n t
 *
 *  A step solves  (s - D (s - W)) df = -(s f - P),  D = dP/dy, for all that is closed, and is gone whole: on recorded problems of blocks
 *  pressed on each other a line search takes more steps. Where that does not end, steps are made shorter until what is missing is no more
 *  than it was at one of the last two points.
 *
 *  Bodies that meet by more nodes than they need have a singular W. The diagonal is raised by a share of s, which changes no solution (a
 *  proximal point: what is left shrinks by share/(share + eigenvalue/s) a step) and picks forces near those there were. Two contacts in one
 *  place whose q differ by e hand their force over by e/share a step, until one opens: a share of 1e-10 takes a step or two wherever that
 *  matters. Careful steps take a hundredth of the residual: of 200 problems of 24 contacts that hold 6 or 12 freedoms, at random, whole
 *  steps leave 87, careful ones with 1e-8 leave 39, with that one at most.
 *
 *  A whole step keeps the factor of the one before as long as the same contacts are closed and slide and what is missing falls to a tenth:
 * where directions of sliding turn a little that takes a step or two more, each for a hundredth of a factor. It serves problem after
 * problem of one W.
 *
 *  Source: Alart and Curnier 1991, Comput. Methods Appl. Mech. Eng. 92, 353.
 *
 *  One step from the forces there are.  @param share > 0, of the raised diagonal
 *  @return SCR_OK; SCR_DIVERGED where the equations are singular, forces may be changed then; SCR_NO_MEMORY */
scr_status fem_contact_newton_step(fem_island *island, double share, scr_error *error);

/** Steps until the residual is `wanted` or less, forty at most, whole ones as long as some of them halve it; the best forces stay.
 *  @param most  see fem_island_residual    @param careful  steps may be made shorter    @param left  receives the residual
 *  @return SCR_OK, also where it is larger; SCR_NO_MEMORY */
scr_status fem_contact_newton(fem_island *island, double most, double wanted, bool careful, double *left, scr_error *error);

#endif
