/** A mode: a fixed field of displacements Phi(X) over a grain's own coordinates X (principal axes, centroid at the origin), by which it
 *  deforms by an amplitude eps, m:
 *
 *      u(X) = sum over modes of eps Phi(X)                               Phi has no unit, eps is a length
 *
 *  Every mode is momentum-free (modes_free): with S = int rho Phi dV and H = int rho X x Phi dV both zero, the centroid and the orientation
 *  say where the grain is whatever eps. To that end a rigid motion is taken off the field as given: Phi = given - t - theta x X.
 *  Source: the method's specification, sections 3.1 and 3.10. */
#ifndef SCREE_LSDEM_GRAIN_MODE_H
#define SCREE_LSDEM_GRAIN_MODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "linalg/matrix3.h"

/** Most modes of a grain. What grains and contacts keep is by how many there are; only templates, which are shared, have room for all. */
enum { LSDEM_MODE_LIMIT = 64 };

typedef enum lsdem_mode_kind {
  LSDEM_MODE_AFFINE, /**< B X */
  LSDEM_MODE_FIELD,  /**< trilinear on a grid, going on by its outermost values beyond */
  LSDEM_MODE_BENDING /**< of a bar along x of length L: with s = X.x + L/2 and kappa = (pi/L)^2 sin(pi s/L),
                          u_x = z (pi/L) cos(pi s/L), u_y = nu y z kappa, u_z = -sin(pi s/L) + nu (z^2 - y^2) kappa/2;
                          of a bar along another axis: turned (x to y to z to x) */
} lsdem_mode_kind;

typedef struct lsdem_mode {
  lsdem_mode_kind kind;
  scr_matrix3 gradient; /**< affine: B, 1/m */
  int axis;             /**< bending: the bar's, 0, 1, 2 */
  double length;        /**< bending: L, m */
  double contraction;   /**< bending: nu; 0: the cross section keeps its shape */
  uint32_t count[3];    /**< field: points of the grid, as level_set has them */
  scr_vec3 origin;      /**< field: m, of point (0, 0, 0) */
  double per_spacing;   /**< field: 1/m */
  const float *value; /**< field: components at point p are value[p stride ... + 2]; borrowed of the template. Single precision: a field is
                         off by more between its points */
  size_t stride;      /**< field: between points, floats */
  scr_vec3 shift, turn; /**< t, 1; theta, 1/m */
} lsdem_mode;

/** The cell of a field that holds a point, or the nearest one, and where in it. @return the number of its lowest point */
static inline size_t lsdem_field_cell(const lsdem_mode *mode, scr_vec3 point, double part[static 3])
{
  const double at[3] = {(point.x - mode->origin.x) * mode->per_spacing, (point.y - mode->origin.y) * mode->per_spacing,
                        (point.z - mode->origin.z) * mode->per_spacing};
  size_t cell = 0;
  for (int k = 0; k < 3; k++) {
    double last = (double)mode->count[k] - 2, inside = at[k] > 0 ? (at[k] < last ? at[k] : last) : 0;
    uint32_t low = (uint32_t)inside;
    double share = at[k] - low;
    part[k] = share > 0 ? (share < 1 ? share : 1) : 0;
    cell = cell * mode->count[k] + low;
  }
  return cell;
}

/** Offset of corner c of a cell, 4 i + 2 j + k for corner (i, j, k), in points. */
static inline size_t lsdem_field_corner(const lsdem_mode *mode, unsigned c)
{
  return ((c >> 2) * (size_t)mode->count[1] + (c >> 1 & 1)) * mode->count[2] + (c & 1);
}

/** Phi(X). */
scr_vec3 lsdem_mode_at(const lsdem_mode *mode, scr_vec3 point);

/** Phi(X) and its gradient: gradient.m[i][j] = d Phi_i / d X_j. */
scr_vec3 lsdem_mode_gradient(const lsdem_mode *mode, scr_vec3 point, scr_matrix3 *gradient);

/** A sum over points that stands for an integral over a grain. */
typedef struct lsdem_quadrature {
  size_t count;
  scr_vec3 *point; /**< [count] m */
  double *weight;  /**< [count] m^3; of either sign */
} lsdem_quadrature;

/** All that a set of modes brings into the equations of motion, integrals over the reference shape of density `density`. */
typedef struct lsdem_modal {
  size_t count;
  double mass[LSDEM_MODE_LIMIT][LSDEM_MODE_LIMIT];      /**< M, kg */
  double stiffness[LSDEM_MODE_LIMIT][LSDEM_MODE_LIMIT]; /**< K, N/m: 0 until lsdem_modal_stiffness */
  double shape[LSDEM_MODE_LIMIT][3]
              [3]; /**< I1_a = int rho [2 X.Phi_a 1 - X (x) Phi_a - Phi_a (x) X], kg m: the inertia's change with eps_a */
  double pair[LSDEM_MODE_LIMIT][LSDEM_MODE_LIMIT][3][3]; /**< I2_ab = int rho [Phi_a.Phi_b 1 - sym(Phi_a (x) Phi_b)], kg */
  scr_vec3 gyro[LSDEM_MODE_LIMIT][LSDEM_MODE_LIMIT];     /**< g_ab = int rho Phi_a x Phi_b, kg */
} lsdem_modal;

/** What is left of S and H, kg and kg m, of one mode. */
void lsdem_mode_momenta(const lsdem_mode *mode, const lsdem_quadrature *volume, double density, scr_vec3 *linear, scr_vec3 *angular);

/** Takes the rigid motions off the modes: S and H become zero to rounding, for any density. The quadrature's own axes must be about
 *  principal. */
void lsdem_modes_free(lsdem_mode *modes, size_t count, const lsdem_quadrature *volume);

/** The integrals but for the stiffness. */
void lsdem_modal_integrate(lsdem_modal *modal, const lsdem_mode *modes, size_t count, const lsdem_quadrature *volume, double density);

/** K_ab = int (C : E_a) : E_b dV of an isotropic elastic material, E = sym grad Phi. @param young Pa, > 0    @param poisson -1 < nu < 0.5
 *  */
void lsdem_modal_stiffness(lsdem_modal *modal, const lsdem_mode *modes, const lsdem_quadrature *volume, double young, double poisson);

#endif
