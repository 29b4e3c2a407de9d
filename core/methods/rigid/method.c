/* The method's table: what the rest of Scree calls. */
#include "methods/rigid/rigid.h"

#include "methods/rigid/state/state.h"

static scr_status create(scr_sim *sim, scr_error *error)
{
  rigid_state *s = NULL;
  sim->time_step = sim->scene->estimate.time_step;
  scr_status status = rigid_state_create(sim->scene, &sim->parts, &sim->ledger, sim->time_step, &s, error);
  sim->state = s;
  SCR_TRY(status);
  SCR_TRY(rigid_declare(sim, error));
  return rigid_declare_drawables(sim, error);
}

static scr_status step(scr_sim *sim, scr_error *error)
{
  SCR_TRY(rigid_advance(sim, (double)(sim->steps + 1) * sim->time_step, error));
  sim->steps++;
  sim->time = (double)sim->steps * sim->time_step;
  return SCR_OK;
}

static void destroy(scr_sim *sim)
{
  rigid_state_destroy(sim->state);
  sim->state = NULL;
}

static const scr_substitute cannot[] = {
    {"grips", "grips hold pieces of a body that deforms, which rigid bodies are not: use walls, platens or obstacles"},
    {0},
};

const scr_method scr_method_rigid = {
    .about = {.name = "rigid",
              .title = "Rigid bodies with exact friction",
              .summary = "Balls, boxes, rods, polyhedra, compounds and meshes that neither deform nor overlap. Contacts have no springs "
                         "and friction is "
                         "Coulomb's without smoothing: what rests is exactly at rest, with steps of milliseconds.",
              .params = rigid_params,
              .param_count = RIGID_PARAMS,
              .options_size = sizeof(rigid_options),
              .material = {rigid_material_params, RIGID_MATERIAL_PARAMS, sizeof(rigid_material)},
              .surface = {rigid_surface_params, RIGID_SURFACE_PARAMS, sizeof(rigid_surface)},
              .specimen = {rigid_specimen_params, RIGID_SPECIMEN_PARAMS, sizeof(rigid_specimen)},
              .can = {.shapes_as = SCR_SHAPES_OF_PIECES, .rigs = (1u << SCR_RIG_COUNT) - 1 - (1u << SCR_RIG_GRIPS), .reasons = cannot},
              .substitutes = rigid_substitutes,
              .needs = rigid_needs,
              .default_plot = {.x = "time", .y = "energy.kinetic", .title = "Kinetic energy", .scale = 1, .moving_average = 1},
              .curves = rigid_curves,
              .curve_count = RIGID_CURVES,
              .check = rigid_check},
    .layout = 13,
    .create = create,
    .step = step,
    .observe = rigid_observe,
    .energies = rigid_energies,
    .draw = rigid_draw,
    .tabulate = rigid_tabulate,
    .save = rigid_save,
    .load = rigid_load,
    .destroy = destroy,
};
