/* The method's table: what the rest of Scree calls. */
#include "methods/fibre/fibre.h"

#include "methods/fibre/step/step.h"
#include "methods/fibre/view/view.h"

/* Implicit steps stand any length, and swallow what they do not resolve. */
static void doubt_time_step(scr_sim *sim)
{
  const fibre_state *s = sim->state;
  double resolves = fibre_resolving_step(sim->scene);
  if (s->options->loading == FIBRE_STATIC || !(sim->time_step > 5 * resolves)) return;
  scr_sim_doubt(sim, "time_step",
                "the time step of %.3g s is %.2g times the %.3g s that resolve how fibres bend and fall: motion is stable but damped, by "
                "much more than in the material (see energy.numerical); use a smaller time_step, or order 2",
                sim->time_step, sim->time_step / resolves, resolves);
}

static scr_status create(scr_sim *sim, scr_error *error)
{
  fibre_state *s = NULL;
  sim->time_step = sim->scene->estimate.time_step;
  scr_status status = fibre_state_create(sim->scene, &sim->parts, &sim->ledger, &s, error);
  sim->state = s;
  SCR_TRY(status);
  part_response response = {0};
  for (size_t k = 0; k < sim->scene->specimen_count; k++) {
    const fibre_material *material = scr_scene_material(sim->scene, sim->scene->specimens[k].material);
    response.impedance = fmax(response.impedance, sqrt(material->density * material->young_modulus));
  }
  parts_tune(&sim->parts, sim->scene, response);
  doubt_time_step(sim);
  return fibre_declare(sim, error);
}

static scr_status step(scr_sim *sim, scr_error *error)
{
  double end = (double)(sim->steps + 1) * sim->time_step;
  SCR_TRY(fibre_advance(sim, end, error));
  sim->steps++;
  sim->time = end;
  return SCR_OK;
}

static void destroy(scr_sim *sim)
{
  fibre_state_destroy(sim->state);
  sim->state = NULL;
}

const scr_method scr_method_fibre = {
    .about = {.name = "fibre",
              .title = "Fibres: hair, yarns and rods that bend, twist, tangle and rub",
              .summary = "Discrete elastic rods with material frames: real stretching stiffness, bending about two axes, twist, natural "
                         "curvature and twist; or super-helices, exactly as long as they are, of a "
                         "few pieces of helices each. Fibres touch themselves, each "
                         "other, the rig and solids that move freely with exact Coulomb friction, and roll on each other. Implicit steps, "
                         "and equilibria.",
              .params = fibre_params,
              .param_count = FIBRE_PARAMS,
              .options_size = sizeof(fibre_options),
              .material = {fibre_material_params, FIBRE_MATERIAL_PARAMS, sizeof(fibre_material)},
              .surface = {fibre_surface_params, FIBRE_SURFACE_PARAMS, sizeof(fibre_surface)},
              .specimen = {fibre_specimen_params, FIBRE_SPECIMEN_PARAMS, sizeof(fibre_specimen)},
              .can = {.shapes = 1u << SCR_SHAPE_CYLINDER},
              .substitutes = fibre_substitutes,
              .needs = fibre_needs,
              .default_plot = {.x = "time", .y = "end.z", .title = "Last node", .scale = 1, .moving_average = 1},
              .curves = fibre_curves,
              .curve_count = FIBRE_CURVES,
              .check = fibre_check},
    .layout = 4,
    .create = create,
    .step = step,
    .observe = fibre_observe,
    .energies = fibre_energies_of,
    .draw = fibre_draw,
    .save = fibre_save,
    .load = fibre_load,
    .destroy = destroy,
};
