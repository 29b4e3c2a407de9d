/** What form a grain has: measured on its surface alone, wherever it came from.
 *
 *      equivalent ellipsoid   same volume, same axes and ratios of second moments as the solid; semi-axes a >= b >= c
 *      elongation             b / a, 1 for a ball, less for a rod
 *      flatness               c / b, 1 for a ball, less for a plate      (the ratios of Zingg 1935)
 *      smooth surface         the radius from the centroid over the direction, both after a stretch that makes the equivalent ellipsoid a
 *      ball,
 *                             with its harmonics of degrees 0 to 8 only
 *      roundness              area of the equivalent ellipsoid over that of the smooth surface: 1 for ellipsoids, less the more corners
 *      there are roughness              root mean square of what the radius deviates from the smooth one, over it
 *
 *  Three bands of degrees for form, roundness and roughness: Mollon, Zhao, Granular Matter 15 (2013) 95; the ratio of areas is ours. */
#ifndef SCREE_GEOMETRY_SHAPES_FORM_H
#define SCREE_GEOMETRY_SHAPES_FORM_H

#include <stdbool.h>

#include "geometry/mesh/mesh.h"

enum { SHAPE_SMOOTH_DEGREE = 8 };

typedef struct shape_form {
  double volume;     /**< m^3 */
  double area;       /**< m^2, of all triangles */
  scr_vec3 centroid; /**< m */
  double radius;     /**< m, of the ball of the same volume */
  double half[3];    /**< m, a >= b >= c */
  double axis[3][3]; /**< unit, axis[k] along half[k] */
  double elongation, flatness;
  double sphericity; /**< area of the ball of the same volume over `area` (Wadell 1935) */
  bool is_star;      /**< every ray from the centroid meets the surface once; only then are the next two measured, else they are NaN */
  double roundness, roughness;
} shape_form;

/** Measures a closed mesh of one shell. Roundness and roughness are integrals over the mesh's own corners, good to some percent from about
 *  1000 on.
 *  @return SCR_OK; SCR_BAD_USAGE for a mesh without volume; SCR_NO_MEMORY */
scr_status shape_measure_form(const geo_mesh *mesh, shape_form *form, scr_error *error);

/** Volume, centroid, and covariance (second moments about the centroid over the volume, m^2) as eigenvalues value[0] >= value[1] >=
 *  value[2] with unit, right-handed axes. */
typedef struct shape_moments {
  double volume;
  scr_vec3 centroid;
  double value[3], axis[3][3];
} shape_moments;
shape_moments shape_moments_of(const geo_mesh *mesh);

/** Stretches a mesh along its own axes and turns it, in place, so that its centroid is the origin, its moments lie along x >= y >= z in the
 *  ratios that semi-axes in the ratio 1 : elongation : elongation flatness give, and its volume is that of a ball of `radius`, m. Exact but
 *  for rounding. */
void shape_stretch_to(geo_mesh *mesh, double radius, double elongation, double flatness);

/** Area of all triangles, m^2. */
double shape_area(const geo_mesh *mesh);

#endif
