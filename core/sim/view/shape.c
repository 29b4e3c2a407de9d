#include "sim/view/shape.h"

#include "scene/mesh_source.h"

geo_solid scr_shape_solid(const scr_shape *shape)
{
  switch (shape->kind) {
  case SCR_SHAPE_SPHERE:
  case SCR_SHAPE_CAPSULE:
  case SCR_SHAPE_COMPOUND:
  case SCR_SHAPE_ARCH:
  case SCR_SHAPE_WEAVE: break; /* no solid: methods that fill solids refuse it */
  case SCR_SHAPE_HOLLOW_SPHERE: return (geo_solid){.kind = GEO_SOLID_SPHERE, .radius = shape->radius, .inner_radius = shape->inner_radius};
  case SCR_SHAPE_BOX: return (geo_solid){.kind = GEO_SOLID_BOX, .size = shape->size};
  case SCR_SHAPE_CYLINDER: return (geo_solid){.kind = GEO_SOLID_CYLINDER, .radius = shape->radius, .size = {.z = shape->length}};
  case SCR_SHAPE_NOTCHED_BOX:
    return (geo_solid){.kind = GEO_SOLID_BOX, .size = shape->size, .notch_width = shape->notch_width, .notch_depth = shape->notch_depth};
  case SCR_SHAPE_MESH:
    return (geo_solid){
        .kind = GEO_SOLID_MESH, .mesh = shape->mesh.mesh->tree, .box = shape->mesh.mesh->box, .volume = shape->mesh.mesh->volume};
  }
  return (geo_solid){.kind = GEO_SOLID_SPHERE, .radius = shape->radius};
}

static double compound_volume(const scr_shape *shape)
{
  double volume = 0;
  for (size_t k = 0; k < shape->piece_count; k++) volume += scr_shape_volume(&shape->pieces[k].shape);
  return volume;
}

double scr_shape_volume(const scr_shape *shape)
{
  if (shape->kind == SCR_SHAPE_COMPOUND) return compound_volume(shape);
  if (shape->kind == SCR_SHAPE_CAPSULE) return M_PI * shape->radius * shape->radius * (shape->length + 4.0 / 3.0 * shape->radius);
  geo_solid solid = scr_shape_solid(shape);
  double r = solid.radius, inner = solid.inner_radius;
  switch (solid.kind) {
  case GEO_SOLID_BOX: return solid.size.x * solid.size.y * solid.size.z - solid.notch_width * solid.size.y * solid.notch_depth;
  case GEO_SOLID_CYLINDER: return M_PI * r * r * solid.size.z;
  case GEO_SOLID_MESH: return solid.volume;
  case GEO_SOLID_SPHERE: break;
  }
  return 4.0 / 3.0 * M_PI * (r * r * r - inner * inner * inner);
}
