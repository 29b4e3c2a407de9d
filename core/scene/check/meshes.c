/* The meshes of specimens and obstacles, one after the other. */
#include <stdio.h>

#include "scene/check/check.h"
#include "scene/mesh_source.h"
#include "scene/shape/shape.h"

/* What could not be read leaves lists empty: saying so again would not help. */
static scr_status check_mesh(scr_mesh_source *source, const scr_asset *assets, const char *list, size_t index, size_t first,
                             size_t *triangles, scr_problems *problems, scr_problems *crossings, scr_problems *warnings)
{
  char place[96];
  snprintf(place, sizeof place, "/%s/%zu/shape", list, index);
  if (problems->truncated || problems_below(problems, first, place)) return SCR_OK;
  return mesh_source_make(source, assets, place, triangles, problems, crossings, warnings);
}

/* A specimen is filled, so its surface must not cross itself; an obstacle that does pushes the wrong way in a few places. */
scr_status check_meshes(scene_document *document, size_t first, scr_problems *problems, scr_problems *warnings)
{
  size_t triangles = 0;
  for (size_t i = 0; i < document->specimen_count; i++) {
    scr_shape *shape = &document->specimens[i].shape;
    if (shape_is_mesh(shape))
      SCR_TRY(check_mesh(&shape->mesh, document->assets.items, "specimens", i, first, &triangles, problems, problems, warnings));
  }
  for (size_t i = 0; i < document->obstacle_count; i++) {
    scr_obstacle *obstacle = &document->obstacles[i];
    if (obstacle->shape.kind == SCR_OBSTACLE_MESH)
      SCR_TRY(check_mesh(&obstacle->shape.mesh, document->assets.items, "obstacles", i, first, &triangles, problems, warnings, warnings));
  }
  return SCR_OK;
}
