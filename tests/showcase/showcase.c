/* The method's table: what the rest of Scree calls; and the table of methods of programs that link this one beside those there are. */
#include "base/memory.h"
#include "methods/bdem/bdem.h"
#include "methods/fem/coarsening.h"
#include "methods/fem/fem.h"
#include "methods/fibre/fibre.h"
#include "methods/granular/granular.h"
#include "methods/lsdem/lsdem.h"
#include "methods/methods.h"
#include "methods/peridem/peridem.h"
#include "methods/rigid/rigid.h"
#include "tests/diffusion/diffusion.h"
#include "tests/showcase/state.h"

static scr_status create(scr_sim *sim, scr_error *error)
{
  showcase_state *s = sim->state = mem_array(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->scene = sim->scene;
  s->options = sim->scene->options;
  sim->time_step = sim->scene->estimate.time_step;
  s->ledger = &sim->ledger;
  SCR_TRY(showcase_place(s, &sim->parts, error));
  SCR_TRY(showcase_declare(sim, error));
  return scr_sim_enter_stage(sim, SHOWCASE_STAGE_PULL, error);
}

static void destroy(scr_sim *sim)
{
  showcase_state *s = sim->state;
  if (!s) return;
  fields_free(showcase_fields, SHOWCASE_FIELDS, s);
  mem_free(s->buffer);
  mem_free(s);
  sim->state = NULL;
}

const scr_method scr_method_showcase = {
    .about = {.name = "showcase",
              .title = "Showcase: everything a method can",
              .summary =
                  "Pendulums on threads that lose drops, a fan and a press. Made up to show, and to test, all that a method can use.",
              .params = showcase_params,
              .param_count = SHOWCASE_PARAMS,
              .options_size = sizeof(showcase_options),
              .material = {showcase_material_params, SHOWCASE_MATERIAL_PARAMS, sizeof(showcase_material)},
              .surface = {showcase_surface_params, SHOWCASE_SURFACE_PARAMS, sizeof(showcase_surface)},
              .specimen = {showcase_specimen_params, SHOWCASE_SPECIMEN_PARAMS, sizeof(showcase_specimen)},
              .clock = SCR_CLOCK_UNEVEN,
              .default_plot = {.x = "time", .y = "first_angle", .title = "Angle of the first bob", .scale = 1, .moving_average = 1},
              .curves = showcase_curves,
              .curve_count = SHOWCASE_CURVES,
              .check = showcase_check},
    .layout = 2,
    .create = create,
    .step = showcase_advance,
    .observe = showcase_observe,
    .energies = showcase_energies,
    .draw = showcase_draw,
    .save = showcase_save,
    .load = showcase_load,
    .destroy = destroy,
};

const scr_method *const scr_methods[] = {&scr_method_peridem,
                                         &scr_method_bdem,
                                         &scr_method_fem,
                                         &scr_method_lsdem,
                                         &scr_method_rigid,
                                         &scr_method_fibre,
                                         &scr_method_granular,
                                         &scr_method_coarsening,
                                         &scr_method_showcase,
                                         &scr_method_diffusion,
                                         NULL};
