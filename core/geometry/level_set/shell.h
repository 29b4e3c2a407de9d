/** Surfaces as triangles of one wanted size, whose corners are good sampling points: every corner stands for a third of the triangles about
 *  it. Closed, counter-clockwise seen from outside. `spacing`: about the longest edge of a triangle, m. */
#ifndef SCREE_GEOMETRY_LEVEL_SET_SHELL_H
#define SCREE_GEOMETRY_LEVEL_SET_SHELL_H

#include "geometry/mesh/mesh.h"

/** How far the surface is from the origin in a direction of length 1, m, > 0. */
typedef double (*shell_radius)(const void *user, scr_vec3 direction);

/** Make an empty mesh that of a ball, of a body that is a star about the origin, of a box of half edges `half`, of a cylinder about z with
 *  flat ends; the corners lie on the surface. @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_USAGE (too many vertices) */
scr_status shell_make_ball(geo_mesh *mesh, double radius, double spacing, scr_error *error);
scr_status shell_make_star(geo_mesh *mesh, shell_radius radius, const void *user, double reach, double spacing, scr_error *error);
scr_status shell_make_box(geo_mesh *mesh, scr_vec3 half, double spacing, scr_error *error);
scr_status shell_make_cylinder(geo_mesh *mesh, double radius, double half_length, double spacing, scr_error *error);

/** Makes a copy of a closed mesh whose edges are none longer than `spacing`: longer ones are cut in the middle, again and again. The
 *  surface stays the same. @param copy an empty mesh */
scr_status shell_refine(const geo_mesh *mesh, double spacing, geo_mesh *copy, scr_error *error);

/** How many corners these make of a surface of that area, m^2, from above; of a refined mesh twice as many, and its own, at most. */
double shell_expected(double area, double spacing);

/** What a corner stands for. */
typedef struct shell_node {
  scr_vec3 normal; /**< unit, outward: the mean of the triangles about it, weighted by their areas */
  double area;     /**< m^2, a third of theirs */
} shell_node;

/** Of every corner. @param nodes [mesh->vertex_count] */
void shell_measure(const geo_mesh *mesh, shell_node *nodes);

/** Renumbers the corners so that near ones have near numbers (along a space-filling curve), and the triangles alike. @return SCR_OK,
 *  SCR_NO_MEMORY */
scr_status shell_sort(geo_mesh *mesh, scr_error *error);

/** Integrals over the solid that a closed mesh bounds, exact but for rounding: sums over the tetrahedra between its triangles and the
 *  origin. */
typedef struct shell_solid {
  double volume;       /**< m^3 */
  scr_vec3 centroid;   /**< m */
  double second[3][3]; /**< m^5, integral of r r^T about the centroid */
} shell_solid;
shell_solid shell_solid_of(const geo_mesh *mesh);

#endif
