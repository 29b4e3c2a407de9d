/** The 8-node hexahedron (geometry/hexes/hex.h) at rest: gradients of its shape functions at the eight Gauss points, and of the three
 *  incompatible modes.
 *
 *      Gauss points xi = s_g/sqrt(3), weight 1
 *      modes P_i = (xi_i^2 - 1)/2 with gradients (det J0 / det J) J0^-T dP_i/dxi, J0 at the centre: their integral over the
 *      element is zero, so a uniform strain calls for none of them and the patch test is passed on any hexahedron
 *
 *  Sources: any text on finite elements; Taylor, Beresford and Wilson 1976 (Int. J. Num. Meth. Engng 10, 1211) for the modes' constant J0.
 *  */
#ifndef SCREE_METHODS_FEM_HEX_H
#define SCREE_METHODS_FEM_HEX_H

#include "geometry/hexes/hex.h"

enum { FEM_CORNERS = GEO_HEX_CORNERS, FEM_GAUSS = 8, FEM_MODES = 3, FEM_FUNCTIONS = FEM_CORNERS + FEM_MODES, FEM_FACES = GEO_HEX_FACES };

/** One Gauss point of one hexahedron. */
typedef struct fem_gauss {
  double weight;                     /**< det J, m^3 */
  double gradient[FEM_FUNCTIONS][3]; /**< 1/m: dN_a/dX of the corners, then of the modes */
} fem_gauss;

/** A hexahedron at rest. */
typedef struct fem_hex {
  fem_gauss gauss[FEM_GAUSS];
  double volume; /**< m^3, sum of the weights */
} fem_hex;

/** Fills `hex` from corners in m. Where a Jacobian is not > 0 the gradients mean nothing: see geo_hex_least_jacobian. */
void fem_hex_prepare(const double corner[FEM_CORNERS][3], fem_hex *hex);

/** Consistent mass over the density, integral of N_a N_b by the Gauss points, m^3: exact for parallelepipeds. */
void fem_hex_mass(const fem_hex *hex, double mass[FEM_CORNERS][FEM_CORNERS]);

#endif
