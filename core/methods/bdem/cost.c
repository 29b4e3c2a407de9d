/* How long a run takes, before it is made: what steps cost, and which share of the time large steps are done by explicit ones. */
#include "methods/bdem/check.h"
#include "scene/part.h"

/* Whole runs of the gallery's scenes on one core of a 2.5 GHz Xeon, contact and curves included: the estimate is 0.5 to 1.6 times the
 * processor time of all of them, the less the busier the machine (tests/bench/REPORT.md). A sphere and a bond in an explicit step, with the
 * contacts of a body half of which is debris. Either in an implicit step of small motion, whose matrix and preconditioner are those of an
 * earlier step, so that it costs gradients and linear iterations only; and what every radius of free motion in a step adds to that: matrices
 * made anew and larger linear systems. */
static const double explicit_seconds_per_sphere = 79e-9, explicit_seconds_per_bond = 26e-9;
static const double implicit_seconds = 1.4e-6, implicit_growth = 1.6;
static const double bytes_per_sphere = 700, bytes_per_bond = 120, implicit_bytes_per_sphere = 1200, implicit_bytes_per_bond = 920;

/* Share of the time from the first touch on in which bonds break in a body that a slow rig loads until it breaks. */
static const double breaking_share = 0.5;
/* Matrices are made anew in steps in which something breaks or touches: such a step costs so many of small motion. */
static const double eventful_steps = 3.0;

/* How fast things are and how far they have to go before they meet: m, m/s. */
typedef struct motion {
  double fastest, rig, gap, height, radius;
} motion;

/* Least distance between two boxes. */
static double box_gap(const geo_box *a, const geo_box *b)
{
  double x = fmax(0.0, fmax(a->low.x - b->high.x, b->low.x - a->high.x)), y = fmax(0.0, fmax(a->low.y - b->high.y, b->low.y - a->high.y));
  double z = fmax(0.0, fmax(a->low.z - b->high.z, b->low.z - a->high.z));
  return sqrt(x * x + y * y + z * z);
}

static geo_box box_at(const bdem_filling *filling, scr_vec3 centre)
{
  return (geo_box){vec3_add(centre, filling->box.low), vec3_add(centre, filling->box.high)};
}

enum { GRAINS_COMPARED = 300, PLACES_COMPARED = 20 };

/* Least distance of the specimens from the parts that push; of many copies the first ones only. */
static double gap_to_parts(const scr_scene *scene, const bdem_filling *fillings)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&scene->rig, parts);
  double gap = INFINITY;
  for (size_t i = 0; i < scene->specimen_count; ++i)
    for (size_t g = 0; g < scene->specimens[i].position_count && g < PLACES_COMPARED; ++g)
      for (size_t p = 0; p < part_count; ++p) {
        if (parts[p].kind == SCR_PART_GRIP) continue;
        for (size_t k = 0; k < fillings[i].sphere_count; ++k) {
          scr_vec3 at = vec3_add(scene->specimens[i].positions[g], fillings[i].centre[k]);
          if (scr_part_is_far(&parts[p], parts[p].start, at, fillings[i].radius + fmin(gap, 1e300))) continue;
          gap = fmin(gap, scr_part_distance_at(&parts[p], parts[p].start, at).distance - fillings[i].radius);
        }
      }
  return gap;
}

/* The same between grains, by their boxes. */
static double gap_between_grains(const scr_scene *scene, const bdem_filling *fillings)
{
  geo_box boxes[GRAINS_COMPARED];
  size_t count = 0;
  double gap = INFINITY;
  for (size_t i = 0; i < scene->specimen_count; ++i)
    for (size_t g = 0; g < scene->specimens[i].position_count && count < GRAINS_COMPARED; ++g)
      boxes[count++] = box_at(&fillings[i], scene->specimens[i].positions[g]);
  for (size_t a = 0; a < count; ++a)
    for (size_t b = a + 1; b < count; ++b) gap = fmin(gap, box_gap(&boxes[a], &boxes[b]));
  return gap;
}

static motion motion_of(const scr_scene *scene, const bdem_filling *fillings)
{
  motion m = {.radius = INFINITY};
  geo_box all = geo_box_empty();
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&scene->rig, parts);
  for (size_t i = 0; i < scene->specimen_count; ++i) {
    const scr_specimen *specimen = &scene->specimens[i];
    double spin = vec3_length(specimen->angular_velocity) * 0.5 * vec3_length(vec3_sub(fillings[i].box.high, fillings[i].box.low));
    m.fastest = fmax(m.fastest, fmax(vec3_length(specimen->velocity), spin));
    m.radius = fmin(m.radius, fillings[i].radius);
    for (size_t g = 0; g < specimen->position_count; ++g) all = geo_box_join(all, box_at(&fillings[i], specimen->positions[g]));
  }
  for (size_t p = 0; p < part_count; ++p)
    if (parts[p].kind != SCR_PART_GRIP && parts[p].program)
      m.rig = fmax(m.rig, scr_program_peak_velocity(parts[p].program, scene->time.duration));
  m.height = vec3_length(vec3_sub(all.high, all.low));
  m.gap = fmax(0.0, fmin(gap_to_parts(scene, fillings), gap_between_grains(scene, fillings)));
  return m;
}

/* How many radii a free sphere moves in a step of dt at most: as its specimen starts, and falling over the specimens' extent. */
static double radii_per_step(const scr_scene *scene, const motion *m, double dt)
{
  double gravity = vec3_length(scene->rig.gravity), fall = fmin(gravity * scene->time.duration, sqrt(2.0 * gravity * m->height));
  return (m->fastest + fall) * dt / m->radius;
}

/* Share of the time after bodies first met; 0 when none is met, or they rest on what they touch. */
static double share_met(const scr_scene *scene, const motion *m)
{
  double gravity = vec3_length(scene->rig.gravity), speed = m->fastest + m->rig, duration = scene->time.duration;
  if (!isfinite(m->gap) || (speed == 0.0 && (gravity == 0.0 || m->gap < 0.01 * m->radius))) return 0.0;
  double meets = gravity > 0.0 ? (sqrt(speed * speed + 2.0 * gravity * m->gap) - speed) / gravity : m->gap / speed;
  return fmax(0.0, 1.0 - meets / duration);
}

static double explicit_seconds(const scr_estimate *estimate)
{
  return (double)estimate->node_count * explicit_seconds_per_sphere + (double)estimate->bond_count * explicit_seconds_per_bond;
}

/* What the time costs, per second of it, in which something is hit or breaks: as the options say. `step`: seconds of an implicit step. */
static double eventful_seconds(const scr_scene *scene, const scr_estimate *estimate, double stable_step, bool hit, double step)
{
  const bdem_options *options = scene->options;
  double bursts = explicit_seconds(estimate) / (scene->time.safety_factor * stable_step);
  double large = eventful_steps * step / estimate->time_step;
  if (hit) return options->impacts == BDEM_IMPACTS_EXPLICIT_BURSTS ? bursts : large;
  if (options->breaking == BDEM_BREAKING_EXPLICIT_BURSTS) return bursts;
  double part = fmin(estimate->time_step, 0.75 * options->fracture_step_ratio * stable_step);
  return options->breaking == BDEM_BREAKING_STAGED ? eventful_steps * step / part : large;
}

void bdem_price(const scr_scene *scene, const bdem_filling *fillings, double stable_step, scr_estimate *estimate)
{
  const bdem_options *options = scene->options;
  double spheres = (double)estimate->node_count, bonds = (double)estimate->bond_count, dt = estimate->time_step;
  estimate->memory_bytes = spheres * bytes_per_sphere + bonds * bytes_per_bond;
  if (options->integrator == BDEM_INTEGRATOR_EXPLICIT) {
    estimate->run_seconds = scene->time.duration / dt * explicit_seconds(estimate);
    return;
  }
  estimate->memory_bytes += spheres * implicit_bytes_per_sphere + bonds * implicit_bytes_per_bond;
  motion m = motion_of(scene, fillings);
  bool hit = m.fastest > 0.0 || m.rig * stable_step > 1e-3 * m.radius || vec3_length(scene->rig.gravity) > 0.0;
  double met = share_met(scene, &m), eventful = hit ? met : estimate->step_rows > 0 ? breaking_share * met : 0.0;
  double step = (bonds + spheres) * implicit_seconds, growth = 1.0 + implicit_growth * radii_per_step(scene, &m, dt);
  estimate->run_seconds =
      scene->time.duration * ((1.0 - eventful) * step * growth / dt + eventful * eventful_seconds(scene, estimate, stable_step, hit, step));
}
