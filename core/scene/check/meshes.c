/* The meshes of specimens and obstacles, one after the other. */
#include <stdio.h>

#include "scene/check/check.h"
#include "scene/mesh_source.h"
#include "scene/shape/shape.h"

typedef struct mesh_check {
  const scr_asset *assets;
  size_t first; /* problem from which on those of this check count */
  size_t triangles;
  scr_problems *problems, *warnings;
} mesh_check;

/* What could not be read leaves lists empty: saying so again would not help. @param crossings where a surface that crosses itself goes */
static scr_status check_mesh(mesh_check *c, scr_mesh_source *source, const char *list, size_t index, scr_problems *crossings)
{
  char place[96];
  snprintf(place, sizeof place, "/%s/%zu/shape", list, index);
  if (c->problems->truncated || problems_below(c->problems, c->first, place)) return SCR_OK;
  return mesh_source_make(source, c->assets, place, &c->triangles, c->problems, crossings, c->warnings);
}

/* A specimen is filled, so its surface must not cross itself; an obstacle that does pushes the wrong way in a few places. */
scr_status check_meshes(scene_document *document, size_t first, scr_problems *problems, scr_problems *warnings)
{
  mesh_check c = {.assets = document->assets.items, .first = first, .problems = problems, .warnings = warnings};
  for (size_t i = 0; i < document->specimen_count; i++) {
    scr_shape *shape = &document->specimens[i].shape;
    if (shape_is_mesh(shape)) SCR_TRY(check_mesh(&c, &shape->mesh, "specimens", i, problems));
  }
  for (size_t i = 0; i < document->obstacle_count; i++) {
    scr_obstacle *obstacle = &document->obstacles[i];
    if (obstacle->shape.kind == SCR_OBSTACLE_MESH) SCR_TRY(check_mesh(&c, &obstacle->shape.mesh, "obstacles", i, warnings));
  }
  return SCR_OK;
}
