/* Gaps by shapes where faces meet, by spheres where those do. */
#include "methods/bdem/scene/motion.h"

#include "methods/bdem/contact/initial_overlap.h"
#include "scene/places/reach.h"

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

static bool is_driven(const scr_scene *scene, const scr_part *part)
{
  return part->program && scr_program_peak_velocity(part->program, scene->time.duration) > 0.0;
}

/* Whether a specimen meets others where its shape does, and not by its spheres. */
static bool touches_by_faces(const scr_scene *scene, const bdem_filling *fillings, size_t specimen)
{
  bool faces = ((const bdem_options *)scene->options)->contact_surface == BDEM_SURFACE_FACES;
  return faces && bdem_is_packed(&fillings[specimen], &scene->specimens[specimen]);
}

/* Least distances of the specimens from parts, m; INFINITY: there are none. */
typedef struct gaps {
  double driven, standing; /* by whether a program moves the part */
  double passable;         /* of what a step may carry them past: no plane has another side */
  double towards;          /* how fast the specimen that is nearest to a standing part moves up to it, m/s */
} gaps;

/* One part and a grain. */
typedef struct encounter {
  const scr_scene *scene;
  const bdem_filling *fillings;
  const scr_part *part;
  size_t specimen;
  scr_vec3 place; /* of the grain's centre */
  bool driven;
} encounter;

static void note_gap(const encounter *of, double distance, scr_vec3 normal, gaps *least)
{
  double *gap = of->driven ? &least->driven : &least->standing;
  if (of->part->kind != SCR_PART_PLANE) least->passable = fmin(least->passable, distance);
  if (distance >= *gap) return;
  *gap = distance;
  if (!of->driven) least->towards = -vec3_dot(of->scene->specimens[of->specimen].velocity, normal);
}

/* By the shape where a plane meets faces, else by spheres: what is round meets a face between them. */
static void find_gaps(const encounter *of, gaps *least)
{
  const scr_part *part = of->part;
  const bdem_filling *filling = &of->fillings[of->specimen];
  if (part->kind == SCR_PART_PLANE && touches_by_faces(of->scene, of->fillings, of->specimen)) {
    scr_vec3 half = scene_half_extents(of->scene, of->specimen), n = part->normal;
    double depth = fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z;
    note_gap(of, vec3_dot(vec3_sub(of->place, part->start), n) - depth, n, least);
    return;
  }
  for (size_t k = 0; k < filling->sphere_count; ++k) {
    scr_vec3 at = vec3_add(of->place, filling->centre[k]);
    if (scr_part_is_far(part, part->start, at, filling->radius + fmin(of->driven ? least->driven : least->standing, 1e300))) continue;
    scr_part_distance from = scr_part_distance_at(part, part->start, at);
    note_gap(of, from.distance - filling->radius, from.normal, least);
  }
}

/* Of many copies the first ones only. */
static gaps gaps_to_parts(const scr_scene *scene, const bdem_filling *fillings)
{
  gaps least = {INFINITY, INFINITY, INFINITY, 0.0};
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&scene->rig, parts);
  for (size_t i = 0; i < scene->specimen_count; ++i)
    for (size_t g = 0; g < scene->specimens[i].position_count && g < PLACES_COMPARED; ++g)
      for (size_t p = 0; p < part_count; ++p)
        if (parts[p].kind != SCR_PART_GRIP)
          find_gaps(&(encounter){scene, fillings, &parts[p], i, scene->specimens[i].positions[g], is_driven(scene, &parts[p])}, &least);
  return least;
}

/* The box around a specimen at the origin. */
static geo_box box_of(const scr_scene *scene, const bdem_filling *fillings, size_t specimen)
{
  scr_vec3 radius = vec3_scale(vec3(1, 1, 1), fillings[specimen].radius);
  if (!touches_by_faces(scene, fillings, specimen))
    return (geo_box){vec3_sub(fillings[specimen].box.low, radius), vec3_add(fillings[specimen].box.high, radius)};
  scr_vec3 half = scene_half_extents(scene, specimen);
  return (geo_box){vec3_scale(half, -1.0), half};
}

/* Least distance between grains, by their boxes. */
static double gap_between_grains(const scr_scene *scene, const bdem_filling *fillings)
{
  geo_box boxes[GRAINS_COMPARED];
  size_t count = 0;
  double gap = INFINITY;
  for (size_t i = 0; i < scene->specimen_count; ++i) {
    geo_box own = box_of(scene, fillings, i);
    for (size_t g = 0; g < scene->specimens[i].position_count && count < GRAINS_COMPARED; ++g) {
      scr_vec3 at = scene->specimens[i].positions[g];
      boxes[count++] = (geo_box){vec3_add(at, own.low), vec3_add(at, own.high)};
    }
  }
  for (size_t a = 0; a < count; ++a)
    for (size_t b = a + 1; b < count; ++b) gap = fmin(gap, box_gap(&boxes[a], &boxes[b]));
  return gap;
}

bdem_motion bdem_motion_of(const scr_scene *scene, const bdem_filling *fillings)
{
  bdem_motion m = {.radius = INFINITY};
  geo_box all = geo_box_empty();
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&scene->rig, parts);
  for (size_t i = 0; i < scene->specimen_count; ++i) {
    const scr_specimen *specimen = &scene->specimens[i];
    double spin = vec3_length(specimen->angular_velocity), reach = 0.5 * vec3_length(vec3_sub(fillings[i].box.high, fillings[i].box.low));
    m.fastest = fmax(m.fastest, fmax(vec3_length(specimen->velocity), spin * reach));
    m.spin = fmax(m.spin, spin);
    m.radius = fmin(m.radius, fillings[i].radius);
    m.widest = fmax(m.widest, fillings[i].radius);
    for (size_t g = 0; g < specimen->position_count; ++g) all = geo_box_join(all, box_at(&fillings[i], specimen->positions[g]));
  }
  m.box = all;
  m.height = vec3_length(vec3_sub(all.high, all.low));
  for (size_t p = 0; p < part_count; ++p) {
    bool grip = parts[p].kind == SCR_PART_GRIP;
    if (grip) m.grips = fmax(m.grips, scr_part_peak_speed(&parts[p], scene->time.duration, 0.5 * m.height));
    if (!grip && parts[p].program) m.rig = fmax(m.rig, scr_program_peak_velocity(parts[p].program, scene->time.duration));
  }
  gaps parted = gaps_to_parts(scene, fillings);
  double grains = gap_between_grains(scene, fillings);
  m.gap = fmax(0.0, fmin(fmin(parted.driven, parted.standing), grains));
  m.passable = fmax(0.0, fmin(parted.passable, grains));
  m.closing = fmax(0.0, parted.driven) + (isfinite(parted.standing) ? fmax(0.0, parted.standing) : 0.0);
  m.towards = parted.towards;
  return m;
}

double bdem_radii_per_step(const scr_scene *scene, const bdem_motion *m, double dt)
{
  double gravity = vec3_length(scene->rig.gravity), fall = fmin(gravity * scene->time.duration, sqrt(2.0 * gravity * m->height));
  return (m->fastest + fall) * dt / m->radius;
}
