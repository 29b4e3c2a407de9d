/* Building the state of a simulation: spheres of all grains, bonds, walls. */
#include "methods/bdem/step/stages.h"

#include "base/memory.h"
#include "methods/bdem/step/explicit.h"
#include "methods/bdem/contact/friction.h"
#include "methods/bdem/contact/touch_face.h"

enum { EARLY_FIELDS = 3 }; /* counted by the scene alone */
const sim_field bdem_fields[BDEM_FIELDS] = {
    FIELD_ARRAY("specimens", bdem_state, model.substances, model.specimen_count, 0),
    FIELD_ARRAY("faces of specimens", bdem_state, model.faces, model.specimen_count, 0),
    FIELD_STARTS("spheres of specimens", bdem_state, model.specimen_first, model.specimen_count, 0),
    FIELD_ARRAY("grains", bdem_state, model.grains, model.grain_count, 0),
    FIELD_ARRAY("grains of spheres", bdem_state, model.grain_of, model.sphere_count, 0),
    FIELD_ARRAY("bonds of spheres", bdem_state, model.degree, model.sphere_count, 0),
    FIELD_STARTS("rows of partners", bdem_state, model.partner_first, model.sphere_count, 0),
    FIELD_ARRAY("partners", bdem_state, model.partner, model.bond_capacity, 0),
    FIELD_ARRAY("weights", bdem_state, model.load, model.sphere_count, 0),
    FIELD_ARRAY("forces", bdem_state, total.force, model.sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("torques", bdem_state, total.torque, model.sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("live bonds of spheres", bdem_state, fracture.live, model.sphere_count, 0),
    FIELD_ARRAY("spheres under tabs", bdem_state, fracture.tabbed, tabbed_count, FIELD_OPTIONAL),
    FIELD_ARRAY("marked bonds", bdem_state, fracture.marked, model.bond_capacity, 0),
    FIELD_ARRAY("removed bonds", bdem_state, fracture.removed, model.bond_capacity, 0),
    FIELD_LIST("broken bonds", bdem_state, fracture.broken, fracture.broken_count, fracture.broken_capacity, FIELD_SAVED),
    FIELD_LIST("notes on bonds", bdem_state, fracture.notes, fracture.note_count, fracture.note_capacity, 0),
    FIELD_ARRAY("listed places", bdem_state, list.position[0], model.sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("listed places", bdem_state, list.position[1], model.sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("listed places", bdem_state, list.position[2], model.sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("listed parts", bdem_state, list.part, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("slacks of the list", bdem_state, list.skin, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("stretches of the list", bdem_state, list.stretch, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("searched spheres", bdem_state, list.searched, model.sphere_count, 0),
    FIELD_ARRAY("added spheres", bdem_state, list.added, model.sphere_count, 0),
    FIELD_LIST("exposed pairs", bdem_state, contacts.exposed, contacts.exposed_count, contacts.exposed_capacity, FIELD_SAVED),
    FIELD_LIST("unused pairs", bdem_state, contacts.unused, contacts.unused_count, contacts.unused_capacity, FIELD_SAVED),
    FIELD_ARRAY("places before", bdem_state, start.position, model.sphere_count, 0),
    FIELD_ARRAY("velocities before", bdem_state, start.velocity, model.sphere_count, 0),
    FIELD_ARRAY("spins before", bdem_state, start.spin, model.sphere_count, 0),
    FIELD_ARRAY("orientations before", bdem_state, start.orientation, model.sphere_count, 0),
    FIELD_ARRAY("scratch numbers", bdem_state, scratch.index, model.sphere_count, 0),
    FIELD_ARRAY("scratch", bdem_state, scratch.real[0], model.sphere_count, 0),
    FIELD_ARRAY("scratch", bdem_state, scratch.real[1], model.sphere_count, 0),
    FIELD_ARRAY("scratch", bdem_state, scratch.real[2], model.sphere_count, 0),
    FIELD_ARRAY("scratch", bdem_state, scratch.real[3], model.sphere_count, 0),
    FIELD_ARRAY("scratch", bdem_state, scratch.real[4], model.sphere_count, 0),
    FIELD_ARRAY("scratch", bdem_state, scratch.real[5], model.sphere_count, 0),
    FIELD_VALUE("halvings", bdem_state, control.halvings, FIELD_SAVED),
    FIELD_VALUE("bursts", bdem_state, control.bursting, FIELD_SAVED | FIELD_TRUTH),
    FIELD_VALUE("fast steps", bdem_state, control.fast, FIELD_SAVED | FIELD_TRUTH),
    FIELD_VALUE("overlaps", bdem_state, control.deepest, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("losses of steps", bdem_state, losses, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("counts of the solver", bdem_state, step.solver, FIELD_SAVED),
};

/* Fills every specimen; counts spheres, bonds and grains. */
static scr_status build_fillings(bdem_state *s, bdem_filling *fillings, size_t *spheres, size_t *bonds, scr_error *error)
{
  const scr_scene *scene = s->model.scene;
  *spheres = *bonds = 0;
  for (size_t k = 0; k < scene->specimen_count; ++k) {
    const scr_specimen *specimen = &scene->specimens[k];
    scr_report_alive(s->model.liveness);
    SCR_TRY(bdem_specimen_fill(scene, k, &fillings[k], error));
    scr_report_alive(s->model.liveness);
    bdem_calibrated found;
    SCR_TRY(bdem_specimen_bonds(scene, k, &fillings[k], true, &found, error));
    if (bdem_uses_face_contact(&s->model)) SCR_TRY(bdem_faces_find(&fillings[k], specimen, &s->model.faces[k], error));
    s->model.substances[k] = bdem_substance_make(scene, specimen, &fillings[k], &found, &s->model.faces[k]);
    s->model.specimen_first[k] = *spheres;
    s->model.grain_count += specimen->position_count;
    *spheres += fillings[k].sphere_count * specimen->position_count;
    *bonds += fillings[k].pair_count * specimen->position_count;
  }
  s->model.stable_step = bdem_stable_step(scene, s->model.substances);
  s->model.specimen_first[scene->specimen_count] = *spheres;
  if (*spheres >= UINT32_MAX)
    return scr_fail(error, SCR_BAD_SCENE, "/specimens", "the scene has %zu spheres; at most 4294967294: use a larger spacing", *spheres);
  return SCR_OK;
}

static scr_status allocate(bdem_state *s, size_t n, size_t bonds, scr_error *error)
{
  s->model.sphere_count = n;
  s->model.bond_capacity = bonds;
  s->tabbed_count = s->model.options->tab_length > 0 ? n : 0;
  SCR_TRY(bdem_body_create(n, bonds, &s->body, error));
  return fields_allocate(bdem_fields + EARLY_FIELDS, BDEM_FIELDS - EARLY_FIELDS, s, error);
}

/* One grain: its filling moved to `centre`, with the specimen's initial velocity and spin. Bonds are made about the filling's own
 * centre, so that equal grains have equal bits. */
static scr_status place_grain(bdem_state *s, size_t specimen, const bdem_filling *filling, const bdem_grain *grain, scr_vec3 centre,
                              size_t first_bond, scr_error *error)
{
  const scr_specimen *from = &s->model.scene->specimens[specimen];
  const bdem_substance *substance = &s->model.substances[specimen];
  const bdem_elasticity elasticity = {substance->young_modulus, substance->poisson_ratio, (bdem_calibration)s->model.options->calibration,
                                      (bdem_shear)s->model.options->shear};
  uint32_t first = (uint32_t)grain->first;
  for (size_t k = 0; k < filling->sphere_count; ++k) {
    size_t i = grain->first + k;
    s->model.grain_of[i] = (uint32_t)(grain - s->model.grains);
    s->model.degree[i] = s->fracture.live[i] = filling->degree[k];
    s->body.position[i] = filling->centre[k];
    s->body.velocity[i] = vec3_add(from->velocity, vec3_cross(from->angular_velocity, filling->centre[k]));
    s->body.spin[i] = from->angular_velocity;
    s->body.mass[i] = filling->mass;
    s->body.radius[i] = filling->radius;
    s->model.load[i] = vec3_scale(s->model.scene->rig.gravity, filling->mass);
  }
  for (size_t b = 0; b < filling->pair_count; ++b) {
    SCR_TRY(bdem_body_bond(&s->body, first_bond + b, first + filling->pairs[b][0], first + filling->pairs[b][1], &elasticity, error));
    s->body.bonds[first_bond + b].bend *= substance->flexion;
    s->body.bonds[first_bond + b].twist *= substance->flexion;
  }
  for (size_t i = grain->first; i < grain->first + grain->count; ++i) s->body.position[i] = vec3_add(s->body.position[i], centre);
  return SCR_OK;
}

static scr_status place_grains(bdem_state *s, const bdem_filling *fillings, scr_error *error)
{
  size_t first = 0, bond = 0;
  bdem_grain *grain = s->model.grains;
  for (size_t k = 0; k < s->model.scene->specimen_count; ++k)
    for (size_t p = 0; p < s->model.scene->specimens[k].position_count; ++p, ++grain) {
      *grain = (bdem_grain){(uint32_t)k, first, fillings[k].sphere_count};
      SCR_TRY(place_grain(s, k, &fillings[k], grain, s->model.scene->specimens[k].positions[p], bond, error));
      first += fillings[k].sphere_count;
      bond += fillings[k].pair_count;
    }
  return SCR_OK;
}

static scr_status create_batches(bdem_state *s, scr_error *error)
{
  size_t bonds = s->body.bond_count;
  const bdem_section **sections = mem_array(bonds, sizeof *sections);
  if (!sections) return scr_fail_memory(error, "the bonds", bonds * sizeof *sections);
  for (size_t b = 0; b < bonds; ++b) sections[b] = &bdem_substance_of(&s->model, s->body.ends[b][0])->section;
  scr_status status = bdem_batches_create(&s->body, sections, s->model.execution, &s->batches, error);
  mem_free(sections);
  if (status != SCR_OK) return status;
  bool explicit_steps = s->model.options->integrator == BDEM_INTEGRATOR_EXPLICIT;
  return bdem_device_open(&s->batches, s->model.execution.device, explicit_steps, &s->device, error);
}

/* Who is joined at t = 0, by the first end. */
static void list_partners(bdem_state *s)
{
  const bdem_body *body = &s->body;
  uint32_t *first = s->model.partner_first;
  for (size_t b = 0; b < body->bond_count; ++b) first[body->ends[b][0] + 1]++;
  for (size_t i = 0; i < body->sphere_count; ++i) first[i + 1] += first[i];
  for (size_t b = body->bond_count; b-- > 0;) s->model.partner[--first[body->ends[b][0] + 1]] = body->ends[b][1];
  /* first[i + 1] is now where the row of i begins */
  for (size_t i = 0; i < body->sphere_count; ++i) first[i] = first[i + 1];
  first[body->sphere_count] = (uint32_t)body->bond_count;
}

static scr_status create_friction(bdem_state *s, scr_error *error)
{
  bdem_contacts *contacts = &s->contacts;
  size_t sides = s->model.scene->material_count + 1;
  contacts->laws = s->model.scene->surfaces;
  contacts->law_count = sides * sides;
  if (!bdem_friction_acts(contacts)) return SCR_OK;
  contacts->friction = mem_array(1, sizeof *contacts->friction);
  return contacts->friction ? SCR_OK : scr_fail_memory(error, "the contacts' friction", sizeof *contacts->friction);
}

/* Tabs reach as far into the specimen as the option says, from the face of their grip. */
static void mark_tabs(bdem_state *s)
{
  if (s->fracture.tabbed) bdem_tabs_mark(&s->contacts, &s->body, s->model.options->tab_length, s->fracture.tabbed);
}

/* Mass of the heaviest grain, kg. */
static double heaviest_grain(const bdem_state *s)
{
  double heaviest = 0;
  for (size_t g = 0; g < s->model.grain_count; ++g) {
    double mass = 0;
    for (size_t k = 0; k < s->model.grains[g].count; ++k) mass += s->body.mass[s->model.grains[g].first + k];
    heaviest = fmax(heaviest, mass);
  }
  return heaviest;
}

static scr_status build(bdem_state *s, bdem_filling *fillings, scr_error *error)
{
  size_t spheres, bonds;
  SCR_TRY(build_fillings(s, fillings, &spheres, &bonds, error));
  SCR_TRY(allocate(s, spheres, bonds, error));
  scr_report_alive(s->model.liveness);
  SCR_TRY(place_grains(s, fillings, error));
  list_partners(s);
  s->model.facing_reach = bdem_facing_reach(&s->model);
  s->model.smallest_radius = bdem_radius_extreme(&s->model, false);
  s->model.heaviest = heaviest_grain(s);
  scr_report_alive(s->model.liveness);
  mark_tabs(s);
  SCR_TRY(bdem_grips_create(&s->contacts, &s->body, &s->rig, error));
  bdem_grips_set_velocity(&s->rig, &s->contacts, NULL, 0, &s->body);
  for (size_t b = 0; b < bonds; ++b)
    s->model.rounding += 1e-20 * s->body.bonds[b].stretch * s->body.bonds[b].length * s->body.bonds[b].length;
  for (size_t i = 0; i < spheres; ++i) s->model.mass += s->body.mass[i];
  for (size_t i = 0; i < spheres; ++i) s->model.weight_over_radius += vec3_length(s->model.load[i]) * s->body.radius[i];
  s->control.fast = true; /* until known better */
  SCR_TRY(create_friction(s, error));
  SCR_TRY(bdem_contact_update(&s->listing, 0.0, error));
  scr_report_alive(s->model.liveness);
  SCR_TRY(bdem_initial_overlaps_find(&s->model, &s->body, &s->contacts, &s->initial, error));
  s->body.contacts = &s->contacts;
  SCR_TRY(create_batches(s, error));
  s->body.batches = &s->batches;
  bdem_force_pass(&s->model, &s->body, &s->contacts, &s->total, &s->rig);
  ledger_begin(s->ledger, s->parts,
               bdem_body_kinetic(&s->body) + bdem_body_energy(&s->body) + bdem_pairs_energy(&s->contacts, &s->body) +
                   bdem_touches_energy(&s->contacts, &s->body));
  /* lifting all by a thousandth of a radius is little, and so is a first touch */
  s->ledger->least = fmax(1e-3 * s->model.weight_over_radius, ledger_first_touch(s->parts, s->model.mass, s->model.scene->time.duration));
  s->ledger->rounding = s->model.rounding;
  return SCR_OK;
}

scr_status bdem_state_create(const scr_scene *scene, sim_parts *parts, sim_ledger *ledger, scr_execution execution,
                             const scr_liveness *liveness, bdem_state **state, scr_error *error)
{
  bdem_state *s = *state = mem_array(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->parts = parts;
  s->ledger = ledger;
  s->contacts.all = parts;
  s->contacts.rig = parts->form;
  s->contacts.parts = parts->now;
  s->contacts.part_count = parts->count;
  s->rig.load = parts->load;
  s->model.scene = scene;
  s->model.options = scene->options;
  s->model.execution = s->contacts.execution = execution;
  s->model.liveness = liveness;
  s->model.specimen_count = scene->specimen_count;
  s->solver.kind = bdem_solver_kind_of(s->model.options->integrator);
  s->listing = (bdem_listing){&s->model, &s->body, &s->fracture, &s->initial, &s->rig, &s->contacts, &s->list, &s->scratch, false};
  SCR_TRY(fields_allocate(bdem_fields, EARLY_FIELDS, s, error));
  bdem_filling *fillings = mem_array(scene->specimen_count, sizeof *fillings);
  scr_status status =
      fillings ? build(s, fillings, error) : scr_fail_memory(error, "the specimens", scene->specimen_count * sizeof *fillings);
  for (size_t k = 0; fillings && k < scene->specimen_count; ++k) bdem_filling_clear(&fillings[k]);
  mem_free(fillings);
  return status;
}

void bdem_state_destroy(bdem_state *s)
{
  if (!s) return;
  bdem_solver_drop(&s->solver, &s->contacts);
  bdem_body_destroy(&s->body);
  bdem_device_close(s->device);
  bdem_batches_destroy(&s->batches);
  bdem_initial_overlaps_clear(&s->initial);
  for (size_t k = 0; s->model.faces && k < s->model.specimen_count; ++k) bdem_faces_clear(&s->model.faces[k]);
  bdem_contacts_clear(&s->contacts);
  geo_cells_clear(&s->list.cells);
  grips_clear(&s->rig.grips);
  fields_free(bdem_fields, BDEM_FIELDS, s);
  mem_free(s);
}
