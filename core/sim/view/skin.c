/* Skins of pieces: from the points of the frame being drawn to the mesh in the same frame. */
#include "sim/view/skin.h"

#include <math.h>
#include <string.h>

#include "record/drawable.h"
#include "record/frame/builder.h"
#include "record/frame/piece_surface.h"

scr_status skin_declare(scr_sim *sim, scr_error *error)
{
  size_t count = sim->scene->output.surfaces ? sim->drawable_count : 0;
  for (size_t d = 0; d < count; d++) {
    const scr_drawable *points = &sim->drawables[d];
    if (points->kind != SCR_DRAW_POINTS || drawable_pieces_field(points) == DRAWABLE_NO_FIELD) continue;
    scr_drawable skin = {.kind = SCR_DRAW_MESH, .changing = true, .skin_of = (uint32_t)d, .field_count = SCR_SKIN_FIELDS};
    memcpy(skin.name, points->name, sizeof skin.name);
    skin.fields[SCR_SKIN_POSITION] = (scr_field){"position", "m", 3, SCR_ENCODING_UINT16};
    skin.fields[SCR_SKIN_PIECE] = points->fields[drawable_pieces_field(points)];
    skin.fields[SCR_SKIN_CORNERS] = (scr_field){"corners", "1", 3, SCR_ENCODING_UINT32};
    SCR_TRY(scr_sim_declare_drawable(sim, &skin, error));
  }
  return SCR_OK;
}

static scr_status take_points(const scr_frame *frame, const scr_drawable *drawable, uint32_t id, piece_points *points, scr_error *error)
{
  frame_array position, piece, radius;
  uint32_t radii = drawable_field(drawable, "radius");
  if (!frame_given(frame, id, 0, &position) || !frame_given(frame, id, drawable_pieces_field(drawable), &piece) ||
      (radii != DRAWABLE_NO_FIELD && !frame_given(frame, id, radii, &radius)))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the method did not draw the points of '%s' with their pieces", drawable->name);
  return piece_points_take(points, drawable, &position, radii != DRAWABLE_NO_FIELD ? &radius : NULL, &piece, error);
}

/* The points are taken as the frame stores them, so whoever reads the frame can make the same mesh of them. */
static scr_status draw_one(const scr_sim *sim, uint32_t id, scr_frame *frame, scr_error *error)
{
  uint32_t of = sim->drawables[id].skin_of;
  const scr_drawable *drawable = &sim->drawables[of];
  double asked = sim->scene->output.surface_cell;
  piece_points points = {0};
  geo_mesh mesh = {0};
  scr_status status = take_points(frame, drawable, of, &points, error);
  double cell = status == SCR_OK && points.count > 0 ? SCR_SURFACE_CELL * piece_points_smallest(&points) : 0;
  piece_surface_options options = {
      .cell = isnan(asked) ? cell : fmin(asked, cell), .threads = sim->execution.threads, .least = SCR_SURFACE_LEAST};
  if (status == SCR_OK && points.count > 0) status = piece_surface(&points, &options, &mesh, error);
  if (status == SCR_OK) status = scr_frame_mesh(frame, id, &mesh, error);
  piece_points_clear(&points);
  geo_mesh_clear(&mesh);
  return status;
}

scr_status skin_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  for (size_t d = 0; d < sim->drawable_count; d++)
    if (sim->drawables[d].changing) SCR_TRY(draw_one(sim, (uint32_t)d, frame, error));
  return SCR_OK;
}
