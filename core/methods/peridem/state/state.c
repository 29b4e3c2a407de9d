/* Building the state of a simulation: bodies, grains, nodes, laws, parts of the rig. */
#include "methods/peridem/state/state.h"

#include "base/memory.h"
#include "methods/peridem/device/backend_device.h"
#include "methods/peridem/law/bounds.h"
#include "methods/peridem/law/material.h"
#include "methods/peridem/law/wall.h"

const sim_field pd_fields[PD_FIELDS] = {
    FIELD_ARRAY("bodies", pd_state, bodies, body_count, 0),
    FIELD_ARRAY("laws of contacts", pd_state, laws, law_count, 0),
    FIELD_VALUE("parts of the rig", pd_state, parts, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("loads", pd_state, largest_load, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("broken bonds", pd_state, broken_bonds, FIELD_SAVED),
};

static scr_status build_bodies(pd_state *s, const scr_liveness *liveness, scr_error *error)
{
  const scr_scene *scene = s->scene;
  for (size_t b = 0; b < s->body_count; b++) {
    scr_report_alive(liveness);
    SCR_TRY(pd_body_build(&s->bodies[b], scene, &scene->specimens[b], error));
    s->bodies[b].rig_zero = pd_rig_zero(s->options, s->contact_radius, pd_specimen_of(&scene->specimens[b])->spacing);
    pd_strength_bound(&s->bodies[b].strength, &s->bodies[b].bonds, s->grain_count, scene->specimens[b].position_count);
    s->grain_count += scene->specimens[b].position_count;
    s->node_count += s->bodies[b].node_count * scene->specimens[b].position_count;
  }
  return SCR_OK;
}

/* Walls have no modulus of their own: they take the grain material's. */
static void set_laws(pd_state *s)
{
  const scr_scene *scene = s->scene;
  size_t m = scene->material_count;
  for (size_t a = 0; a <= m; a++)
    for (size_t b = 0; b <= m; b++) {
      const pd_material *ma = pd_material_of(scene, a < m ? a : b < m ? b : 0), *mb = pd_material_of(scene, b < m ? b : a < m ? a : 0);
      const pd_surface *law = pd_surface_of(scene, a, b);
      double stiffness = pd_contact_stiffness(pd_bulk_modulus(ma), pd_bulk_modulus(mb), s->contact_radius);
      s->laws[a * (m + 1) + b] = (pd_law){stiffness * s->options->contact_stiffness_factor, law->friction_coefficient, law->damping_ratio};
    }
}

/* What the energy balance compares with while there is next to no energy: what bonds stretched by 1e-10 would hold, as positions are no
 * better known than that, and what the first touch of the rig may put in. */
static double least_energy(const pd_state *s)
{
  double energy = 0, mass = 0;
  for (size_t b = 0; b < s->body_count; b++) {
    double nodes = (double)s->bodies[b].node_count * (double)s->scene->specimens[b].position_count;
    mass += s->bodies[b].node_mass * nodes;
    energy += 4.5e-20 * s->bodies[b].bulk_modulus * s->bodies[b].node_volume * nodes;
  }
  return fmax(energy, ledger_first_touch(s->rig, mass, s->scene->time.duration));
}

scr_status pd_state_create(const scr_scene *scene, sim_parts *parts, sim_ledger *ledger, scr_execution execution,
                           const scr_liveness *liveness, pd_state **state, scr_error *error)
{
  pd_state *s = *state = mem_array(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->scene = scene;
  s->options = scene->options;
  s->backend = &pd_backend_host;
  s->rig = parts;
  s->ledger = ledger;
  s->execution = execution;
  s->contact_radius = pd_contact_radius(scene);
  s->explicit_damping = s->options->damping_step == PD_DAMPING_EXPLICIT;
  s->body_count = scene->specimen_count;
  s->law_count = (scene->material_count + 1) * (scene->material_count + 1);
  SCR_TRY(fields_allocate(pd_fields, PD_FIELDS, s, error));
  SCR_TRY(pd_backend_choose(execution.device, &s->backend, error));
  SCR_TRY(build_bodies(s, liveness, error));
  scr_report_alive(liveness);
  set_laws(s);
  SCR_TRY(s->backend->create(s, error));
  scr_report_alive(liveness);
  for (size_t p = 0; p < s->rig->count; p++) {
    s->parts[p].acted = s->rig->now[p];
    s->backend->set_held_velocity(s, p, s->rig->now[p].velocity);
  }
  s->ledger->least = least_energy(s);
  return SCR_OK;
}

void pd_state_destroy(pd_state *s)
{
  if (!s) return;
  s->backend->destroy(s);
  for (size_t b = 0; s->bodies && b < s->body_count; b++) pd_body_clear(&s->bodies[b]);
  fields_free(pd_fields, PD_FIELDS, s);
  mem_free(s);
}
