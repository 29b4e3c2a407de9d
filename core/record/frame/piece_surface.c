/* Points gathered from a frame, sorted by piece, each piece given its skin. */
#include "record/frame/piece_surface.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/surface.h"
#include "record/frame/view.h"

scr_status piece_points_take(piece_points *points, const scr_drawable *drawable, const frame_array *position, const frame_array *radius,
                             const frame_array *piece, scr_error *error)
{
  uint32_t n = position->element_count;
  *points = (piece_points){.count = n,
                           .radius = mem_array(n, sizeof *points->radius),
                           .centre = mem_array(n, sizeof *points->centre),
                           .piece = piece ? mem_array(n, sizeof *points->piece) : NULL};
  if (!points->radius || !points->centre || (piece && !points->piece)) {
    piece_points_clear(points);
    return scr_fail_memory(error, "the points of a frame", n * (sizeof *points->radius + sizeof *points->centre + sizeof *points->piece));
  }
  for (uint32_t i = 0; i < n; i++) {
    points->radius[i] = radius ? frame_array_value(radius, i, 0) : drawable->radius;
    points->centre[i] = frame_array_vector(position, i);
    if (piece) points->piece[i] = frame_array_whole(piece, i, 0);
  }
  return SCR_OK;
}

void piece_points_clear(piece_points *points)
{
  mem_free(points->radius);
  mem_free(points->centre);
  mem_free(points->piece);
  *points = (piece_points){0};
}

double piece_points_smallest(const piece_points *points)
{
  double smallest = INFINITY;
  for (size_t i = 0; i < points->count; i++) smallest = fmin(smallest, points->radius[i]);
  return smallest;
}

typedef struct member {
  uint32_t piece, point;
} member;

static int compare_members(const void *left, const void *right)
{
  const member *a = left, *b = right;
  if (a->piece != b->piece) return a->piece < b->piece ? -1 : 1;
  return (a->point > b->point) - (a->point < b->point);
}

/* The pieces by rising number. The arrays are scratch of [points->count]. */
static scr_status add_pieces(const piece_points *points, const piece_surface_options *options, member *members, scr_vec3 *centre,
                             double *radius, geo_mesh *mesh, scr_error *error)
{
  geo_surface_options grid = {.cell = options->cell, .threads = options->threads, .node_limit = options->node_limit};
  for (size_t i = 0; i < points->count; i++) {
    members[i] = (member){points->piece ? points->piece[i] : 0, (uint32_t)i};
  }
  qsort(members, points->count, sizeof *members, compare_members);
  for (size_t i = 0; i < points->count; i++) {
    centre[i] = points->centre[members[i].point];
    radius[i] = points->radius[members[i].point];
  }
  for (size_t first = 0, end; first < points->count; first = end) {
    for (end = first + 1; end < points->count && members[end].piece == members[first].piece;) end++;
    if (end - first >= options->least)
      SCR_TRY(geo_surface_of_balls(centre + first, radius, end - first, &grid, members[first].piece, mesh, error));
  }
  return SCR_OK;
}

scr_status piece_surface(const piece_points *points, const piece_surface_options *options, geo_mesh *mesh, scr_error *error)
{
  member *members = mem_array(points->count, sizeof *members);
  scr_vec3 *centre = mem_array(points->count, sizeof *centre);
  double *radius = mem_array(points->count, sizeof *radius);
  scr_status status;
  if (members && centre && radius)
    status = add_pieces(points, options, members, centre, radius, mesh, error);
  else
    status = scr_fail_memory(error, "the pieces of a frame", points->count * (sizeof *members + sizeof *centre + sizeof *radius));
  mem_free(members);
  mem_free(centre);
  mem_free(radius);
  return status;
}
