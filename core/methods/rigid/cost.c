/* Seconds of a run, from what balls and blocks do in it. */
#include <math.h>

#include "methods/rigid/cost.h"

/* Solids of a bed of balls, and of a layer of them on a floor, seen from above, as densely as they lie at random. */
static const double least_share = 0.05, solids = 0.6, covered = 0.84;

/* Balls come to rest on the floor of a box, unless a part keeps them moving. */
static bool lie_in_box(const scr_scene *scene, const rigid_findings *found)
{
  return scene->rig.kind == SCR_RIG_BOX && vec3_length(scene->rig.gravity) > 0 && found->balls > 0 && !found->stirred;
}

/* The box seen along gravity, m^2. */
static double floor_area(const scr_rig *rig, scr_vec3 down)
{
  scr_vec3 edge = vec3_sub(rig->maximum, rig->minimum);
  return fabs(down.x) * edge.y * edge.z + fabs(down.y) * edge.z * edge.x + fabs(down.z) * edge.x * edge.y;
}

static double floor_depth(const scr_rig *rig, scr_vec3 down)
{
  return fmax(down.x * rig->minimum.x, down.x * rig->maximum.x) + fmax(down.y * rig->minimum.y, down.y * rig->maximum.y) +
         fmax(down.z * rig->minimum.z, down.z * rig->maximum.z);
}

double rigid_resting_share(const scr_scene *scene, const rigid_findings *found)
{
  const scr_rig *rig = &scene->rig;
  if (!lie_in_box(scene, found)) return 1;
  double gravity = vec3_length(rig->gravity);
  scr_vec3 down = vec3_scale(rig->gravity, 1 / gravity);
  double radius = 0.5 * sqrt(found->ball_square / found->balls), bed = found->ball_volume / (solids * floor_area(rig, down));
  double fall = floor_depth(rig, down) - fmax(radius, bed / 2) - found->ball_depth / found->balls;
  return fmax(least_share, 1 - sqrt(2 * fmax(fall, 0) / gravity) / scene->time.duration);
}

double rigid_covered_share(const scr_scene *scene, const rigid_findings *found)
{
  if (!lie_in_box(scene, found)) return 1;
  scr_vec3 down = vec3_scale(scene->rig.gravity, 1 / vec3_length(scene->rig.gravity));
  return fmax(least_share, fmin(1, M_PI / 4 * found->ball_square / (covered * floor_area(&scene->rig, down))));
}

double rigid_digits(const scr_scene *scene, const rigid_findings *found, double dt)
{
  const rigid_options *options = scene->options;
  double reference = fmax(vec3_length(scene->rig.gravity) * dt, 1e-3 * found->speed);
  return fmax(1, log10(1 / options->tolerance) + (found->speed > reference ? log10(found->speed / reference) : 0));
}

/* By the gallery's runs (tests/bench/RIGID_ESTIMATES.md): most of it is the solver's, whose sweeps grow with the bodies that an impulse has to pass, much for
 * blocks that stand on each other, little for balls, and with the digits. Bodies that nothing pulls or drives together touch now and then. Balls that a servo
 * presses into each other are as hard as these problems get: each step goes through all solvers. */
double rigid_run_seconds(const scr_scene *scene, const rigid_findings *found, double dt, double steps)
{
  const rigid_options *options = scene->options;
  double balls = found->balls, blocks = found->bodies - found->balls;
  double of_balls = 6e-6 * balls * pow(fmax(balls, 1), 0.22) * log10(1 / options->tolerance) * (found->servo && balls > 10 ? 90 : 1);
  of_balls *= rigid_resting_share(scene, found) * rigid_covered_share(scene, found);
  double of_blocks = (3.4 * blocks + 56 * found->meshes) * 0.45e-6 * pow(fmax(blocks, 1), 0.95) * rigid_digits(scene, found, dt);
  bool pressed = vec3_length(scene->rig.gravity) > 0 || scene->rig.kind != SCR_RIG_NONE || scene->rig.obstacle_count > 0;
  return 0.03 + steps * (2e-6 * found->bodies + (pressed ? 1 : 0.02) * (of_balls + of_blocks));
}
