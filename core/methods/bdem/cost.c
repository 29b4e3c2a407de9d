/* How long a run takes, before it is made: what steps cost, and which share of the time large steps are done by explicit ones. */
#include "linalg/block6/preconditioner_choice.h"
#include "methods/bdem/check.h"
#include "methods/bdem/contact/sweep.h"
#include "scene/part.h"

/* Whole runs of the gallery's scenes on one core of a 2.5 GHz Xeon, contact and curves included: the estimate is 0.5 to 1.6 times the
 * processor time of all of them, the less the busier the machine (tests/bench/REPORT.md). A sphere and a bond in an explicit step, with the
 * contacts of a body half of which is debris. Either in an implicit step of small motion, whose matrix and preconditioner are those of an
 * earlier step, so that it costs gradients and linear iterations only; and what every radius of free motion in a step adds to that: matrices
 * made anew and larger linear systems. */
static const double explicit_seconds_per_sphere = 79e-9, explicit_seconds_per_bond = 26e-9;
static const double implicit_seconds = 1.4e-6, implicit_growth = 1.6;

/* Share of the time from the first touch on in which bonds break in a body that a slow rig loads until it breaks. */
static const double breaking_share = 0.5;
/* Matrices are made anew in steps in which something breaks or touches: such a step costs so many of small motion. */
static const double eventful_steps = 3.0;

/* Bytes. A sphere and a bond of any run: the state (state.h), the bonds and their batches. In an implicit step a sphere has its vectors, its
 * diagonal block and its six unknowns, a bond its two blocks (288 B and 8 of pattern each) and 250 B to make them from. */
static const double sphere_bytes = 700, bond_bytes = 120, implicit_sphere_bytes = 1200, implicit_bond_bytes = 860;
/* A listed contact candidate is a pair, once in the list, once in its search and once as it was before, with its scratch (400); in an implicit
 * step it has two blocks as a bond does. */
static const double pair_bytes = 400, pair_blocks_bytes = 592;
/* What goes with the preconditioner, per row and per pair of blocks (bond or candidate): the incomplete factor has a block for each. Multigrid has
 * the rows of P (five blocks) and A P (eight), modes, factors and vectors, all that once more by a tenth on coarser levels, and 16 bits for
 * each entry of a pair's block. Block Jacobi has the diagonal only. */
static const double jacobi_row_bytes = 300, cholesky_row_bytes = 340, cholesky_pair_bytes = 330, multigrid_row_bytes = 6500,
                    multigrid_pair_bytes = 110;
/* The direct factor: the lower triangle once more (16 B an entry, 21 of a diagonal block), and the factor's blocks. Nested dissection leaves some
 * 8 n^(4/3) of them of n rows in space, and no more than 8 a row of chains; never more than the triangle has. */
static const double direct_row_bytes = 900, direct_pair_bytes = 576, block_bytes = 288, direct_fill = 8;

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

/* Preconditioner of a body at its start. */
static la_preconditioner_kind preconditioner_of(const scr_scene *scene, const scr_estimate *estimate, double stable_step)
{
  const bdem_options *options = scene->options;
  if (options->preconditioner != LA_AUTOMATIC) return (la_preconditioner_kind)options->preconditioner;
  double n = (double)estimate->node_count;
  return la_preconditioner_choose((size_t)n, 2.0 * (double)estimate->bond_count / n, estimate->time_step / stable_step);
}

static double preconditioner_bytes(la_preconditioner_kind kind, double rows, double pairs)
{
  double fill = pairs <= 1.1 * rows ? direct_fill * rows : fmin(direct_fill * pow(rows, 4.0 / 3.0), 0.5 * rows * (rows + 1));
  switch (kind) {
  case LA_BLOCK_JACOBI: return rows * jacobi_row_bytes;
  case LA_MULTIGRID: return rows * multigrid_row_bytes + pairs * multigrid_pair_bytes;
  case LA_DIRECT: return rows * direct_row_bytes + pairs * direct_pair_bytes + fill * block_bytes;
  case LA_BLOCK_CHOLESKY:
  case LA_AUTOMATIC: break;
  }
  return rows * cholesky_row_bytes + pairs * cholesky_pair_bytes;
}

/* Contact candidates that a search finds at most, by how far things move in a step (contact_list.c): the spheres of a close packing within the
 * search's reach of one, less the twelve that are bonded to it or touch it, each pair once. Within the box about a grain and its surroundings, for
 * thin bodies. */
static double candidates_of(const scr_scene *scene, const bdem_filling *fillings, const motion *m, double all, double dt)
{
  const bdem_options *options = scene->options;
  const double packing = 0.7405, bonded = 12.0;
  double way = radii_per_step(scene, m, dt) + m->rig * dt / m->radius, count = 0.0;
  way = fmin(way, bdem_longest_search());
  double skin = fmax(2.0 * options->contact_skin, way <= 4.0 ? 4.0 * way : 2.2 * way), reach = 2.0 + skin;
  for (size_t i = 0; i < scene->specimen_count; ++i) {
    double spheres = (double)fillings[i].sphere_count * (double)scene->specimens[i].position_count, share = 1.0;
    scr_vec3 size = vec3_sub(fillings[i].box.high, fillings[i].box.low);
    if (scene->specimens[i].position_count == 1 && scene->specimen_count == 1)
      share = fmin(1.0, 2.0 * reach * m->radius / (fmax(size.x, fmax(size.y, size.z)) + 2.0 * m->radius));
    double near = fmin(packing * reach * reach * reach, share * all);
    count += 0.5 * spheres * fmax(0.0, near - 1.0 - bonded);
  }
  return count;
}

static double memory_bytes(const scr_scene *scene, const bdem_filling *fillings, const scr_estimate *estimate, const motion *m,
                           double stable_step)
{
  double spheres = (double)estimate->node_count, bonds = (double)estimate->bond_count;
  double bytes = spheres * sphere_bytes + bonds * bond_bytes;
  if (((const bdem_options *)scene->options)->integrator == BDEM_INTEGRATOR_EXPLICIT) return bytes;
  double candidates = candidates_of(scene, fillings, m, spheres, estimate->time_step);
  la_preconditioner_kind kind = preconditioner_of(scene, estimate, stable_step);
  return bytes + spheres * implicit_sphere_bytes + bonds * implicit_bond_bytes + candidates * (pair_bytes + pair_blocks_bytes) +
         preconditioner_bytes(kind, spheres, bonds + candidates);
}

void bdem_price(const scr_scene *scene, const bdem_filling *fillings, double stable_step, scr_estimate *estimate)
{
  const bdem_options *options = scene->options;
  double spheres = (double)estimate->node_count, bonds = (double)estimate->bond_count, dt = estimate->time_step;
  motion m = motion_of(scene, fillings);
  estimate->memory_bytes = memory_bytes(scene, fillings, estimate, &m, stable_step);
  if (options->integrator == BDEM_INTEGRATOR_EXPLICIT) {
    estimate->run_seconds = scene->time.duration / dt * explicit_seconds(estimate);
    return;
  }
  bool hit = m.fastest > 0.0 || m.rig * stable_step > 1e-3 * m.radius || vec3_length(scene->rig.gravity) > 0.0;
  double met = share_met(scene, &m), eventful = hit ? met : estimate->step_rows > 0 ? breaking_share * met : 0.0;
  double step = (bonds + spheres) * implicit_seconds, growth = 1.0 + implicit_growth * radii_per_step(scene, &m, dt);
  estimate->run_seconds =
      scene->time.duration * ((1.0 - eventful) * step * growth / dt + eventful * eventful_seconds(scene, estimate, stable_step, hit, step));
}
