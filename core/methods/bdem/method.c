/* The method's table: what the rest of Scree calls. */
#include "methods/bdem/bdem.h"

#include "methods/bdem/scene/check.h"
#include "methods/bdem/scene/material_params.h"
#include "methods/bdem/state/checkpoint.h"
#include "methods/bdem/step/stages.h"
#include "methods/bdem/view/observe.h"

static scr_status create(scr_sim *sim, scr_error *error)
{
  bdem_state *s = NULL;
  scr_status status = bdem_state_create(sim->scene, &sim->parts, &sim->ledger, sim->execution, &sim->liveness, &s, error);
  sim->state = s;
  if (status != SCR_OK) return status;
  SCR_TRY(breaks_declare(sim, &s->fracture.log, error));
  sim->time_step = s->model.time_step = sim->scene->estimate.time_step;
  parts_tune(&sim->parts, sim->scene, bdem_part_response(sim->scene, s->model.substances));
  SCR_TRY(bdem_declare(sim, error));
  SCR_TRY(scr_sim_declare_peak_force(sim, error));
  SCR_TRY(scr_sim_declare_failures(sim, "broken_bonds", error));
  SCR_TRY(scr_sim_declare_headline(sim, "broken_bonds", "Broken bonds", HEADLINE_NEWEST, error));
  const char *kernel = s->device ? bdem_device_kernel_name(s->device) : batch_kernel_name(batch_kernel_best());
  SCR_TRY(scr_sim_declare_kernel(sim, "bond forces", kernel, error));
  if (s->device) scr_sim_kernel_matches(sim, bdem_device_bits_of());
  return SCR_OK;
}

/* ── doubts: why a run that ended can't be fully trusted, in sentences ────────────────────────────────────────────────── */

/* Overlap of a contact over the smaller radius beyond which spheres are about to pass through each other. */
static const double deep_contact = 0.5;
/* Shares of all energy put in: what impacts may lose, and what implicit steps may damp altogether; and of the duration, before which the
 * energy put in is too little to tell. What moves with less than a thousandth of that energy rests, and where is not changed by damping. */
static const double lost_impacts = 0.01, damped = 0.1, early = 0.1, moving = 1e-3;

static void doubt_contacts(scr_sim *sim, const bdem_state *s)
{
  if (!(s->control.deepest > deep_contact)) return;
  scr_sim_doubt(
      sim, "deep_contact",
      "spheres overlap at contacts by up to %.2g of the smaller radius, and may pass through each other or through the rig: use a "
      "larger contact_stiffness_factor, slower bodies or less load",
      s->control.deepest);
}

static void doubt_damping(scr_sim *sim, const bdem_state *s)
{
  double put_in = s->ledger->start + fabs(ledger_external(s->ledger));
  if (sim->time < early * s->model.scene->time.duration) return;
  if (s->losses.impacts > lost_impacts * put_in + 1e-3 * s->model.weight_over_radius + bdem_first_touch(s))
    scr_sim_doubt(
        sim, "large_step_impact",
        "steps of %.3g T changed the energy of impacts by up to %.2g of all energy put in, so what was hit rebounds and breaks too "
        "little or too much: use smaller steps, the integrator explicit, or impacts: explicit-bursts",
        s->model.time_step / s->model.stable_step, s->losses.impacts / put_in);
  if (s->losses.motion > damped * put_in && bdem_body_kinetic(&s->body) > moving * put_in)
    scr_sim_doubt(sim, "numerical_damping",
                  "implicit Euler steps of %.3g T took %.2g of all energy put in out of the motion, and it still "
                  "moves, slower than it should; use smaller steps or the integrator variational or explicit",
                  s->model.time_step / s->model.stable_step, s->losses.motion / put_in);
}

static void raise_doubts(scr_sim *sim)
{
  const bdem_state *s = sim->state;
  doubt_contacts(sim, s);
  if (s->model.options->integrator != BDEM_INTEGRATOR_EXPLICIT) doubt_damping(sim, s);
}

/* ── the step and the end ────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status step(scr_sim *sim, scr_error *error)
{
  const bdem_state *s = sim->state;
  SCR_TRY(bdem_advance(sim->state, sim->time, sim->steps + 1, error));
  SCR_TRY(bdem_batches_failure(&s->batches, error));
  sim->steps++;
  sim->time = (double)sim->steps * sim->time_step;
  raise_doubts(sim);
  return SCR_OK;
}

static void destroy(scr_sim *sim)
{
  bdem_state_destroy(sim->state);
  sim->state = NULL;
}

const scr_method scr_method_bdem = {
    .about =
        {.name = "bdem",
         .title = "Bonded DEM: solids of bonded spheres that shatter",
         .summary =
             "Packed spheres joined by elastic bonds that stretch, shear, bend and twist like short beams, and break at a tensile or shear "
             "strength. Time advances by explicit steps, or by large implicit ones; pieces collide with each other and the rig, with "
             "friction.",
         .params = bdem_params,
         .param_count = BDEM_PARAM_COUNT,
         .options_size = sizeof(bdem_options),
         .material = {bdem_material_params, BDEM_MATERIAL_PARAMS, sizeof(bdem_material)},
         .surface = {bdem_surface_params, BDEM_SURFACE_PARAMS, sizeof(bdem_surface)},
         .specimen = {bdem_specimen_params, BDEM_SPECIMEN_PARAMS, sizeof(bdem_specimen)},
         .substitutes = bdem_substitutes,
         .needs = bdem_needs,
         .resolution = bdem_resolution,
         .default_plot = {.x = "time", .y = "energy.kinetic", .title = "Kinetic energy", .scale = 1, .moving_average = 1},
         .curves = bdem_curves,
         .curve_count = BDEM_CURVE_COUNT,
         .can = {.shapes_as = SCR_SHAPES_THAT_FILL, .shapes = 1u << SCR_SHAPE_WEAVE, .on_device = true},
         .check = bdem_check},
    .layout = 9,
    .create = create,
    .step = step,
    .observe = bdem_observe,
    .energies = bdem_energies,
    .draw = bdem_draw,
    .tabulate = bdem_tabulate,
    .save = bdem_save,
    .load = bdem_load,
    .destroy = destroy,
};
