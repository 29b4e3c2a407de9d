/* What only this method can check of a scene, and its cost. Finds all problems; allocates nothing large before the memory limit is checked. */
#include "methods/peridem/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/cost.h"
#include "methods/shape.h"

static const double bytes_per_node = 470, bytes_per_slot = 12, exact_nodes = 300000;

typedef struct checker {
  const scr_scene *scene;
  const pd_options *options;
  scr_problems *problems;
  double contact_radius;
  pd_body *bodies; /* [specimen_count]; node_count 0 where not built */
  double bond_bound;
  double near_nodes; /* pd_work.near_nodes */
  size_t problems_before;
} checker;

static bool clean(const checker *c)
{
  return c->problems->count == c->problems_before;
}

static void add(checker *c, const char *pointer, double given, const char *allowed, const char *detail)
{
  char text[40];
  snprintf(text, sizeof text, "%.6g", given);
  scr_problems_add(c->problems, pointer, isnan(given) ? "" : text, allowed, "%s", detail);
}

static void check_materials(checker *c)
{
  for (size_t m = 0; m < c->scene->material_count; m++) {
    const scr_material *material = &c->scene->materials[m];
    double k = material->bulk_modulus, E = material->young_modulus, nu = material->poisson_ratio;
    char pointer[96], text[400];
    if (isnan(k) && isnan(E)) {
      snprintf(pointer, sizeof pointer, "/materials/%zu/bulk_modulus", m);
      snprintf(text, sizeof text, "material '%s' has neither bulk_modulus nor young_modulus; method peridem needs one of them",
               material->name);
      add(c, pointer, NAN, "a number > 0, in Pa", text);
      continue;
    }
    if (!isnan(k) && !isnan(E)) nu = isnan(nu) ? 0.5 - E / (6 * k) : nu;
    if (!isnan(nu) && fabs(nu - 0.25) > 1e-6 && !c->options->allow_nu_mismatch) {
      snprintf(pointer, sizeof pointer, "/materials/%zu/%s", m, isnan(material->poisson_ratio) ? "young_modulus" : "poisson_ratio");
      snprintf(text, sizeof text,
               "material '%s' has a Poisson ratio of %.4g; bonds give 1/4 in three dimensions: leave it out, give 0.25, or set the option "
               "allow_nu_mismatch, which keeps the bulk modulus and makes the effective Young's modulus %.4g Pa",
               material->name, nu, 1.5 * pd_bulk_modulus(material));
      add(c, pointer, isnan(material->poisson_ratio) ? E : nu, "0.25", text);
    }
  }
}

/* Yarns are chains: there is no solid to fill with nodes. */
static void check_shapes(checker *c)
{
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    if (c->scene->specimens[i].shape.kind != SCR_SHAPE_WEAVE) continue;
    char pointer[96], text[300];
    snprintf(pointer, sizeof pointer, "/specimens/%zu/shape/type", i);
    snprintf(text, sizeof text, "specimen '%s' is a weave, and method peridem fills solids only: use method bdem, or another shape",
             c->scene->specimens[i].name);
    add(c, pointer, NAN, "any shape but weave", text);
  }
}

static void check_lengths(checker *c)
{
  const scr_rig *rig = &c->scene->rig;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    double horizon = pd_horizon(c->options, specimen), h = specimen->spacing;
    char pointer[96], text[400];
    snprintf(pointer, sizeof pointer, "/specimens/%zu/spacing", i);
    if (horizon < 1.5 * h || horizon > 8 * h) {
      snprintf(text, sizeof text, "spacing %.4g m is %.3g of the horizon of %.4g m; it must lie between %.4g and %.4g m", h, h / horizon,
               horizon, horizon / 8, horizon / 1.5);
      add(c, pointer, h, "1/8 to 2/3 of the horizon, in m", text);
    }
    if (c->options->self_contact && c->contact_radius > horizon * (1 + GEO_LENGTH_SLACK)) {
      snprintf(text, sizeof text,
               "contact radius %.4g m is larger than the horizon %.4g m of specimen '%s', which self_contact does not allow: use a smaller "
               "contact_radius or switch self_contact off",
               c->contact_radius, horizon, specimen->name);
      add(c, "/options/contact_radius", c->contact_radius, "a length up to the horizon, in m", text);
    }
  }
  scr_vec3 gap = vec3_sub(rig->maximum, rig->minimum);
  double least = fmin(gap.x, fmin(gap.y, gap.z));
  if (rig->kind == SCR_RIG_BOX && c->contact_radius > 0.5 * least) {
    char text[300];
    snprintf(text, sizeof text,
             "contact radius %.4g m is more than half of the smallest distance between walls, %.4g m: use a larger box or a smaller "
             "contact_radius",
             c->contact_radius, least);
    add(c, "/options/contact_radius", c->contact_radius, "at most half the distance between walls, in m", text);
  }
}

/* Bonds of a node with a full neighbourhood: the ball's volume in cells, a little high. */
static double full_neighbourhood(double horizon, double spacing)
{
  double m = horizon / spacing;
  return 4.0 / 3.0 * M_PI * (m + 0.3) * (m + 0.3) * (m + 0.3);
}

/* Memory by volume, before anything is built. @return whether building may go on */
static bool check_memory(checker *c, scr_estimate *estimate)
{
  double bytes = 0;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    geo_solid solid = scr_shape_solid(&specimen->shape);
    double block = geo_lattice_block(&solid, specimen->spacing), nodes = geo_lattice_expected(&solid, specimen->spacing);
    double slots = nodes * full_neighbourhood(pd_horizon(c->options, specimen), specimen->spacing),
           grains = (double)specimen->position_count;
    bytes +=
        4 * block + grains * nodes * bytes_per_node + (grains + 1) * slots * bytes_per_slot; /* every grain may break and own its rows */
  }
  estimate->memory_bytes = bytes;
  if (bytes <= (double)c->scene->limits.memory_bytes) return true;
  char text[300];
  snprintf(text, sizeof text,
           "the scene needs about %.3g GB of memory; this laboratory allows %.3g GB: use a larger spacing or fewer grains", bytes / 1e9,
           (double)c->scene->limits.memory_bytes / 1e9);
  add(c, "/specimens", bytes, "a scene that fits into the memory limit", text);
  return false;
}

static void check_body(checker *c, size_t i, const pd_body *body)
{
  char pointer[96], text[400];
  size_t lonely = 0;
  snprintf(pointer, sizeof pointer, "/specimens/%zu/spacing", i);
  for (size_t k = 0; k < body->node_count; k++) lonely += body->bond_degree[k] == 0;
  uint32_t *piece = mem_array(body->node_count, sizeof *piece);
  size_t pieces = piece ? pd_pieces(&body->bonds, piece) : 1;
  mem_free(piece);
  if (body->node_count == 0)
    snprintf(text, sizeof text, "specimen '%s' holds no node at a spacing of %.4g m: use a smaller spacing", c->scene->specimens[i].name,
             body->spacing);
  else if (lonely)
    snprintf(text, sizeof text, "%zu of the %zu nodes of specimen '%s' have no bond: use a smaller spacing or a larger horizon", lonely,
             body->node_count, c->scene->specimens[i].name);
  else if (pieces > 1)
    snprintf(text, sizeof text, "specimen '%s' falls into %zu pieces that no bond joins: use a smaller spacing or a larger horizon",
             c->scene->specimens[i].name, pieces);
  else
    return;
  add(c, pointer, body->spacing, "a spacing at which the grain is one piece, in m", text);
}

/* Builds each specimen's template for exact numbers; a very large one is only estimated. */
static scr_status measure(checker *c, scr_estimate *estimate)
{
  const double whole = 4;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    const uint64_t before = estimate->bond_count;
    geo_solid solid = scr_shape_solid(&specimen->shape);
    double nodes = geo_lattice_expected(&solid, specimen->spacing), grains = (double)specimen->position_count;
    if (geo_lattice_block(&solid, specimen->spacing) > exact_nodes * whole) {
      geo_lattice lattice = {0};
      scr_error error;
      scr_status status = geo_lattice_fill(&lattice, &solid, specimen->spacing, &error); /* nodes are counted all the same */
      if (status == SCR_NO_MEMORY) return status;
      if (status == SCR_OK) nodes = (double)lattice.node_count;
      geo_lattice_clear(&lattice);
      double horizon = pd_horizon(c->options, specimen), neighbours = full_neighbourhood(horizon, specimen->spacing);
      estimate->bond_count += (uint64_t)(grains * nodes * neighbours / 2);
      /* sum over a full ball of c V / L, in the continuum: c 2 pi eps^2; 36 k / eps^2 for the constant law */
      double row_sum = (c->options->micromodulus == PD_CONSTANT ? 36 : 60) * pd_bulk_modulus(&c->scene->materials[specimen->material]) /
                       (horizon * horizon);
      c->bond_bound = fmin(c->bond_bound, 0.95 * sqrt(2 * c->scene->materials[specimen->material].density / row_sum));
    } else {
      scr_error error;
      scr_status status = pd_body_build(&c->bodies[i], c->scene, specimen, &error);
      if (status != SCR_OK) return status;
      check_body(c, i, &c->bodies[i]);
      nodes = (double)c->bodies[i].node_count;
      estimate->bond_count += (uint64_t)(grains * (double)c->bodies[i].bonds.slot_count / 2);
      c->bond_bound = fmin(c->bond_bound, c->bodies[i].step_bound);
    }
    if (c->options->breakable && !isnan(c->scene->materials[specimen->material].fracture_energy))
      estimate->breakable_count += estimate->bond_count - before;
    estimate->node_count += (uint64_t)(grains * nodes);
    double reach = c->contact_radius * (1 + c->options->contact_skin) / specimen->spacing;
    c->near_nodes += grains * nodes * fmin(4.0 / 3.0 * M_PI * reach * reach * reach, grains * nodes);
  }
  return SCR_OK;
}

/* Nodes of all grains inside one part of the rig, or held by it; the deepest's depth goes to *depth. Grains that are surely outside the
 * part are passed over as a whole. */
static size_t count_in_part(const checker *c, const scr_part *part, double *depth)
{
  size_t count = 0;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const pd_body *body = &c->bodies[i];
    const scr_specimen *specimen = &c->scene->specimens[i];
    scr_vec3 middle = vec3_scale(vec3_add(body->box.low, body->box.high), 0.5);
    double reach = 0.5 * vec3_length(vec3_sub(body->box.high, body->box.low));
    for (size_t g = 0; body->node_count && g < specimen->position_count; g++) {
      scr_vec3 at = specimen->positions[g];
      if (part->kind != SCR_PART_GRIP && scr_part_distance_at(part, part->start, vec3_add(at, middle)).distance > reach) continue;
      for (size_t k = 0; k < body->node_count; k++) {
        scr_vec3 node = vec3_add(at, vec3(body->x[k], body->y[k], body->z[k]));
        double d = scr_part_distance_at(part, part->start, node).distance;
        count += part->kind == SCR_PART_GRIP ? scr_part_holds(part, node) : d < 0;
        *depth = fmax(*depth, -d);
      }
    }
  }
  return count;
}

static void check_part(checker *c, const scr_part *part)
{
  char text[400], pointer[96];
  double depth = 0;
  size_t count = count_in_part(c, part, &depth);
  bool built = c->bodies[0].node_count > 0;
  if (part->kind == SCR_PART_GRIP && built && count == 0) {
    snprintf(text, sizeof text, "%.47s holds no node: move its border at %.4g m into the specimen", part->name,
             vec3_dot(part->start, part->axis));
    add(c, part->program ? "/rig/high_start" : "/rig/low_end", vec3_dot(part->start, part->axis), "a coordinate within the specimen, in m",
        text);
  } else if (part->kind != SCR_PART_GRIP && count > 0) {
    snprintf(text, sizeof text, "%zu nodes lie inside %.47s at the start, up to %.4g m deep: move the specimen or give the rig more room",
             count, part->name, depth);
    snprintf(pointer, sizeof pointer, "%.39s/position", part->pointer);
    add(c, pointer, NAN, "a place that leaves the specimen out of the parts", text);
  }
  if (part->radius > 0 && part->radius < c->contact_radius) {
    snprintf(
        text, sizeof text,
        "%.47s has a radius of %.4g m, less than the contact radius of %.4g m, so that its surface can't be taken as flat: use a larger "
        "radius or a finer spacing",
        part->name, part->radius, c->contact_radius);
    snprintf(pointer, sizeof pointer, "%.39s/%s", part->pointer,
             part->obstacle  ? "shape/radius"
             : part->program ? "load_radius"
                             : "support_radius");
    add(c, pointer, part->radius, "a radius of at least the contact radius, in m", text);
  }
}

static void check_parts(checker *c)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&c->scene->rig, parts);
  for (size_t p = 0; p < count; p++)
    if (parts[p].obstacle || c->scene->rig.kind != SCR_RIG_BOX) check_part(c, &parts[p]);
}

/* Nodes outside the box: only the extremes of each grain matter. */
static void check_inside(checker *c)
{
  const scr_rig *rig = &c->scene->rig;
  if (rig->kind != SCR_RIG_BOX) return;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    size_t outside = 0;
    for (size_t k = 0; c->bodies[i].node_count && k < specimen->position_count; k++) {
      scr_vec3 low = vec3_add(specimen->positions[k], c->bodies[i].box.low), high = vec3_add(specimen->positions[k], c->bodies[i].box.high);
      outside += low.x < rig->minimum.x || low.y < rig->minimum.y || low.z < rig->minimum.z || high.x > rig->maximum.x ||
                 high.y > rig->maximum.y || high.z > rig->maximum.z;
    }
    char pointer[96], text[300];
    if (outside == 0) continue;
    snprintf(pointer, sizeof pointer, "/specimens/%zu/placement", i);
    snprintf(text, sizeof text, "%zu of the %zu grains of specimen '%s' reach out of the box: move them or use a larger box", outside,
             specimen->position_count, specimen->name);
    add(c, pointer, NAN, "positions inside the box", text);
  }
}

/* Least distance between nodes of two grains, looking only where their boxes are near. */
static double grain_gap(const pd_body *a, scr_vec3 at_a, const pd_body *b, scr_vec3 at_b, double reach)
{
  scr_vec3 shift = vec3_sub(at_b, at_a);
  geo_box box_b = {vec3_add(b->box.low, shift), vec3_add(b->box.high, shift)};
  double least = INFINITY;
  for (size_t i = 0; i < a->node_count; i++) {
    geo_box point = {{a->x[i], a->y[i], a->z[i]}, {a->x[i], a->y[i], a->z[i]}};
    if (!geo_box_near(&point, &box_b, reach)) continue;
    for (size_t j = 0; j < b->node_count; j++) {
      double dx = b->x[j] + shift.x - a->x[i], dy = b->y[j] + shift.y - a->y[i], dz = b->z[j] + shift.z - a->z[i];
      least = fmin(least, dx * dx + dy * dy + dz * dz);
    }
  }
  return sqrt(least);
}

typedef struct grain_place {
  size_t specimen, number;
  scr_vec3 centre;
} grain_place;

static void report_overlap(checker *c, const grain_place *a, const grain_place *b, double gap)
{
  char pointer[96], text[400];
  snprintf(pointer, sizeof pointer, "/specimens/%zu/placement", b->specimen);
  snprintf(text, sizeof text,
           "grain %zu of specimen '%s' and grain %zu of '%s' have nodes only %.4g m apart at the start; grains must be at least the "
           "contact radius of %.4g m apart: "
           "move them, or set the option allow_initial_contact",
           b->number, c->scene->specimens[b->specimen].name, a->number, c->scene->specimens[a->specimen].name, gap, c->contact_radius);
  add(c, pointer, NAN, "grains at least a contact radius apart", text);
}

static scr_status check_overlap(checker *c)
{
  const scr_scene *scene = c->scene;
  size_t count = 0, at = 0, reported = 0;
  if (c->options->allow_initial_contact) return SCR_OK;
  for (size_t i = 0; i < scene->specimen_count; i++) {
    if (c->bodies[i].node_count == 0) return SCR_OK; /* too large to be built here */
    count += scene->specimens[i].position_count;
  }
  geo_box *boxes = mem_array(count, sizeof *boxes);
  grain_place *places = mem_array(count, sizeof *places);
  geo_box_pairs pairs = {0};
  scr_error error;
  scr_status status = boxes && places ? SCR_OK : SCR_NO_MEMORY;
  for (size_t i = 0; status == SCR_OK && i < scene->specimen_count; i++)
    for (size_t k = 0; k < scene->specimens[i].position_count; k++, at++) {
      places[at] = (grain_place){i, k, scene->specimens[i].positions[k]};
      boxes[at] = (geo_box){vec3_add(places[at].centre, c->bodies[i].box.low), vec3_add(places[at].centre, c->bodies[i].box.high)};
    }
  if (status == SCR_OK) status = geo_box_pairs_find(&pairs, boxes, count, c->contact_radius, &error);
  for (size_t k = 0; status == SCR_OK && k < pairs.count && reported < 10; k++) {
    const grain_place *a = &places[pairs.pairs[k].a], *b = &places[pairs.pairs[k].b];
    double gap = grain_gap(&c->bodies[a->specimen], a->centre, &c->bodies[b->specimen], b->centre, c->contact_radius);
    if (gap < c->contact_radius * (1 - GEO_LENGTH_SLACK)) report_overlap(c, a, b, gap), reported++;
  }
  geo_box_pairs_clear(&pairs);
  mem_free(boxes);
  mem_free(places);
  return status;
}

static void estimate_cost(const checker *c, scr_estimate *estimate)
{
  const scr_scene *scene = c->scene;
  double slots = 2 * (double)estimate->bond_count;
  estimate->memory_bytes = (double)estimate->node_count * bytes_per_node + 2 * slots * bytes_per_slot;
  pd_work work = {.nodes = (double)estimate->node_count,
                  .bonds = (double)estimate->bond_count,
                  .near_nodes = c->near_nodes,
                  .steps = scene->time.duration / estimate->time_step,
                  .samples = scene->time.duration / scene->output.sample_interval};
  work.lists = pd_list_count(scene, 0.5 * c->options->contact_skin * c->contact_radius, work.steps);
  estimate->run_seconds = pd_run_seconds(&work, c->options->self_contact, c->options->breakable);
}

static void choose_step(checker *c, scr_estimate *estimate)
{
  const scr_scene *scene = c->scene;
  const char *rule;
  double bound = pd_step_bound(scene, c->bond_bound, &rule);
  char text[400];
  bool given = !isnan(scene->time.time_step);
  estimate->time_step = given ? scene->time.time_step : bound * scene->time.safety_factor;
  snprintf(estimate->time_step_rule, sizeof estimate->time_step_rule, "%s", given ? "given" : rule);
  if (given && estimate->time_step > bound && !c->options->allow_unstable_step) {
    snprintf(text, sizeof text, "time step %.4g s is above the stable bound of %.4g s (%s): use at most %.4g s, or null to have it chosen",
             estimate->time_step, bound, rule, 0.9 * bound);
    add(c, "/time/time_step", estimate->time_step, "a stable step, in s", text);
  }
  scr_part parts[SCR_PART_LIMIT];
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++) {
    if (parts[p].turn)
      add(c, "/rig/turn", NAN, "no turn, or method \"bdem\"",
          "grips of method peridem can pull but not turn what they hold: leave turn out, or run the scene with method bdem");
    double speed = parts[p].program ? scr_program_peak_velocity(parts[p].program, scene->time.duration) : 0;
    if (speed * estimate->time_step <= 0.1 * c->contact_radius) continue;
    snprintf(text, sizeof text,
             "%.47s moves %.3g m in one step of %.3g s; at most a tenth of the contact radius, %.3g m, is allowed: use at most %.4g m/s",
             parts[p].name, speed * estimate->time_step, estimate->time_step, 0.1 * c->contact_radius,
             0.1 * c->contact_radius / estimate->time_step);
    add(c, parts[p].program_pointer, speed, "a slower part, in m/s", text);
  }
}

scr_status pd_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  checker c = {.scene = scene,
               .options = scene->options,
               .problems = problems,
               .contact_radius = pd_contact_radius(scene),
               .bond_bound = INFINITY,
               .problems_before = problems->count};
  check_materials(&c);
  check_shapes(&c);
  check_lengths(&c);
  if (!check_memory(&c, estimate) || !clean(&c)) return SCR_OK;
  c.bodies = mem_array(scene->specimen_count, sizeof *c.bodies);
  if (!c.bodies) return SCR_NO_MEMORY;
  scr_status status = measure(&c, estimate);
  if (status == SCR_OK) check_inside(&c);
  if (status == SCR_OK) check_parts(&c);
  if (status == SCR_OK) status = check_overlap(&c);
  if (status == SCR_OK) choose_step(&c, estimate);
  if (status == SCR_OK) estimate_cost(&c, estimate);
  for (size_t i = 0; i < scene->specimen_count; i++) pd_body_clear(&c.bodies[i]);
  mem_free(c.bodies);
  return status == SCR_BAD_USAGE ? SCR_OK : status;
}
