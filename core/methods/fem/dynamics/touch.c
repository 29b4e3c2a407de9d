/* Finding contacts with parts of the rig. */
#include "methods/fem/dynamics/touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/dynamics/passing.h"
#include "methods/fem/dynamics/touch_edges.h"
#include "methods/fem/dynamics/touch_faces.h"

static const double least_overlap = 2e-9; /* of the band, which is half an edge: below it is round-off */
static const double passing_fine = 1e-6;  /* of the band: where a point that goes through something counts as touching it */

int fem_touch_order(const void *left, const void *right)
{
  const fem_touch *a = left, *b = right;
  if (a->site != b->site) return a->site < b->site ? -1 : 1;
  if (a->partner != b->partner) return a->partner < b->partner ? -1 : 1;
  return (a->other > b->other) - (a->other < b->other);
}

void fem_inherit_forces(const fem_touches *from, fem_touches *to)
{
  for (size_t k = 0, j = 0; k < to->count; k++) {
    while (j < from->count && fem_touch_order(&from->item[j], &to->item[k]) < 0) j++;
    if (j < from->count && fem_touch_order(&from->item[j], &to->item[k]) == 0)
      memcpy(to->item[k].force, from->item[j].force, sizeof to->item[k].force);
  }
}

const fem_touch *fem_find_touch(const fem_touches *list, uint32_t site, uint32_t partner)
{
  const fem_touch key = {.site = site, .partner = partner};
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
  if (a->site != b->site) return a->site < b->site ? -1 : 1;
  return (a->part > b->part) - (a->part < b->part);
}

double fem_gap_zero(const fem_overlaps *overlaps, uint32_t site, uint32_t part)
{
  const fem_overlap key = {.site = site, .part = part};
  if (!overlaps || overlaps->count == 0) return 0;
  const fem_overlap *found = bsearch(&key, overlaps->item, overlaps->count, sizeof *overlaps->item, overlap_order);
  return found ? found->gap : 0;
}

/* A point of the surface where nodes are displaced. */
static scr_vec3 place_of(const fem_system *system, const fem_site *site, const double *displacement)
{
  scr_vec3 x = vec3(0, 0, 0);
  for (uint32_t i = 0; i < site->count; i++) {
    const double *rest = system->rest + 3 * (size_t)site->node[i], *u = displacement + 3 * (size_t)site->node[i];
    x = vec3_add(x, vec3_scale(vec3(rest[0] + u[0], rest[1] + u[1], rest[2] + u[2]), site->share[i]));
  }
  return x;
}

/* How far a part takes a point of its surface that is at `point` at the end of the step. */
static scr_vec3 way_of(const part_motion *start, const part_motion *end, scr_vec3 point)
{
  scr_vec3 arm = quat_rotate(quat_conjugate(end->pose.rotation), vec3_sub(point, end->pose.position));
  return vec3_sub(point, vec3_add(start->pose.position, quat_rotate(start->pose.rotation, arm)));
}

static fem_touch touch_of_part(const fem_contact_space *space, const fem_touch_search *search, size_t p, const fem_site *site, scr_vec3 x,
                               const scr_part_distance *from)
{
  const fem_system *system = space->system;
  const part_motion *end = &search->end[p];
  scr_vec3 point = vec3_sub(x, vec3_scale(from->normal, from->distance));
  double gap = from->distance - fem_gap_zero(space->overlaps, site->number, (uint32_t)p);
  fem_touch touch = {.site = site->number, .node_count = site->count, .partner = (uint32_t)p, .gap = gap, .point = point};
  memcpy(touch.node, site->node, sizeof site->node);
  memcpy(touch.share, site->share, sizeof site->share);
  touch.axis[0][0] = from->normal.x, touch.axis[0][1] = from->normal.y, touch.axis[0][2] = from->normal.z;
  fem_touch_tangents(&touch);
  touch.friction = space->friction[system->body_of_node[site->node[0]] * (system->body_count + 1) + system->body_count];
  touch.velocity = part_velocity_at(end, point);
  touch.way = way_of(&search->start[p], end, point);
  return touch;
}

scr_status fem_touch_part(const fem_contact_space *space, const fem_touch_search *search, size_t p, const fem_site *site, fem_touches *touches, scr_error *error)
{
  scr_vec3 x = place_of(space->system, site, search->displacement), before = place_of(space->system, site, search->before);
  scr_part_distance from;
  const scr_part *form = &search->parts->form[p];
  if (form->kind == SCR_PART_GRIP) return SCR_OK;
  if (!fem_passes(form, &search->start[p], &search->end[p], before, x, passing_fine * space->band, &from) &&
      !scr_part_distance_within_posed(form, &search->end[p].pose, x, space->band, INFINITY, &from))
    return SCR_OK;
  if (!mem_grow(&touches->item, &touches->capacity, touches->count + 1, sizeof *touches->item))
    return scr_fail_memory(error, "contacts", (touches->count + 1) * sizeof *touches->item);
  touches->item[touches->count++] = touch_of_part(space, search, p, site, x, &from);
  return SCR_OK;
}

static scr_status find_at_nodes(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error)
{
  for (size_t b = 0; b < space->system->body_count; b++)
    for (size_t k = 0; k < space->surfaces[b].node_count; k++) {
      const fem_site site = {.number = space->surfaces[b].node[k], .count = 1, .node = {space->surfaces[b].node[k]}, .share = {1}};
      for (size_t p = 0; p < search->parts->count; p++) SCR_TRY(fem_touch_part(space, search, p, &site, touches, error));
    }
  return SCR_OK;
}

scr_status fem_find_touches(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error)
{
  touches->count = 0;
  SCR_TRY(find_at_nodes(space, search, touches, error));
  if (space->edges) SCR_TRY(fem_find_edges(space, search, touches, error));
  if (space->bodies && space->system->body_count > 1) SCR_TRY(fem_find_faces(space, search, touches, error));
  if (touches->count) qsort(touches->item, touches->count, sizeof *touches->item, fem_touch_order);
  return SCR_OK;
}

scr_status fem_find_overlaps(const fem_contact_space *space, const sim_parts *parts, const double *nowhere, fem_overlaps *overlaps, scr_error *error)
{
  fem_touches touches = {0};
  fem_contact_space parts_alone = *space;
  parts_alone.bodies = false;
  const fem_touch_search search = {.displacement = nowhere, .before = nowhere, .parts = parts, .start = parts->now, .end = parts->now};
  scr_status status = fem_find_touches(&parts_alone, &search, &touches, error);
  for (size_t k = 0; k < touches.count && status == SCR_OK; k++) {
    const fem_touch *touch = &touches.item[k];
    if (!(touch->gap < -least_overlap * space->band)) continue;
    if (mem_grow(&overlaps->item, &overlaps->capacity, overlaps->count + 1, sizeof *overlaps->item))
      overlaps->item[overlaps->count++] = (fem_overlap){touch->site, touch->partner, touch->gap};
    else
      status = scr_fail_memory(error, "contacts that are there at the start", (overlaps->count + 1) * sizeof *overlaps->item);
  }
  mem_free(touches.item);
  return status;
}
