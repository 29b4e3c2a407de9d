#include "methods/rigid/shapes/picture.h"

#include "base/quat.h"
#include "geometry/mesh/mesh_shapes.h"
#include "scene/mesh_source.h"

enum { BALL_CUTS = 6, SIDES = 24, CAP_RINGS = 4 };

static scr_status append(const geo_mesh *from, scr_quat turn, scr_vec3 place, geo_mesh *to, scr_error *error)
{
  uint32_t first = (uint32_t)to->vertex_count;
  for (size_t v = 0; v < from->vertex_count; v++)
    SCR_TRY(geo_mesh_add_vertex(to, vec3_add(place, quat_rotate(turn, from->vertex[v])), error));
  for (size_t t = 0; t < from->triangle_count; t++) {
    const uint32_t *c = from->triangle[t];
    SCR_TRY(geo_mesh_add_triangle(to, first + c[0], first + c[1], first + c[2], 0, error));
  }
  return SCR_OK;
}

/* A body of revolution about z: rings of radius r at heights z from bottom to top, closed by a point at either end. */
static scr_status add_turned(geo_mesh *mesh, double (*ring)[2], uint32_t rings, double bottom, double top, scr_error *error)
{
  uint32_t low = (uint32_t)mesh->vertex_count, first = low + 1, high = first + rings * SIDES;
  SCR_TRY(geo_mesh_add_vertex(mesh, vec3(0, 0, bottom), error));
  for (uint32_t k = 0; k < rings; k++)
    for (uint32_t s = 0; s < SIDES; s++) {
      double angle = 2 * M_PI * s / SIDES;
      SCR_TRY(geo_mesh_add_vertex(mesh, vec3(ring[k][0] * cos(angle), ring[k][0] * sin(angle), ring[k][1]), error));
    }
  SCR_TRY(geo_mesh_add_vertex(mesh, vec3(0, 0, top), error));
  for (uint32_t s = 0; s < SIDES; s++) {
    uint32_t t = (s + 1) % SIDES, last = first + (rings - 1) * SIDES;
    SCR_TRY(geo_mesh_add_triangle(mesh, low, first + t, first + s, 0, error));
    SCR_TRY(geo_mesh_add_triangle(mesh, high, last + s, last + t, 0, error));
    for (uint32_t k = 0; k + 1 < rings; k++) {
      uint32_t a = first + k * SIDES, b = a + SIDES;
      SCR_TRY(geo_mesh_add_triangle(mesh, a + s, a + t, b + t, 0, error));
      SCR_TRY(geo_mesh_add_triangle(mesh, a + s, b + t, b + s, 0, error));
    }
  }
  return SCR_OK;
}

static scr_status add_rod(geo_mesh *mesh, double radius, double length, scr_error *error)
{
  double ring[2][2] = {{radius, -0.5 * length}, {radius, 0.5 * length}};
  return add_turned(mesh, ring, 2, -0.5 * length, 0.5 * length, error);
}

static scr_status add_capsule(geo_mesh *mesh, double radius, double length, scr_error *error)
{
  double ring[2 * CAP_RINGS][2];
  for (int k = 0; k < CAP_RINGS; k++) {
    double angle = 0.5 * M_PI * (k + 1) / CAP_RINGS; /* from the pole to the rim */
    ring[k][0] = ring[2 * CAP_RINGS - 1 - k][0] = radius * sin(angle);
    ring[k][1] = -0.5 * length - radius * cos(angle);
    ring[2 * CAP_RINGS - 1 - k][1] = -ring[k][1];
  }
  return add_turned(mesh, ring, 2 * CAP_RINGS, -0.5 * length - radius, 0.5 * length + radius, error);
}

static scr_status add_box_at(geo_mesh *mesh, scr_vec3 low, scr_vec3 high, scr_error *error)
{
  geo_mesh box = {0};
  scr_status status = geo_mesh_add_box(&box, vec3_scale(vec3_sub(high, low), 0.5), error);
  if (status == SCR_OK) status = append(&box, quat_identity(), vec3_scale(vec3_add(low, high), 0.5), mesh, error);
  geo_mesh_clear(&box);
  return status;
}

static scr_status add_notched(geo_mesh *mesh, const scr_shape *s, scr_error *error)
{
  scr_vec3 h = vec3_scale(s->size, 0.5);
  double top = s->notch_depth - h.z, side = 0.5 * s->notch_width;
  SCR_TRY(add_box_at(mesh, vec3(-h.x, -h.y, top), h, error));
  SCR_TRY(add_box_at(mesh, vec3(-h.x, -h.y, -h.z), vec3(-side, h.y, top), error));
  return add_box_at(mesh, vec3(side, -h.y, -h.z), vec3(h.x, h.y, top), error);
}

static scr_status add_ball(geo_mesh *mesh, double radius, scr_error *error)
{
  geo_mesh ball = {0};
  scr_status status = geo_mesh_make_ball(&ball, radius, BALL_CUTS, error);
  if (status == SCR_OK) status = append(&ball, quat_identity(), vec3(0, 0, 0), mesh, error);
  geo_mesh_clear(&ball);
  return status;
}

/* Pieces of a compound are none themselves. */
static scr_status add_simple(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  switch (shape->kind) {
  case SCR_SHAPE_SPHERE:
  case SCR_SHAPE_HOLLOW_SPHERE: return add_ball(mesh, shape->radius, error);
  case SCR_SHAPE_BOX: return add_box_at(mesh, vec3_scale(shape->size, -0.5), vec3_scale(shape->size, 0.5), error);
  case SCR_SHAPE_CYLINDER: return add_rod(mesh, shape->radius, shape->length, error);
  case SCR_SHAPE_CAPSULE: return add_capsule(mesh, shape->radius, shape->length, error);
  case SCR_SHAPE_NOTCHED_BOX: return add_notched(mesh, shape, error);
  case SCR_SHAPE_MESH: return append(&shape->mesh.mesh->surface, quat_identity(), vec3(0, 0, 0), mesh, error);
  case SCR_SHAPE_WEAVE:
  case SCR_SHAPE_ARCH:
  case SCR_SHAPE_COMPOUND: break;
  }
  return SCR_OK;
}

scr_status rigid_picture(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  if (shape->kind != SCR_SHAPE_COMPOUND) return add_simple(shape, mesh, error);
  for (size_t k = 0; k < shape->piece_count; k++) {
    const scr_shape_piece *piece = &shape->pieces[k];
    scr_vec3 axis = piece->rotation.axis;
    scr_quat turn = quat_exp(vec3_scale(axis, piece->rotation.angle_deg * (M_PI / 180) / vec3_length(axis)));
    geo_mesh own = {0};
    scr_status status = add_simple(&piece->shape, &own, error);
    if (status == SCR_OK) status = append(&own, turn, piece->position, mesh, error);
    geo_mesh_clear(&own);
    SCR_TRY(status);
  }
  return SCR_OK;
}
