/* The method's table: what the rest of Scree calls. */
#include "base/memory.h"
#include "methods/granular/granular.h"
#include "methods/granular/bodies/shapes.h"
#include "methods/granular/step/stages.h"
#include "methods/granular/view/view.h"
#include "methods/granular/wet/fluid.h"

static scr_status create(scr_sim *sim, scr_error *error)
{
  granular_state *s = sim->state = mem_array(1, sizeof *s);
  sim_energies held = {0};
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  sim->time_step = sim->scene->estimate.time_step;
  SCR_TRY(granular_state_begin(s, sim->scene, &sim->ledger, error));
  SCR_TRY(granular_shapes_create(&sim->parts, s->d == 2, &s->shapes, error));
  SCR_TRY(wet_create(s, &s->fluid, error));
  SCR_TRY(granular_declare(sim, error));
  granular_energies(sim, &held);
  ledger_begin(s->ledger, &sim->parts, held.kinetic);
  s->ledger->least = granular_cell_fall(s);
  return SCR_OK;
}

static void destroy(scr_sim *sim)
{
  granular_state *s = sim->state;
  if (!s) return;
  wet_destroy(s->fluid);
  granular_state_clear(s);
  mem_free(s);
  sim->state = NULL;
}

const scr_method scr_method_granular = {
    .about =
        {.name = "granular",
         .title = "Sand as a continuum",
         .summary =
             "Sand that flies, flows and rests by one law: it does not compress, does not bear tension, and shears where friction "
             "allows. Material points on a sparse grid, in the plane or in space, with walls and driven parts; in the plane also under a "
             "fluid, with two velocities and one pressure. Steps follow the flow.",
         .params = granular_params,
         .param_count = GRANULAR_PARAMS,
         .options_size = sizeof(granular_options),
         .material = {granular_material_params, GRANULAR_MATERIAL_PARAMS, sizeof(granular_material)},
         .surface = {granular_surface_params, GRANULAR_SURFACE_PARAMS, sizeof(granular_surface)},
         .specimen = {granular_specimen_params, GRANULAR_SPECIMEN_PARAMS, sizeof(granular_specimen)},
         .can = {.shapes_as = SCR_SHAPES_THAT_FILL, .rigs = 1u << SCR_RIG_NONE | 1u << SCR_RIG_BOX},
         .substitutes = granular_substitutes,
         .needs = granular_needs,
         .clock = SCR_CLOCK_UNEVEN,
         .default_plot = {.x = "time", .y = "front", .title = "Front of the sand", .scale = 1, .moving_average = 1},
         .curves = granular_curves,
         .curve_count = GRANULAR_CURVES,
         .reports = granular_reports,
         .check = granular_check},
    .layout = 2,
    .may_fall = LEDGER_BIT(LEDGER_FRACTURE),
    .create = create,
    .step = granular_advance,
    .observe = granular_observe,
    .energies = granular_energies,
    .draw = granular_draw,
    .save = granular_save,
    .load = granular_load,
    .destroy = destroy,
};
