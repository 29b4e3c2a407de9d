/* Coarsening as a method: its table of functions, its steps. */
#include <math.h>

#include "base/memory.h"
#include "methods/fem/coarsening.h"
#include "methods/fem/coarsen/task/task.h"
#include "methods/fem/state/state.h"

static void destroy(scr_sim *sim)
{
  coarsening_state *s = sim->state;
  if (!s) return;
  coarsening_end_motion(s);
  mem_free(s->snapshots);
  fem_model_clear(&s->fine);
  geo_hexes_surface_clear(&s->surface);
  mem_free(s->rows);
  for (int k = 0; k < 4; k++) mem_free(s->picture[k]);
  mem_free(s);
  sim->state = NULL;
}

static scr_status build(coarsening_state *s, scr_error *error)
{
  const scr_scene *scene = s->scene;
  s->chosen = SIZE_MAX;
  s->mode_count = (size_t)s->options->modes;
  SCR_TRY(fem_plan_make(s->options->meshes, &scene->specimens[0].shape, fem_specimen_of(scene, 0), &s->plan, error));
  SCR_TRY(fem_model_make(scene, fem_specimen_of(scene, 0), (fem_law)s->options->fem.law, (fem_formulation)s->options->fem.element, &s->fine,
                         error));
  SCR_TRY(geo_hexes_find_surface(&s->fine.placed, &s->surface, error));
  s->rows = mem_array(s->plan.count, sizeof *s->rows);
  bool memory = s->rows;
  for (int k = 0; k < 4; k++) {
    s->picture[k] = mem_array(s->surface.node_count, sizeof *s->picture[k]);
    memory = memory && s->picture[k];
  }
  return memory ? SCR_OK : scr_fail_memory(error, "a coarsening", s->surface.node_count * 4 * sizeof(double));
}

static scr_status create(scr_sim *sim, scr_error *error)
{
  coarsening_state *s = mem_array(1, sizeof *s);
  sim->state = s;
  if (!s) return scr_fail_memory(error, "a coarsening", sizeof *s);
  s->scene = sim->scene;
  s->options = sim->scene->options;
  sim->time_step = sim->scene->estimate.time_step;
  SCR_TRY(build(s, error));
  SCR_TRY(coarsening_begin_motion(s, sim->execution, error));
  return coarsening_declare(sim, error);
}

/* Steps before the fine mesh's modes are looked for. */
static uint64_t before(const coarsening_state *s)
{
  return (uint64_t)s->options->snapshots;
}

/* Step number `step`, from 1, but for its files. */
static scr_status work(scr_sim *sim, uint64_t step, scr_error *error)
{
  coarsening_state *s = sim->state;
  scr_status status = SCR_OK;
  uint64_t first = before(s);
  if (step <= first) {
    status = coarsening_take_snapshot(s, (size_t)step - 1, error);
    if (step == first) coarsening_end_motion(s);
  } else if (step == first + 1) {
    status = coarsening_find_modes(s, &sim->liveness, error);
  } else if (step < first + 2 + s->plan.count) {
    status = coarsening_try_mesh(s, (size_t)(step - first) - 2, &sim->liveness, error);
  } else if (step == first + 2 + s->plan.count) {
    coarsening_choose(s);
  }
  scr_report_alive(&sim->liveness);
  return status;
}

static scr_status step(scr_sim *sim, scr_error *error)
{
  coarsening_state *s = sim->state;
  uint64_t number = sim->steps + 1, first = before(s);
  if (s->motion) s->motion->liveness = sim->liveness;
  SCR_TRY(work(sim, number, error));
  sim->steps = number;
  sim->time = (double)number * sim->time_step;
  if (number > first) SCR_TRY(coarsening_tabulate(sim, (size_t)(number - first), error));
  if (number != first + 2 + s->plan.count) return SCR_OK;
  char caution[600];
  SCR_TRY(coarsening_write(sim, error));
  coarsening_caution(s, caution);
  bool chosen = s->chosen != SIZE_MAX;
  if (!chosen && !s->options->basis) return scr_fail(error, SCR_DIVERGED, NULL, "%s", caution);
  if (caution[0]) scr_sim_doubt(sim, chosen ? "other_modes" : "no_coarse_mesh", "%s", caution); /* the basis is there all the same */
  return SCR_OK;
}

/* What was found follows from the scene: it is found again. */
static scr_status save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return scr_blob_write_u64(blob, sim->steps, error);
}

static scr_status load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const coarsening_state *s = sim->state;
  uint64_t steps;
  SCR_TRY(scr_blob_read_u64(blob, &steps, error));
  if (steps != sim->steps || steps > coarsening_steps((size_t)before(s), s->plan.count, (size_t)s->options->modes))
    return scr_sim_damaged("steps", error);
  for (uint64_t k = 1; k <= steps; k++) SCR_TRY(work(sim, k, error));
  return SCR_OK;
}

const scr_method scr_method_coarsening = {
    .about =
        {.name = "coarsening",
         .title = "Coarsening: the modes of a mesh, and the coarsest mesh that has them",
         .summary =
             "The lowest modes of one elastic body of hexahedra, how well coarser meshes have them, and by how much the stiffness of the "
             "coarsest that does must be scaled to predict the motion of the fine one. Makes the coarse scene for the method fem, a "
             "report, and "
             "mode bases for deformable grains.",
         .scenes_of = "fem",
         .params = coarsening_params,
         .param_count = COARSENING_PARAMS,
         .options_size = sizeof(coarsening_options),
         .material = {fem_material_params, FEM_MATERIAL_PARAMS, sizeof(fem_material)},
         .surface = {fem_surface_params, FEM_SURFACE_PARAMS, sizeof(fem_surface_law)},
         .specimen = {fem_specimen_params, FEM_SPECIMEN_PARAMS, sizeof(fem_specimen)},
         .default_plot = {.x = "time", .y = "mesh.match", .title = "Match of the meshes tried", .scale = 1, .moving_average = 1},
         .curves = coarsening_curves,
         .curve_count = COARSENING_CURVES,
         .can = FEM_ABILITIES,
         .check = coarsening_check},
    .layout = 1,
    .create = create,
    .step = step,
    .observe = coarsening_observe,
    .draw = coarsening_draw,
    .save = save,
    .load = load,
    .destroy = destroy,
};
