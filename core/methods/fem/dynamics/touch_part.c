/* Contact of one place of a surface with a part of the rig. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/dynamics/passing.h"
#include "methods/fem/dynamics/touch.h"

static const double passing_fine = 1e-6; /* of the band: where a point that goes through something counts as touching it */

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
static scr_vec3 displacement_of(const part_motion *start, const part_motion *end, scr_vec3 point)
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
  touch.displacement = displacement_of(&search->start[p], end, point);
  return touch;
}

scr_status fem_touch_part(const fem_contact_space *space, const fem_touch_search *search, size_t p, const fem_site *site,
                          fem_touches *touches, scr_error *error)
{
  scr_vec3 x = place_of(space->system, site, search->displacement), before = place_of(space->system, site, search->before);
  scr_part_distance from;
  const scr_part *form = &search->parts->form[p];
  if (form->kind == SCR_PART_GRIP) return SCR_OK;
  if (!fem_passes_through(form, &search->start[p], &search->end[p], before, x, passing_fine * space->band, &from) &&
      !scr_part_distance_within_posed(form, &search->end[p].pose, x, space->band, INFINITY, &from))
    return SCR_OK;
  SCR_TRY(mem_reserve(&touches->item, &touches->capacity, touches->count + 1, sizeof *touches->item, "contacts", error));
  touches->item[touches->count++] = touch_of_part(space, search, p, site, x, &from);
  return SCR_OK;
}
