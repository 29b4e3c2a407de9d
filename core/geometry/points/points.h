/** From a cloud of points on the surface of a body, as scanners give it, to a closed surface of triangles.
 *
 *      file --geo_points_read--> points --geo_points_thin--> fewer, even --geo_points_normals--> unit normals, outward
 *           --geo_points_surface--> triangles that bound a solid, and the holes of the cloud that they close
 *
 *  The steps of Bhattacharya, Damircheli, Lipton 2025, section 3.6 of the method's description; the surface is Poisson's in place of ball
 *  pivoting, as it is closed whatever the points are. */
#ifndef SCREE_GEOMETRY_POINTS_H
#define SCREE_GEOMETRY_POINTS_H

#include "geometry/mesh/mesh.h"

enum {
  GEO_POINTS_LIMIT = 4 << 20, /**< most points of a file */
  GEO_POINTS_MOST = 8000,     /**< most after thinning: normals and holes compare all pairs */
  GEO_POINTS_LEAST = 50,      /**< fewest that tell of a form */
  GEO_POINTS_NEIGHBOURS = 10
};

/** Starts zeroed; emptied by geo_points_clear. */
typedef struct geo_points {
  size_t count;
  scr_vec3 *point;  /**< [count] in the file's unit */
  scr_vec3 *normal; /**< [count] unit, outward; NULL until geo_points_normals */
  double *area;     /**< [count] what part of the surface each stands for, by its neighbours' distance; with the normals */
  double spacing;   /**< mean distance to the nearest neighbour; with the normals */
} geo_points;

void geo_points_clear(geo_points *points);

/** Reads points: a PLY file's vertices; or lines of numbers with blanks, commas or semicolons between them, of which the first three are x,
 *  y, z (XYZ, CSV), a first line of words and lines that begin with '#' aside. Points that are there twice count once.
 *  @return SCR_OK; SCR_BAD_FILE with the line and what is wrong; SCR_NO_MEMORY */
scr_status geo_points_read(const void *bytes, size_t size, geo_points *points, scr_error *error);

/** Keeps one point per cube of a grid, the first of the file, with cubes as large as it takes for at most `most` points. */
scr_status geo_points_thin(geo_points *points, size_t most, scr_error *error);

/** Normals from planes through each point's 10 nearest neighbours, all turned outward by passing the direction on along the flattest ways
 *  between neighbours, from the highest point, whose normal points up (Hoppe et al., Surface reconstruction from unorganized points,
 *  SIGGRAPH 1992).
 *  @return SCR_OK; SCR_BAD_FILE for fewer than GEO_POINTS_LEAST or more than GEO_POINTS_MOST points, points in one plane, and for a cloud
 *  in several parts that
 *          no neighbours join, with where they are; SCR_NO_MEMORY */
scr_status geo_points_normals(geo_points *points, scr_error *error);

/** A place where the cloud has no points and the surface was closed over it. */
typedef struct geo_points_hole {
  scr_vec3 at;   /**< its middle, about */
  double radius; /**< from there to the nearest point */
} geo_points_hole;
enum { GEO_POINTS_HOLE_LIMIT = 8 };

/** Makes an empty mesh the surface of points with normals: the level of the function whose gradient is nearest to the field of normals,
 *  found on a cubic grid by conjugate gradients, as its Laplacian is the field's divergence (Kazhdan, Bolitho, Hoppe, Poisson surface
 *  reconstruction, SGP 2006).
 *  @param cells  grid cells along the longest extent, 8 ... 96; no more than the points' spacing allows are taken
 *  @param holes  [GEO_POINTS_HOLE_LIMIT] receives places farther than 3 spacings from any point, largest first    @param hole_count how
 *  many
 *  @return SCR_OK; SCR_BAD_FILE when nothing closed came of it; SCR_NO_MEMORY */
scr_status geo_points_surface(const geo_points *points, unsigned cells, geo_mesh *mesh, geo_points_hole *holes, size_t *hole_count,
                              scr_error *error);

#endif
