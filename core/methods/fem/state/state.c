/* Building a run: meshes put in place, what is held, what is loaded, how fast everything is. */
#include "methods/fem/state/state.h"

#include <string.h>

#include "base/memory.h"
#include "methods/fem/mesh/specimen.h"

enum { EARLY_FIELDS = 3 }; /* counted by the scene alone, before there are meshes */
const sim_field fem_fields[FEM_FIELDS] = {
    FIELD_ARRAY("surfaces", fem_state, surfaces, body_count, 0),
    FIELD_ARRAY("specimens of bodies", fem_state, specimen_of, body_count, 0),
    FIELD_ARRAY("drawn surfaces", fem_state, skins, specimen_count, 0),
    FIELD_ROWS("displacements", fem_state, motion.displacement, system.node_count, 3, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ROWS("velocities", fem_state, motion.velocity, system.node_count, 3, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ROWS("modes of elements", fem_state, motion.mode, system.hex_count, FEM_MODE_UNKNOWNS, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ROWS("held components", fem_state, hold.fixed, system.node_count, 3, 0),
    FIELD_ARRAY("grips of nodes", fem_state, hold.part, system.node_count, 0),
    FIELD_ROWS("imposed displacements", fem_state, hold.displacement, system.node_count, 3, 0),
    FIELD_ROWS("imposed velocities", fem_state, hold.speed, system.node_count, 3, 0),
    FIELD_ROWS("weights", fem_state, gravity, system.node_count, 3, 0),
    FIELD_ROWS("loads", fem_state, load, system.node_count, 3, 0),
    FIELD_ROWS("loads before", fem_state, load_before, system.node_count, 3, 0),
    FIELD_ROWS("loads after", fem_state, load_after, system.node_count, 3, 0),
    FIELD_ARRAY("times of loads", fem_state, rise, body_count, 0),
    FIELD_ARRAY("dampings by mass", fem_state, mass_damping, body_count, 0),
    FIELD_ARRAY("dampings by stiffness", fem_state, stiffness_damping, body_count, 0),
    FIELD_ARRAY("areas of faces", fem_state, quarter, face_count, 0),
    FIELD_ARRAY("frictions", fem_state, friction, pair_count, 0),
    FIELD_ARRAY("pressed areas", fem_state, pressed, pair_count, 0),
    FIELD_LIST("overlaps at the start", fem_state, overlaps.item, overlaps.count, overlaps.capacity, 0),
    FIELD_ROWS("pictures", fem_state, picture, system.node_count, FEM_PICTURES, 0),
    FIELD_ARRAY("weights of pictures", fem_state, weight, system.node_count, 0),
    FIELD_VALUE("sums", fem_state, totals, FIELD_SAVED),
    FIELD_VALUE("flights", fem_state, flight, FIELD_SAVED),
};

void fem_state_destroy(fem_state *s)
{
  if (!s) return;
  fem_solver_clear(&s->solver);
  for (size_t b = 0; s->surfaces && b < s->body_count; b++) geo_hexes_surface_clear(&s->surfaces[b]);
  for (size_t k = 0; s->skins && k < s->specimen_count; k++) mem_free(s->skins[k].node);
  fields_free(fem_fields, FEM_FIELDS, s);
  fem_edges_clear(&s->edges);
  fem_frames_clear(&s->frames);
  fem_system_clear(&s->system);
  mem_free(s);
}

/* ── bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static size_t count_bodies(const scr_scene *scene)
{
  size_t count = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) count += scene->specimens[k].position_count;
  return count;
}

/* Meshes of all bodies in place; surfaces with their own numbers so far. */
static scr_status mesh_bodies(fem_state *s, geo_hexes *meshes, fem_body *bodies, scr_error *error)
{
  const scr_scene *scene = s->scene;
  size_t body = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    const scr_specimen *specimen = &scene->specimens[k];
    shape_division division = fem_divide(&specimen->shape, fem_specimen_of(scene, k));
    geo_hexes mesh = {0};
    scr_status status = shape_hexes(&specimen->shape, &division, &mesh, error);
    double density = fem_material_of(scene, specimen->material)->density;
    if (status == SCR_OK)
      density /= fem_filled_share(&specimen->shape, geo_hexes_measure(&mesh).volume); /* bodies weigh what their shapes do */
    for (size_t i = 0; i < specimen->position_count && status == SCR_OK; i++, body++) {
      s->specimen_of[body] = (uint32_t)k;
      status = fem_mesh_place(&mesh, specimen, specimen->positions[i], &meshes[body], error);
      if (status == SCR_OK) status = geo_hexes_find_surface(&meshes[body], &s->surfaces[body], error);
      bodies[body] = (fem_body){&meshes[body], fem_constitutive_of(scene, k), density};
    }
    geo_hexes_clear(&mesh);
    SCR_TRY(status);
  }
  return SCR_OK;
}

/* Side loads and areas of one body; its surface's numbers then count in the system. */
static scr_status load_body(fem_state *s, const geo_hexes *mesh, size_t body, double (*quarter)[4], scr_error *error)
{
  const scr_specimen *specimen = &s->scene->specimens[s->specimen_of[body]];
  const fem_specimen *block = fem_specimen_of(s->scene, s->specimen_of[body]);
  size_t first = s->system.node_first[body];
  double *share = s->weight + first;
  geo_hexes_surface *surface = &s->surfaces[body];
  geo_hexes straight;
  const scr_specimen unturned = {.rotation_axis = {0, 0, 1}};
  fem_quarter_areas(mesh, surface, quarter);
  SCR_TRY(fem_mesh_place(mesh, &unturned, vec3(0, 0, 0), &straight, error));
  scr_quat back = quat_exp(vec3_scale(specimen->rotation_axis, -specimen->rotation_angle));
  for (size_t n = 0; n < mesh->node_count; n++) {
    scr_vec3 x = quat_rotate(back, vec3(mesh->node[n][0], mesh->node[n][1], mesh->node[n][2]));
    straight.node[n][0] = x.x, straight.node[n][1] = x.y, straight.node[n][2] = x.z;
  }
  (void)fem_side_shares(&straight, surface, (fem_side)block->load_side, share);
  geo_hexes_clear(&straight);
  const double load[3] = {block->load.x, block->load.y, block->load.z};
  for (size_t n = 0; n < mesh->node_count; n++)
    for (size_t k = 0; k < 3; k++) s->load[3 * (first + n) + k] = share[n] * load[k];
  s->rise[body] = block->load_rise_time;
  for (size_t f = 0; f < surface->face_count; f++) {
    for (int k = 0; k < 4; k++) surface->face[f][k] += (uint32_t)first;
    surface->element[f] += s->system.hex_first[body];
  }
  for (size_t k = 0; k < surface->node_count; k++) surface->node[k] += (uint32_t)first;
  return SCR_OK;
}

/* Initial velocities: as a rigid body about the place of the grain. */
static void set_velocities(fem_state *s)
{
  size_t body = 0;
  for (size_t k = 0; k < s->scene->specimen_count; k++) {
    const scr_specimen *specimen = &s->scene->specimens[k];
    for (size_t i = 0; i < specimen->position_count; i++, body++)
      for (size_t n = s->system.node_first[body]; n < s->system.node_first[body + 1]; n++) {
        const double *x = s->system.rest + 3 * n;
        scr_vec3 arm = vec3_sub(vec3(x[0], x[1], x[2]), specimen->positions[i]);
        scr_vec3 v = vec3_add(specimen->velocity, vec3_cross(specimen->angular_velocity, arm));
        s->motion.velocity[3 * n] = v.x, s->motion.velocity[3 * n + 1] = v.y, s->motion.velocity[3 * n + 2] = v.z;
      }
  }
}

/* Which components of which nodes the grips hold. A grip that slides holds what is along its axis. */
static void set_holds(fem_state *s, const sim_parts *parts)
{
  for (size_t n = 0; n < s->system.node_count; n++) {
    const double *x = s->system.rest + 3 * n;
    for (uint32_t p = 0; p < parts->count; p++) {
      const scr_part *form = &parts->form[p];
      const double axis[3] = {form->axis.x, form->axis.y, form->axis.z};
      if (!scr_part_holds(form, vec3(x[0], x[1], x[2]))) continue;
      s->hold.part[n] = p;
      for (size_t k = 0; k < 3; k++) {
        if (form->slide && axis[k] == 0) continue;
        s->hold.fixed[3 * n + k] = 1;
        s->motion.velocity[3 * n + k] = 0;
        s->hold.count++;
      }
    }
  }
}

static void set_friction(fem_state *s)
{
  size_t bodies = s->system.body_count;
  for (size_t a = 0; a < bodies; a++)
    for (size_t b = 0; b <= bodies; b++) {
      size_t first = s->scene->specimens[s->specimen_of[a]].material;
      size_t second = b == bodies ? s->scene->material_count : s->scene->specimens[s->specimen_of[b]].material;
      s->friction[a * (bodies + 1) + b] = ((const fem_surface_law *)scr_scene_surface(s->scene, first, second))->friction_coefficient;
    }
}

static void set_gravity(fem_state *s)
{
  const double g[3] = {s->scene->rig.gravity.x, s->scene->rig.gravity.y, s->scene->rig.gravity.z};
  for (size_t n = 0; n < s->system.node_count; n++)
    for (size_t k = 0; k < 3; k++) s->gravity[3 * n + k] = s->system.node_mass[n] * g[k];
}

/* ── the solver ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status make_solver(fem_state *s, scr_execution execution, const scr_liveness *liveness, scr_error *error)
{
  double volume = 0;
  fem_settings settings = {.impact = (fem_impact)s->options->impact,
                           .tolerance = s->options->newton_tolerance,
                           .newton_limit = (unsigned)s->options->newton_limit,
                           .sweep_limit = (unsigned)s->options->sweep_limit,
                           .execution = execution,
                           .liveness = *liveness,
                           .mass_damping = s->mass_damping,
                           .stiffness_damping = s->stiffness_damping};
  for (size_t e = 0; e < s->system.hex_count; e++) volume += s->system.shape[e].volume;
  settings.edge = cbrt(volume / (double)s->system.hex_count);
  for (size_t b = 0; b < s->body_count; b++) {
    const fem_material *material = fem_material_of(s->scene, s->scene->specimens[s->specimen_of[b]].material);
    s->mass_damping[b] = material->mass_damping;
    s->stiffness_damping[b] = material->stiffness_damping;
  }
  s->space = (fem_contact_space){.system = &s->system,
                                 .surfaces = s->surfaces,
                                 .friction = s->friction,
                                 .band = 0.5 * settings.edge,
                                 .bodies = s->options->body_contact,
                                 .overlaps = NULL, /* until they are found */
                                 .edges = &s->edges};
  return fem_solver_create(&s->system, &s->frames, &s->space, &s->motion, &s->hold, &settings, &s->solver, error);
}

static scr_status build(fem_state *s, geo_hexes *meshes, fem_body *bodies, size_t count, scr_error *error)
{
  SCR_TRY(mesh_bodies(s, meshes, bodies, error));
  SCR_TRY(fem_system_create(bodies, count, &s->system, error));
  SCR_TRY(fem_frames_create(&s->system, &s->frames, error));
  for (size_t b = 0; b < count; b++) s->face_count += s->surfaces[b].face_count;
  s->pair_count = count * (count + 1);
  SCR_TRY(fields_allocate(fem_fields + EARLY_FIELDS, FEM_FIELDS - EARLY_FIELDS, s, error));
  double(*quarter)[4] = s->quarter;
  for (size_t b = 0; b < count; quarter += s->surfaces[b].face_count, b++) SCR_TRY(load_body(s, &meshes[b], b, quarter, error));
  return SCR_OK;
}

scr_status fem_state_create(const scr_scene *scene, const sim_parts *parts, sim_ledger *ledger, scr_execution execution,
                            const scr_liveness *liveness, fem_state **state, scr_error *error)
{
  fem_state *s = *state = mem_array(1, sizeof *s);
  size_t count = count_bodies(scene);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->scene = scene;
  s->options = scene->options;
  s->ledger = ledger;
  s->body_count = count;
  s->specimen_count = scene->specimen_count;
  SCR_TRY(fields_allocate(fem_fields, EARLY_FIELDS, s, error));
  geo_hexes *meshes = mem_array(count, sizeof *meshes);
  fem_body *bodies = mem_array(count, sizeof *bodies);
  scr_status status =
      meshes && bodies ? build(s, meshes, bodies, count, error) : scr_fail_memory(error, "the bodies", count * sizeof *bodies);
  for (size_t b = 0; meshes && b < count; b++) geo_hexes_clear(&meshes[b]);
  mem_free(meshes);
  mem_free(bodies);
  SCR_TRY(status);
  SCR_TRY(fem_edges_create(&s->system, s->surfaces, &s->edges, error));
  set_velocities(s);
  set_holds(s, parts);
  set_friction(s);
  set_gravity(s);
  SCR_TRY(make_solver(s, execution, liveness, error));
  SCR_TRY(fem_find_overlaps(&s->space, parts, s->motion.displacement, &s->overlaps, error));
  s->space.overlaps = &s->overlaps;
  ledger_begin(s->ledger, parts, fem_kinetic(&s->solver) + s->solver.energy);
  return SCR_OK;
}
