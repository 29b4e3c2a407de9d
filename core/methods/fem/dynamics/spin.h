/** Rigid flight: the body's motion as a whole, turned by discrete Moser and Veselov, its centre on an exact parabola.
 *
 *      Pi angular momentum in the body's principal axes, I its principal moments, z = tan(angle/2) axis of the turn of a step h:
 *      g(z) = I z + z x (I z) - (h/2) (1 + z.z) Pi = 0,    F = turn by z,    q+ = q F,    Pi+ = F^T Pi
 *      t+ = t + h v + h^2 g/2
 *
 *  R Pi in space and the energy Pi.I^-1 Pi/2 are kept exactly; the phase errs by O(h^2). There is no solution where h |omega| is about 1:
 *  steps are cut.
 *  Source: Moser, Veselov 1991, Comm. Math. Phys. 139, 217; the half-angle form follows from h [Pi]x = F Jd - Jd F^T. */
#ifndef SCREE_METHODS_FEM_SPIN_H
#define SCREE_METHODS_FEM_SPIN_H

#include "base/error.h"
#include "methods/fem/system/frame.h"

/** A body that flies. */
typedef struct fem_spin {
  double mass;       /**< kg */
  scr_vec3 moments;  /**< kg m^2, principal */
  scr_quat axes;     /**< unit: takes x, y, z to the principal axes at rest */
  scr_vec3 centre;   /**< m */
  scr_vec3 velocity; /**< m/s, of the centre */
  scr_quat attitude; /**< unit: takes x, y, z to the principal axes now */
  scr_vec3 momentum; /**< kg m^2/s, angular, along the principal axes */
} fem_spin;

/** Principal moments and axes of a body at rest, with the consistent mass. */
void fem_spin_axes(const fem_system *system, const fem_frames *frames, size_t body, fem_spin *spin);

/** The whole state out of nodes: momenta are those of the nodes to round-off.  @param momentum [node_count][3] M v */
fem_spin fem_spin_of(const fem_system *system, const fem_frames *frames, size_t body, const double *displacement, const double *momentum);

/** Nodes out of the state: the rest shape, turned and moved. */
void fem_spin_spread(const fem_system *system, const fem_frames *frames, size_t body, const fem_spin *spin, double *displacement,
                     double *velocity);

/** A step of h, cut so that h |omega| <= 0.05 in each part.  @return SCR_OK; SCR_DIVERGED where Newton's method takes more than 30
 *  iterations */
scr_status fem_spin_step(fem_spin *spin, scr_vec3 gravity, double h, scr_error *error);

/** J */
double fem_spin_energy(const fem_spin *spin);

#endif
