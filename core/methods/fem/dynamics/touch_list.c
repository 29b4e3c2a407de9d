/* Contacts with parts of the rig, and what lists of contacts share: their order, what a contact inherits from the step before, its
 * tangents. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/dynamics/touch.h"

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

/* ── continuous detection against parts, by spheres that touch nothing ────────────────────────────────────────────────── */

enum { STRIDES = 200, LOOKS = 60 };
static const double same_side = 0.5; /* cosine between normals: of a rounded part they turn under way */

/* The way of a point in the part's pose at the end of the step. */
typedef struct point_path {
  const scr_part *form;
  const scr_pose *pose;
  scr_vec3 from, step;
  double length;
} point_path;

static scr_part_distance distance_at(const point_path *w, double t)
{
  return scr_part_distance_posed(w->form, w->pose, vec3_add(w->from, vec3_scale(w->step, t)));
}

/* The moment of the first touch, in shares of the step; above 1: none. */
static double first_touch(const point_path *w, double fine, scr_vec3 *normal)
{
  double t = 0;
  for (int k = 0; k < STRIDES && t <= 1; k++) {
    scr_part_distance d = distance_at(w, t);
    *normal = d.normal;
    if (d.distance <= fine) return t;
    t += d.distance / w->length;
  }
  return t <= 1 ? t : 2; /* a way that grazes takes ever shorter strides: it is as good as there */
}

/* Whether the point gets inside after the touch, deeper than `depth`. */
static bool enters(const point_path *w, double t, double fine, double depth)
{
  double further = 2 * fine / w->length;
  for (int k = 0; k < LOOKS && t < 1; k++) {
    t = fmin(t + further, 1);
    if (distance_at(w, t).distance < -depth - fine) return true;
    further *= 1.5;
  }
  return false;
}

bool fem_passes_through(const scr_part *form, const part_motion *start, const part_motion *end, scr_vec3 before, scr_vec3 now, double fine,
                        scr_part_distance *from)
{
  if (form->kind == SCR_PART_PLANE || form->kind == SCR_PART_GRIP) return false;
  scr_vec3 arm = quat_rotate(quat_conjugate(start->pose.rotation), vec3_sub(before, start->pose.position)), normal;
  point_path w = {.form = form, .pose = &end->pose, .from = vec3_add(end->pose.position, quat_rotate(end->pose.rotation, arm))};
  w.step = vec3_sub(now, w.from);
  w.length = vec3_length(w.step);
  if (!(w.length > fine) || scr_part_is_far_posed(form, &end->pose, w.from, w.length)) return false;
  scr_part_distance first = distance_at(&w, 0);
  if (!(first.distance < w.length)) return false;
  double t = first_touch(&w, fine, &normal);
  double depth = fmax(0, -first.distance); /* what is inside already came from the side that is nearest */
  if (t > 1 || !enters(&w, t, fine, depth)) return false;
  scr_part_distance last = distance_at(&w, 1);
  if (last.distance < 0 && vec3_dot(last.normal, normal) > same_side) return false;
  *from = (scr_part_distance){(1 - t) * vec3_dot(normal, w.step) - depth, normal};
  return from->distance < 0;
}

/* ── contacts with a part of the rig ─────────────────────────────────────────────────────────────────────────────────────── */

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
