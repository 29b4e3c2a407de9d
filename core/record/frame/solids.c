/* Rectangles, rollers, arcs and bodies of one frame as triangles. */
#include "record/frame/solids.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"

static const double pi = 3.14159265358979323846;
enum { CUTS_PER_TURN = 72 }; /* round to a thousandth of the radius */

static bool is_solid(const scr_drawable *drawable)
{
  return drawable->kind >= SCR_DRAW_PLANES && drawable->kind <= SCR_DRAW_MESH && !drawable->changing;
}

scr_status frame_solids_create(const scr_topology *topology, frame_solids *solids, scr_error *error)
{
  size_t count = 0;
  *solids = (frame_solids){.topology = topology, .first = mem_array(topology->drawable_count + 1, sizeof *solids->first)};
  if (!solids->first) return scr_fail_memory(error, "the drawables of a frame", topology->drawable_count * sizeof *solids->first);
  for (size_t d = 0; d < topology->drawable_count; d++) {
    solids->first[d] = count;
    if (is_solid(&topology->drawables[d])) count += topology->drawables[d].element_count;
  }
  solids->first[topology->drawable_count] = count;
  solids->position = mem_array(count, sizeof *solids->position);
  solids->orientation = mem_array(count, sizeof *solids->orientation);
  if (solids->position && solids->orientation) return SCR_OK;
  frame_solids_clear(solids);
  return scr_fail_memory(error, "the solids of a frame", count * 2 * sizeof *solids->position);
}

void frame_solids_clear(frame_solids *solids)
{
  mem_free(solids->first);
  mem_free(solids->position);
  mem_free(solids->orientation);
  *solids = (frame_solids){0};
}

void frame_solids_take(frame_solids *solids, const frame_view *view)
{
  for (size_t d = 0; d < solids->topology->drawable_count; d++) {
    const drawable_view *of = &view->drawables[d];
    if (!of->there || !is_solid(of->drawable)) continue;
    const frame_array *turn = drawable_view_field(of, "orientation");
    for (uint32_t i = 0; i < of->count; i++) {
      solids->position[solids->first[d] + i] = frame_array_vector(&of->arrays[0], i);
      if (turn && turn->header.components == 3) solids->orientation[solids->first[d] + i] = frame_array_vector(turn, i);
    }
  }
}

/* ── triangles about an element's position ───────────────────────────────────────────────────────────────────────── */

static scr_status add_rectangle(const scr_plane_shape *plane, uint32_t part, geo_mesh *mesh, scr_error *error)
{
  uint32_t at = (uint32_t)mesh->vertex_count;
  const double signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int k = 0; k < 4; k++)
    SCR_TRY(geo_mesh_add_vertex(mesh, vec3_add(vec3_scale(plane->half_u, signs[k][0]), vec3_scale(plane->half_v, signs[k][1])), error));
  SCR_TRY(geo_mesh_add_triangle(mesh, at, at + 1, at + 2, part, error));
  return geo_mesh_add_triangle(mesh, at, at + 2, at + 3, part, error);
}

/* Of a roller, whose mantle closes on itself, the two flat ends: fans about the ends of the axis. */
static scr_status add_ends(const scr_cylinder_shape *shape, uint32_t at, uint32_t cuts, uint32_t part, geo_mesh *mesh, scr_error *error)
{
  uint32_t low = (uint32_t)mesh->vertex_count;
  SCR_TRY(geo_mesh_add_vertex(mesh, vec3_scale(shape->half_axis, -1), error));
  SCR_TRY(geo_mesh_add_vertex(mesh, shape->half_axis, error));
  for (uint32_t k = 0; k < cuts; k++) {
    uint32_t here = at + 2 * k, next = at + 2 * ((k + 1) % cuts);
    SCR_TRY(geo_mesh_add_triangle(mesh, low, next, here, part, error));
    SCR_TRY(geo_mesh_add_triangle(mesh, low + 1, here + 1, next + 1, part, error));
  }
  return SCR_OK;
}

static scr_status add_mantle(const scr_cylinder_shape *shape, uint32_t part, geo_mesh *mesh, scr_error *error)
{
  double half_arc = fmin(fmax(shape->half_arc, 0), pi);
  bool whole = half_arc >= pi;
  uint32_t at = (uint32_t)mesh->vertex_count;
  uint32_t cuts = (uint32_t)fmax(2, ceil(CUTS_PER_TURN * half_arc / pi)), lines = whole ? cuts : cuts + 1;
  scr_vec3 across = vec3_cross(shape->half_axis, shape->middle);
  across = vec3_scale(across, 1 / vec3_length(across));
  for (uint32_t k = 0; k < lines; k++) {
    double angle = half_arc * (2.0 * k / cuts - 1);
    scr_vec3 rim =
        vec3_add(vec3_scale(shape->middle, shape->radius * (cos(angle) - (whole ? 0 : 1))), vec3_scale(across, shape->radius * sin(angle)));
    SCR_TRY(geo_mesh_add_vertex(mesh, vec3_sub(rim, shape->half_axis), error));
    SCR_TRY(geo_mesh_add_vertex(mesh, vec3_add(rim, shape->half_axis), error));
  }
  for (uint32_t k = 0; k < cuts; k++) {
    uint32_t here = at + 2 * k, next = k + 1 == lines ? at : here + 2;
    SCR_TRY(geo_mesh_add_triangle(mesh, here, next, next + 1, part, error));
    SCR_TRY(geo_mesh_add_triangle(mesh, here, next + 1, here + 1, part, error));
  }
  return whole ? add_ends(shape, at, cuts, part, mesh, error) : SCR_OK;
}

static scr_status add_body(const geo_mesh *body, uint32_t part, geo_mesh *mesh, scr_error *error)
{
  uint32_t at = (uint32_t)mesh->vertex_count;
  for (size_t v = 0; v < body->vertex_count; v++) SCR_TRY(geo_mesh_add_vertex(mesh, body->vertex[v], error));
  for (size_t t = 0; t < body->triangle_count; t++) {
    const uint32_t *corner = body->triangle[t];
    SCR_TRY(geo_mesh_add_triangle(mesh, at + corner[0], at + corner[1], at + corner[2], part, error));
  }
  return SCR_OK;
}

scr_status frame_solids_add(const frame_solids *solids, size_t drawable, uint32_t element, uint32_t part, geo_mesh *mesh, scr_error *error)
{
  const scr_drawable *of = &solids->topology->drawables[drawable];
  size_t at = mesh->vertex_count, number = solids->first[drawable] + element;
  if (of->kind == SCR_DRAW_PLANES)
    SCR_TRY(add_rectangle(&of->planes[element], part, mesh, error));
  else if (of->kind == SCR_DRAW_CYLINDERS)
    SCR_TRY(add_mantle(&of->cylinders[element], part, mesh, error));
  else
    SCR_TRY(add_body(&of->meshes[element].mesh, part, mesh, error));
  scr_quat turn = quat_exp(solids->orientation[number]);
  for (; at < mesh->vertex_count; at++) mesh->vertex[at] = vec3_add(solids->position[number], quat_rotate(turn, mesh->vertex[at]));
  return SCR_OK;
}

bool frame_solids_closed(const scr_drawable *drawable, uint32_t element)
{
  return drawable->kind == SCR_DRAW_MESH || (drawable->kind == SCR_DRAW_CYLINDERS && drawable->cylinders[element].half_arc >= pi);
}

const char *frame_solids_name(const scr_drawable *drawable, uint32_t element)
{
  if (drawable->kind == SCR_DRAW_PLANES) return drawable->planes[element].name;
  return drawable->kind == SCR_DRAW_CYLINDERS ? drawable->cylinders[element].name : drawable->meshes[element].name;
}
