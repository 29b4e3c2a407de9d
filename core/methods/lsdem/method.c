/* The method's table: what the rest of Scree calls. */
#include "methods/lsdem/lsdem.h"

#include "methods/lsdem/contact/query.h"
#include "methods/lsdem/scene/check.h"
#include "methods/lsdem/step/motion.h"
#include "methods/lsdem/view/inspect.h"
#include "methods/lsdem/view/traction.h"
#include "methods/lsdem/view/view.h"

static scr_status create(scr_sim *sim, scr_error *error)
{
  lsdem_state *s = NULL;
  scr_status status = lsdem_state_create(sim->scene, &sim->parts, &sim->ledger, sim->execution, &sim->liveness, &s, error);
  sim->state = s;
  if (status != SCR_OK) return status;
  sim->time_step = s->time_step = sim->scene->estimate.time_step;
  s->travel = lsdem_step_travel(s);
  SCR_TRY(lsdem_declare(sim, error));
  parts_tune(&sim->parts, sim->scene, lsdem_part_response(sim->scene));
  return lsdem_start(s, error);
}

static scr_status step(scr_sim *sim, scr_error *error)
{
  uint64_t next = sim->steps + 1;
  double end = (double)next * sim->time_step;
  SCR_TRY(lsdem_advance(sim->state, end, next, error));
  sim->steps = next;
  sim->time = end;
  const lsdem_state *s = sim->state;
  if (s->fastest > 0.7)
    scr_sim_doubt(sim, "time_step",
                  "the time step of %.3g s reached %.2g of what is stable with the contacts that there were; it should stay below 0.7: use "
                  "a smaller time_step",
                  s->time_step, s->fastest);
  if (s->steepest > LSDEM_STEEPEST)
    scr_sim_doubt(sim, "strain",
                  "modes of a basis reached a slope of %.2g somewhere on a grain; beyond 0.7 they are not accurate there: pressures next "
                  "to it may be wrong, what lies away from contacts is not affected",
                  s->steepest);
  if (s->undivided > 1)
    scr_sim_doubt(sim, "travel",
                  "steps were divided by 1000 and bodies still moved %.3g times as far in one as contacts can follow, %.3g m: they may "
                  "have passed each other unseen; use a time step of at most %.3g s",
                  s->undivided, s->travel, s->time_step / s->undivided);
  if (s->deepest_share > 0.1)
    scr_sim_doubt(sim, "overlap",
                  "grains overlapped each other or the rig by %.2g of their radius; beyond 0.1 contacts are not those of the material: use "
                  "a larger contact_stiffness, or modes \"basis\" where grains are as soft as that",
                  s->deepest_share);
  return SCR_OK;
}

static void destroy(scr_sim *sim)
{
  lsdem_state_destroy(sim->state);
  sim->state = NULL;
}

static const scr_substitute cannot[] = {
    {"grips",
     "grips hold a part of a body, and grains of method lsdem can only be held as a whole: press them by platens, a box or obstacles"},
    {0},
};

static const sim_preview preview = {.describe = lsdem_inspect, .surface = lsdem_surface_of_specimen};

const scr_method scr_method_lsdem = {
    .about = {.name = "lsdem",
              .title = "LS-DEM: soft grains of any shape by level sets and modes",
              .summary = "Grains of any shape touch where surface nodes of one lie inside the signed distance of another, by pressure per "
                         "area with friction that remembers. "
                         "Grains are rigid or deform by a few modes: shrinking, stretching, shear, bending, also with forces from a table.",
              .preview = &preview,
              .params = lsdem_params,
              .param_count = LSDEM_PARAMS,
              .options_size = sizeof(lsdem_options),
              .material = {lsdem_material_params, LSDEM_MATERIAL_PARAMS, sizeof(lsdem_material)},
              .surface = {lsdem_surface_params, LSDEM_SURFACE_PARAMS, sizeof(lsdem_surface)},
              .specimen = {lsdem_specimen_params, LSDEM_SPECIMEN_PARAMS, sizeof(lsdem_specimen)},
              .substitutes = lsdem_substitutes,
              .needs = lsdem_needs,
              .resolution = lsdem_resolution,
              .default_plot = {.x = "wall.z_max.displacement",
                               .y = "wall.z_max.force_z",
                               .title = "Force on the top wall",
                               .scale = 1,
                               .moving_average = 1},
              .curves = lsdem_curves,
              .curve_count = LSDEM_CURVES,
              .can = {.shapes_as = SCR_SHAPES_WITH_SHELL, .rigs = (1u << SCR_RIG_COUNT) - 1 - (1u << SCR_RIG_GRIPS), .reasons = cannot},
              .check = lsdem_check},
    .layout = 13,
    .create = create,
    .step = step,
    .observe = lsdem_observe,
    .energies = lsdem_energies,
    .draw = lsdem_draw,
    .tabulate = lsdem_tabulate,
    .save = lsdem_save,
    .load = lsdem_load,
    .destroy = destroy,
};
