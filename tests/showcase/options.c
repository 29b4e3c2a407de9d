/* What a scene may say to this method: each table declares keys of one of the scene's blocks; checker, schema, reference and form come from
 * them. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "scene/check/checker.h"
#include "tests/showcase/state.h"

const scr_param showcase_params[SHOWCASE_PARAMS] = {
    {.name = "pull_time",
     .kind = SCR_PARAM_NUMBER,
     .flags = SCR_PARAM_ABOVE,
     .unit = "s",
     .fallback = 0.5,
     .minimum = 0,
     .maximum = INFINITY,
     .help = "How long the bobs are drawn aside before they are let go",
     .offset = offsetof(showcase_options, pull_time)},
    {.name = "drop_life",
     .kind = SCR_PARAM_NUMBER,
     .flags = SCR_PARAM_ABOVE,
     .unit = "s",
     .fallback = 0.3,
     .minimum = 0,
     .maximum = INFINITY,
     .help = "Time after which a drop has dried up",
     .offset = offsetof(showcase_options, drop_life)},
    {.name = "step_fraction",
     .kind = SCR_PARAM_NUMBER,
     .flags = SCR_PARAM_ABOVE,
     .unit = "1",
     .fallback = 0.02,
     .minimum = 0,
     .maximum = 0.5,
     .help = "Largest step over sqrt(length / gravity) of the shortest thread",
     .offset = offsetof(showcase_options, step_fraction)},
    {.name = "membrane_centre",
     .kind = SCR_PARAM_VECTOR,
     .unit = "m",
     .fallback = 0,
     .minimum = -INFINITY,
     .maximum = INFINITY,
     .help = "Middle of the membrane",
     .offset = offsetof(showcase_options, membrane_centre)},
    {.name = "membrane_radius",
     .kind = SCR_PARAM_NUMBER,
     .flags = SCR_PARAM_ABOVE,
     .unit = "m",
     .fallback = 0.5,
     .minimum = 0,
     .maximum = INFINITY,
     .help = "Radius of the membrane",
     .offset = offsetof(showcase_options, membrane_radius)},
    {.name = "membrane_stiffness",
     .kind = SCR_PARAM_NUMBER,
     .flags = SCR_PARAM_ABOVE,
     .unit = "N/m",
     .fallback = 1e3,
     .minimum = 0,
     .maximum = INFINITY,
     .help = "Force on the membrane over its dent",
     .offset = offsetof(showcase_options, membrane_stiffness)},
};

const scr_param showcase_material_params[SHOWCASE_MATERIAL_PARAMS] = {
    {.name = "density",
     .kind = SCR_PARAM_NUMBER,
     .flags = SCR_PARAM_REQUIRED | SCR_PARAM_ABOVE,
     .unit = "kg/m^3",
     .minimum = 0,
     .maximum = INFINITY,
     .help = "Mass per volume",
     .offset = offsetof(showcase_material, density)},
    {.name = "drag_rate",
     .kind = SCR_PARAM_NUMBER,
     .unit = "1/s",
     .fallback = 0,
     .minimum = 0,
     .maximum = 1e3,
     .help = "Share of its speed that a bob loses to the air per time",
     .offset = offsetof(showcase_material, drag_rate)},
};

const scr_param showcase_surface_params[SHOWCASE_SURFACE_PARAMS] = {
    {.name = "fan_coupling",
     .kind = SCR_PARAM_NUMBER,
     .unit = "1/s",
     .fallback = 0,
     .minimum = 0,
     .maximum = 1e3,
     .help = "How strongly parts that turn drag a bob along",
     .offset = offsetof(showcase_surface, fan_coupling)},
};

const scr_param showcase_specimen_params[SHOWCASE_SPECIMEN_PARAMS] = {
    {.name = "thread_length",
     .kind = SCR_PARAM_NUMBER,
     .flags = SCR_PARAM_REQUIRED | SCR_PARAM_ABOVE,
     .unit = "m",
     .minimum = 0,
     .maximum = INFINITY,
     .help = "Length of the first thread",
     .offset = offsetof(showcase_specimen, thread_length)},
    {.name = "length_step",
     .kind = SCR_PARAM_NUMBER,
     .unit = "m",
     .fallback = 0,
     .minimum = 0,
     .maximum = INFINITY,
     .help = "By how much each next thread is longer",
     .offset = offsetof(showcase_specimen, length_step)},
    {.name = "start_angle",
     .kind = SCR_PARAM_NUMBER,
     .unit = "rad",
     .fallback = 0.5,
     .minimum = -3.1,
     .maximum = 3.1,
     .help = "Angle to which the bobs are drawn aside",
     .offset = offsetof(showcase_specimen, start_angle)},
    {.name = "softness",
     .kind = SCR_PARAM_NUMBER,
     .unit = "1",
     .fallback = 0.1,
     .minimum = 0,
     .maximum = 1,
     .help = "How far a bob stretches at a tension of its weight",
     .offset = offsetof(showcase_specimen, softness)},
};

/* Pendulums need something to swing in: gravity along -z. */
static void check_gravity(const scr_checker *c)
{
  scr_vec3 g = c->scene->rig.gravity;
  char given[128];
  if (g.x == 0 && g.y == 0 && g.z < 0) return;
  snprintf(given, sizeof given, "[%.17g, %.17g, %.17g]", g.x, g.y, g.z);
  check_refuse_words(c, check_at("/rig/gravity"), given, "a vector along -z, in m/s^2",
                     "gravity is (%g, %g, %g) m/s^2; the threads hang along -z: use (0, 0, g) with g < 0", g.x, g.y, g.z);
}

scr_status showcase_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  const double bytes_per_bob = 600, seconds_per_bob = 1e-6;
  const showcase_options *options = scene->options;
  scr_checker c = check_begin(scene, problems);
  double shortest = INFINITY, bobs = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    const showcase_specimen *block = scr_scene_specimen(scene, k);
    shortest = fmin(shortest, block->thread_length);
    bobs += (double)scene->specimens[k].position_count;
  }
  check_gravity(&c);
  if (!check_is_clean(&c)) return SCR_OK;
  estimate->node_count = (uint64_t)bobs;
  estimate->time_step = options->step_fraction * sqrt(shortest / -scene->rig.gravity.z);
  snprintf(estimate->time_step_rule, sizeof estimate->time_step_rule, "shortest thread");
  double steps = scene->time.duration / estimate->time_step;
  estimate->memory_bytes = 4e6 + bobs * bytes_per_bob;
  estimate->run_seconds = 3 * steps * bobs * seconds_per_bob;
  estimate->step_rows = (uint64_t)(bobs * fmax(1, scene->time.duration / sqrt(shortest / -scene->rig.gravity.z)));
  estimate->step_row_bytes = 7 * 8 * (double)estimate->step_rows;
  return SCR_OK;
}
