/* A super-helix is known by its strains from a clamped root on: what does not begin there, or holds it elsewhere, it cannot do. */
#include "methods/fibre/scene/element.h"

#include <string.h>

#include "methods/fibre/helix/helix.h"

bool fibre_any_helix(const scr_scene *scene)
{
  for (size_t k = 0; k < scene->specimen_count; k++)
    if (fibre_elements(scr_scene_specimen(scene, k)) > 0) return true;
  return false;
}

#define INSTEAD "use element rod"

static void check_form(const scr_checker *c, size_t k, const fibre_specimen *block)
{
  bool can = block->form == FIBRE_STRAIGHT || block->form == FIBRE_HELIX || block->form == FIBRE_GROOM;
  if (!can)
    check_refuse(c, check_at("/specimens/%zu/form", k), NAN, "straight, helix or groom, of super-helices",
                 "a super-helix is laid by curvatures and twist that are constant along each element, so it can be straight, a helix or a "
                 "hair of a groom: take one of these, or " INSTEAD);
  if (block->form == FIBRE_HELIX && block->flatness < 1)
    check_refuse(
        c, check_at("/specimens/%zu/flatness", k), block->flatness, "1, of super-helices laid as a helix",
        "the section of a super-helix turns with the helix it is laid as, which a flat one of a rod does not: use flatness 1, form "
        "straight with natural_curvature and natural_twist, or " INSTEAD);
}

static void check_root(const scr_checker *c, size_t k, const fibre_specimen *block)
{
  const scr_specimen *specimen = &c->scene->specimens[k];
  if (block->held != FIBRE_HELD_START)
    check_refuse(c, check_at("/specimens/%zu/held", k), NAN, "start, of super-helices",
                 "a super-helix grows from a root that is held, and its other end is free: use held start, or " INSTEAD);
  if (block->held != FIBRE_FREE && block->hold != FIBRE_CLAMPED)
    check_refuse(c, check_at("/specimens/%zu/hold", k), NAN, "clamped, of super-helices",
                 "the root of a super-helix has a direction and a section that are held: use hold clamped, or " INSTEAD);
  for (size_t i = 0; i < c->scene->rig.obstacle_count; i++) {
    const scr_obstacle *obstacle = &c->scene->rig.obstacles[i];
    if (obstacle->is_free && strcmp(block->held_by, obstacle->name) == 0)
      check_refuse_words(
          c, check_at("/specimens/%zu/held_by", k), block->held_by, "an obstacle that a program drives, with super-helices",
          "obstacle '%s' moves freely, but the root of a super-helix goes where it is taken: drive it by a program, or " INSTEAD,
          block->held_by);
  }
  if (vec3_length(specimen->velocity) + vec3_length(specimen->angular_velocity) > 0)
    check_refuse(c, check_at("/specimens/%zu/%s", k, vec3_length(specimen->velocity) > 0 ? "velocity" : "angular_velocity"), NAN,
                 "none, of super-helices",
                 "a super-helix is clamped, and cannot begin to move as a whole: leave its velocity out, or " INSTEAD);
}

void fibre_check_element(const scr_checker *c, size_t k)
{
  const fibre_specimen *block = scr_scene_specimen(c->scene, k);
  if (fibre_elements(block) == 0) return;
  check_form(c, k, block);
  check_root(c, k, block);
  if (block->disturbance > 0)
    check_refuse(c, check_at("/specimens/%zu/disturbance", k), block->disturbance, "0, of super-helices",
                 "nodes of a super-helix cannot be displaced one by one: leave the disturbance out, or " INSTEAD);
  if (block->elements > block->edges)
    check_refuse(c, check_at("/specimens/%zu/elements", k), (double)block->elements, "at most as many as edges",
                 "%lld elements need as many edges at least, which carry their mass, and there are %lld: use fewer elements or more edges",
                 (long long)block->elements, (long long)block->edges);
}

void fibre_check_elements(const scr_checker *c)
{
  const scr_scene *scene = c->scene;
  const fibre_options *options = scene->options;
  if (!fibre_any_helix(scene)) return;
  if (options->loading == FIBRE_DYNAMIC && options->order != 1)
    check_refuse(c, check_at("/options/order"), (double)options->order, "1, with super-helices",
                 "steps of super-helices are of order 1: use that, or " INSTEAD);
}
