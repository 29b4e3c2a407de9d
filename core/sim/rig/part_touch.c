/* Parts as pieces; planes and troughs, which are none, against pieces. */
#include "sim/rig/part_touch.h"

scr_status part_piece(const scr_part *part, geo_piece *piece, scr_error *error)
{
  scr_status status = SCR_OK;
  *piece = (geo_piece){0};
  switch (part->solid.kind) {
  case GEO_PLACED_SPHERE:
    piece->kind = GEO_PIECE_BALL;
    geo_piece_set_extent(piece, part->radius);
    break;
  case GEO_PLACED_CYLINDER:
    piece->kind = GEO_PIECE_CYLINDER;
    geo_piece_set_extent(piece, part->extent);
    break;
  case GEO_PLACED_BOX: status = geo_piece_make_box(vec3_scale(part->solid.half_size, -1), part->solid.half_size, piece, error); break;
  case GEO_PLACED_MESH: status = geo_piece_make_mesh(part->surface, part->solid.mesh, piece, error); break;
  case GEO_PLACED_PLANE:
    return scr_fail(error, SCR_BAD_SCENE, part->pointer, "%s is not a solid for which contacts can be found", part->name);
  }
  piece->turn = part->solid.rotation;
  piece->radius = part->radius;
  piece->half_length = part->half_length;
  return status;
}

/* A jaw hollowed out to an arc: ends of rods, corners and samples against its surface. */
static void touch_trough(const scr_part *form, const scr_pose *pose, const geo_placed *a, double reach, touch_sink *sink)
{
  const geo_piece *piece = a->piece;
  size_t count = piece->kind == GEO_PIECE_HULL   ? piece->hull.corner_count
                 : piece->kind == GEO_PIECE_MESH ? piece->sample_count
                 : piece->kind == GEO_PIECE_BALL ? 1
                                                 : 2;
  for (size_t k = 0; k < count; k++) {
    scr_vec3 x = a->position;
    if (piece->kind == GEO_PIECE_HULL) x = a->corner[k];
    if (piece->kind == GEO_PIECE_MESH) x = vec3_add(x, quat_rotate(a->turn, vec3_scale(piece->sample[k], a->scale)));
    if (count == 2) x = vec3_along(x, a->axis, k ? a->half_length : -a->half_length);
    double radius = piece->kind == GEO_PIECE_HULL || piece->kind == GEO_PIECE_MESH ? 0 : a->radius;
    scr_part_distance from = scr_part_distance_posed(form, pose, x);
    double gap = from.distance - radius;
    if (gap < reach) touch_add(sink, vec3_along(x, from.normal, -radius - 0.5 * gap), from.normal, gap, (uint32_t)k);
  }
}

void part_touch(const scr_part *part, const scr_pose *pose, const geo_placed *of_part, const geo_placed *body, double reach,
                touch_sink *sink)
{
  if (part->kind == SCR_PART_GRIP) return;
  if (part->kind == SCR_PART_PLANE)
    touch_plane(body, pose->position, quat_rotate(pose->rotation, part->normal), reach, sink);
  else if (part->kind == SCR_PART_TROUGH)
    touch_trough(part, pose, body, reach, sink);
  else
    touch_pair(body, of_part, reach, sink);
}
