/* How long a run takes, before it is made: what steps cost, and which share of the time large steps are done by explicit ones. */
#include "linalg/block6/preconditioner_choice.h"
#include "methods/bdem/contact/contact_list.h"
#include "methods/bdem/contact/sweep.h"
#include "methods/bdem/scene/check.h"
#include "methods/bdem/scene/expected_work.h"
#include "scene/counts.h"
#include "scene/part.h"
#include "scene/shape/shape.h"
#include "sim/cost.h"
#include "sim/view/contact_view.h"

enum { PLACES_LOOKED_AT = 20 }; /* of many copies the first ones */

/* Processor time of whole runs, curves included, on one core of an AMD EPYC with AVX-512 beside other work (random scenes of
 * tests/validation/sweep and tests/reports/bench/ESTIMATES.md). A sphere, its contacts included where half of a body is debris, and a bond
 * in an explicit step; either in a part of a large step, which takes some energies and a judgement; in a Newton iteration with a matrix
 * that there is; and where a matrix is made and factorised. Variational steps make theirs in every iteration. A candidate for contact has
 * its blocks in matrices, a share of a bond's work. A sphere near a part that is not flat meets it by the points of its face, apart or not,
 * some five times in a step or iteration. */
enum { STEP, SPHERE, BOND, TOUCH, PAIR, SEARCH, PART, NEWTON, MATRIX, MIDDLE, FACET, KERNELS };
static const sim_cost kernels[KERNELS] = {[STEP] = {"an explicit step", 2e-6},
                                          [SPHERE] = {"a sphere in an explicit step", 45e-9},
                                          [BOND] = {"a bond in an explicit step", 17.5e-9},
                                          [TOUCH] = {"a sphere near a flat part in an explicit step", 0.22e-6},
                                          [PAIR] = {"a candidate for contact in an explicit step", 40e-9},
                                          [SEARCH] = {"a sphere in a search for contacts", 0.4e-6},
                                          [PART] = {"a sphere or a bond in a part of a large step", 0.2e-6},
                                          [NEWTON] = {"a sphere or a bond in a Newton iteration", 0.08e-6},
                                          [MATRIX] = {"a sphere or a bond in a matrix made anew", 0.75e-6},
                                          [MIDDLE] = {"a sphere or a bond in an iteration of a variational step", 0.85e-6},
                                          [FACET] = {"a sphere that meets a part by points of its face, in a step or iteration", 3.7e-6}};
static const double candidate_share = 0.2, passes_of_part = 2; /* over its contacts, beside those of iterations */

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

/* Radii from a part within which spheres are listed that meet it by points of their faces; what those of a ball at a plane count, and those
 * at a trough, all of whose points are looked at since it is not convex. */
static const double listed_radii = 2.5, ball_at_plane = 0.16, face_at_trough = 2.5;

/* Spheres near the parts where they start. */
typedef struct neighbours {
  double flat;      /* of flat parts, which spheres and faces meet by their middle */
  double by_points; /* of others, by points of faces, those of a ball at a plane too; weighted by what they cost */
} neighbours;

/* What a sphere near a part counts as, of those it meets by points. */
static double points_weight(const scr_scene *scene, const scr_part *part, size_t specimen)
{
  if (((const bdem_options *)scene->options)->contact_surface != BDEM_SURFACE_FACES) return 0.0;
  if (part->kind == SCR_PART_CYLINDER) return 1.0;
  if (part->kind == SCR_PART_TROUGH) return face_at_trough;
  bool ball = part->kind == SCR_PART_PLANE && scr_shape_solid(&scene->specimens[specimen].shape).kind == GEO_SOLID_SPHERE;
  return ball ? ball_at_plane : 0.0;
}

static neighbours neighbours_of(const scr_scene *scene, const bdem_filling *fillings)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&scene->rig, parts);
  neighbours sum = {0};
  for (size_t p = 0; p < part_count; ++p) {
    for (size_t i = 0; i < scene->specimen_count; ++i) {
      double weight = points_weight(scene, &parts[p], i), reach = listed_radii * fillings[i].radius, near = 0.0;
      for (size_t g = 0; g < scene->specimens[i].position_count && g < PLACES_LOOKED_AT && parts[p].kind != SCR_PART_GRIP; ++g)
        for (size_t k = 0; k < fillings[i].sphere_count; ++k) {
          scr_vec3 at = vec3_add(scene->specimens[i].positions[g], fillings[i].centre[k]);
          if (!scr_part_is_far(&parts[p], parts[p].start, at, reach))
            near += scr_part_distance_at(&parts[p], parts[p].start, at).distance < reach;
        }
      *(weight > 0.0 ? &sum.by_points : &sum.flat) += weight > 0.0 ? weight * near : near;
    }
  }
  return sum;
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

/* Spheres of one grain that a search looks at: of a lattice that large steps don't break those that lack a neighbour, since the others are
 * enclosed until bonds stretch by a third (bdem_enclosing_bonds); else all. */
static double searched_spheres(const scr_scene *scene, const bdem_filling *filling, size_t specimen, bool debris, double smallest)
{
  int packing = bdem_specimen_of(&scene->specimens[specimen])->packing;
  uint32_t full = bdem_enclosing_bonds(packing, expected_stretch, filling->radius, smallest);
  if (debris || full == 0) return (double)filling->sphere_count;
  double open = 0.0;
  for (size_t i = 0; i < filling->sphere_count; ++i) open += filling->degree[i] < full;
  return open;
}

/* Contact candidates that a search finds at most, by how far things move in a step (contact_list.c): the spheres of a close packing within
 * the search's reach of one, less the twelve that are bonded to it or touch it, each pair once; of a surface's spheres those of two layers.
 * Never more than the share of all spheres that lies within the reach, were they spread evenly in the box around them. */
static double candidates_of(const scr_scene *scene, const bdem_filling *fillings, const bdem_motion *m, double dt, bool debris)
{
  const bdem_options *options = scene->options;
  const double packing = 0.7405, bonded = 12.0, layers = 2.0, sphere_area = 2.0 * sqrt(3.0); /* radii^2 that a sphere takes of a layer */
  double travel = bdem_radii_per_step(scene, m, dt) + m->rig * dt / m->radius, count = 0.0;
  travel = fmin(travel, bdem_longest_search());
  double skin = fmax(2.0 * options->contact_skin, travel <= 4.0 ? 4.0 * travel : 2.2 * travel), reach = 2.0 + skin;
  double all = 0.0;
  for (size_t i = 0; i < scene->specimen_count; ++i)
    all += (double)scene->specimens[i].position_count * searched_spheres(scene, &fillings[i], i, debris, m->radius);
  scr_vec3 size = vec3_add(vec3_sub(m->box.high, m->box.low), vec3_scale(vec3(1, 1, 1), 2.0 * m->radius));
  double within = 2.0 * reach * m->radius, share = fmin(1.0, within / size.x) * fmin(1.0, within / size.y) * fmin(1.0, within / size.z);
  for (size_t i = 0; i < scene->specimen_count; ++i) {
    double searched = searched_spheres(scene, &fillings[i], i, debris, m->radius), grains = (double)scene->specimens[i].position_count;
    double near = fmin(packing * reach * reach * reach, share * all);
    if (searched < (double)fillings[i].sphere_count) near = fmin(near, layers * pi * reach * reach / sphere_area);
    count += 0.5 * searched * grains * fmax(0.0, near - 1.0 - bonded);
  }
  return count;
}

/* Bytes. Runs that are done by explicit steps alone never make a matrix. */
static double memory_bytes(const scr_scene *scene, const scr_estimate *estimate, const bdem_work *work, double candidates,
                           double stable_step)
{
  double spheres = (double)estimate->node_count, bonds = (double)scr_count_of(estimate, "bonds");
  double bytes = spheres * sphere_bytes + bonds * bond_bytes;
  if (work->implicit_parts == 0.0) return bytes + candidates * pair_bytes;
  la_preconditioner_kind kind = preconditioner_of(scene, estimate, stable_step);
  return bytes + spheres * implicit_sphere_bytes + bonds * implicit_bond_bytes + candidates * (pair_bytes + pair_blocks_bytes) +
         preconditioner_bytes(kind, spheres, bonds + candidates);
}

void bdem_estimate_run(const scr_scene *scene, const bdem_filling *fillings, double stable_step, scr_estimate *estimate)
{
  bdem_motion m = bdem_motion_of(scene, fillings);
  bdem_work work = bdem_estimate_work(scene, fillings, stable_step, estimate);
  const bdem_options *options = scene->options;
  double spheres = (double)estimate->node_count, bonds = (double)scr_count_of(estimate, "bonds"), candidates = 0.0;
  if (work.listed_far) candidates = candidates_of(scene, fillings, &m, estimate->time_step, work.debris);
  estimate->memory_bytes = memory_bytes(scene, estimate, &work, candidates, stable_step);
  /* a list is made anew when something has gone half its skin, which is four large steps long: explicit ones go on with it till then */
  double kept = fmin(1.0, 2.0 * estimate->time_step / scene->time.duration);
  double joined = spheres + bonds + candidate_share * candidates;
  bool variational = options->integrator == BDEM_INTEGRATOR_VARIATIONAL;
  neighbours near = neighbours_of(scene, fillings);
  const double count[KERNELS] = {
      [STEP] = work.explicit_steps,
      [SPHERE] = work.explicit_steps * spheres,
      [BOND] = work.explicit_steps * bonds,
      [TOUCH] = work.explicit_steps * near.flat,
      [PAIR] = work.explicit_steps * candidates * kept,
      [SEARCH] = work.searches * spheres,
      [PART] = work.implicit_parts * (spheres + bonds),
      [NEWTON] = variational ? 0 : work.newton_iterations * joined,
      [MATRIX] = variational ? 0 : work.made_matrices * joined,
      [MIDDLE] = variational ? work.newton_iterations * joined : 0,
      [FACET] = (work.explicit_steps + work.newton_iterations + passes_of_part * work.implicit_parts) * near.by_points,
  };
  sim_cost_add(kernels, KERNELS, count, estimate);
  contact_view_estimate(false, options->contact_forces, spheres, estimate); /* one that presses for each sphere */
}
