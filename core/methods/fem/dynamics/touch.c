/* Finding contacts with parts of the rig. */
#include "methods/fem/dynamics/touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/dynamics/touch_faces.h"

static const double least_overlap = 2e-9; /* of the band, which is half an edge: below it is round-off */

int fem_touch_order(const void *left, const void *right)
{
  const fem_touch *a = left, *b = right;
  if (a->node[0] != b->node[0]) return a->node[0] < b->node[0] ? -1 : 1;
  return (a->partner > b->partner) - (a->partner < b->partner);
}

void fem_inherit_forces(const fem_touches *from, fem_touches *to)
{
  for (size_t k = 0, j = 0; k < to->count; k++) {
    while (j < from->count && fem_touch_order(&from->item[j], &to->item[k]) < 0) j++;
    if (j < from->count && fem_touch_order(&from->item[j], &to->item[k]) == 0)
      memcpy(to->item[k].force, from->item[j].force, sizeof to->item[k].force);
  }
}

const fem_touch *fem_find_touch(const fem_touches *list, uint32_t node, uint32_t partner)
{
  const fem_touch key = {.node = {node}, .partner = partner};
  return list->count ? bsearch(&key, list->item, list->count, sizeof *list->item, fem_touch_order) : NULL;
}

/* t1 is across n and the coordinate axis that n is farthest from. */
void fem_touch_tangents(fem_touch *touch)
{
  const double *n = touch->axis[0];
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(n[k]) < fabs(n[least])) least = k;
  scr_vec3 normal = vec3(n[0], n[1], n[2]), axis = vec3(least == 0, least == 1, least == 2), first = vec3_cross(normal, axis);
  first = vec3_scale(first, 1 / vec3_length(first));
  scr_vec3 second = vec3_cross(normal, first);
  const double both[2][3] = {{first.x, first.y, first.z}, {second.x, second.y, second.z}};
  memcpy(touch->axis[1], both, sizeof both);
}

static int overlap_order(const void *left, const void *right)
{
  const fem_overlap *a = left, *b = right;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  return (a->part > b->part) - (a->part < b->part);
}

double fem_gap_zero(const fem_overlaps *overlaps, uint32_t node, uint32_t part)
{
  const fem_overlap key = {.node = node, .part = part};
  if (!overlaps || overlaps->count == 0) return 0;
  const fem_overlap *found = bsearch(&key, overlaps->item, overlaps->count, sizeof *overlaps->item, overlap_order);
  return found ? found->gap : 0;
}

scr_status fem_find_overlaps(const fem_contact_space *space, const sim_parts *parts, fem_overlaps *overlaps, scr_error *error)
{
  for (size_t b = 0; b < space->system->body_count; b++)
    for (size_t k = 0; k < space->surfaces[b].node_count; k++)
      for (size_t p = 0; p < parts->count; p++) {
        const double *x = space->system->rest + 3 * (size_t)space->surfaces[b].node[k];
        if (parts->form[p].kind == SCR_PART_GRIP) continue;
        double gap = scr_part_distance_posed(&parts->form[p], &parts->now[p].pose, vec3(x[0], x[1], x[2])).distance;
        if (!(gap < -least_overlap * space->band)) continue;
        if (!mem_grow(&overlaps->item, &overlaps->capacity, overlaps->count + 1, sizeof *overlaps->item))
          return scr_fail_memory(error, "contacts that are there at the start", (overlaps->count + 1) * sizeof *overlaps->item);
        overlaps->item[overlaps->count++] = (fem_overlap){space->surfaces[b].node[k], (uint32_t)p, gap};
      }
  if (overlaps->count) qsort(overlaps->item, overlaps->count, sizeof *overlaps->item, overlap_order);
  return SCR_OK;
}

/* How far a part takes a point of its surface that is at `point` at the end of the step. */
static scr_vec3 way_of(const part_motion *start, const part_motion *end, scr_vec3 point)
{
  scr_vec3 arm = quat_rotate(quat_conjugate(end->pose.rotation), vec3_sub(point, end->pose.position));
  return vec3_sub(point, vec3_add(start->pose.position, quat_rotate(start->pose.rotation, arm)));
}

static fem_touch touch_of_part(const fem_contact_space *space, const part_motion *start, const part_motion *end, size_t p, uint32_t node,
                               scr_vec3 x, const scr_part_distance *from)
{
  const fem_system *system = space->system;
  scr_vec3 point = vec3_sub(x, vec3_scale(from->normal, from->distance));
  double gap = from->distance - fem_gap_zero(space->overlaps, node, (uint32_t)p);
  fem_touch touch = {.node = {node}, .share = {1}, .node_count = 1, .partner = (uint32_t)p, .gap = gap, .point = point};
  touch.axis[0][0] = from->normal.x, touch.axis[0][1] = from->normal.y, touch.axis[0][2] = from->normal.z;
  fem_touch_tangents(&touch);
  touch.friction = space->friction[system->body_of_node[node] * (system->body_count + 1) + system->body_count];
  touch.velocity = part_velocity_at(&end[p], point);
  touch.way = way_of(&start[p], &end[p], point);
  return touch;
}

static scr_status find_at_node(const fem_contact_space *space, const fem_touch_search *search, uint32_t node, fem_touches *touches,
                               scr_error *error)
{
  const double *rest = space->system->rest + 3 * (size_t)node, *u = search->displacement + 3 * (size_t)node;
  const sim_parts *parts = search->parts;
  scr_vec3 x = vec3(rest[0] + u[0], rest[1] + u[1], rest[2] + u[2]);
  for (size_t p = 0; p < parts->count; p++) {
    scr_part_distance from;
    if (parts->form[p].kind == SCR_PART_GRIP) continue;
    if (!scr_part_distance_within_posed(&parts->form[p], &search->end[p].pose, x, space->band, INFINITY, &from)) continue;
    if (!mem_grow(&touches->item, &touches->capacity, touches->count + 1, sizeof *touches->item))
      return scr_fail_memory(error, "contacts", (touches->count + 1) * sizeof *touches->item);
    touches->item[touches->count++] = touch_of_part(space, search->start, search->end, p, node, x, &from);
  }
  return SCR_OK;
}

scr_status fem_find_touches(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error)
{
  touches->count = 0;
  for (size_t b = 0; b < space->system->body_count; b++)
    for (size_t k = 0; k < space->surfaces[b].node_count; k++)
      SCR_TRY(find_at_node(space, search, space->surfaces[b].node[k], touches, error));
  if (space->bodies && space->system->body_count > 1) SCR_TRY(fem_find_faces(space, search, touches, error));
  if (touches->count) qsort(touches->item, touches->count, sizeof *touches->item, fem_touch_order);
  return SCR_OK;
}
