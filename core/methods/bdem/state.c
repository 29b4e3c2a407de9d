/* Building the state of a simulation: spheres of all grains, bonds, walls. */
#include "methods/bdem/state.h"

#include "base/memory.h"
#include "methods/bdem/explicit.h"
#include "methods/bdem/contact/friction.h"

/* Fills every specimen; counts spheres, bonds and grains. */
static scr_status build_fillings(bdem_state *s, bdem_filling *fillings, size_t *spheres, size_t *bonds, scr_error *error)
{
  const scr_scene *scene = s->scene;
  *spheres = *bonds = 0;
  for (size_t k = 0; k < scene->specimen_count; ++k) {
    const scr_specimen *specimen = &scene->specimens[k];
    scr_pulse_beat(s->pulse);
    SCR_TRY(bdem_specimen_fill(scene, k, &fillings[k], error));
    scr_pulse_beat(s->pulse);
    bdem_calibrated found;
    SCR_TRY(bdem_specimen_bonds(scene, k, &fillings[k], true, &found, error));
    s->substances[k] = bdem_substance_make(scene, specimen, fillings[k].mass, &found.bonds);
    s->substances[k].calibrated = found;
    s->specimen_first[k] = *spheres;
    s->grain_count += specimen->position_count;
    *spheres += fillings[k].sphere_count * specimen->position_count;
    *bonds += fillings[k].pair_count * specimen->position_count;
  }
  s->stable_step = bdem_stable_step(scene, s->substances);
  s->specimen_first[scene->specimen_count] = *spheres;
  if (*spheres >= UINT32_MAX)
    return scr_fail(error, SCR_BAD_SCENE, "/specimens", "the scene has %zu spheres; at most 4294967294: use a larger spacing", *spheres);
  return SCR_OK;
}

static scr_status allocate(bdem_state *s, size_t n, size_t bonds, scr_error *error)
{
  s->bond_capacity = bonds;
  SCR_TRY(bdem_body_create(n, bonds, &s->body, error));
  s->grains = mem_array(s->grain_count, sizeof *s->grains);
  s->torn = mem_array(bonds, 1);
  s->kept_turns = mem_array(n, sizeof *s->kept_turns);
  s->marked = mem_array(bonds, sizeof *s->marked);
  s->partner = mem_array(bonds, sizeof *s->partner);
  s->partner_first = mem_array(n + 1, sizeof *s->partner_first);
  uint32_t **counters[] = {&s->grain_of, &s->degree, &s->live, &s->all_spheres, &s->piece, &s->fresh};
  scr_vec3 **vectors[] = {&s->force, &s->torque, &s->load, &s->kept_vectors[0], &s->kept_vectors[1], &s->kept_vectors[2]};
  double **reals[] = {&s->listed[0],  &s->listed[1],  &s->listed[2],  &s->scratch[0], &s->scratch[1],
                      &s->scratch[2], &s->scratch[3], &s->scratch[4], &s->scratch[5]};
  s->exposed = mem_array(n, sizeof *s->exposed);
  bool ok = s->grains && s->torn && s->kept_turns && s->marked && s->partner && s->partner_first && s->exposed;
  for (size_t k = 0; k < sizeof counters / sizeof *counters; ++k) ok = (*counters[k] = mem_array(n, sizeof(uint32_t))) && ok;
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) ok = (*vectors[k] = mem_array(n, sizeof(scr_vec3))) && ok;
  for (size_t k = 0; k < sizeof reals / sizeof *reals; ++k) ok = (*reals[k] = mem_array(n, sizeof(double))) && ok;
  return ok ? SCR_OK : scr_fail_memory(error, "the spheres", n * 400);
}

/* One grain: its filling moved to `centre`, with the specimen's initial velocity and spin. Bonds are made about the filling's own
 * centre, so that equal grains have equal bits. */
static scr_status place_grain(bdem_state *s, size_t specimen, const bdem_filling *filling, const bdem_grain *grain, scr_vec3 centre,
                              size_t first_bond, scr_error *error)
{
  const scr_specimen *from = &s->scene->specimens[specimen];
  const bdem_substance *substance = &s->substances[specimen];
  const bdem_elasticity elasticity = {substance->young_modulus, substance->poisson_ratio, (bdem_calibration)s->options->calibration,
                                      (bdem_shear)s->options->shear};
  uint32_t first = (uint32_t)grain->first;
  for (size_t k = 0; k < filling->sphere_count; ++k) {
    size_t i = grain->first + k;
    s->grain_of[i] = (uint32_t)(grain - s->grains);
    s->all_spheres[i] = (uint32_t)i;
    s->degree[i] = s->live[i] = filling->degree[k];
    s->body.position[i] = filling->centre[k];
    s->body.velocity[i] = vec3_add(from->velocity, vec3_cross(from->angular_velocity, filling->centre[k]));
    s->body.spin[i] = from->angular_velocity;
    s->body.mass[i] = filling->mass;
    s->body.radius[i] = filling->radius;
    s->load[i] = vec3_scale(s->scene->rig.gravity, filling->mass);
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
  bdem_grain *grain = s->grains;
  for (size_t k = 0; k < s->scene->specimen_count; ++k)
    for (size_t p = 0; p < s->scene->specimens[k].position_count; ++p, ++grain) {
      *grain = (bdem_grain){(uint32_t)k, first, fillings[k].sphere_count};
      SCR_TRY(place_grain(s, k, &fillings[k], grain, s->scene->specimens[k].positions[p], bond, error));
      first += fillings[k].sphere_count;
      bond += fillings[k].pair_count;
    }
  return SCR_OK;
}

void bdem_parts_move(bdem_state *s, double time)
{
  bdem_contacts *contacts = &s->contacts;
  for (size_t p = 0; p < contacts->part_count; ++p)
    contacts->parts[p] = (bdem_part){.position = scr_part_position(&contacts->rig[p], time),
                                     .velocity = scr_part_velocity(&contacts->rig[p], time),
                                     .angle = scr_part_angle(&contacts->rig[p], time),
                                     .spin = scr_part_angular_velocity(&contacts->rig[p], time)};
}

void bdem_parts_note_way(bdem_state *s, const bdem_part *before)
{
  bdem_contacts *contacts = &s->contacts;
  for (size_t p = 0; p < contacts->part_count; ++p) contacts->part_way[p] = vec3_sub(contacts->parts[p].position, before[p].position);
}

double bdem_energy_kinetic(const bdem_state *s)
{
  const bdem_body *body = &s->body;
  double sum = 0.0;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double r = body->radius[k];
    sum += 0.5 * body->mass[k] * (vec3_dot(body->velocity[k], body->velocity[k]) + 0.4 * r * r * vec3_dot(body->spin[k], body->spin[k]));
  }
  return sum;
}

static scr_status create_batches(bdem_state *s, scr_error *error)
{
  size_t bonds = s->body.bond_count;
  const bdem_section **sections = mem_array(bonds, sizeof *sections);
  if (!sections) return scr_fail_memory(error, "the bonds", bonds * sizeof *sections);
  for (size_t b = 0; b < bonds; ++b) sections[b] = &bdem_substance_of(s, s->body.ends[b][0])->section;
  scr_status status = bdem_batches_create(&s->body, sections, s->threads, &s->batches, error);
  mem_free(sections);
  return status;
}

/* Who is joined at t = 0, by the first end. */
static void list_partners(bdem_state *s)
{
  const bdem_body *body = &s->body;
  uint32_t *first = s->partner_first;
  for (size_t b = 0; b < body->bond_count; ++b) first[body->ends[b][0] + 1]++;
  for (size_t i = 0; i < body->sphere_count; ++i) first[i + 1] += first[i];
  for (size_t b = body->bond_count; b-- > 0;) s->partner[--first[body->ends[b][0] + 1]] = body->ends[b][1];
  /* first[i + 1] is now where the row of i begins */
  for (size_t i = 0; i < body->sphere_count; ++i) first[i] = first[i + 1];
  first[body->sphere_count] = (uint32_t)body->bond_count;
}

static scr_status create_friction(bdem_state *s, scr_error *error)
{
  bdem_contacts *contacts = &s->contacts;
  size_t sides = s->scene->material_count + 1;
  contacts->laws = s->scene->contact_pairs;
  contacts->law_count = sides * sides;
  if (!bdem_friction_acts(contacts)) return SCR_OK;
  contacts->friction = mem_array(1, sizeof *contacts->friction);
  return contacts->friction ? SCR_OK : scr_fail_memory(error, "the contacts' friction", sizeof *contacts->friction);
}

static scr_status build(bdem_state *s, bdem_filling *fillings, scr_error *error)
{
  size_t spheres, bonds;
  SCR_TRY(build_fillings(s, fillings, &spheres, &bonds, error));
  SCR_TRY(allocate(s, spheres, bonds, error));
  scr_pulse_beat(s->pulse);
  SCR_TRY(place_grains(s, fillings, error));
  list_partners(s);
  scr_pulse_beat(s->pulse);
  s->contacts.part_count = scr_rig_parts(&s->scene->rig, s->contacts.rig);
  bdem_parts_move(s, 0);
  SCR_TRY(bdem_grips_create(s, error));
  bdem_grips_set_velocity(s, NULL, 0);
  for (size_t b = 0; b < bonds; ++b) s->rounding += 1e-20 * s->body.bonds[b].stretch * s->body.bonds[b].length * s->body.bonds[b].length;
  for (size_t i = 0; i < spheres; ++i) s->mass += s->body.mass[i];
  for (size_t i = 0; i < spheres; ++i) s->weight_over_radius += vec3_length(s->load[i]) * s->body.radius[i];
  s->fast = true; /* until known better */
  SCR_TRY(create_friction(s, error));
  s->list_stale = true;
  SCR_TRY(bdem_contact_update(s, 0.0, error));
  scr_pulse_beat(s->pulse);
  SCR_TRY(bdem_seats_create(s, error));
  s->body.contacts = &s->contacts;
  SCR_TRY(create_batches(s, error));
  s->body.batches = &s->batches;
  bdem_force_pass(s);
  s->ledger.start = bdem_energy_kinetic(s) + bdem_body_energy(&s->body) + bdem_pairs_energy(&s->contacts, &s->body) +
                    bdem_touches_energy(&s->contacts, &s->body);
  s->ledger.largest = s->ledger.start;
  return SCR_OK;
}

scr_status bdem_state_create(const scr_scene *scene, unsigned threads, const scr_pulse *pulse, bdem_state **state, scr_error *error)
{
  bdem_state *s = *state = mem_array(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->scene = scene;
  s->options = scene->options;
  s->threads = s->contacts.threads = threads;
  s->pulse = pulse;
  s->substances = mem_array(scene->specimen_count, sizeof *s->substances);
  s->specimen_first = mem_array(scene->specimen_count + 1, sizeof *s->specimen_first);
  bdem_filling *fillings = mem_array(scene->specimen_count, sizeof *fillings);
  scr_status status = fillings && s->substances && s->specimen_first ? build(s, fillings, error)
                                                                     : scr_fail_memory(error, "the specimens", scene->specimen_count * 256);
  for (size_t k = 0; fillings && k < scene->specimen_count; ++k) bdem_filling_clear(&fillings[k]);
  mem_free(fillings);
  return status;
}

void bdem_state_destroy(bdem_state *s)
{
  if (!s) return;
  bdem_solver_drop(s);
  bdem_body_destroy(&s->body);
  bdem_batches_destroy(&s->batches);
  mem_free(s->tabbed);
  mem_free(s->notes);
  mem_free(s->seated);
  mem_free(s->seats);
  bdem_contacts_clear(&s->contacts);
  geo_cells_clear(&s->cells);
  void *arrays[] = {
      s->gripped,         s->substances, s->specimen_first,  s->grains,    s->grain_of,  s->degree,     s->live,        s->force,
      s->torque,          s->load,       s->broken,          s->listed[0], s->listed[1], s->listed[2],  s->all_spheres, s->kept_vectors[0],
      s->kept_vectors[1], s->kept_turns, s->kept_vectors[2], s->torn,      s->piece,     s->scratch[0], s->scratch[1],  s->scratch[2],
      s->scratch[3],      s->scratch[4], s->scratch[5],      s->exposed,   s->fresh,     s->marked,     s->partner,     s->partner_first};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) mem_free(arrays[k]);
  mem_free(s);
}
