/* What only this method can check of a scene, and its cost. Finds all problems; builds nothing large before the memory limit is checked. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/mesh/specimen.h"
#include "methods/fem/scene/check_bodies.h"
#include "methods/fem/scene/cost.h"
#include "methods/fem/state/state.h"
#include "methods/fem/view/contacts.h"
#include "scene/check/abilities.h"
#include "scene/counts.h"
#include "scene/mesh_source.h"
#include "scene/part.h"
#include "sim/time_step.h"

typedef struct checker {
  scr_checker report;
  const scr_scene *scene;
  const fem_options *options;
  double least_edge; /**< m, of all meshes */
  double wave_time;  /**< s, that a wave needs through the shortest edge */
  fem_cost cost;
} checker;

static const double taken_as_touching = 5e-2; /* of an element's edge */

static size_t count_bodies(const scr_scene *scene)
{
  size_t bodies = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) bodies += scene->specimens[k].position_count;
  return bodies;
}

/* ── materials ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static void check_material(const checker *c, size_t m)
{
  const fem_material *material = fem_material_of(c->scene, m);
  const char *name = c->scene->materials[m].name;
  double nu = fem_poisson_ratio(material);
  if (isnan(material->young_modulus))
    check_refuse(&c->report, check_at("/materials/%zu/young_modulus", m), NAN, "a number > 0, in Pa",
                 "material '%s' has no young_modulus, which method fem needs", name);
  if (nu > 0.45 && c->options->element != FEM_B_BAR) {
    check_warn(
        &c->report, check_at("/materials/%zu/poisson_ratio", m), nu, "at most 0.45 but for b-bar",
        "material '%s' has a Poisson ratio of %.4g: elements lock in volume from about 0.45 on and are too stiff; take the element b-bar",
        name, nu);
  }
}

/* ── specimens ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool divided(const fem_specimen *block, const scr_shape *shape)
{
  if (!isnan(block->spacing) || fem_has_elements(shape)) return true;
  return shape_entry(shape->kind)->divisible && !isnan(block->divisions.x) && !isnan(block->divisions.y) && !isnan(block->divisions.z);
}

/* @return whether it can be meshed */
static bool check_specimen(checker *c, size_t k)
{
  const scr_specimen *specimen = &c->scene->specimens[k];
  const fem_specimen *block = fem_specimen_of(c->scene, k);
  if (!abilities_offer(c->scene->method, CHOICE_SHAPE, (int)specimen->shape.kind)) return false; /* refused */
  if (!divided(block, &specimen->shape)) {
    check_refuse(&c->report, check_at("/specimens/%zu/spacing", k), NAN, "a number > 0, in m",
                 "specimen '%s' has no spacing%s: give the size of its elements", specimen->name,
                 shape_entry(specimen->shape.kind)->divisible ? " and no divisions" : "");
    return false;
  }
  if (!isnan(block->divisions.x) && !shape_entry(specimen->shape.kind)->divisible) {
    check_refuse(&c->report, check_at("/specimens/%zu/divisions", k), NAN, "null but for a box",
                 "specimen '%s' is not a box, so divisions along x, y and z have no meaning: give its spacing instead", specimen->name);
    return false;
  }
  shape_division division = fem_divide(&specimen->shape, block);
  if (division.hexes > 1e7) {
    char count[40] = "more elements than can be counted";
    if (isfinite(division.hexes)) snprintf(count, sizeof count, "%.3g elements", division.hexes);
    check_refuse(&c->report, check_at("/specimens/%zu/spacing", k), block->spacing, "a spacing that makes at most 1e7 elements",
                 "specimen '%s' would have %s: use larger ones", specimen->name, count);
    return false;
  }
  c->cost.nodes += division.nodes * (double)specimen->position_count;
  c->cost.hexes += division.hexes * (double)specimen->position_count;
  return true;
}

/* The load's side and the mesh's quality. */
static scr_status check_mesh(checker *c, size_t k, const geo_hexes *mesh)
{
  const fem_specimen *block = fem_specimen_of(c->scene, k);
  geo_hexes_quality quality = geo_hexes_measure(mesh);
  geo_hexes_surface surface;
  c->least_edge = fmin(c->least_edge, quality.least_edge);
  c->wave_time = fmin(c->wave_time, quality.least_edge / fem_wave_speed(c->scene, k));
  if (!(quality.least_jacobian > 0))
    check_refuse(&c->report, check_at("/specimens/%zu/spacing", k), block->spacing, "a spacing whose elements are valid",
                 "element %zu of specimen '%s' would be folded (its smallest Jacobian is %.3g of its largest): use a smaller spacing",
                 quality.worst, c->scene->specimens[k].name, quality.least_jacobian);
  if (block->load_side == FEM_SIDE_NONE) {
    if (!(vec3_length(block->load) > 0)) return SCR_OK;
    check_refuse(&c->report, check_at("/specimens/%zu/load_side", k), NAN, "x_min, x_max, y_min, y_max, z_min or z_max",
                 "there is a load but no side that it acts on: name one, or leave the load out");
    return SCR_OK;
  }
  double *share = mem_array(mesh->node_count, sizeof *share);
  scr_status status = share ? geo_hexes_find_surface(mesh, &surface, NULL) : SCR_NO_MEMORY;
  if (status == SCR_OK && !(fem_side_shares(mesh, &surface, (fem_side)block->load_side, share) > 0))
    check_refuse(&c->report, check_at("/specimens/%zu/load_side", k), NAN, "a side of a box, an end of a cylinder, or the crown of an arch",
                 "no face of specimen '%s' lies in that side's plane, so no load can act on it", c->scene->specimens[k].name);
  if (status == SCR_OK) geo_hexes_surface_clear(&surface);
  mem_free(share);
  return status;
}

/* What flies as one rigid body must be one. */
static scr_status check_pieces(const checker *c, size_t k, const geo_hexes *mesh)
{
  char given[32];
  uint32_t *piece = c->options->flight ? mem_array(mesh->node_count, sizeof *piece) : NULL;
  size_t count = piece ? geo_hexes_pieces(mesh, piece) : 1;
  if (c->options->flight && !piece) return SCR_NO_MEMORY;
  mem_free(piece);
  if (count < 2) return SCR_OK;
  snprintf(given, sizeof given, "%zu pieces", count);
  check_refuse_words(
      &c->report, check_at("/specimens/%zu/shape", k), given, "one piece with the option flight",
      "specimen '%.60s' consists of %zu pieces that share no node, which can't fly as one rigid body: switch flight off, or join them",
      c->scene->specimens[k].name, count);
  return SCR_OK;
}

/* Elements that are sound but poor, and solids that coarse elements cut the edges of. */
static void check_quality(const checker *c, size_t k, const geo_hexes *mesh)
{
  const scr_shape *shape = &c->scene->specimens[k].shape;
  geo_hexes_quality quality = geo_hexes_measure(mesh);
  double lost = 1 - fem_filled_share(shape, quality.volume);
  double spacing = fem_specimen_of(c->scene, k)->spacing;
  check_place place = check_at("/specimens/%zu/%s", k, fem_has_elements(shape) ? "shape/file" : "spacing");
  if (fabs(lost) > 0.03) {
    bool another = lost > 0.4;
    check_report(&c->report, another, place, spacing,
                 another ? "a spacing whose elements fill at least 0.6 of the volume" : "0.97 to 1.03 of the volume",
                 "the %zu elements of specimen '%s' fill %.3g of its volume (smallest scaled Jacobian %.3g, largest aspect %.3g): elements "
                 "are coarse against its curves, or cut its sharp edges; its mass is still that of the whole shape; use a smaller spacing",
                 mesh->hex_count, c->scene->specimens[k].name, 1 - lost, quality.scaled_jacobian, quality.aspect);
  } else if (quality.scaled_jacobian < 0.2 || quality.aspect > 20) {
    check_warn(&c->report, place, quality.scaled_jacobian, "a scaled Jacobian of at least 0.2, edges that differ by at most 20 times",
               "the worst of the %zu elements of specimen '%s' has a scaled Jacobian of %.3g, and edges differ by up to %.3g times: "
               "stresses there are poor",
               mesh->hex_count, c->scene->specimens[k].name, quality.scaled_jacobian, quality.aspect);
  }
}

/* Distances of all nodes from a part at the start, m. @return the smallest */
static double measure_distances(const geo_hexes *placed, const scr_part *part, double *distance)
{
  double least = INFINITY;
  scr_pose pose = scr_part_pose(part, 0);
  for (size_t n = 0; n < placed->node_count; n++) {
    distance[n] = scr_part_distance_posed(part, &pose, vec3(placed->node[n][0], placed->node[n][1], placed->node[n][2])).distance;
    least = fmin(least, distance[n]);
  }
  return least;
}

/* A body that starts a little inside a part is taken to touch it there without force: jaws are meant so. More than that is a mistake. */
static void judge_place(const checker *c, size_t k, size_t grain, double depth, const scr_part *part, double edge)
{
  const scr_specimen *specimen = &c->scene->specimens[k];
  check_place place = check_at("/specimens/%zu/placement", k);
  if (depth <= taken_as_touching * edge) {
    check_warn(&c->report, place, depth, "at most a hundredth of an element",
               "grain %zu of specimen '%.60s' starts %.4g m inside %.60s: such a small overlap counts as touching, now and later", grain,
               specimen->name, depth, part->name);
    return;
  }
  check_refuse(
      &c->report, place, depth, "a place outside of the rig and the obstacles",
      "grain %zu of specimen '%.60s' starts %.4g m inside %.60s; at most %.3g m, a twentieth of an element, is accepted: move one of them",
      grain, specimen->name, depth, part->name, taken_as_touching * edge);
}

/* Nodes that start inside a part; and how many may touch one. */
static scr_status check_places(checker *c, size_t k, const geo_hexes *mesh, const scr_part *parts, size_t part_count)
{
  const scr_specimen *specimen = &c->scene->specimens[k];
  geo_hexes_quality quality = geo_hexes_measure(mesh);
  double *distance = mem_array(mesh->node_count, sizeof *distance);
  scr_status status = distance ? SCR_OK : SCR_NO_MEMORY;
  for (size_t i = 0; i < specimen->position_count && status == SCR_OK; i++) {
    geo_hexes placed;
    bool inside = false;
    status = fem_mesh_place(mesh, specimen, specimen->positions[i], &placed, NULL);
    for (size_t p = 0; p < part_count && status == SCR_OK; p++) {
      if (parts[p].kind == SCR_PART_GRIP) continue;
      double least = measure_distances(&placed, &parts[p], distance);
      double facing = fem_cost_face(&c->cost, distance, placed.node_count, quality.mean_edge, cbrt(quality.volume));
      c->cost.between += parts[p].kind == SCR_PART_PLANE ? 0 : facing;
      if (!inside && least < -1e-2 * quality.mean_edge) judge_place(c, k, i, -least, &parts[p], quality.mean_edge), inside = true;
    }
    if (status == SCR_OK && !inside && c->options->loading == FEM_LOADING_STATIC)
      status = fem_check_held(&c->report, k, i, &placed, parts, part_count);
    geo_hexes_clear(&placed);
  }
  mem_free(distance);
  return status;
}

static scr_status check_meshes(checker *c)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&c->scene->rig, parts);
  for (size_t k = 0; k < c->scene->specimen_count; k++) {
    shape_division division = fem_divide(&c->scene->specimens[k].shape, fem_specimen_of(c->scene, k));
    geo_hexes mesh;
    scr_error error = {0};
    scr_status status = shape_hexes(&c->scene->specimens[k].shape, &division, &mesh, &error);
    if (status == SCR_BAD_FILE) {
      check_refuse(&c->report, check_at("/specimens/%zu/spacing", k), division.spacing, "a spacing that fills the solid", "%s",
                   error.message);
      continue;
    }
    SCR_TRY(status);
    c->cost.nodes += ((double)mesh.node_count - division.nodes) *
                     (double)c->scene->specimens[k].position_count; /* of filled solids only a guess before */
    c->cost.hexes += ((double)mesh.hex_count - division.hexes) * (double)c->scene->specimens[k].position_count;
    status = check_mesh(c, k, &mesh);
    if (status == SCR_OK) check_quality(c, k, &mesh);
    if (status == SCR_OK) status = check_pieces(c, k, &mesh);
    if (status == SCR_OK) status = check_places(c, k, &mesh, parts, part_count);
    if (status == SCR_OK) fem_cost_bend(&c->cost, c->scene, k, &mesh);
    if (status == SCR_OK) status = fem_cost_add(&c->cost, &mesh, c->scene->specimens[k].position_count);
    geo_hexes_clear(&mesh);
    if (status != SCR_OK) return status;
  }
  return SCR_OK;
}

/* Rigid flight is of one body that nothing holds and that its mass does not brake. */
static void check_flight(const checker *c)
{
  scr_part parts[SCR_PART_LIMIT];
  if (!c->options->flight) return;
  if (count_bodies(c->scene) > 1)
    check_refuse(&c->report, check_at("/options/flight"), NAN, "false, or a scene with one body",
                 "flight as a rigid body is for one body alone, but the scene has more: switch it off");
  for (size_t m = 0; m < c->scene->material_count; m++) {
    if (fem_material_of(c->scene, m)->mass_damping > 0)
      check_refuse(&c->report, check_at("/materials/%zu/mass_damping", m), fem_material_of(c->scene, m)->mass_damping,
                   "0 with the option flight",
                   "damping by the mass brakes what flies, which flight as a rigid body does not: use stiffness_damping");
  }
  for (size_t p = 0, count = scr_rig_parts(&c->scene->rig, parts); p < count; p++)
    if (parts[p].kind == SCR_PART_GRIP)
      check_refuse(&c->report, check_at("/options/flight"), NAN, "false with grips",
                   "what a grip holds does not fly: switch flight off, or use another rig");
}

/* The static equilibrium knows parts that push, but not bodies that do. */
static void check_loading(const checker *c)
{
  if (c->options->loading != FEM_LOADING_STATIC || count_bodies(c->scene) < 2 || !c->options->body_contact) return;
  check_refuse(
      &c->report, check_at("/options/loading"), NAN, "none, or one body, or body_contact false",
      "static loading ignores contact between bodies, but the scene has several: load them in time, one alone, or with body_contact false");
}

/* ── the rig, the step ──────────────────────────────────────────────────────────────────────────────────────────── */

/* Law linear takes turns for strains: bodies that spin from the start and grips that turn are foreseen, the rest is doubted where it
 * happens. */
static void check_turns(const checker *c)
{
  scr_part parts[SCR_PART_LIMIT];
  double duration = c->scene->time.duration;
  enum { MOMENTS = 100 };
  if ((fem_law)c->options->law != FEM_LINEAR) return;
  for (size_t k = 0; k < c->scene->specimen_count; k++) {
    double turn = vec3_length(c->scene->specimens[k].angular_velocity) * duration;
    if (!(turn > FEM_LINEAR_TURN)) continue;
    check_warn(&c->report, check_at("/specimens/%zu/angular_velocity", k), turn, "law neo-hookean, or at most 0.1 rad",
               "specimen '%.60s' would turn by %.3g rad in the run, which law \"linear\" takes for a strain; it is for turns below %.2g "
               "rad: use \"law\": \"neo-hookean\"",
               c->scene->specimens[k].name, turn, FEM_LINEAR_TURN);
  }
  for (size_t p = 0, count = scr_rig_parts(&c->scene->rig, parts); p < count; p++) {
    double turn = 0;
    if (parts[p].kind != SCR_PART_GRIP || !parts[p].turn) continue;
    for (int m = 1; m <= MOMENTS; m++) turn = fmax(turn, vec3_length(quat_log(scr_part_pose(&parts[p], duration * m / MOMENTS).rotation)));
    if (!(turn > FEM_LINEAR_TURN)) continue;
    check_warn(&c->report, check_at("/options/law"), turn, "neo-hookean, or at most 0.1 rad",
               "%.60s turns what it holds by %.3g rad, which law \"linear\" takes for a strain; it is for turns below %.2g rad: use "
               "\"law\": \"neo-hookean\"",
               parts[p].name, turn, FEM_LINEAR_TURN);
  }
}

static void choose_step(checker *c, scr_estimate *estimate)
{
  const sim_bound bound = {c->options->courant_number * c->wave_time, "wave through an element"};
  double interval = c->scene->output.sample_interval;
  bool given = sim_choose_step(c->scene, &bound, 1, c->scene->time.safety_factor, estimate);
  if (!given && !c->scene->output.sample_automatic) /* a whole number of steps between samples */
    estimate->time_step = interval / ceil(interval / estimate->time_step * (1 - 1e-12));
  double cfl = estimate->time_step / c->wave_time;
  bool touches = scr_rig_pushes(&c->scene->rig) || (c->options->body_contact && count_bodies(c->scene) > 1);
  if (!(cfl > 1 + 1e-9) || c->options->impact != FEM_IMPACT_STEP || !touches) return;
  check_warn(&c->report, check_at("/time/time_step"), estimate->time_step, "at most the time of a wave through an element",
             "a step of %.4g s is %.3g times what a wave needs through the shortest edge: impact in the metric of the step may then add "
             "energy, by some per cent; use a step of at most %.4g s, or the option impact \"mass\", which never does",
             estimate->time_step, cfl, c->wave_time);
}

const scr_substitute fem_cannot[] = {
    {"free", "leave `free` out, or make the obstacle a specimen of its own"},
    {0},
};

scr_status fem_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  scr_checker report = check_begin(scene, problems);
  return fem_check_scene(&report, estimate);
}

scr_status fem_check_scene(const scr_checker *report, scr_estimate *estimate)
{
  const scr_scene *scene = report->scene;
  checker c = {.report = *report, .scene = scene, .options = scene->options, .least_edge = INFINITY, .wave_time = INFINITY};
  bool meshable = true;
  for (size_t m = 0; m < scene->material_count; m++) check_material(&c, m);
  for (size_t k = 0; k < scene->specimen_count; k++) meshable = check_specimen(&c, k) && meshable;
  for (size_t a = 0; a < scene->material_count; a++)
    for (size_t b = a; b <= scene->material_count; b++)
      c.cost.has_friction = c.cost.has_friction || ((const fem_surface_law *)scr_scene_surface(scene, a, b))->friction_coefficient > 0;
  check_flight(&c);
  check_loading(&c);
  if (!meshable || !check_is_clean(&c.report)) return SCR_OK;
  if (!check_fits_memory(&c.report, fem_cost_floor(&c.cost), "use larger elements (nodes and elements alone need that, before any factor)"))
    return SCR_OK;
  SCR_TRY(check_meshes(&c));
  if (!check_is_clean(&c.report)) return SCR_OK;
  if (c.options->body_contact) SCR_TRY(fem_check_overlaps(&c.report, &c.cost));
  if (!check_is_clean(&c.report)) return SCR_OK;
  check_turns(&c);
  choose_step(&c, estimate);
  *scr_count_in(estimate, "nodes", "Nodes") = estimate->node_count = (uint64_t)c.cost.nodes;
  estimate->memory_bytes = fem_cost_memory(&c.cost, c.options);
  estimate->state_bytes = fem_cost_state(&c.cost);
  double steps = scene->time.duration / estimate->time_step, frames = scene->time.duration / scene->output.frame_interval;
  fem_cost_run(&c.cost, c.options, steps, frames, estimate);
  fem_estimate_contacts(c.options, c.cost.nodes, estimate);
  estimate->step_rows = (uint64_t)(2 * fmin(steps, 1e15)) + scene->specimen_count; /* impacts, clamped tangents, meshes */
  estimate->step_row_bytes = (3 + 2) * sizeof(double) * fmin(steps, 1e15) + 9 * sizeof(double) * (double)scene->specimen_count;
  return SCR_OK;
}
