/** The 8-node hexahedron: its corners, faces and shape functions.
 *
 *        7-------6        corner a at xi = s_a:  0 (-,-,-)  1 (+,-,-)  2 (+,+,-)  3 (-,+,-)  4 (-,-,+)  5 (+,-,+)  6 (+,+,+)  7 (-,+,+)
 *       /|      /|        N_a = prod_i (1 + s_ai xi_i)/8,  X = sum_a N_a X_a,  J = dX/dxi
 *      4-------5 |
 *      | 3-----|-2
 *      |/      |/
 *      0-------1          Source: any text on finite elements. */
#ifndef SCREE_GEOMETRY_HEX_H
#define SCREE_GEOMETRY_HEX_H

#include <stdint.h>

enum { GEO_HEX_CORNERS = 8, GEO_HEX_FACES = 6 };

/** Signs s_a of the corners. */
extern const double geo_hex_sign[GEO_HEX_CORNERS][3];
/** Corners of the faces, counter-clockwise seen from outside: x-, x+, y-, y+, z-, z+. */
extern const uint8_t geo_hex_face[GEO_HEX_FACES][4];

/** N_a at xi. */
void geo_hex_shape(const double xi[3], double shape[GEO_HEX_CORNERS]);

/** dN_a/dxi at xi. */
void geo_hex_slope(const double xi[3], double slope[GEO_HEX_CORNERS][3]);

/** J at xi: jacobian[i][j] = dX_i/dxi_j.  @param corner m */
void geo_hex_jacobian(const double corner[GEO_HEX_CORNERS][3], const double xi[3], double jacobian[3][3]);

/** The inverse of a 3 x 3 matrix (divided by zero where there is none). @return the determinant */
double geo_hex_invert(double matrix[3][3], double inverse[3][3]);

/** Smallest det J at the 2 x 2 x 2 Gauss points and corners over the largest; <= 0 for an element that is folded or turned inside out, 1
 *  for a parallelepiped. */
double geo_hex_least_jacobian(const double corner[GEO_HEX_CORNERS][3]);

/** Smallest scaled Jacobian: over the corners, the volume that the three edges there span over the product of their lengths. 1 for a brick,
 *  <= 0 for what is folded at a corner. */
double geo_hex_scaled_jacobian(const double corner[GEO_HEX_CORNERS][3]);

/** Volume, m^3, by 2 x 2 x 2 Gauss points. */
double geo_hex_volume(const double corner[GEO_HEX_CORNERS][3]);

/** Local coordinates of a point by Newton's method from the centre.
 *  @return how far outside the element it is, in local coordinates: max |xi_i| - 1, <= 0 inside; INFINITY: not found */
double geo_hex_locate(const double corner[GEO_HEX_CORNERS][3], const double point[3], double xi[3]);

#endif
