/** The end of one super-helix' step, and its equilibria.
 *
 *      Phi(q) = |v - v0|_M^2 / 2 + h a |v|_M^2 / 2 + (b / 2h) (q - q0)' K (q - q0) + E(q) - f . r(q)      least,   v = (r(q) - r0) / h
 *
 *  Velocities are those of its points, by what they travel: so all that a bend of the helix does to momenta (centrifugal and Coriolis
 * forces) is in the places themselves, and a step is the implicit Euler method of a rod (rod_step.h) whose points are held on the helix.
 * The turn of an edge counts as a rod's twist angle does. Newton's method with the exact Hessian, where that is not positive definite with
 * Gauss and Newton's, and a line search. */
#ifndef SCREE_FIBRE_HELIX_SEARCH_H
#define SCREE_FIBRE_HELIX_SEARCH_H

#include "methods/fibre/helix/helix.h"

/** One search. Arrays are of the points: [edges + 1][4], [edges]. */
typedef struct helix_search {
  const helix *helix;
  helix_frame root;                       /**< at the end of the step */
  const helix_strain *from;               /**< q0 */
  const double *mass;                     /**< kg, kg m^2 */
  const double *force;                    /**< f, N */
  const double *place;                    /**< r0, m */
  const double *inertial;                 /**< v0, m/s, rad/s */
  rod_frames before;                      /**< of the edges at q0 */
  double h;                               /**< s > 0 */
  double mass_damping, stiffness_damping; /**< a, b */
  double radius;                          /**< m, that turning counts with among speeds */
  double tolerance;                       /**< of the last change over the largest velocity; of an equilibrium's moments over the loads' */
  double least_speed;                     /**< m/s */
  uint32_t limit;                         /**< linearisations */
} helix_search;

/** Memory of a search. */
typedef struct helix_scratch {
  double *place, *kept, *load; /**< [edges + 1][4] */
  rod_frames trial;            /**< [edges] */
  scr_vec3 *axis;              /**< [edges] */
} helix_scratch;

typedef struct helix_found {
  bool solved, lost; /**< lost: no finite place was found */
  uint32_t iterations;
  double residual;       /**< 1, last change over the largest velocity; moments left over the largest */
  rod_energies energy;   /**< J, at the strains found */
  double damped;         /**< J, taken out by dampers */
  double lost_by_itself; /**< J, taken out by the step, as its formula says: see helix_implicit */
} helix_found;

/** Finds q. @param strain  in: the guess; out: q    @param place, velocity, frames  out: of its points; what the root holds keeps its own
 *  @param reaction [edges + 1][4]  out: forces that are missing at each point for its motion: those of all points beyond a section are what
 *  goes through it
 *  What the step takes out of the motion is |v - v0|_M^2 / 2 + (q - q0)' K (q - q0) / 2 and, of each force that holds a point on the helix,
 *  what the place differs by from its tangent: sum of reaction . (r - r0 - dr/dq (q - q0)). With a root that moves, the root's work is
 *  in there and is to be added. */
helix_found helix_implicit(const helix_search *search, helix_strain *strain, double *place, double *velocity, const rod_frames *frames,
                           double *reaction, helix_scratch *w);

/** A linearisation of a step that is solved together with contacts: A x = b + H' r for the rates x of strains, over the step. */
typedef struct helix_linear {
  size_t stride;          /**< of A: 3 n or more; rows beyond have a diagonal alone */
  la_band matrix, factor; /**< A, and its factor; of size stride and width stride - 1, written */
  double *momentum;       /**< [stride] b, written */
  double *moves;          /**< [edges + 1][4][stride] of helix_moves, written */
  double *drift;          /**< [edges + 1][4] m/s, rad/s, written: points move with drift + moves x */
} helix_linear;

/** Linearises about strains.
 *  @param pressed [edges + 1][4]  N, N m on points, of contacts: A has how they turn with the helix, b has not what they push
 *  @param velocity [edges + 1][4]  out: of its points    @return false: it is nowhere, or A is not positive definite */
bool helix_linearise(const helix_search *search, const helix_strain *strain, const double *pressed, double *velocity, helix_linear *out,
                     helix_scratch *w);

/** Phi at strains, J. @param size  receives the sum of the sizes of its terms    @param velocity [edges + 1][4]  out: of its points; NULL:
 *  not asked */
double helix_potential(const helix_search *search, const helix_strain *strain, double *velocity, double *size, helix_scratch *w);

/** What a step comes to that ends at `strain`, as helix_implicit has it, with what `force` holds then; neither solved nor residual. */
helix_found helix_finish(const helix_search *search, const helix_strain *strain, double *place, double *velocity, const rod_frames *frames,
                         double *reaction, helix_scratch *w);

/** Finds an equilibrium near `strain`. Arguments as of helix_implicit; velocities are left. */
helix_found helix_equilibrium(const helix_search *search, helix_strain *strain, double *place, const rod_frames *frames, double *reaction,
                              helix_scratch *w);

#endif
