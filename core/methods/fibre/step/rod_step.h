/** The solution of one fibre's part of a step: the least of the incremental potential, or an equilibrium.
 *
 *      Phi(v) = |v - v0|_M^2 / 2  +  h/2 (a |v|_M^2 + b v'D v)  +  E(q0 + h v)  -  h f.v         least where M (v - v0) = h (f - dE/dq
 *      - dampers)
 *
 *  Newton's method with the exact Hessian, or where that is not positive definite with Gauss and Newton's. Steps are whole ones while
 *  Phi falls again within a few of them: edges that turn are stretched by one and set right by the next; else a line search from the best
 *  point so far makes it fall (watchdog, Chamberlain et al. 1982). D is Gauss and Newton's stiffness half-way to where the search begins.
 *  Source: the implicit Euler method as in any text; second order by the singly diagonally implicit Runge-Kutta method of two stages, each
 *  such a step (Alexander 1977). */
#ifndef SCREE_FIBRE_ROD_STEP_H
#define SCREE_FIBRE_ROD_STEP_H

#include "methods/fibre/rod/rod.h"

/** One search. Arrays are [nodes][4]. */
typedef struct rod_search {
  const rod *rod;
  const double *mass;                     /**< kg, kg m^2; > 0 where not held */
  const double *force;                    /**< f, N */
  const bool *held;                       /**< unknowns whose velocity is given */
  const double *place;                    /**< q0, m, rad */
  const double *inertial;                 /**< v0, m/s, rad/s */
  double h;                               /**< s > 0 */
  double mass_damping, stiffness_damping; /**< a, b */
  double tolerance;                       /**< of the last change over the largest velocity */
  double least_speed;                     /**< m/s, that velocities are compared with at least */
  uint32_t limit;                         /**< linearisations */
} rod_search;

/** Memory of searches of one fibre. */
typedef struct rod_scratch {
  double *place, *velocity, *gradient, *change, *product, *best; /**< [nodes][4] */
  double *pull;                                                  /**< [edges] N */
  rod_frames trial, best_frames;
  la_band matrix, damper;
} rod_scratch;

typedef struct rod_found {
  bool solved, lost; /**< lost: no finite place was found */
  uint32_t iterations;
  double residual;     /**< 1, last change over the largest velocity */
  rod_energies energy; /**< J, at the place found */
  double damped;       /**< J, taken out by dampers */
  double strained;     /**< J, dE/dq at the end times the way there */
} rod_found;

/** Finds v. @param velocity  in: the guess, with held values; out: v    @param q  out: q0 + h v
 *  @param frames  in: of an earlier configuration; out: of `q`
 *  @param reaction  out: what is left over of the forces, N: at held unknowns what holds them, elsewhere next to nothing */
rod_found rod_implicit(const rod_search *search, double *velocity, double *q, rod_frames *frames, double *reaction, rod_scratch *w);

/** For steps in which fibres touch: frames of q0 + h v and the linear system of Newton's step from there, A v' = rhs, A positive
 *  definite; held unknowns are those of the identity.
 *
 *  Edges are stiffened by the tensions that the linear system before has predicted (tensions as unknowns of their own: Magisano, Leonetti,
 *  Garcea 2017), in the first one by those that the fibre has. One that turns by an angle on its way is stretched by the square of it,
 *  which the next step sets right; the exact Hessian takes that for a load under which a hair buckles, and steps of whole fibres then go
 *  far astray. `make bench-fibre` shows it by the number of linearisations.
 *  @param last  what the linear system before was made about, of which v is the solution, or a part of the way there; NULL: v is the
 *  first guess, and dampers are set
 *  @param q, frames  as of rod_implicit    @param matrix  out: A, in the order of the band, not factorised; its factor is left in
 *  `w->matrix`    @param rhs  out: in the order of nodes
 *  @return false: there is no finite place, or no factor */
bool rod_linearise(const rod_search *search, const double *velocity, const double *last, double *q, rod_frames *frames, la_band *matrix,
                   double *rhs, rod_scratch *w);

/** Phi at v and the sum of its terms' sizes, J. Uses place, change, product and trial of the scratch, and the
 *  dampers that the first rod_linearise of the step has left there.    @param frames  of a place near by */
typedef struct rod_potential {
  double value, size;
} rod_potential;
rod_potential rod_potential_at(const rod_search *search, const double *velocity, const rod_frames *frames, rod_scratch *w);

/** What v, with its place and frames, comes to: fills reaction, energy, damped and strained as rod_implicit does. */
void rod_finish(const rod_search *search, const double *velocity, const double *q, const rod_frames *frames, double *reaction,
                rod_scratch *w, rod_found *found);

/** Finds a place where dE/dq = f near `q`, from there on: held unknowns stay. `search` gives rod, force, held, tolerance (of
 *  the forces over the
 *  largest load or tension) and limit. */
rod_found rod_equilibrium(const rod_search *search, double *q, rod_frames *frames, double *reaction, rod_scratch *w);

#endif
