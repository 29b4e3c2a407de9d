/* Where free parts touch other parts: balls, and in the plane discs, by the other's distance at their middle, other shapes by the contacts
 * of solids (geometry/touch), of which two that lie flat on each other have several. */
#include <assert.h>
#include <math.h>

#include "base/memory.h"
#include "methods/granular/bodies/shapes.h"
#include "methods/granular/step/bodies.h"
#include "sim/rig/part_touch.h"

/* How parts went in the step. */
typedef struct part_displacements {
  const granular_pass *pass;
  const sim_parts *parts;
  const part_motion *before;
} part_displacements;

static bool is_met(const granular_state *s, const sim_parts *parts, const granular_body *body, size_t p)
{
  if (p == body->part || parts->form[p].kind == SCR_PART_GRIP) return false;
  if (s->d == 2 && parts->box && (p == SCR_WALL_Y_MIN || p == SCR_WALL_Y_MAX)) return false; /* the slice's faces */
  return s->body_of[p] < 0 || p > body->part;                                                /* each pair once */
}

/* Coulomb friction of parts with each other: that of the first material with parts, as scenes have no other. */
static double friction_of_parts(const granular_state *s)
{
  const granular_surface *surface = scr_scene_surface(s->scene, 0, s->scene->material_count);
  return surface->friction_coefficient;
}

/* @param normal  out of part p    @param gap  m, < 0: they overlap */
static scr_status add_contact(granular_state *s, const part_displacements *moved, size_t b, size_t p, scr_vec3 normal, scr_vec3 point,
                              double gap, scr_error *error)
{
  const granular_body *body = &s->bodies[b];
  SCR_TRY(
      mem_reserve(&s->body_contacts, &s->body_contact_capacity, s->body_contact_count + 1, sizeof *s->body_contacts, "contacts", error));
  granular_body_contact *m = &s->body_contacts[s->body_contact_count++];
  part_displacement displacement = part_displacement_between(&moved->parts->form[p], &moved->before[p], &moved->parts->now[p]);
  *m = (granular_body_contact){
      .body = (uint32_t)b,
      .part = (uint32_t)p,
      .normal = normal,
      .arm = vec3_sub(point, body->centre),
      .point = point,
      .friction = friction_of_parts(s),
      .rate = (gap > 0 ? gap : 0.2 * gap) / moved->pass->step,
      .velocity = vec3_scale(part_displacement_at(&displacement, vec3_sub(point, moved->before[p].pose.position)), 1 / moved->pass->step)};
  m->inverse = body->inverse_mass + vec3_dot(m->arm, m->arm) * body->inverse_inertia;
  if (s->body_of[p] < 0) return SCR_OK;
  const granular_body *other = &s->bodies[s->body_of[p]];
  m->other_arm = vec3_sub(point, other->centre);
  m->inverse += other->inverse_mass + vec3_dot(m->other_arm, m->other_arm) * other->inverse_inertia;
  return SCR_OK;
}

/* A ball or disc and any part. */
static scr_status touch_round(granular_state *s, const part_displacements *moved, size_t b, size_t p, scr_error *error)
{
  const granular_body *body = &s->bodies[b];
  scr_part_distance from;
  double reach = body->radius + s->domain.h;
  if (!scr_part_distance_within_posed(&moved->parts->form[p], &moved->before[p].pose, body->centre, reach, 1e3 * s->domain.h, &from))
    return SCR_OK;
  scr_vec3 point = vec3_along(body->centre, from.normal, -body->radius);
  return add_contact(s, moved, b, p, from.normal, point, from.distance - body->radius, error);
}

static scr_status touch_solid(granular_state *s, const part_displacements *moved, size_t b, size_t p, scr_error *error)
{
  struct granular_shapes *shapes = s->shapes;
  assert(shapes != NULL);
  const scr_part *form = &moved->parts->form[p];
  const geo_placed *own = &shapes->placed[s->bodies[b].part];
  touch_list *list = &shapes->touches;
  touch_sink sink = {.list = list};
  list->count = 0;
  part_touch(form, &moved->before[p].pose, &shapes->placed[p], own, s->domain.h, &sink);
  if (list->failed) return scr_fail_memory(error, "contacts", list->count * sizeof *list->items);
  for (size_t k = 0; k < list->count; k++) {
    const geo_touch *t = &list->items[k];
    if (s->d == 2 && fabs(t->normal.y) > 0.5) continue; /* along the slice's depth */
    SCR_TRY(add_contact(s, moved, b, p, t->normal, t->point, t->gap, error));
  }
  return SCR_OK;
}

scr_status granular_find_body_contacts(granular_state *s, const granular_pass *pass, const sim_parts *parts, const part_motion *before,
                                       scr_error *error)
{
  const part_displacements moved = {pass, parts, before};
  s->body_contact_count = 0;
  if (s->shapes) granular_shapes_place(s->shapes, parts, before);
  for (size_t b = 0; b < s->body_count; b++)
    for (size_t p = 0; p < parts->count; p++) {
      int other = s->body_of[p];
      if (!is_met(s, parts, &s->bodies[b], p)) continue;
      if (s->bodies[b].radius > 0)
        SCR_TRY(touch_round(s, &moved, b, p, error));
      else if (other >= 0 && s->bodies[other].radius > 0)
        SCR_TRY(touch_round(s, &moved, (size_t)other, s->bodies[b].part, error));
      else
        SCR_TRY(touch_solid(s, &moved, b, p, error));
    }
  return SCR_OK;
}
