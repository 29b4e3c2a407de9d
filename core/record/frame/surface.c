/* Triangles of instances and surfaces in one frame. */
#include "record/frame/surface.h"

#include "base/error.h"
#include "base/memory.h"
#include "record/drawable.h"

scr_status frame_surface_measure(const drawable_view *view, size_t *vertex_count, size_t *triangle_count, scr_error *error)
{
  bool instances = view->drawable->kind == SCR_DRAW_INSTANCES, varying = !instances && view->drawable->varying;
  uint64_t vertices = varying ? view->count : 0, triangles = varying ? view->second_count : 0;
  for (uint32_t i = 0; i < (instances ? view->count : varying ? 0 : 1); i++) {
    const scr_modal_shape *shape = &view->drawable->shapes[0];
    if (instances) drawable_view_instance(view, i, &shape, NULL);
    vertices += shape->mesh.vertex_count;
    triangles += shape->mesh.triangle_count;
  }
  if (vertices > FRAME_SURFACE_TRIANGLE_LIMIT || triangles > FRAME_SURFACE_TRIANGLE_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "'%s' has %llu triangles and %llu vertices in this frame; at most %d can be exported: declare coarser shapes",
                    view->drawable->name, (unsigned long long)triangles, (unsigned long long)vertices, FRAME_SURFACE_TRIANGLE_LIMIT);
  *vertex_count = (size_t)vertices;
  *triangle_count = (size_t)triangles;
  return SCR_OK;
}

static scr_status add_triangles(const geo_mesh *of, uint32_t first, uint32_t part, geo_mesh *mesh, scr_error *error)
{
  for (size_t t = 0; t < of->triangle_count; t++) {
    const uint32_t *corner = of->triangle[t];
    SCR_TRY(geo_mesh_add_triangle(mesh, first + corner[0], first + corner[1], first + corner[2], part, error));
  }
  return SCR_OK;
}

static scr_status add_instance(const drawable_view *view, uint32_t element, uint32_t part, geo_mesh *mesh, scr_error *error)
{
  const scr_modal_shape *shape = NULL;
  uint32_t first = (uint32_t)mesh->vertex_count;
  drawable_view_instance(view, element, &shape, NULL);
  for (size_t v = 0; v < shape->mesh.vertex_count; v++) SCR_TRY(geo_mesh_add_vertex(mesh, shape->mesh.vertex[v], error));
  drawable_view_instance(view, element, &shape, mesh->vertex + first);
  return add_triangles(&shape->mesh, first, part, mesh, error);
}

scr_status frame_surface_add(const drawable_view *view, uint32_t element, uint32_t part, geo_mesh *mesh, scr_error *error)
{
  if (view->drawable->kind == SCR_DRAW_INSTANCES) return add_instance(view, element, part, mesh, error);
  uint32_t first = (uint32_t)mesh->vertex_count;
  for (uint32_t v = 0; v < view->count; v++) SCR_TRY(geo_mesh_add_vertex(mesh, frame_array_vector(&view->arrays[0], v), error));
  if (!view->drawable->varying) return add_triangles(&view->drawable->shapes[0].mesh, first, part, mesh, error);
  const frame_array *corners = &view->arrays[drawable_second_field(view->drawable)];
  for (uint32_t t = 0; t < view->second_count; t++)
    SCR_TRY(geo_mesh_add_triangle(mesh, first + frame_array_whole(corners, t, 0), first + frame_array_whole(corners, t, 1),
                                  first + frame_array_whole(corners, t, 2), part, error));
  return SCR_OK;
}
