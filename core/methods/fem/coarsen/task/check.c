/* What is refused, and what a coarsening costs. */
#include <math.h>
#include <stdio.h>

#include "geometry/basis/basis.h"
#include "methods/fem/coarsen/task/task.h"
#include "methods/fem/specimen.h"
#include "methods/fem/state.h"

static void refuse(scr_problems *to, const char *pointer, const char *given, const char *allowed, const char *detail)
{
  (void)scr_problems_add(to, pointer, given, allowed, "%s", detail);
}

static void check_body(const scr_scene *scene, scr_problems *problems)
{
  char given[32];
  size_t bodies = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) bodies += scene->specimens[k].position_count;
  if (bodies == 1) return;
  snprintf(given, sizeof given, "%zu", bodies);
  refuse(problems, "/specimens", given, "one specimen, placed once", "a coarsening is of one body: give it a scene with that body alone");
}

static void check_basis(const coarsening_options *options, scr_problems *problems)
{
  if (options->levels > 0 && isnan(options->amplitude))
    refuse(problems, "/options/amplitude", "", "a number > 0, in m",
           "the table of the mode basis has levels, but no amplitude to which they go: give the largest displacement, in m");
  if (options->snapshots > 0 && (options->levels > 0 || !options->basis))
    refuse(problems, "/options/snapshots", "", "0, or with basis and without levels",
           "snapshots are what a mode basis is made of, and its table: ask for the basis, and leave levels at 0");
  if (options->snapshots == 0 && options->snapshot_modes != FEM_SNAPSHOTS_DECOMPOSED)
    refuse(problems, "/options/snapshot_modes", "", "with snapshots alone",
           "modes of snapshots are asked for, but no snapshots: say how many, or leave snapshot_modes out");
  if (2 * options->levels * options->modes <= GEO_BASIS_LEVEL_LIMIT) return;
  refuse(problems, "/options/levels", "", "at most 1024 levels in all",
         "twice the levels times the modes is more than the 1024 levels that a mode basis has: ask for fewer of either");
}

/* Text of the files: a basis has some 20 bytes a number, a picture some 120 a face. */
static double file_bytes(const coarsening_options *options, double nodes, double hexes)
{
  double modes = (double)options->modes, faces = 6 * pow(hexes, 2.0 / 3) * 3;
  double basis = options->basis ? nodes * 3 * 24 * (1 + modes) + hexes * 64 + 2048.0 * 60 * (double)options->levels : 0;
  return 65536 + basis + modes * (2048 + 160 * faces);
}

scr_status coarsening_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  const coarsening_options *options = scene->options;
  size_t before = problems->count;
  fem_plan plan;
  scr_error error = {0};
  check_body(scene, problems);
  check_basis(options, problems);
  SCR_TRY(fem_check(scene, estimate, problems));
  double motion = options->snapshots > 0 ? estimate->run_seconds : 0,
         kept = 2.0 * 24 * (double)options->snapshots * (double)estimate->node_count;
  if (problems->count > before) return SCR_OK;
  if (fem_plan_make(options->meshes, &scene->specimens[0].shape, fem_specimen_of(scene, 0), &plan, &error) != SCR_OK) {
    refuse(problems, "/options/meshes", options->meshes, "divisions of a box, or spacings in m", error.message);
    return SCR_OK;
  }
  double modes = (double)options->modes + COARSENING_SPARE, nodes = (double)estimate->node_count;
  size_t steps = coarsening_steps((size_t)options->snapshots, plan.count, (size_t)options->modes);
  estimate->time_step = scene->time.duration / (double)steps;
  snprintf(estimate->time_step_rule, sizeof estimate->time_step_rule, "pieces of work");
  /* Factors and products with them: 0.4, 2.3 and 12.4 s of 80, 220 and 550 MB (60x6x6, 60x10x10, 24^3 elements) for 10 modes, one thread; coarse meshes with them. */
  double work = 0.2 + 12.4 * pow(estimate->memory_bytes / 5.5e8, 1.8) * modes / 10;
  estimate->memory_bytes = (motion > 0 ? 2 : 1) * estimate->memory_bytes + kept + nodes * 3 * 8 * (2 * (2 * modes + 22) + 4 * modes + 20);
  estimate->state_bytes = 65536;
  estimate->file_bytes = file_bytes(options, nodes, fem_divide(&scene->specimens[0].shape, fem_specimen_of(scene, 0)).hexes);
  estimate->run_seconds = motion + work;
  estimate->step_rows = (uint64_t)(modes + (double)plan.count * (1 + modes));
  estimate->step_row_bytes = 8 * 9 * (double)estimate->step_rows;
  return SCR_OK;
}
