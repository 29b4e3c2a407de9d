/** The keys of a mesh, the same in specimens' and obstacles' shapes: a scr_mesh_source at `field` of a `type`. Private to core/scene. */
#ifndef SCREE_SCENE_LAYOUT_MESH_H
#define SCREE_SCENE_LAYOUT_MESH_H

#include "scene/layout/layout.h"
#include "scene/mesh_source.h"

#define MESH_SCALE(type, field)                                                                                                            \
  {                                                                                                                                        \
    "scale", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 1, 0, 1e6, NULL,                                                                      \
        "factor that turns the coordinates into metres: 0.001 for a file in millimetres", offsetof(type, field.scale)                      \
  }
#define MESH_FILE(type, field)                                                                                                             \
  {                                                                                                                                        \
    "file", SCR_PARAM_ASSET, SCR_PARAM_AUTOMATIC, "", 0, 0, 0, NULL,                                                                       \
        "instead of vertices and triangles: a file in STL, PLY or OBJ format, or of hexahedra (Abaqus .inp, VTK, VTU, Gmsh .msh), by its " \
        "path beside the scene or as an uploaded asset",                                                                                   \
        offsetof(type, field.file)                                                                                                         \
  }
#define MESH_MEMBERS(type, field)                                                                                                          \
  {"vertices",                                                                                                                             \
   MEMBER_VALUES,                                                                                                                          \
   false,                                                                                                                                  \
   .value = &mesh_vertex,                                                                                                                  \
   LIST(type, field.vertices, field.vertex_count),                                                                                         \
   .maximum_count = SCENE_MESH_TRIANGLE_LIMIT,                                                                                             \
   .help = "corners of the triangles about the shape's origin, times scale in m"},                                                         \
      {"triangles",                                                                                                                        \
       MEMBER_VALUES,                                                                                                                      \
       false,                                                                                                                              \
       .value = &mesh_triangle,                                                                                                            \
       LIST(type, field.triangles, field.triangle_count),                                                                                  \
       .maximum_count = SCENE_MESH_TRIANGLE_LIMIT,                                                                                         \
       .help = "numbers of vertices from 0, counter-clockwise seen from outside; together they close around the solid"},                   \
  {                                                                                                                                        \
    "text", MEMBER_TEXT, false,                                                                                                            \
        .offset = offsetof(type, field.text), .maximum_count = SCENE_MESH_TEXT_BYTES,                                                      \
        .help =                                                                                                                            \
            "instead of vertices and triangles: a file in STL, PLY or OBJ format, as text; a whole scene may have 4 MiB, file takes more"  \
  }

/** One corner and one triangle of a mesh. */
extern const scr_param mesh_vertex, mesh_triangle;

#endif
