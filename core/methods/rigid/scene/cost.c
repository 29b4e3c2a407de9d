/* Seconds of a run, from what balls and blocks do in it. */
#include <math.h>

#include "methods/rigid/scene/cost.h"

#include "sim/cost.h"
#include "sim/view/contact_view.h"

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
  return fmax(1, log10(1 / rigid_tolerance(options)) + (found->speed > reference ? log10(found->speed / reference) : 0));
}

/* By the gallery's runs (tests/reports/bench/GALLERY.md): most of it is the solver's, whose sweeps grow with the bodies that an
 * impulse has to pass, much for blocks that stand on each other, little for balls, and with the digits. Bodies that nothing pulls or drives
 * together touch now and then. Balls that a servo presses into each other are as hard as these problems get: each step goes through all
 * solvers. */
enum { START, BODY, BALL, SWEPT, BLOCK, PACK, MESH, KERNELS };
static const sim_cost kernels[KERNELS] = {[START] = {"the program's start", 0.03},
                                          [BODY] = {"a body in a step", 2e-6},
                                          [BALL] = {"a ball in a step, for each digit and by the balls that an impulse passes", 3.5e-6},
                                          [SWEPT] = {"a ball of a pack in a step, by the balls that an impulse passes", 3.75e-7},
                                          [BLOCK] = {"a block in a step, for each digit and by the blocks that an impulse passes", 7.7e-7},
                                          [PACK] = {"a block of a pack in a step, by the blocks that an impulse passes", 7.5e-6},
                                          [MESH] = {"a mesh in a step, likewise", 25.2e-6}};

void rigid_estimate_run(const scr_scene *scene, const rigid_findings *found, double steps, scr_estimate *estimate)
{
  const rigid_options *options = scene->options;
  const double most = 50; /* blocks that an impulse passes: through an arch all of 48, through a pour of 100 some */
  double balls = found->balls, blocks = found->bodies - found->balls;
  bool pressed = vec3_length(scene->rig.gravity) > 0 || scene->rig.kind != SCR_RIG_NONE || scene->rig.obstacle_count > 0;
  double solved = steps * (pressed ? 1 : 0.02), of_balls = solved * pow(fmax(balls, 1), 0.22) * log10(1 / rigid_tolerance(options)),
         of_blocks = solved * pow(fmin(fmax(blocks, 1), most), 0.95) * rigid_digits(scene, found, estimate->time_step);
  double lying = rigid_resting_share(scene, found) * rigid_covered_share(scene, found);
  of_balls *= (found->servo && balls > 10 ? 16 : 1) * lying;
  /* tests/reports/bench/PACKS.md: 100, 216 and 1000 poured in the automatic step */
  bool packed = rigid_may_sweep(options) && found->bodies >= 100 && vec3_length(scene->rig.gravity) > 0;
  bool swept = rigid_may_sweep(options) && balls >= 100 && !found->servo; /* tests/reports/bench/PACKS.md: 1000 and 10,000 balls poured */
  const double count[KERNELS] = {[START] = 1,
                                 [BODY] = steps * found->bodies,
                                 [BALL] = swept ? 0 : of_balls * balls,
                                 [SWEPT] = swept ? solved * balls * pow(balls, 0.35) * lying : 0,
                                 [BLOCK] = packed ? 0 : of_blocks * blocks,
                                 [PACK] = packed ? solved * blocks * pow(fmax(blocks, 1), 0.2) : 0,
                                 [MESH] = of_blocks * found->meshes};
  sim_cost_add(kernels, KERNELS, count, estimate);
}

/* Contact points of a body, gaps below the margin among them, from above, by the gallery's runs: a ball of a pack has up to 4, for each
 * counts for two bodies; a block lies on others by faces of 4 corners; a mesh is near others by many of its points. Of those of balls and
 * blocks three quarters carry a force that is drawn, of a mesh's very few. All fields of draw.c have 32 bits. */
void rigid_estimate_recording(const scr_scene *scene, const rigid_findings *found, scr_estimate *estimate)
{
  const rigid_options *options = scene->options;
  const double of_body = 11 * sizeof(float), of_contact = 6 * sizeof(float), of_row = 14 * sizeof(double), of_layer = 5 * sizeof(double),
               headers = 300;
  double blocks = found->bodies - found->balls - found->meshes, contacts = 4 * found->balls + 6 * blocks + 120 * found->meshes;
  estimate->frame_body_bytes = found->bodies * of_body + contacts * of_contact + headers;
  contact_view_estimate(options->force_chains, options->contact_forces, 3 * found->balls + 4.5 * blocks + 6 * found->meshes, estimate);
  if (options->force_chains || options->contact_forces) estimate->frame_line_bytes += headers;
  if (options->contact_table) estimate->frame_row_bytes += contacts * of_row;
  estimate->frame_row_bytes += (double)options->porosity_layers * of_layer;
  estimate->shape_bytes = found->pictures;
}
