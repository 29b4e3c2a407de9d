/* How long a run takes, before it is made: what steps cost, and which share of the time large steps are done by explicit ones. */
#include "linalg/block6/preconditioner_choice.h"
#include "methods/bdem/bonds/strength.h"
#include "methods/bdem/contact/contact_list.h"
#include "methods/bdem/contact/sweep.h"
#include "methods/bdem/scene/check.h"
#include "scene/counts.h"
#include "scene/part.h"
#include "scene/shape/shape.h"
#include "sim/cost.h"
#include "sim/view/contact_view.h"

/* Processor time of whole runs, contact and curves included, on one core of a 2.5 GHz Xeon beside other work, which costs up to a third
 * (tests/reports/bench/ESTIMATES.md). A sphere and a bond in an explicit step, with the contacts of a body half of which is debris. Either
 * in a Newton iteration whose matrix is that of an earlier one; the step over T whose matrices, made anew as contacts stick and slip, cost
 * as much again, and how many times as much they cost at most; what they cost among pieces that turn. Variational steps make and factorise
 * theirs in every iteration. A sphere near a part that is not flat meets it by the points of its face, apart or not (random bends). */
enum { SPHERE, BOND, NEWTON, MATRIX, FACET, KERNELS };
static const sim_cost kernels[KERNELS] = {[SPHERE] = {"a sphere in an explicit step", 53e-9},
                                          [BOND] = {"a bond in an explicit step", 17.5e-9},
                                          [NEWTON] = {"a sphere or a bond in a Newton iteration", 0.125e-6},
                                          [MATRIX] = {"a sphere or a bond in a variational step's matrix", 1.05e-6},
                                          [FACET] = {"a sphere that meets a part by points of its face, in a step or iteration", 1.5e-6}};
static const double renewing_ratio = 180, renewing_most = 3, turning_renewal = 4.5;

/* Newton iterations of a step: of spheres that fly as one; of a body held by grips, and how much of that every radius of free motion adds;
 * of one that is pressed, over the root of the step over T, from some 12 T on less: over a power of it; of debris, over the root and at
 * most. */
static const double flying_newton = 2, held_newton = 6, held_growth = 1.6, root_newton = 3, pressed_newton = 5.5, pressed_power = 0.23,
                    debris_newton = 21;

/* Share of the time from the first touch on in which bonds break in a body that a slow rig loads, where its strength does not tell. */
static const double breaking_share = 0.5;
/* Strains at break over the length between what presses: of a split or crushed body, of which a part only bears the load; and what the
 * contacts with rollers add to a beam's deflection. */
static const double pressed_travel = 3.5, bent_travel = 1.2;
/* Share of the time after an impact in which pieces fly so calmly that large steps do them. */
static const double calm_share = 0.2;
/* Newton iterations in a step in which something breaks over those of a pressed body: all at once; worst first, where it is solved again.
 * */
static const double simultaneous_newton = 1.1, worst_first_newton = 2;
/* Share of the parts of staged breaking that are made: steps in which nothing breaks any more become longer again. */
static const double staged_share = 0.4;

/* Stretch of bonds that do not break, beyond which the search's estimate is too low. */
static const double expected_stretch = 1.1, pi = 3.14159265358979323846;

/* Bytes. A sphere and a bond of any run: the state (state.h), the bonds and their batches. In an implicit step a sphere has its vectors,
 * its diagonal block and its six unknowns, a bond its two blocks (288 B and 8 of pattern each) and 250 B to make them from. */
static const double sphere_bytes = 700, bond_bytes = 120, implicit_sphere_bytes = 1400, implicit_bond_bytes = 860;
/* A listed contact candidate is a pair, once in the list, once in its search and once as it was before, with its scratch (400); in an
 * implicit step it has two blocks as a bond does. */
static const double pair_bytes = 400, pair_blocks_bytes = 592;
/* What goes with the preconditioner, per row and per pair of blocks (bond or candidate): the incomplete factor has a block for each.
 * Multigrid has the rows of P (five blocks) and A P (eight), modes, factors and vectors, all that once more by a tenth on coarser levels,
 * and 16 bits for each entry of a pair's block. Block Jacobi has the diagonal only. */
static const double jacobi_row_bytes = 300, cholesky_row_bytes = 340, cholesky_pair_bytes = 330, multigrid_row_bytes = 6500,
                    multigrid_pair_bytes = 110;
/* The direct factor: the lower triangle once more (16 B an entry, 21 of a diagonal block), and the factor's blocks. Nested dissection
 * leaves some 8 n^(4/3) of them of n rows in space, and no more than 8 a row of chains; never more than the triangle has. */
static const double direct_row_bytes = 900, direct_pair_bytes = 576, block_bytes = 288, direct_fill = 8;

/* Radii from a part within which spheres are listed that meet it by points of their faces; what those of a ball at a plane count. */
static const double listed_radii = 3, ball_at_plane = 0.3;

/* How fast things are and how far they have to go before they meet, m, m/s; and before the rig presses them: `closing`, what moves up to
 * the body and the body up to what stands. */
typedef struct motion {
  double fastest, rig, gap, closing, height, radius;
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

static bool is_driven(const scr_scene *scene, const scr_part *part)
{
  return part->program && scr_program_peak_velocity(part->program, scene->time.duration) > 0.0;
}

/* Least distance of the specimens from the parts that push, those driven or those that stand; of many copies the first ones only. */
static double gap_to_parts(const scr_scene *scene, const bdem_filling *fillings, bool driven)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&scene->rig, parts);
  double gap = INFINITY;
  for (size_t i = 0; i < scene->specimen_count; ++i)
    for (size_t g = 0; g < scene->specimens[i].position_count && g < PLACES_COMPARED; ++g)
      for (size_t p = 0; p < part_count; ++p) {
        if (parts[p].kind == SCR_PART_GRIP || is_driven(scene, &parts[p]) != driven) continue;
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
  double driven = gap_to_parts(scene, fillings, true), standing = gap_to_parts(scene, fillings, false);
  m.gap = fmax(0.0, fmin(fmin(driven, standing), gap_between_grains(scene, fillings)));
  m.closing = fmax(0.0, driven) + (isfinite(standing) ? fmax(0.0, standing) : 0.0);
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
  if (m->fastest == 0.0 && gravity == 0.0) return fmax(0.0, 1.0 - m->closing / speed / duration);
  double touches = gravity > 0.0 ? (sqrt(speed * speed + 2.0 * gravity * m->gap) - speed) / gravity : m->gap / speed;
  return fmax(0.0, 1.0 - touches / duration);
}

/* Newton iterations of a step that presses on something, `ratio` T long. */
static double newton_pressed(double ratio)
{
  return fmin(root_newton * sqrt(ratio), pressed_newton * pow(ratio, pressed_power));
}

/* The same among calm debris. */
static double newton_flying(double ratio)
{
  return fmin(root_newton * sqrt(ratio), debris_newton);
}

/* The same, in which something breaks, by what the options say of it; `whole`: of a step in which nothing does. Staged: the step in vain,
 * and the parts it is done in. */
static double newton_breaking(const bdem_options *options, double ratio, double whole)
{
  if (options->breaking == BDEM_BREAKING_SIMULTANEOUS) return simultaneous_newton * whole;
  if (options->breaking == BDEM_BREAKING_WORST_FIRST) return worst_first_newton * whole;
  if (options->breaking == BDEM_BREAKING_EXPLICIT_BURSTS || ratio <= options->fracture_step_ratio) return whole;
  double parts = exp2(ceil(log2(ratio / options->fracture_step_ratio)));
  return whole + fmax(1.0, staged_share * parts) * newton_pressed(ratio / parts);
}

/* Length of way over strain at break: of a bent beam, of what grips pull, of what is pressed; m. */
static double travel_per_strain(const scr_rig *rig, const bdem_filling *body)
{
  double height = body->box.high.z - body->box.low.z + 2.0 * body->radius; /* the box is around the centres */
  if (rig->kind == SCR_RIG_THREE_POINT_BEND) return bent_travel * rig->span * rig->span / (6.0 * height);
  if (rig->kind == SCR_RIG_GRIPS) return isnan(rig->high_start) ? INFINITY : rig->high_start - rig->low_end;
  if (rig->kind == SCR_RIG_BRAZILIAN || rig->kind == SCR_RIG_PLATENS) return pressed_travel * rig->opening;
  return NAN;
}

enum { TIMES_LOOKED_AT = 400 };

/* Share of the time from the break on: of a body that the rig's one moving part loads slowly, until the weakest material's strain at break
 * is reached. NaN where the scene does not tell. */
static double share_broken(const scr_scene *scene, const bdem_filling *fillings, const motion *m)
{
  const bdem_options *options = scene->options;
  double strain = INFINITY, gap = isfinite(m->closing) ? m->closing : 0.0;
  bool made = false;
  for (size_t i = 0; i < scene->specimen_count; ++i) {
    const bdem_material *material = bdem_material_of(scene, scene->specimens[i].material);
    strain = fmin(strain, material->tensile_strength / material->young_modulus); /* fmin passes over what is not given */
    made = made || bdem_strength_is_generated(options, material, bdem_is_packed(&fillings[i], &scene->specimens[i]));
  }
  double travel = gap + strain * travel_per_strain(&scene->rig, &fillings[0]);
  if (made || !isfinite(travel) || scr_program_has_servo(&scene->rig.load)) return NAN;
  for (int k = 0; k <= TIMES_LOOKED_AT; ++k)
    if (fabs(scr_program_displacement(&scene->rig.load, scene->time.duration * k / TIMES_LOOKED_AT)) >= travel)
      return 1.0 - (double)k / TIMES_LOOKED_AT;
  return 0.0;
}

/* What a run is made of. */
typedef struct phases { /* shares of the time */
  double free;          /* nothing meets, or grips alone hold the body */
  double pressed;       /* slow loading */
  double breaking;      /* breaking under it, in large steps */
  double flying;        /* calm pieces after an impact */
  double bursting;      /* done by explicit steps */
} phases;

static phases phases_of(const scr_scene *scene, const bdem_filling *fillings, const motion *m, bool hit, bool breaks)
{
  const bdem_options *options = scene->options;
  double met = share_met(scene, m), broken = breaks ? share_broken(scene, fillings, m) : 0.0;
  if (isnan(broken)) broken = breaking_share * met;
  bool bursts = (hit ? (int)options->impacts == BDEM_IMPACTS_EXPLICIT_BURSTS : (int)options->breaking == BDEM_BREAKING_EXPLICIT_BURSTS);
  if (hit) {
    double calm = bursts ? calm_share * met : met;
    return (phases){.free = 1.0 - met, .flying = calm, .bursting = met - calm};
  }
  double pressed = fmax(0.0, met - broken);
  phases p = {.free = fmax(0.0, 1.0 - pressed - broken), .pressed = pressed};
  *(bursts ? &p.bursting : &p.breaking) = broken;
  return p;
}

bdem_work bdem_estimate_work(const scr_scene *scene, const bdem_filling *fillings, double stable_step, const scr_estimate *estimate)
{
  const bdem_options *options = scene->options;
  double steps = scene->time.duration / estimate->time_step;
  if (options->integrator == BDEM_INTEGRATOR_EXPLICIT) return (bdem_work){.explicit_steps = steps};
  motion m = motion_of(scene, fillings);
  bool hit = m.fastest > 0.0 || m.rig * stable_step > 1e-3 * m.radius || vec3_length(scene->rig.gravity) > 0.0;
  bool staged = options->breaking == BDEM_BREAKING_STAGED;
  double ratio = estimate->time_step / stable_step;
  phases p = phases_of(scene, fillings, &m, hit, estimate->step_rows > 0);
  if (ratio <= 1.0) /* steps as short as explicit ones are not done again by those */
    p = (phases){.free = p.free, .pressed = p.pressed + p.breaking + p.flying + p.bursting};
  double renewal = fmin(1.0 + ratio / renewing_ratio, renewing_most),
         growth = 1.0 + held_growth * radii_per_step(scene, &m, estimate->time_step);
  double breaking = newton_breaking(options, ratio, newton_pressed(ratio)), debris = newton_flying(ratio);
  double free = steps * p.free * (isfinite(m.gap) && m.fastest > 0.0 ? flying_newton : held_newton * growth);
  double pressed = steps * (p.pressed * newton_pressed(ratio) + p.breaking * breaking);
  double flying = steps * p.flying * (staged ? newton_breaking(options, ratio, debris) : debris);
  bdem_work work = {.explicit_steps = p.bursting * scene->time.duration / (scene->time.safety_factor * stable_step),
                    .newton_iterations = free + pressed + flying,
                    .renewed_newton = free + renewal * (pressed + turning_renewal * flying)};
  return work;
}

/* Spheres that meet parts by points of their faces: near parts that are not flat, and a ball's near all; of many copies the first ones. */
static double spheres_by_points(const scr_scene *scene, const bdem_filling *fillings)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&scene->rig, parts);
  double count = 0.0;
  if (((const bdem_options *)scene->options)->contact_surface != BDEM_SURFACE_FACES) return 0.0;
  for (size_t p = 0; p < part_count; ++p) {
    for (size_t i = 0; i < scene->specimen_count; ++i) {
      bool round = parts[p].kind == SCR_PART_CYLINDER || parts[p].kind == SCR_PART_TROUGH;
      bool ball = parts[p].kind == SCR_PART_PLANE && scr_shape_solid(&scene->specimens[i].shape).kind == GEO_SOLID_SPHERE;
      double share = round ? 1.0 : ball ? ball_at_plane : 0.0;
      for (size_t g = 0; g < scene->specimens[i].position_count && g < PLACES_COMPARED && share > 0.0; ++g)
        for (size_t k = 0; k < fillings[i].sphere_count; ++k) {
          scr_vec3 at = vec3_add(scene->specimens[i].positions[g], fillings[i].centre[k]);
          double reach = listed_radii * fillings[i].radius;
          if (!scr_part_is_far(&parts[p], parts[p].start, at, reach))
            count += scr_part_distance_at(&parts[p], parts[p].start, at).distance < reach ? share : 0.0;
        }
    }
  }
  return count;
}

/* Preconditioner of a body at its start. */
static la_preconditioner_kind preconditioner_of(const scr_scene *scene, const scr_estimate *estimate, double stable_step)
{
  const bdem_options *options = scene->options;
  if (options->preconditioner != LA_AUTOMATIC) return (la_preconditioner_kind)options->preconditioner;
  double n = (double)estimate->node_count;
  return la_preconditioner_choose((size_t)n, 2.0 * (double)scr_count_of(estimate, "bonds") / n, estimate->time_step / stable_step);
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

/* Spheres of one grain that a search looks at: of a lattice whose bonds can't break those that lack a neighbour, since the others are
 * enclosed until bonds stretch by a third (bdem_enclosing_bonds); else all. */
static double searched_spheres(const scr_scene *scene, const bdem_filling *filling, size_t specimen, bool breaks, double smallest)
{
  int packing = bdem_specimen_of(&scene->specimens[specimen])->packing;
  uint32_t full = bdem_enclosing_bonds(packing, expected_stretch, filling->radius, smallest);
  if (breaks || full == 0) return (double)filling->sphere_count;
  double open = 0.0;
  for (size_t i = 0; i < filling->sphere_count; ++i) open += filling->degree[i] < full;
  return open;
}

/* Contact candidates that a search finds at most, by how far things move in a step (contact_list.c): the spheres of a close packing within
 * the search's reach of one, less the twelve that are bonded to it or touch it, each pair once; of a surface's spheres those of two layers.
 * Within the box about a grain and its surroundings, for thin bodies. */
static double candidates_of(const scr_scene *scene, const bdem_filling *fillings, const motion *m, double all, double dt, bool breaks)
{
  const bdem_options *options = scene->options;
  const double packing = 0.7405, bonded = 12.0, layers = 2.0, sphere_area = 2.0 * sqrt(3.0); /* radii^2 that a sphere takes of a layer */
  double travel = radii_per_step(scene, m, dt) + m->rig * dt / m->radius, count = 0.0;
  travel = fmin(travel, bdem_longest_search());
  double skin = fmax(2.0 * options->contact_skin, travel <= 4.0 ? 4.0 * travel : 2.2 * travel), reach = 2.0 + skin;
  for (size_t i = 0; i < scene->specimen_count; ++i) {
    double searched = searched_spheres(scene, &fillings[i], i, breaks, m->radius), share = 1.0,
           grains = (double)scene->specimens[i].position_count;
    scr_vec3 size = vec3_sub(fillings[i].box.high, fillings[i].box.low);
    if (scene->specimens[i].position_count == 1 && scene->specimen_count == 1)
      share = fmin(1.0, 2.0 * reach * m->radius / (fmax(size.x, fmax(size.y, size.z)) + 2.0 * m->radius));
    double near = fmin(packing * reach * reach * reach, share * all);
    if (searched < (double)fillings[i].sphere_count) near = fmin(near, layers * pi * reach * reach / sphere_area);
    count += 0.5 * searched * grains * fmax(0.0, near - 1.0 - bonded);
  }
  return count;
}

static double memory_bytes(const scr_scene *scene, const bdem_filling *fillings, const scr_estimate *estimate, const motion *m,
                           double stable_step)
{
  double spheres = (double)estimate->node_count, bonds = (double)scr_count_of(estimate, "bonds");
  double bytes = spheres * sphere_bytes + bonds * bond_bytes;
  if (((const bdem_options *)scene->options)->integrator == BDEM_INTEGRATOR_EXPLICIT) return bytes;
  double candidates = candidates_of(scene, fillings, m, spheres, estimate->time_step, estimate->step_rows > 0);
  la_preconditioner_kind kind = preconditioner_of(scene, estimate, stable_step);
  return bytes + spheres * implicit_sphere_bytes + bonds * implicit_bond_bytes + candidates * (pair_bytes + pair_blocks_bytes) +
         preconditioner_bytes(kind, spheres, bonds + candidates);
}

void bdem_estimate_run(const scr_scene *scene, const bdem_filling *fillings, double stable_step, scr_estimate *estimate)
{
  motion m = motion_of(scene, fillings);
  estimate->memory_bytes = memory_bytes(scene, fillings, estimate, &m, stable_step);
  bdem_work work = bdem_estimate_work(scene, fillings, stable_step, estimate);
  const bdem_options *options = scene->options;
  double spheres = (double)estimate->node_count, bonds = (double)scr_count_of(estimate, "bonds");
  bool variational = options->integrator == BDEM_INTEGRATOR_VARIATIONAL;
  const double count[KERNELS] = {
      [SPHERE] = work.explicit_steps * spheres,
      [BOND] = work.explicit_steps * bonds,
      [NEWTON] = work.renewed_newton * (spheres + bonds),
      [MATRIX] = variational ? work.newton_iterations * (spheres + bonds) : 0,
      [FACET] = (work.explicit_steps + work.newton_iterations) * spheres_by_points(scene, fillings),
  };
  sim_cost_add(kernels, KERNELS, count, estimate);
  contact_view_estimate(false, options->contact_forces, spheres, estimate); /* one that presses for each sphere */
}
