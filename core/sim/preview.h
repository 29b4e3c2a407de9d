/** What a method makes of a specimen before a run, shown without one: a capability that a method has or has not
 * (scr_method_description.preview). */
#ifndef SCREE_SIM_PREVIEW_H
#define SCREE_SIM_PREVIEW_H

#include "base/json_writer.h"
#include "geometry/mesh/mesh.h"
#include "scene/scene.h"

typedef struct sim_preview {
  /** What bodies of specimen `specimen` are made into: appends one JSON object, with the key `specimen`, its name, numbers in SI units, and
   *  where there are modes a list `modes` of objects with `number`, `mass` and `largest_displacement` (1, per metre of amplitude). */
  scr_status (*describe)(const scr_scene *scene, size_t specimen, json_writer *writer, scr_error *error);
  /** Its surface at rest, into an empty mesh, and how each of its modes moves the surface's vertices per metre of amplitude:
   *  [*modes][vertices], to be freed by mem_free, NULL without modes. */
  scr_status (*surface)(const scr_scene *scene, size_t specimen, geo_mesh *mesh, scr_vec3 **fields, size_t *modes, scr_error *error);
} sim_preview;

/** The public calls of a scene whose method has a preview (scr_specimen_preview_json and its like), which refuse others. */
scr_status sim_preview_json(const scr_scene *scene, const char *specimen, char **json, scr_error *error);
scr_status sim_preview_surface(const scr_scene *scene, const char *specimen, size_t mode, double amplitude, char **ply, size_t *size,
                               scr_error *error);
scr_status sim_preview_shape(const scr_scene *scene, const char *specimen, scr_preview_shape *shape, scr_error *error);

#endif
