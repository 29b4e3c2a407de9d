/* Crushing below jaws: the contact's largest pressure by Hertz against what the body bears, the middle's strain by plane elasticity. */
#include "scene/places/crushing.h"

#include <math.h>

#include "base/quantity.h"
#include "scene/places/reach.h"
#include "scene/shape/shape.h"

static const double pi = 3.14159265358979323846;

crushing_forces crushing_forces_of(const crushing_body *body, double radius, double thickness, double jaw_radius)
{
  double e = body->young_modulus, nu = body->poisson_ratio, strain = body->strain, curvature = 1 / radius - 1 / jaw_radius;
  crushing_forces f = {.splits = pi * radius * thickness * e * strain / (1 + 3 * nu)};
  double pressure = e * strain / nu, least = pi * thickness * pressure * pressure / e; /* crushing force times curvature */
  f.crushes = least / curvature;
  f.curvature = least / f.splits;
  return f;
}

/* How far jaws come nearer to each other until the force is F, m: flat ones by Johnson (Contact Mechanics, 5.6), hollow ones less. */
static double approach(const crushing_body *body, double radius, double thickness, double force)
{
  double load = force / thickness, half_width = sqrt(4 * load * radius / (pi * body->young_modulus));
  return 4 * load / (pi * body->young_modulus) * (log(4 * radius / half_width) - 0.5);
}

/* How far the rig's parts come nearer to each other, m; INFINITY where a servo steers one. */
static double closure(const scr_scene *scene)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&scene->rig, parts);
  double sum = 0;
  for (size_t p = 0; p < count; p++) {
    if (parts[p].steers) return INFINITY;
    if (!parts[p].obstacle) sum += scene_travel(&parts[p], scene->time.duration);
  }
  return sum;
}

/* The disc that specimen k is, where it lies across what presses along z, alone between it: its `line` and `height`. */
static bool lies_across(const scr_scene *scene, size_t k, scene_press *disc)
{
  const scr_specimen *specimen = &scene->specimens[k];
  const scr_shape_form *form = shape_entry(specimen->shape.kind);
  scr_quat turn = quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle));
  const double filled = 0.9; /* of the opening */
  bool presses = scene->rig.kind == SCR_RIG_BRAZILIAN || scene->rig.kind == SCR_RIG_PLATENS;
  if (!presses || !form->press || !form->press(&specimen->shape, turn, vec3(0, 0, 1), disc)) return false;
  return disc->line > 0 && disc->height > filled * scene->rig.opening;
}

void check_crushing(const scr_checker *c, size_t k, const crushing_body *body)
{
  const scr_scene *scene = c->scene;
  const scr_rig *rig = &scene->rig;
  const scr_specimen *specimen = &scene->specimens[k];
  scene_press disc = {0};
  if (!(body->strain < INFINITY) || !(body->young_modulus > 0) || !(body->poisson_ratio > 0) || !lies_across(scene, k, &disc)) return;
  bool hollow = rig->kind == SCR_RIG_BRAZILIAN && rig->jaw == SCR_JAW_CURVED;
  double radius = 0.5 * disc.height, thickness = disc.line, jaw = hollow ? rig->jaw_radius : (double)INFINITY;
  crushing_forces f = crushing_forces_of(body, radius, thickness, jaw);
  if (!(f.crushes < f.splits) || closure(scene) + 2 * radius - rig->opening < approach(body, radius, thickness, f.crushes)) return;
  char crushes[QUANTITY_BYTES], splits[QUANTITY_BYTES], most[QUANTITY_BYTES];
  double enough = 1 / (1 / radius - f.curvature);
  quantity_text(f.crushes, "N", crushes, sizeof crushes);
  quantity_text(f.splits, "N", splits, sizeof splits);
  quantity_text(enough, "m", most, sizeof most);
  bool brazilian = rig->kind == SCR_RIG_BRAZILIAN;
  const char *what = hollow ? "jaws of this jaw_radius press" : brazilian ? "flat jaws press" : "platens press";
  const char *key = hollow      ? "a jaw_radius"
                    : brazilian ? "jaw \"curved\" with a jaw_radius"
                                : "the rig \"brazilian\" with jaw \"curved\" and a jaw_radius";
  check_warn(c,
             check_at(hollow      ? "/rig/jaw_radius"
                      : brazilian ? "/rig/jaw"
                                  : "/rig/type"),
             hollow ? jaw : NAN, "jaws hollowed out enough for it to split first",
             "%s on so narrow a strip of specimen '%s' that it is crushed there from about %s on, before it splits at %s, as it breaks at "
             "its largest strain, %.3g: give %s of at most %s",
             what, specimen->name, crushes, splits, body->strain, key, most);
}
