/* What is refused, and what a coarsening costs. */
#include <math.h>
#include <stdio.h>

#include "geometry/basis/basis.h"
#include "methods/fem/coarsen/task/task.h"
#include "methods/fem/mesh/specimen.h"
#include "methods/fem/state/state.h"
#include "scene/check/checker.h"
#include "sim/cost.h"

static void check_body(const scr_checker *c)
{
  char given[32];
  size_t bodies = 0;
  for (size_t k = 0; k < c->scene->specimen_count; k++) bodies += c->scene->specimens[k].position_count;
  if (bodies == 1) return;
  snprintf(given, sizeof given, "%zu", bodies);
  check_refuse_words(c, check_at("/specimens"), given, "one specimen, placed once",
                     "a coarsening takes one body: give a scene with that body alone");
}

static void check_basis(const scr_checker *c, const coarsening_options *options)
{
  if (options->levels > 0 && isnan(options->amplitude))
    check_refuse(c, check_at("/options/amplitude"), NAN, "a number > 0, in m",
                 "the table of the mode basis has levels, but no amplitude to which they go: give the largest displacement, in m");
  if (options->snapshots > 0 && (options->levels > 0 || !options->basis))
    check_refuse(c, check_at("/options/snapshots"), NAN, "0, or with basis and without levels",
                 "snapshots are what a mode basis and its table are made of: ask for the basis, and leave levels at 0");
  if (options->snapshots == 0 && options->snapshot_modes != FEM_SNAPSHOTS_DECOMPOSED)
    check_refuse(c, check_at("/options/snapshot_modes"), NAN, "with snapshots alone",
                 "modes of snapshots are asked for, but no snapshots: say how many, or leave snapshot_modes out");
  if (2 * options->levels * options->modes <= GEO_BASIS_LEVEL_LIMIT) return;
  check_refuse(c, check_at("/options/levels"), NAN, "at most 1024 levels in all",
               "twice the levels times the modes is more than the 1024 levels that a mode basis has: ask for fewer of either");
}

/* Text of the files: a basis has some 20 bytes a number, a picture some 120 a face. */
static double file_bytes(const coarsening_options *options, double nodes, double hexes)
{
  double modes = (double)options->modes, faces = 6 * pow(hexes, 2.0 / 3) * 3;
  double basis = options->basis ? nodes * 3 * 24 * (1 + modes) + hexes * 64 + 2048.0 * 60 * (double)options->levels : 0;
  return 65536 + basis + modes * (2048 + 160 * faces);
}

/* 0.4, 2.3 and 12.4 s of 80, 220 and 550 MB (60x6x6, 60x10x10, 24^3 elements) for 10 modes, one thread. */
enum { START, FACTOR, KERNELS };
static const sim_cost kernels[KERNELS] = {
    [START] = {"the program's start, and modes of coarse meshes", 0.2},
    [FACTOR] = {"factors and products with them for a mode, by the power 1.8 of their memory over 550 MB", 1.24}};

scr_status coarsening_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  const coarsening_options *options = scene->options;
  scr_checker c = check_begin(scene, problems);
  fem_plan plan;
  scr_error error = {0};
  check_body(&c);
  check_basis(&c, options);
  SCR_TRY(fem_check_scene(&c, estimate));
  bool loaded = options->fem.loading == FEM_LOADING_STATIC; /* the scene is run until it has jumped, beside the modes */
  bool moves = options->snapshots > 0 || loaded;
  double kept = 2.0 * 24 * (double)options->snapshots * (double)estimate->node_count;
  if (!check_is_clean(&c)) return SCR_OK;
  if (fem_plan_make(options->meshes, &scene->specimens[0].shape, fem_specimen_of(scene, 0), &plan, &error) != SCR_OK) {
    check_refuse_words(&c, check_at("/options/meshes"), options->meshes, "divisions of a box, or spacings in m", "%s", error.message);
    return SCR_OK;
  }
  double modes = (double)options->modes + COARSENING_SPARE, nodes = (double)estimate->node_count;
  size_t steps = coarsening_steps((size_t)options->snapshots, plan.count, (size_t)options->modes);
  estimate->time_step = scene->time.duration / (double)steps;
  snprintf(estimate->time_step_rule, sizeof estimate->time_step_rule, "pieces of work");
  if (!moves) estimate->run_seconds = 0, estimate->cost_count = 0;
  sim_cost_add(kernels, KERNELS, (const double[KERNELS]){1, pow(estimate->memory_bytes / 5.5e8, 1.8) * modes}, estimate);
  estimate->memory_bytes = (moves ? 2 : 1) * estimate->memory_bytes + kept + nodes * 3 * 8 * (2 * (2 * modes + 22) + 4 * modes + 20);
  estimate->state_bytes = 65536;
  estimate->file_bytes = file_bytes(options, nodes, fem_divide(&scene->specimens[0].shape, fem_specimen_of(scene, 0)).hexes);
  estimate->step_rows = (uint64_t)(modes + (double)plan.count * (1 + modes));
  estimate->step_row_bytes = 8 * 9 * (double)estimate->step_rows;
  return SCR_OK;
}
