/* What only this method can check of a scene, and its cost. Finds all problems; allocates nothing large before the memory limit is checked.
 * */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/fill/lattice.h"
#include "methods/bdem/bonds/strength.h"
#include "methods/bdem/contact/initial_overlap.h"
#include "methods/bdem/scene/check.h"
#include "scene/check/checker.h"
#include "scene/counts.h"
#include "sim/pieces/breaks.h"
#include "sim/pieces/fragments.h"
#include "sim/rig/start.h"
#include "sim/time_step.h"
#include "scene/shape/shape.h"

static const double bytes_per_sphere = 700, bytes_per_bond = 120;

typedef struct checker {
  scr_checker report;
  const scr_scene *scene;
  const bdem_options *options;
  bdem_filling *fillings;     /* [specimen_count] */
  bdem_calibrated *bonds;     /* [specimen_count] */
  bdem_substance *substances; /* [specimen_count] */
  start_cloud *clouds;        /* [specimen_count] centres of the fillings' spheres */
  double stable_step;         /* T, s */
} checker;

/* What a check may have to make one by one: random packings at about a second each with their virtual tests, lattices' virtual tests at a
 * fiftieth of that. Grains that are copies of one specimen share both. */
enum { RANDOM_LIMIT = 16, TEST_LIMIT = 400 };

static bool implicit(const checker *c)
{
  return c->options->integrator != BDEM_INTEGRATOR_EXPLICIT;
}

static void check_materials(checker *c)
{
  for (size_t m = 0; m < c->scene->material_count; ++m) {
    const bdem_material *material = bdem_material_of(c->scene, m);
    const char *name = c->scene->materials[m].name;
    if (c->options->strength == BDEM_STRENGTH_ENERGY_SCALED && c->options->breakable && isnan(material->fracture_energy))
      check_refuse(&c->report, check_at("/materials/%zu/fracture_energy", m), NAN, "a number > 0, in J/m^2",
                   "material '%s' has no fracture_energy, from which the option strength \"energy-scaled\" makes the strength of bonds: "
                   "give it, or set strength to \"given\"",
                   name);
    if (!isnan(material->bulk_modulus) || !isnan(material->young_modulus)) continue;
    check_refuse(&c->report, check_at("/materials/%zu/young_modulus", m), NAN, "a number > 0, in Pa",
                 "material '%s' has neither young_modulus nor bulk_modulus; method bdem needs one of them", name);
  }
}

/* A crack through yarns has no area that a fracture energy could be per: what breaks one is its own strength. */
static void check_yarn_strength(checker *c, const scr_specimen *specimen)
{
  if (c->options->strength != BDEM_STRENGTH_ENERGY_SCALED || !c->options->breakable || !bdem_is_weave(&specimen->shape)) return;
  check_refuse(&c->report, check_at("/options/strength"), NAN, "\"given\" for weaves",
               "specimen '%s' is a weave, and the option strength \"energy-scaled\" makes the strength of packings of bonds from the "
               "energy per area of a crack, which yarns do not have: set strength to \"given\", and give the yarns' tensile_strength",
               specimen->name);
}

static void check_yarn_pitch(checker *c, const scr_specimen *specimen, size_t index)
{
  char allowed[64];
  double yarn = bdem_specimen_of(specimen)->spacing, least = 2.5 * yarn;
  if (!bdem_is_weave(&specimen->shape) || specimen->shape.pitch >= least) return;
  snprintf(allowed, sizeof allowed, "a number >= %.6g, in m", least);
  check_refuse(&c->report, check_at("/specimens/%zu/shape/pitch", index), specimen->shape.pitch, allowed,
               "yarns of diameter %.6g m (the spacing) every %.6g m would overlap where they cross: give a pitch of at least %.6g m, or a "
               "smaller spacing",
               yarn, specimen->shape.pitch, least);
}

/* A yarn has no packing that could turn a bulk modulus into the bonds'. */
static void check_yarns(checker *c)
{
  for (size_t i = 0; i < c->scene->specimen_count; ++i) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    const bdem_material *material = bdem_material_of(c->scene, specimen->material);
    check_yarn_strength(c, specimen);
    check_yarn_pitch(c, specimen, i);
    if (!bdem_is_weave(&specimen->shape) || !isnan(material->young_modulus) || isnan(material->bulk_modulus)) continue;
    check_refuse(&c->report, check_at("/materials/%zu/young_modulus", (size_t)specimen->material), NAN, "a number > 0, in Pa",
                 "material '%s' has no young_modulus, which gives the yarns of specimen '%s' their stiffness: give it",
                 c->scene->materials[specimen->material].name, specimen->name);
  }
}

/* A short text can name thousands of specimens, each with a packing and a virtual test of its own: hours of checking. */
static void check_count(checker *c)
{
  size_t packed = 0, tested = 0;
  for (size_t i = 0; i < c->scene->specimen_count; ++i) {
    if (bdem_is_weave(&c->scene->specimens[i].shape)) continue;
    packed += bdem_specimen_of(&c->scene->specimens[i])->packing == BDEM_PACKING_RANDOM_CLOSE;
    tested += c->options->constants_of == BDEM_CONSTANTS_OF_BODY;
  }
  if (packed > RANDOM_LIMIT)
    check_refuse(&c->report, check_at("/specimens"), (double)packed, "at most 16 random packings",
                 "%zu specimens have packings of their own of kind random_close; at most %d may, since each takes about a second to make: "
                 "place copies of one by its placement, or use hexagonal_close or body_centred",
                 packed, RANDOM_LIMIT);
  if (tested > TEST_LIMIT) {
    check_refuse(&c->report, check_at("/specimens"), (double)tested, "at most 400 specimens with constants_of: body",
                 "%zu specimens need a virtual tension test each; at most %d are made: place copies of one by its placement, or set the "
                 "option constants_of to \"bonds\"",
                 tested, TEST_LIMIT);
  }
}

/* Memory by the lattice blocks, before anything is built. @return whether building may go on */
static bool check_memory(checker *c, scr_estimate *estimate)
{
  double bytes = 0;
  for (size_t i = 0; i < c->scene->specimen_count; ++i) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    double spheres = bdem_filling_expected(specimen), grains = (double)specimen->position_count;
    const scr_shape_form *form = shape_entry(specimen->shape.kind);
    bool whole = !form->curved && !form->notched; /* filled from end to end */
    bytes += spheres * 160 + grains * spheres * (whole ? 1.0 : 0.5) * (bytes_per_sphere + 6 * bytes_per_bond);
  }
  estimate->memory_bytes = bytes;
  return check_fits_memory(&c->report, bytes, "use a larger spacing or fewer grains");
}

/* A grain must be one piece; a sphere alone is one. */
static scr_status check_filling(checker *c, size_t i)
{
  const bdem_filling *filling = &c->fillings[i];
  const scr_specimen *specimen = &c->scene->specimens[i];
  uint32_t *piece = mem_array(filling->sphere_count, sizeof *piece);
  if (!piece) return SCR_NO_MEMORY;
  size_t pieces = bdem_pieces(filling->sphere_count, (const uint32_t(*)[2])filling->pairs, filling->pair_count, piece);
  mem_free(piece);
  if (pieces == filling->piece_count) return SCR_OK;
  double spacing = bdem_specimen_of(specimen)->spacing;
  static const char one[] = "a spacing at which the grain is one piece, in m";
  check_place place = check_at("/specimens/%zu/spacing", i);
  if (pieces == 0)
    check_refuse(&c->report, place, spacing, one, "specimen '%s' holds no sphere of diameter %.4g m: use a smaller spacing", specimen->name,
                 spacing);
  else
    check_refuse(&c->report, place, spacing, one, "specimen '%s' falls into %zu pieces that no bond joins: use a smaller spacing",
                 specimen->name, pieces);
  return SCR_OK;
}

/* Whether bonds of a specimen have a strength. */
static bool may_break(const checker *c, size_t i)
{
  const bdem_material *material = bdem_material_of(c->scene, c->scene->specimens[i].material);
  bool given = !isnan(material->tensile_strength) || !isnan(material->shear_strength);
  bool packed = bdem_is_packed(&c->fillings[i], &c->scene->specimens[i]);
  return c->options->breakable && (given || bdem_strength_is_generated(c->options, material, packed));
}

static scr_status fill(checker *c, scr_estimate *estimate)
{
  for (size_t i = 0; i < c->scene->specimen_count; ++i) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    scr_error error;
    SCR_TRY(bdem_specimen_fill(c->scene, i, &c->fillings[i], &error));
    SCR_TRY(check_filling(c, i));
    bool lattice = bdem_specimen_of(specimen)->packing != BDEM_PACKING_RANDOM_CLOSE; /* whose strengths take no time */
    scr_status tested = bdem_specimen_bonds(c->scene, i, &c->fillings[i], lattice, &c->bonds[i], &error);
    if (tested == SCR_DIVERGED) {
      check_refuse(&c->report, check_at("/options/constants_of"), NAN, "\"bonds\" for this packing and material",
                   "specimen '%s': %s; give the bonds' constants and the option constants_of: bonds", specimen->name, error.message);
      continue;
    }
    SCR_TRY(tested);
    bdem_faces faces = {0};
    scr_status looked =
        c->options->contact_surface == BDEM_SURFACE_FACES ? bdem_faces_find(&c->fillings[i], specimen, &faces, &error) : SCR_OK;
    c->substances[i] = bdem_substance_make(c->scene, specimen, &c->fillings[i], &c->bonds[i], &faces);
    bdem_faces_clear(&faces);
    SCR_TRY(looked);
    c->stable_step = fmin(c->stable_step, c->substances[i].step_bound);
    estimate->node_count += c->fillings[i].sphere_count * specimen->position_count;
    *scr_count_in(estimate, "spheres", "Spheres") = estimate->node_count;
    *scr_count_in(estimate, "bonds", "Bonds") += c->fillings[i].pair_count * specimen->position_count;
    if (may_break(c, i)) breaks_estimate(estimate, c->fillings[i].pair_count * specimen->position_count);
  }
  return SCR_OK;
}

/* By how much a sphere of a specimen may overlap something at the start: a hundredth of its radius, and what a packed one may stick out. */
static double allowed_overlap(const checker *c, size_t i)
{
  bool packed = bdem_is_packed(&c->fillings[i], &c->scene->specimens[i]);
  return (0.01 + (packed ? BDEM_PROTRUSION : 0.0)) * c->fillings[i].radius;
}

/* Spheres that reach further into a part of the rig. */
static void check_rig_contact(checker *c)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&c->scene->rig, parts);
  for (size_t p = 0; p < part_count; ++p)
    if (parts[p].kind == SCR_PART_GRIP && start_count_held(c->scene, c->clouds, &parts[p]) == 0)
      (void)start_refuse_empty_grip(&parts[p], "sphere", c->report.problems); /* lost for want of memory: marked */
  for (size_t i = 0; i < c->scene->specimen_count; ++i) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    const bdem_filling *filling = &c->fillings[i];
    for (size_t p = 0; p < part_count; ++p) {
      double worst = 0.0;
      for (size_t g = 0; g < specimen->position_count; ++g)
        for (size_t k = 0; k < filling->sphere_count; ++k) {
          scr_vec3 at = vec3_add(specimen->positions[g], filling->centre[k]);
          if (scr_part_is_far(&parts[p], parts[p].start, at, filling->radius)) continue;
          worst = fmax(worst, filling->radius - scr_part_distance_at(&parts[p], parts[p].start, at).distance);
        }
      if (worst <= allowed_overlap(c, i)) continue;
      check_refuse(&c->report, check_at("/specimens/%zu/placement", i), NAN, "positions at which every sphere is outside of the rig",
                   "spheres of specimen '%s' reach %.4g m into %s at the start: move the specimen, or give the rig more room",
                   specimen->name, worst, parts[p].label);
    }
  }
}

/* Whether centres of spheres of a lie inside the other body's shape: it is not only that spheres stick out. */
static bool lies_inside(const checker *c, const start_body *a, const start_body *b)
{
  const bdem_filling *filling = &c->fillings[b->specimen];
  return bdem_is_packed(filling, &c->scene->specimens[b->specimen]) && start_depth(c->scene, c->clouds, a, b, filling->radius) > 0;
}

static void report_overlap(checker *c, const start_body *a, const start_body *b, double gap)
{
  check_refuse(&c->report, check_at("/specimens/%zu/placement", b->specimen), NAN, "grains whose spheres do not overlap",
               "grain %zu of specimen '%s' and grain %zu of '%s' have spheres whose centres are only %.4g m apart at the start; they must "
               "be %.4g m apart: move the grains, or set the option allow_initial_contact",
               b->number, c->scene->specimens[b->specimen].name, a->number, c->scene->specimens[a->specimen].name, gap,
               c->fillings[a->specimen].radius + c->fillings[b->specimen].radius);
}

/* Overlaps that are asked for push from the start. */
static void warn_of_push(checker *c, const start_body *a, const start_body *b, double overlap)
{
  const bdem_substance *of_a = &c->substances[a->specimen], *of_b = &c->substances[b->specimen];
  double push = bdem_contact_stiffness(c->options, of_a, of_b) * overlap;
  double bears =
      fmin(of_a->section.tensile_strength / of_a->section.area_inverse, of_b->section.tensile_strength / of_b->section.area_inverse);
  if (!(push > 0.01 * bears)) return;
  check_warn(
      &c->report, check_at("/specimens/%zu/placement", b->specimen), overlap,
      "an overlap that pushes by less than a hundredth of what breaks a bond, in m",
      "grain %zu of specimen '%s' and grain %zu of '%s' overlap by %.3g m at the start and push each other by up to %.3g N, %.3g times "
      "what breaks a bond: move the grains apart",
      b->number, c->scene->specimens[b->specimen].name, a->number, c->scene->specimens[a->specimen].name, overlap, push, push / bears);
}

static bool judge_pair(void *check, const start_body *a, const start_body *b)
{
  checker *c = check;
  double radii = c->fillings[a->specimen].radius + c->fillings[b->specimen].radius;
  double gap = start_gap(c->clouds, a, b, radii), overlap = radii - gap;
  if (c->options->allow_initial_contact) {
    warn_of_push(c, a, b, overlap);
    return overlap > 0;
  }
  if (!(overlap > allowed_overlap(c, a->specimen) + allowed_overlap(c, b->specimen)) &&
      !(overlap > 0.01 * radii && (lies_inside(c, a, b) || lies_inside(c, b, a))))
    return false;
  report_overlap(c, a, b, gap);
  return true;
}

/* Centres of spheres as clouds of points. */
static void list_clouds(checker *c)
{
  for (size_t i = 0; i < c->scene->specimen_count; ++i) {
    const bdem_filling *filling = &c->fillings[i];
    const scr_vec3 *first = filling->centre;
    c->clouds[i] = first ? (start_cloud){filling->sphere_count, &first->x, &first->y, &first->z, 3, filling->box} : (start_cloud){0};
  }
}

static scr_status check_overlap(checker *c)
{
  double widest = 0.0;
  for (size_t i = 0; i < c->scene->specimen_count; ++i) widest = fmax(widest, 2.0 * c->fillings[i].radius);
  return start_judge_pairs(c->scene, c->clouds, widest, judge_pair, c);
}

static void check_step_length(checker *c, const scr_estimate *estimate)
{
  double dt = estimate->time_step, T = c->stable_step;
  if (!implicit(c) && dt > T && !c->options->allow_unstable_step)
    check_refuse(&c->report, check_at("/time/time_step"), dt, "a stable step, in s",
                 "time step %.4g s is above the stable bound T of %.4g s: use at most %.4g s, null to have it chosen, or the integrator "
                 "implicit-euler",
                 dt, T, 0.9 * T);
}

/* Largest distance of a sphere that a part holds from the part's axis, m. */
static double reach_of(const checker *c, const scr_part *part)
{
  double reach = 0.0;
  for (size_t i = 0; i < c->scene->specimen_count; ++i)
    for (size_t g = 0; g < c->scene->specimens[i].position_count; ++g)
      for (size_t k = 0; k < c->fillings[i].sphere_count; ++k) {
        scr_vec3 at = vec3_add(c->scene->specimens[i].positions[g], c->fillings[i].centre[k]);
        if (scr_part_holds(part, at)) reach = fmax(reach, vec3_length(vec3_cross(part->axis, vec3_sub(at, part->start))));
      }
  return reach;
}

/* The same for a grip that turns, of the sphere farthest from its axis. */
static void check_turn_speed(checker *c, const scr_part *part, double step, double allowed)
{
  double spin = scr_program_peak_velocity(part->turn, c->scene->time.duration), travel = spin * reach_of(c, part) * step;
  if (travel <= allowed) return;
  check_refuse(&c->report, check_at("/rig/turn"), spin, "a slower turn, in rad/s",
               "%.47s turns spheres by %.3g m in one step of %.3g s; at most %.3g m is allowed: use at most %.4g rad/s", part->label,
               travel, step, allowed, spin * allowed / travel);
}

/* The rig's parts may not jump past spheres. What pushes may go at any speed that explicit steps can follow, since large ones are cut where
 * they meet something; what a grip holds it drags along in one go. */
static void check_rig_speed(checker *c, const scr_estimate *estimate)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&c->scene->rig, parts);
  double radius = INFINITY, small = implicit(c) ? c->scene->time.safety_factor * c->stable_step : estimate->time_step;
  for (size_t i = 0; i < c->scene->specimen_count; ++i) radius = fmin(radius, c->fillings[i].radius);
  for (size_t p = 0; p < part_count; ++p) {
    bool grip = parts[p].kind == SCR_PART_GRIP;
    double share = grip && !implicit(c) ? 0.1 : 0.5, step = grip ? estimate->time_step : small;
    /* nothing gets to the other side of a plane, and no ball or rod that turns about itself goes anywhere */
    double speed = scr_part_peak_speed(&parts[p], c->scene->time.duration, parts[p].pivots ? INFINITY : 0);
    if (parts[p].turn && grip) check_turn_speed(c, &parts[p], estimate->time_step, share * radius);
    if (speed * step <= share * radius) continue;
    check_refuse(&c->report, check_at("%s", parts[p].program_pointer), speed, "a slower part, in m/s",
                 "%s moves %.3g m in one %sstep of %.3g s; at most %.3g m, %g of a sphere's radius, is allowed: use at most %.4g m/s",
                 parts[p].label, speed * step, grip ? "" : "explicit ", step, share * radius, share, share * radius / step);
  }
}

/* A step that is long against the period of contacts would leave a free part where it was while they push it. */
static void check_free_parts(checker *c)
{
  scr_part parts[SCR_PART_LIMIT];
  for (size_t p = 0, count = scr_rig_parts(&c->scene->rig, parts); p < count; ++p)
    if (parts[p].is_free && implicit(c))
      check_refuse(&c->report, check_at("%s", parts[p].program_pointer), NAN, "integrator \"explicit\", or no `free`",
                   "implicit steps solve for the spheres alone and are too long for a part that moves freely, which would bounce on the "
                   "contacts' springs: use integrator \"explicit\", or let a program move the part");
}

/* The device has the forces of explicit steps alone; a matrix of implicit ones is the processor's. */
static void check_device(checker *c)
{
  const char *device = c->scene->run.device;
  if (!implicit(c) || strcmp(device, RUN_ON_PROCESSOR) == 0 || strcmp(device, RUN_ON_ANY) == 0) return;
  check_refuse_words(&c->report, check_at("/run/device"), device, "cpu, or the integrator explicit",
                     "implicit steps of method bdem are made on the processor: leave run.device out, or use integrator \"explicit\"");
}

static void choose_step(checker *c, scr_estimate *estimate)
{
  const scr_scene *scene = c->scene;
  const sim_bound bound = {c->stable_step * (implicit(c) ? c->options->step_ratio : scene->time.safety_factor),
                           implicit(c) ? "step_ratio" : "bond"};
  sim_choose_step(scene, &bound, 1, 1, estimate);
  check_step_length(c, estimate);
  check_rig_speed(c, estimate);
  (void)parts_check_servos(scene, estimate->time_step, bdem_part_response(scene, c->substances),
                           c->report.problems); /* lost for want of memory: marked */
  (void)parts_check_free(scene, estimate->time_step, bdem_part_response(scene, c->substances), c->report.problems);
  check_free_parts(c);
  if (check_is_clean(&c->report)) bdem_warn(&c->report, c->fillings, c->bonds, c->stable_step, estimate->time_step);
}

scr_status bdem_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  checker c = {.report = check_begin(scene, problems), .scene = scene, .options = scene->options, .stable_step = INFINITY};
  check_materials(&c);
  check_device(&c);
  check_yarns(&c);
  check_count(&c);
  if (!check_memory(&c, estimate) || !check_is_clean(&c.report)) return SCR_OK;
  c.fillings = mem_array(scene->specimen_count, sizeof *c.fillings);
  c.bonds = mem_array(scene->specimen_count, sizeof *c.bonds);
  c.substances = mem_array(scene->specimen_count, sizeof *c.substances);
  c.clouds = mem_array(scene->specimen_count, sizeof *c.clouds);
  scr_status status = c.fillings && c.bonds && c.substances && c.clouds ? fill(&c, estimate) : SCR_NO_MEMORY;
  if (status == SCR_OK) list_clouds(&c);
  if (status == SCR_OK) check_rig_contact(&c);
  if (status == SCR_OK) status = check_overlap(&c);
  if (status == SCR_OK) {
    if (check_is_clean(&c.report)) c.stable_step = bdem_stable_step(scene, c.substances);
    choose_step(&c, estimate);
    fragments_estimate(estimate);
    bdem_estimate_run(scene, c.fillings, c.stable_step, estimate);
  }
  for (size_t i = 0; c.fillings && i < scene->specimen_count; ++i) bdem_filling_clear(&c.fillings[i]);
  mem_free(c.fillings);
  mem_free(c.bonds);
  mem_free(c.substances);
  mem_free(c.clouds);
  return status == SCR_BAD_USAGE ? SCR_OK : status;
}
