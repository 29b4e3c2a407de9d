/** The rigid motion of each body: mass, centre, momenta, and the rotation that fits best, mass-weighted.
 *
 *      S = sum_ab (x_a - t) m_ab (X_b - t0)^T,   R maximises tr(R^T S):  R = U diag(1, 1, det(U V^T)) V^T  of  S = U s V^T,  here by Horn's
 *      quaternion
 *
 *  Source: Horn 1987, J. Opt. Soc. Am. A 4, 629. */
#ifndef SCREE_METHODS_FEM_FRAME_H
#define SCREE_METHODS_FEM_FRAME_H

#include "base/quat.h"
#include "methods/fem/system/system.h"

/** What does not change: per body. */
typedef struct fem_rest_frame {
  double mass;     /**< kg */
  scr_vec3 centre; /**< m, of mass, at rest */
} fem_rest_frame;

/** Rest frames and the masses times rest positions from the centres. */
typedef struct fem_frames {
  fem_rest_frame *body; /**< [body_count] */
  double *lever;        /**< [node_count][3] kg m: sum_b m_ab (X_b - t0) */
} fem_frames;

/** How a body moves as a whole. */
typedef struct fem_rigid {
  scr_vec3 centre;   /**< m */
  scr_vec3 linear;   /**< kg m/s */
  scr_vec3 angular;  /**< kg m^2/s, about the centre */
  scr_quat rotation; /**< unit, from rest */
} fem_rigid;

scr_status fem_frames_create(const fem_system *system, fem_frames *frames, scr_error *error);
void fem_frames_clear(fem_frames *frames);

/** The rotation alone.  @param displacement [node_count][3] m */
scr_quat fem_rotation(const fem_system *system, const fem_frames *frames, size_t body, const double *displacement);

/** All of it.  @param momentum [node_count][3] M v, kg m/s */
fem_rigid fem_rigid_motion(const fem_system *system, const fem_frames *frames, size_t body, const double *displacement,
                           const double *momentum);

#endif
