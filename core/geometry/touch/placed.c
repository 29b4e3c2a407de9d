/* Pieces in place. */
#include "geometry/touch/touch.h"

size_t geo_placed_vectors(const geo_piece *piece)
{
  return piece->kind == GEO_PIECE_HULL ? piece->hull.corner_count + piece->hull.face_count : 0;
}

size_t geo_place(const geo_piece *piece, scr_vec3 origin, scr_quat axes, double scale, scr_vec3 *vectors, geo_placed *placed)
{
  *placed = (geo_placed){.piece = piece,
                         .position = vec3_add(origin, quat_rotate(axes, vec3_scale(piece->place, scale))),
                         .turn = quat_multiply(axes, piece->turn),
                         .scale = scale,
                         .radius = scale * piece->radius,
                         .half_length = scale * piece->half_length,
                         .middle = vec3_add(origin, quat_rotate(axes, vec3_scale(piece->middle, scale))),
                         .extent = scale * piece->extent};
  placed->axis = quat_rotate(placed->turn, vec3(0, 0, 1));
  if (piece->kind != GEO_PIECE_HULL) return 0;
  const geo_hull *h = &piece->hull;
  scr_vec3 *corner = vectors, *normal = vectors + h->corner_count;
  scr_vec3 x = quat_rotate(placed->turn, vec3(1, 0, 0)), y = quat_rotate(placed->turn, vec3(0, 1, 0)), z = placed->axis;
  for (size_t v = 0; v < h->corner_count; v++) {
    scr_vec3 own = vec3_scale(h->corner[v], scale);
    corner[v] = vec3_add(vec3_along(placed->position, x, own.x), vec3_add(vec3_scale(y, own.y), vec3_scale(z, own.z)));
  }
  for (size_t f = 0; f < h->face_count; f++) {
    scr_vec3 own = h->normal[f];
    normal[f] = vec3_add(vec3_scale(x, own.x), vec3_add(vec3_scale(y, own.y), vec3_scale(z, own.z)));
  }
  placed->corner = corner;
  placed->normal = normal;
  return h->corner_count + h->face_count;
}
