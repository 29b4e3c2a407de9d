/* The meshes of specimens and obstacles, one after the other. */
#include <stdio.h>

#include "scene/check.h"
#include "scene/mesh_source.h"

/* What could not be read leaves lists empty: saying so again would not help. */
static scr_status check_mesh(scr_mesh_source *source, const char *list, size_t index, size_t first, size_t *triangles,
                             scr_problems *problems)
{
  char place[96];
  snprintf(place, sizeof place, "/%s/%zu/shape", list, index);
  if (problems->truncated || problems_below(problems, first, place)) return SCR_OK;
  return mesh_source_make(source, place, triangles, problems);
}

scr_status check_meshes(scene_document *document, size_t first, scr_problems *problems)
{
  size_t triangles = 0;
  for (size_t i = 0; i < document->specimen_count; i++) {
    scr_shape *shape = &document->specimens[i].shape;
    if (shape->kind == SCR_SHAPE_MESH) SCR_TRY(check_mesh(&shape->mesh, "specimens", i, first, &triangles, problems));
  }
  for (size_t i = 0; i < document->obstacle_count; i++) {
    scr_obstacle *obstacle = &document->obstacles[i];
    if (obstacle->shape.kind == SCR_OBSTACLE_MESH) SCR_TRY(check_mesh(&obstacle->shape.mesh, "obstacles", i, first, &triangles, problems));
  }
  return SCR_OK;
}
