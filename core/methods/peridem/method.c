/* The method's table: what the rest of Scree calls. */
#include "methods/peridem/peridem.h"

#include "methods/peridem/law/bounds.h"
#include "methods/peridem/law/material_params.h"
#include "methods/peridem/scene/check.h"
#include "methods/peridem/state/checkpoint.h"
#include "methods/peridem/step/quasi_static.h"
#include "methods/peridem/step/step.h"
#include "methods/peridem/view/observe.h"
#include "methods/peridem/view/tables.h"

static scr_status create(scr_sim *sim, scr_error *error)
{
  pd_state *s = NULL;
  scr_status status = pd_state_create(sim->scene, &sim->parts, &sim->ledger, sim->execution, &sim->liveness, &s, error);
  sim->state = s;
  if (status != SCR_OK) return status;
  SCR_TRY(breaks_declare(sim, &s->log, error));
  sim->time_step = s->time_step = sim->scene->estimate.time_step;
  SCR_TRY(pd_declare(sim, error));
  SCR_TRY(scr_sim_declare_peak_force(sim, error));
  SCR_TRY(scr_sim_declare_failures(sim, "broken_bonds", error));
  SCR_TRY(scr_sim_declare_headline(sim, "broken_bonds", "Broken bonds", HEADLINE_NEWEST, error));
  SCR_TRY(scr_sim_declare_kernel(sim, "bond forces", s->backend->kernel(s), error));
  if (s->backend->bits_of) scr_sim_kernel_matches(sim, s->backend->bits_of(s));
  parts_tune(&sim->parts, sim->scene, pd_part_response(sim->scene));
  return pd_start(s, error);
}

static scr_status step(scr_sim *sim, scr_error *error)
{
  const pd_options *options = sim->scene->options;
  bool static_load = options->loading == PD_QUASI_STATIC;
  SCR_TRY(static_load ? pd_load_step(sim, sim->time, sim->steps + 1, error) : pd_advance(sim->state, sim->time, sim->steps + 1, error));
  sim->steps++;
  sim->time = (double)sim->steps * sim->time_step;
  return SCR_OK;
}

static void energies(const scr_sim *sim, sim_energies *now)
{
  const pd_state *s = sim->state;
  s->backend->energies(s, now);
}

static void destroy(scr_sim *sim)
{
  pd_state_destroy(sim->state);
  sim->state = NULL;
}

static const scr_substitute cannot[] = {
    {"grip_turn", "grips of nodes can pull what they hold but not turn it: leave turn out, or use method bdem"},
    {0},
};

const scr_method scr_method_peridem = {
    .about =
        {.name = "peridem",
         .title = "PeriDEM: breakable grains by bond-based peridynamics",
         .summary =
             "Explicit dynamics of grains made of nodes that elastic bonds join; bonds break at a critical stretch, so cracks and "
             "fragments "
             "appear by themselves. Grains, fragments and walls interact by short-range repulsion, damping and friction between nodes.",
         .params = pd_params,
         .param_count = PD_PARAM_COUNT,
         .options_size = sizeof(pd_options),
         .material = {pd_material_params, PD_MATERIAL_PARAMS, sizeof(pd_material)},
         .surface = {pd_surface_params, PD_SURFACE_PARAMS, sizeof(pd_surface)},
         .specimen = {pd_specimen_params, PD_SPECIMEN_PARAMS, sizeof(pd_specimen)},
         .substitutes = pd_substitutes,
         .needs = pd_needs,
         .resolution = pd_resolution,
         .default_plot =
             {.x = "wall.z_max.displacement", .y = "wall.z_max.force_z", .title = "Force on the top wall", .scale = 1, .moving_average = 1},
         .curves = pd_curves,
         .curve_count = PD_CURVE_COUNT,
         .can = {.shapes_as = SCR_SHAPES_THAT_FILL, .lacks = SCR_LACKS_GRIP_TURN, .on_device = true, .on_ranks = true, .reasons = cannot},
         .check = pd_check},
    .layout = 8,
    .may_fall = LEDGER_BIT(LEDGER_FRACTURE), /* the last half step of a bond that broke is booked after it */
    .create = create,
    .step = step,
    .observe = pd_observe,
    .energies = energies,
    .draw = pd_draw,
    .tabulate = pd_tabulate,
    .save = pd_save,
    .load = pd_load,
    .destroy = destroy,
};
