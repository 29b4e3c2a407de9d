/** Triangle meshes: surfaces of solids that came from a file or were made from a simulation.
 *
 *  A mesh may consist of several parts (a solid of an STL file, a piece that broke off). Corners of a triangle run counter-clockwise seen
 *  from outside. A mesh that is fit to bound a solid is one that geo_mesh_check accepts. */
#ifndef SCREE_GEOMETRY_MESH_H
#define SCREE_GEOMETRY_MESH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec3.h"

/** Largest absolute value of a coordinate, m: volumes of such meshes stay far from overflow. */
#define GEO_MESH_COORDINATE_LIMIT 1e9

/** Starts zeroed; grown by geo_mesh_add_*; emptied by geo_mesh_clear. */
typedef struct geo_mesh {
  size_t vertex_count, triangle_count;
  scr_vec3 *vertex;        /**< [vertex_count] m */
  uint32_t (*triangle)[3]; /**< [triangle_count] numbers of vertices */
  uint32_t *part;          /**< [triangle_count] which part of the mesh a triangle belongs to */
  size_t vertex_capacity, triangle_capacity, part_capacity;
} geo_mesh;

/** Both return SCR_OK, SCR_NO_MEMORY, or SCR_BAD_USAGE when numbers of vertices no longer fit 32 bits. */
scr_status geo_mesh_add_vertex(geo_mesh *mesh, scr_vec3 vertex, scr_error *error);
scr_status geo_mesh_add_triangle(geo_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t part, scr_error *error);
void geo_mesh_clear(geo_mesh *mesh);

/** Makes one vertex of those with exactly the same coordinates (0 and -0 are the same) that triangles of the same part use, numbered by
 *  first use; vertices that no triangle uses are dropped. What a file that repeats its corners needs. */
scr_status geo_mesh_merge_vertices(geo_mesh *mesh, scr_error *error);

/** Whether a mesh bounds a solid: finite, numbers of vertices in range, at least one triangle, none without area, every edge shared by
 *  exactly two triangles that run through it in opposite directions, the triangles at every vertex one closed fan, and a volume > 0.
 *  Does not find surfaces that cross each other (mesh_crossing.h). The message names the first bad triangle, edge or vertex in the order of
 *  the triangles.
 *  @return SCR_OK, SCR_BAD_FILE, SCR_NO_MEMORY */
scr_status geo_mesh_check(const geo_mesh *mesh, scr_error *error);

/** What of a mesh a fault is about. */
typedef enum geo_mesh_place {
  GEO_MESH_WHOLE,
  GEO_MESH_VERTEX,   /**< vertex `number` */
  GEO_MESH_TRIANGLE, /**< triangle `number` */
  GEO_MESH_CORNER    /**< corner `corner` of triangle `number` */
} geo_mesh_place;

/** One reason why a mesh bounds no solid. */
typedef struct geo_mesh_fault {
  geo_mesh_place place;
  size_t number;
  int corner;        /**< 0, 1, 2 */
  char message[400]; /**< what it is, where, and what to do */
} geo_mesh_fault;

/** Takes a fault. @return whether to go on looking */
typedef bool (*geo_mesh_report)(void *user, const geo_mesh_fault *fault);

/** Reports every reason why geo_mesh_check would refuse a mesh. What can't be judged because of earlier faults is not: areas and edges only
 *  once all numbers and coordinates are sound, edges only when no triangle names a vertex twice, vertices shared by two surfaces and the
 *  volume only when nothing else was found.
 *  @return SCR_OK also when faults were reported; SCR_NO_MEMORY */
scr_status geo_mesh_find_faults(const geo_mesh *mesh, geo_mesh_report report, void *user, scr_error *error);

/** What a mesh measures. Sums run in the order of the triangles. */
typedef struct geo_mesh_measures {
  double area;   /**< m^2 */
  double volume; /**< m^3, by the divergence theorem; negative when the mesh is inside out, meaningless when it is not closed */
  long euler;    /**< vertices in use - edges + triangles: 2 per sphere-like shell, 0 per torus */
} geo_mesh_measures;

/** Measures a mesh whose numbers of vertices are in range. @return SCR_OK, SCR_NO_MEMORY */
scr_status geo_mesh_measure(const geo_mesh *mesh, geo_mesh_measures *measures, scr_error *error);

/** Normal times twice the area of triangle `t`. */
static inline scr_vec3 geo_mesh_area_normal(const geo_mesh *mesh, size_t t)
{
  scr_vec3 a = mesh->vertex[mesh->triangle[t][0]], b = mesh->vertex[mesh->triangle[t][1]], c = mesh->vertex[mesh->triangle[t][2]];
  return vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
}

#endif
