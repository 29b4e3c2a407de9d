/* Points gathered from a frame, sorted by fragment, each fragment given its skin. */
#include "record/fragment_surface.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/surface.h"
#include "record/drawable.h"

scr_status fragment_points_take(fragment_points *points, const scr_drawable *drawable, const frame_array *array, scr_error *error)
{
  size_t n = array->element_count;
  if (n != drawable->element_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a frame has %zu elements of drawable %u, the topology %u: the recording is damaged", n,
                    array->drawable, drawable->element_count);
  points->radius = drawable->radius;
  if (array->header.field == 0 && array->header.components == 3 && !points->centre) {
    points->count = n;
    points->centre = mem_array(n, sizeof *points->centre);
    if (!points->centre) return scr_fail_memory(error, "the points of a frame", n * sizeof *points->centre);
    for (uint32_t i = 0; i < n; i++)
      points->centre[i] = vec3(frame_array_value(array, i, 0), frame_array_value(array, i, 1), frame_array_value(array, i, 2));
  } else if (array->header.field == drawable_fragment_field(drawable) && array->header.encoding == SCR_ENCODING_UINT32 &&
             array->header.components == 1 && !points->fragment) {
    points->fragment = mem_array(n, sizeof *points->fragment);
    if (!points->fragment) return scr_fail_memory(error, "the fragments of a frame", n * sizeof *points->fragment);
    memcpy(points->fragment, array->data, n * sizeof *points->fragment);
  }
  return SCR_OK;
}

void fragment_points_clear(fragment_points *points)
{
  mem_free(points->centre);
  mem_free(points->fragment);
  *points = (fragment_points){0};
}

typedef struct member {
  uint32_t fragment, point;
} member;

static int compare_members(const void *left, const void *right)
{
  const member *a = left, *b = right;
  if (a->fragment != b->fragment) return a->fragment < b->fragment ? -1 : 1;
  return (a->point > b->point) - (a->point < b->point);
}

/* The fragments by rising number. The arrays are scratch of [points->count]. */
static scr_status add_fragments(const fragment_points *points, const fragment_surface_options *options, member *members, scr_vec3 *centre,
                                double *radius, geo_mesh *mesh, scr_error *error)
{
  geo_surface_options grid = {.cell = options->cell, .threads = options->threads, .node_limit = options->node_limit};
  for (size_t i = 0; i < points->count; i++) {
    members[i] = (member){points->fragment ? points->fragment[i] : 0, (uint32_t)i};
    radius[i] = points->radius;
  }
  qsort(members, points->count, sizeof *members, compare_members);
  for (size_t i = 0; i < points->count; i++) centre[i] = points->centre[members[i].point];
  for (size_t first = 0, end; first < points->count; first = end) {
    for (end = first + 1; end < points->count && members[end].fragment == members[first].fragment;) end++;
    if (end - first >= options->least)
      SCR_TRY(geo_surface_of_spheres(centre + first, radius, end - first, &grid, members[first].fragment, mesh, error));
  }
  return SCR_OK;
}

scr_status fragment_surface(const fragment_points *points, const fragment_surface_options *options, geo_mesh *mesh, scr_error *error)
{
  member *members = mem_array(points->count, sizeof *members);
  scr_vec3 *centre = mem_array(points->count, sizeof *centre);
  double *radius = mem_array(points->count, sizeof *radius);
  scr_status status;
  if (members && centre && radius)
    status = add_fragments(points, options, members, centre, radius, mesh, error);
  else
    status = scr_fail_memory(error, "the fragments of a frame", points->count * (sizeof *members + sizeof *centre + sizeof *radius));
  mem_free(members);
  mem_free(centre);
  mem_free(radius);
  return status;
}
