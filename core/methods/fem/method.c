/* The method's table: what the rest of Scree calls. */
#include "methods/fem/fem.h"

#include "methods/fem/state/state.h"

static scr_status create(scr_sim *sim, scr_error *error)
{
  fem_state *s = NULL;
  scr_status status = fem_state_create(sim->scene, &sim->parts, &sim->ledger, sim->execution, &sim->liveness, &s, error);
  sim->state = s;
  SCR_TRY(status);
  sim->time_step = sim->scene->estimate.time_step;
  part_response response = {0};
  for (size_t k = 0; k < sim->scene->specimen_count; k++) {
    double density = fem_material_of(sim->scene, sim->scene->specimens[k].material)->density, speed = fem_wave_speed(sim->scene, k);
    response.impedance = response.impedance > density * speed ? response.impedance : density * speed;
    double stiffness = density * speed * speed / s->solver.settings.edge;
    response.stiffness = response.stiffness > stiffness ? response.stiffness : stiffness;
  }
  parts_tune(&sim->parts, sim->scene, response);
  SCR_TRY(fem_declare(sim, error));
  return fem_begin_stages(sim, error);
}

static void destroy(scr_sim *sim)
{
  fem_state_destroy(sim->state);
  sim->state = NULL;
}

const scr_method scr_method_fem = {
    .about = {.name = "fem",
              .title = "Finite elements: elastic bodies that are loaded, fly and land",
              .summary = "Elastic bodies of 8-node hexahedra in implicit steps of second order that add no damping of their own. Contacts "
                         "with the rig, obstacles "
                         "and between bodies are exact: no penetration, Coulomb friction.",
              .params = fem_params,
              .param_count = FEM_PARAMS,
              .options_size = sizeof(fem_options),
              .material = {fem_material_params, FEM_MATERIAL_PARAMS, sizeof(fem_material)},
              .surface = {fem_surface_params, FEM_SURFACE_PARAMS, sizeof(fem_surface_law)},
              .specimen = {fem_specimen_params, FEM_SPECIMEN_PARAMS, sizeof(fem_specimen)},
              .substitutes = fem_substitutes,
              .needs = fem_needs,
              .default_plot = {.x = "time", .y = "largest_displacement", .title = "Largest displacement", .scale = 1, .moving_average = 1},
              .curves = fem_curves,
              .curve_count = FEM_CURVES,
              .can = FEM_ABILITIES,
              .check = fem_check},
    .layout = 8,
    .may_fall = LEDGER_BIT(LEDGER_FRICTION), /* a step books it by mean velocities, and may give a little back */
    .create = create,
    .step = fem_advance,
    .observe = fem_observe,
    .energies = fem_energies,
    .draw = fem_draw,
    .save = fem_save,
    .load = fem_load,
    .destroy = destroy,
};
