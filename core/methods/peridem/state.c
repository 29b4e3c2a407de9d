/* Building the state of a simulation: bodies, grains, nodes, laws, parts of the rig. */
#include "methods/peridem/state.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/material.h"

double pd_contact_radius(const scr_scene *scene)
{
  const pd_options *options = scene->options;
  if (!isnan(options->contact_radius)) return options->contact_radius;
  double largest = 0;
  for (size_t s = 0; s < scene->specimen_count; s++) largest = fmax(largest, pd_specimen_of(&scene->specimens[s])->spacing);
  return 1.6 * largest;
}

static bool vectors_create(pd_vectors *v, size_t n)
{
  v->x = mem_array(n, sizeof(double));
  v->y = mem_array(n, sizeof(double));
  v->z = mem_array(n, sizeof(double));
  return v->x && v->y && v->z;
}

static void vectors_clear(pd_vectors *v)
{
  mem_free(v->x);
  mem_free(v->y);
  mem_free(v->z);
}

static scr_status build_bodies(pd_state *s, const scr_pulse *pulse, scr_error *error)
{
  const scr_scene *scene = s->scene;
  s->bodies = mem_array(scene->specimen_count, sizeof *s->bodies);
  if (!s->bodies) return scr_fail_memory(error, "the specimens", scene->specimen_count * sizeof *s->bodies);
  s->body_count = scene->specimen_count;
  for (size_t b = 0; b < s->body_count; b++) {
    scr_pulse_beat(pulse);
    SCR_TRY(pd_body_build(&s->bodies[b], scene, &scene->specimens[b], error));
    s->bodies[b].rig_zero = pd_rig_zero(s->options, s->contact_radius, pd_specimen_of(&scene->specimens[b])->spacing);
    s->grain_count += scene->specimens[b].position_count;
    s->node_count += s->bodies[b].node_count * scene->specimens[b].position_count;
  }
  if (s->node_count >= PD_BONDED)
    return scr_fail(error, SCR_BAD_SCENE, "/specimens", "the scene has %zu nodes; at most 2147483647: use a larger spacing", s->node_count);
  s->block_count = (s->node_count + PD_BLOCK - 1) / PD_BLOCK;
  return SCR_OK;
}

static scr_status allocate_nodes(pd_state *s, scr_error *error)
{
  size_t n = s->node_count;
  pd_vectors *all[] = {&s->reference, &s->moved,   &s->position, &s->velocity,     &s->acceleration,
                       &s->force,     &s->damping, &s->friction, &s->last_damping, &s->last_friction};
  size_t needed = sizeof all / sizeof *all - (s->explicit_damping ? 0 : 3);
  bool ok = true;
  for (size_t k = 0; k < needed; k++) ok = vectors_create(all[k], n) && ok;
  if (!s->explicit_damping) {
    s->met_count = mem_array(n, sizeof *s->met_count);
    s->damped_first = mem_array(n + 1, sizeof *s->damped_first);
    s->share = mem_array(n, sizeof *s->share);
    ok = s->met_count && s->damped_first && s->share && ok;
  }
  s->rig_blocks = mem_array(s->block_count, sizeof *s->rig_blocks);
  s->grains = mem_array(s->grain_count, sizeof *s->grains);
  s->grain_of = mem_array(n, sizeof *s->grain_of);
  s->torn = mem_array(n, 1);
  SCR_TRY(geo_near_list_create(&s->near, n, error));
  s->piece = mem_array(n, sizeof *s->piece);
  s->block_sums = mem_array(s->block_count * PD_SUMS, sizeof(double));
  for (int k = 0; k < 3; k++) ok = (s->scratch[k] = mem_array(n, sizeof(double))) && ok;
  ok = ok && s->rig_blocks && s->grains && s->grain_of && s->torn && s->piece && s->block_sums;
  return ok ? SCR_OK : scr_fail_memory(error, "the nodes", n * 300);
}

/* Nodes of one grain: its body moved to `centre`, with the specimen's initial velocity and spin. */
static void place_grain(pd_state *s, size_t g, size_t b, size_t first, scr_vec3 centre)
{
  const pd_body *body = &s->bodies[b];
  const scr_specimen *specimen = &s->scene->specimens[b];
  s->grains[g] = (pd_grain){.body = (uint32_t)b, .first = first, .bonds = &body->bonds, .centre = centre};
  for (size_t k = 0; k < body->node_count; k++) {
    size_t i = first + k;
    scr_vec3 arm = vec3(body->x[k], body->y[k], body->z[k]);
    scr_vec3 v = vec3_add(specimen->velocity, vec3_cross(specimen->angular_velocity, arm));
    s->grain_of[i] = (uint32_t)g;
    s->position.x[i] = s->reference.x[i] = centre.x + arm.x;
    s->position.y[i] = s->reference.y[i] = centre.y + arm.y;
    s->position.z[i] = s->reference.z[i] = centre.z + arm.z;
    s->velocity.x[i] = v.x;
    s->velocity.y[i] = v.y;
    s->velocity.z[i] = v.z;
  }
}

static void place_grains(pd_state *s)
{
  size_t g = 0, first = 0;
  for (size_t b = 0; b < s->body_count; b++)
    for (size_t k = 0; k < s->scene->specimens[b].position_count; k++) {
      place_grain(s, g++, b, first, s->scene->specimens[b].positions[k]);
      first += s->bodies[b].node_count;
    }
}

/* Walls have no modulus of their own: they take the grain material's. */
static scr_status set_laws(pd_state *s, scr_error *error)
{
  const scr_scene *scene = s->scene;
  size_t m = scene->material_count;
  s->laws = mem_array((m + 1) * (m + 1), sizeof *s->laws);
  if (!s->laws) return scr_fail_memory(error, "the contact laws", (m + 1) * (m + 1) * sizeof *s->laws);
  for (size_t a = 0; a <= m; a++)
    for (size_t b = 0; b <= m; b++) {
      const pd_material *ma = pd_material_of(scene, a < m ? a : b < m ? b : 0), *mb = pd_material_of(scene, b < m ? b : a < m ? a : 0);
      const pd_surface *law = pd_surface_of(scene, a, b);
      double stiffness = pd_contact_stiffness(pd_bulk_modulus(ma), pd_bulk_modulus(mb), s->contact_radius);
      s->laws[a * (m + 1) + b] = (pd_law){stiffness * s->options->contact_stiffness_factor, law->friction_coefficient, law->damping_ratio};
    }
  return SCR_OK;
}

static scr_status set_parts(pd_state *s, scr_error *error)
{
  SCR_TRY(pd_grips_create(s, error));
  for (size_t p = 0; p < s->rig->count; p++) {
    s->parts[p].acted = s->rig->now[p];
    pd_grips_set_velocity(s, p, s->rig->now[p].velocity);
  }
  return SCR_OK;
}

/* What the energy balance compares with while there is next to no energy: what bonds stretched by 1e-10 would hold, as positions are no better
 * known than that. */
static double least_energy(const pd_state *s)
{
  double energy = 0;
  for (size_t b = 0; b < s->body_count; b++)
    energy += 4.5e-20 * s->bodies[b].bulk_modulus * s->bodies[b].node_volume * (double)s->bodies[b].node_count *
              (double)s->scene->specimens[b].position_count;
  return energy;
}

scr_status pd_state_create(const scr_scene *scene, sim_parts *parts, unsigned threads, const scr_pulse *pulse, pd_state **state,
                           scr_error *error)
{
  pd_state *s = *state = mem_array(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->scene = scene;
  s->options = scene->options;
  s->rig = parts;
  s->threads = threads;
  s->contact_radius = pd_contact_radius(scene);
  s->explicit_damping = s->options->damping_step == PD_DAMPING_EXPLICIT;
  s->row_kernel = pd_row_kernel_best();
  SCR_TRY(build_bodies(s, pulse, error));
  scr_pulse_beat(pulse);
  SCR_TRY(allocate_nodes(s, error));
  SCR_TRY(set_laws(s, error));
  place_grains(s);
  scr_pulse_beat(pulse);
  SCR_TRY(set_parts(s, error));
  s->ledger.start = pd_energy_kinetic(s);
  s->ledger.largest = least_energy(s);
  return SCR_OK;
}

void pd_state_destroy(pd_state *s)
{
  if (!s) return;
  for (size_t b = 0; b < s->body_count; b++) pd_body_clear(&s->bodies[b]);
  for (size_t g = 0; s->grains && g < s->grain_count; g++) pd_bonds_clear(&s->grains[g].own);
  for (size_t b = 0; s->rig_blocks && b < s->block_count; b++) {
    mem_free(s->rig_blocks[b].now);
    mem_free(s->rig_blocks[b].before);
  }
  pd_vectors *all[] = {&s->reference, &s->moved,   &s->position, &s->velocity,     &s->acceleration,
                       &s->force,     &s->damping, &s->friction, &s->last_damping, &s->last_friction};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) vectors_clear(all[k]);
  void *arrays[] = {s->held,       s->bodies,     s->grains,   s->grain_of,     s->torn,       s->laws,
                    s->block_sums, s->torn_bonds, s->piece,    s->scratch[0],   s->scratch[1], s->scratch[2],
                    s->rig_blocks, s->met_count,  s->pair_met, s->damped_first, s->damped,     s->share};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(arrays[k]);
  geo_near_list_clear(&s->near);
  mem_free(s);
}

/* Whether nodes can meet nodes: of another grain, or of broken pieces. */
static bool nodes_meet(const scr_scene *scene, uint32_t material, bool *inside)
{
  const pd_options *options = scene->options;
  size_t grains = 0;
  for (size_t i = 0; i < scene->specimen_count; i++) grains += scene->specimens[i].position_count;
  *inside = options->self_contact && options->breakable && !isnan(pd_material_of(scene, material)->fracture_energy);
  return grains > 1 || *inside;
}

/* Bounds of explicit damping: by walls, and by other nodes all around (self-contact) or on one side. */
static double explicit_damping_bound(const scr_scene *scene, uint32_t m, double stiffness, double radius, const char **rule)
{
  const pd_material *material = pd_material_of(scene, m);
  double bound = INFINITY, ratio = pd_surface_of(scene, m, m)->damping_ratio;
  if (scr_rig_pushes(&scene->rig)) {
    bound = pd_step_bound_damping(material->density, stiffness, radius, pd_surface_of(scene, m, scene->material_count)->damping_ratio);
    *rule = "wall damping";
  }
  bool inside;
  for (size_t i = 0; i < scene->specimen_count; i++) {
    if (scene->specimens[i].material != m || !nodes_meet(scene, m, &inside)) continue;
    double pairs =
        pd_step_bound_pairs(material->density, stiffness, radius, pd_specimen_of(&scene->specimens[i])->spacing, inside ? 1 : 0.5, ratio);
    if (pairs < bound) bound = pairs, *rule = "damping between nodes";
  }
  return bound;
}

double pd_step_bound(const scr_scene *scene, double bond_bound, const char **rule)
{
  const pd_options *options = scene->options;
  bool explicit_damping = options->damping_step == PD_DAMPING_EXPLICIT;
  double radius = pd_contact_radius(scene), bound = bond_bound;
  *rule = "bond";
  for (uint32_t m = 0; m < scene->material_count; m++) {
    const pd_material *material = pd_material_of(scene, m);
    const char *damper = "";
    double k = pd_bulk_modulus(material), stiffness = pd_contact_stiffness(k, k, radius) * options->contact_stiffness_factor;
    double contact = pd_step_bound_contact(material->density, stiffness, radius);
    double damping = explicit_damping ? explicit_damping_bound(scene, m, stiffness, radius, &damper) : (double)INFINITY;
    if (contact < bound) bound = contact, *rule = "contact";
    if (damping < bound) bound = damping, *rule = damper;
  }
  if (explicit_damping && options->damping_rate * bound > 1) bound = 1 / options->damping_rate, *rule = "damping rate";
  return bound;
}

/* A bar's Young's modulus is 3/2 of the bulk modulus where Poisson's ratio is 1/4; nodes stand h apart on a face. */
part_response pd_part_response(const scr_scene *scene)
{
  part_response response = {0};
  double radius = pd_contact_radius(scene), factor = ((const pd_options *)scene->options)->contact_stiffness_factor;
  for (size_t i = 0; i < scene->specimen_count; i++) {
    const pd_material *material = pd_material_of(scene, scene->specimens[i].material);
    double k = pd_bulk_modulus(material), h = pd_specimen_of(&scene->specimens[i])->spacing;
    double contact = pd_friction_stiffness(pd_contact_stiffness(k, k, radius) * factor, h * h * h, radius) / 0.8;
    response.impedance = fmax(response.impedance, sqrt(1.5 * k * material->density));
    response.stiffness = fmax(response.stiffness, contact / (h * h));
  }
  return response;
}
