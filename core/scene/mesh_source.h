/** Meshes of scenes: lists of vertices and triangles, the text of a file, or a file, made into solids. A file may also be one of hexahedra
 *  (geometry/hexes/files/): its surface is the solid, and methods that divide bodies may use its elements. */
#ifndef SCREE_SCENE_MESH_SOURCE_H
#define SCREE_SCENE_MESH_SOURCE_H

#include "geometry/hexes/hexes.h"
#include "geometry/mesh/mesh_distance.h"
#include "scene/scene.h"

/** Most triangles, and most vertices, of all meshes of a scene together; most bytes of a mesh's text; most faults told of one mesh. */
enum {
  SCENE_MESH_TRIANGLE_LIMIT = 200000,
  SCENE_MESH_TEXT_BYTES = 4 << 20,
  SCENE_MESH_FAULT_LIMIT = 20,
  SCENE_MADE_TRIANGLE_LIMIT = 600000
};

/** A mesh that bounds a solid. Immutable. */
struct scr_mesh {
  geo_mesh surface;    /**< m, scaled, about the shape's origin */
  geo_mesh_tree *tree; /**< of it */
  geo_box box;         /**< around it */
  double volume;       /**< m^3, > 0 */
  geo_hexes hexes;     /**< m, scaled: where the file is one of hexahedra, whose surface this is; else empty */
};

/** Reads, scales and checks a mesh, and makes source->mesh when it bounds a solid; adds every problem found otherwise.
 *  @param assets what source->file counts in    @param place  JSON Pointer to the shape    @param triangles counts up those of the scene's
 *  meshes
 *  @param crossings where a surface that crosses itself is told: among the problems where a solid is to be filled, else among
 *                   the warnings, where always stands that this could not be found out
 *  @return SCR_OK also when problems were added; SCR_NO_MEMORY */
scr_status mesh_source_make(scr_mesh_source *source, const scr_asset *assets, const char *place, size_t *triangles, scr_problems *problems,
                            scr_problems *crossings, scr_problems *warnings);

/** The same for a surface that was made and not given, in metres, which is taken over: `made` receives the solid, or NULL where a problem
 *  was added at `place`. @param triangles counts up those made for the scene, at most SCENE_MADE_TRIANGLE_LIMIT */
scr_status mesh_source_adopt(geo_mesh *surface, const char *place, size_t *triangles, struct scr_mesh **made, scr_problems *problems);

void mesh_solid_destroy(struct scr_mesh *mesh);

/** Frees source->mesh; the lists and the text are the document's. */
void mesh_source_release(scr_mesh_source *source);

#endif
