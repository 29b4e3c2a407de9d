/* Boxes, balls and meshes as bodies of triangles that keep their shape and their turn. */
#include "sim/view/solid_view.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/mesh/mesh_shapes.h"

enum { BALL_CUTS = 12 }; /* 1152 triangles: round to half a percent of the radius */

static scr_status make_body(const scr_part *part, scr_mesh_shape *body, scr_error *error)
{
  const char *stop = strchr(part->name, '.');
  snprintf(body->name, sizeof body->name, "%.31s", stop ? stop + 1 : part->name);
  if (part->solid.kind == GEO_PLACED_BOX) return geo_mesh_add_box(&body->mesh, part->solid.half_size, error);
  if (part->solid.kind == GEO_PLACED_SPHERE) return geo_mesh_make_ball(&body->mesh, part->solid.radius, BALL_CUTS, error);
  body->mesh = *part->surface; /* the scene's */
  return SCR_OK;
}

static scr_status declare(scr_sim *sim, scr_mesh_shape *bodies, scr_error *error)
{
  const scr_part *parts = sim->parts.form;
  scr_drawable drawable = {.kind = SCR_DRAW_MESH, .name = "obstacles", .meshes = bodies, .field_count = 2};
  drawable.fields[0] = (scr_field){.name = "position", .unit = "m", .components = 3, .encoding = SCR_ENCODING_FLOAT32};
  drawable.fields[1] = (scr_field){.name = "orientation", .unit = "rad", .components = 3, .encoding = SCR_ENCODING_FLOAT32};
  for (size_t p = 0; p < sim->parts.count; p++)
    if (parts[p].kind == SCR_PART_SOLID) SCR_TRY(make_body(&parts[p], &bodies[drawable.element_count++], error));
  if (drawable.element_count == 0) return SCR_OK;
  return scr_sim_declare_drawable(sim, &drawable, error); /* which copies the bodies */
}

scr_status solid_declare_drawable(scr_sim *sim, scr_error *error)
{
  const scr_part *parts = sim->parts.form;
  scr_mesh_shape *bodies = mem_array(SCR_PART_LIMIT, sizeof *bodies);
  if (!bodies) return scr_fail_memory(error, "the pictures of the obstacles", SCR_PART_LIMIT * sizeof *bodies);
  scr_status status = declare(sim, bodies, error);
  for (size_t p = 0, body = 0; p < sim->parts.count; p++)
    if (parts[p].kind == SCR_PART_SOLID) {
      if (parts[p].solid.kind != GEO_PLACED_MESH) geo_mesh_clear(&bodies[body].mesh);
      body++;
    }
  mem_free(bodies);
  return status;
}

/* The rotation vector of a body's own axes. */
static scr_vec3 attitude(const scr_part *part, const part_motion *now)
{
  if (!part->turns) return quat_log(part->solid.rotation);
  return quat_log(quat_multiply(now->pose.rotation, part->solid.rotation));
}

scr_status solid_draw(const scr_sim *sim, scr_frame *frame, uint32_t drawable, scr_error *error)
{
  const sim_parts *parts = &sim->parts;
  double at[3][SCR_PART_LIMIT], turn[3][SCR_PART_LIMIT];
  size_t n = 0;
  for (size_t p = 0; p < parts->count; p++) {
    if (parts->form[p].kind != SCR_PART_SOLID) continue;
    scr_vec3 place = parts->now[p].pose.position, rotation = attitude(&parts->form[p], &parts->now[p]);
    at[0][n] = place.x, at[1][n] = place.y, at[2][n] = place.z;
    turn[0][n] = rotation.x, turn[1][n] = rotation.y, turn[2][n++] = rotation.z;
  }
  if (n == 0) return SCR_OK;
  SCR_TRY(scr_frame_field(frame, drawable, 0, at[0], at[1], at[2], error));
  return scr_frame_field(frame, drawable, 1, turn[0], turn[1], turn[2], error);
}
