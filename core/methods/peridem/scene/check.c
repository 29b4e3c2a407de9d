/* What only this method can check of a scene, and its cost. Finds all problems; allocates nothing large before the memory limit is checked.
 * */
#include "methods/peridem/scene/check.h"

#include "base/memory.h"
#include "methods/peridem/scene/checker.h"
#include "methods/peridem/scene/cost.h"
#include "methods/peridem/body/crack.h"
#include "methods/peridem/body/moments.h"
#include "methods/peridem/host/bonds/bond_runs.h"
#include "methods/peridem/view/tables.h"
#include "scene/counts.h"
#include "sim/pieces/breaks.h"
#include "sim/pieces/fragments.h"
#include "scene/shape/shape.h"

static const double exact_nodes = 300000;

/* State-based elasticity takes any ratio that makes sense of a solid. */
static void check_ratio(pd_checker *c, size_t m, double nu)
{
  if (nu >= 0 && nu <= 0.45) return;
  check_refuse(&c->report, check_at("/materials/%zu/poisson_ratio", m), nu, "0 to 0.45",
               "material '%s' has a Poisson ratio of %.4g; elasticity \"state\" takes 0 to 0.45: give another ratio, or another "
               "young_modulus where it follows from both moduli",
               c->scene->materials[m].name, nu);
}

/* The constants of state-based elasticity are known for the constant law. */
static void check_elasticity(pd_checker *c)
{
  if (c->options->elasticity != PD_STATE || c->options->micromodulus == PD_CONSTANT) return;
  check_refuse(
      &c->report, check_at("/options/micromodulus"), NAN, "\"constant\"",
      "the critical stretch of elasticity \"state\" is known for the constant micromodulus only: use that, or elasticity \"bonds\"");
}

/* Moduli that no solid has: E = 3 k (1 - 2 nu), -1 < nu < 1/2. */
static void check_moduli(pd_checker *c, size_t m)
{
  const pd_material *material = pd_material_of(c->scene, m);
  double k = material->bulk_modulus, E = material->young_modulus, nu = material->poisson_ratio;
  if (isnan(k) || isnan(E)) return;
  check_place place = check_at("/materials/%zu/young_modulus", m);
  if (E >= 9 * k) {
    check_refuse(&c->report, place, E, "less than 9 times the bulk modulus, in Pa",
                 "material '%s' has a Young's modulus of %.4g Pa and a bulk modulus of %.4g Pa, so a Poisson ratio of %.4g; no solid has "
                 "-1 or less: give a Young's modulus below %.4g Pa, or leave one of the two out",
                 c->scene->materials[m].name, E, k, 0.5 - E / (6 * k), 9 * k);
  } else if (!isnan(nu) && fabs(E - 3 * k * (1 - 2 * nu)) > 1e-2 * E) {
    check_refuse(&c->report, place, E, "3 k (1 - 2 nu), in Pa, or null",
                 "material '%s' has a bulk modulus of %.4g Pa and a Poisson ratio of %.4g, so a Young's modulus of %.4g Pa, but %.4g Pa is "
                 "given: leave one of the three out",
                 c->scene->materials[m].name, k, nu, 3 * k * (1 - 2 * nu), E);
  }
}

/* A crack needs a corner and two edges that span something. */
static void check_cracks(pd_checker *c)
{
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const pd_specimen *crack = pd_specimen_of(&c->scene->specimens[i]);
    bool any = !isnan(crack->crack_corner.x) || !isnan(crack->crack_along.x) || !isnan(crack->crack_across.x);
    const char *missing = isnan(crack->crack_corner.x) ? "crack_corner" : isnan(crack->crack_along.x) ? "crack_along" : "crack_across";
    double span = vec3_length(vec3_cross(crack->crack_along, crack->crack_across));
    bool flat = span > 1e-6 * vec3_length(crack->crack_along) * vec3_length(crack->crack_across);
    if (!any || (pd_has_crack(crack) && flat)) continue;
    check_refuse(&c->report, check_at("/specimens/%zu/%s", i, pd_has_crack(crack) ? "crack_across" : missing), NAN,
                 "a corner and two edges that span an area, in m", "the crack of specimen '%s' %s", c->scene->specimens[i].name,
                 pd_has_crack(crack) ? "has edges that are parallel or of no length, so that it has no area: give two that span one"
                                     : "needs crack_corner, crack_along and crack_across: give all three, or none");
  }
}

static void check_materials(pd_checker *c)
{
  for (size_t m = 0; m < c->scene->material_count; m++) {
    const pd_material *material = pd_material_of(c->scene, m);
    const char *name = c->scene->materials[m].name;
    double k = material->bulk_modulus, E = material->young_modulus, nu = material->poisson_ratio;
    check_moduli(c, m);
    if (isnan(k) && isnan(E)) {
      check_refuse(&c->report, check_at("/materials/%zu/bulk_modulus", m), NAN, "a number > 0, in Pa",
                   "material '%s' has neither bulk_modulus nor young_modulus; method peridem needs one of them", name);
      continue;
    }
    if (!isnan(k) && !isnan(E)) nu = isnan(nu) ? 0.5 - E / (6 * k) : nu;
    if (c->options->elasticity == PD_STATE) {
      check_ratio(c, m, pd_poisson_ratio(material));
      continue;
    }
    if (isnan(nu) || fabs(nu - 0.25) <= 1e-6) continue;
    const char *key = isnan(material->poisson_ratio) ? "young_modulus" : "poisson_ratio";
    double given = isnan(material->poisson_ratio) ? E : nu, bulk = pd_bulk_modulus(material);
    check_place place = check_at("/materials/%zu/%s", m, key);
    if (c->options->allow_nu_mismatch)
      check_warn(
          &c->report, place, given, "0.25",
          "material '%s' has a Poisson ratio of %.4g, but bonds give 1/4: its bulk modulus of %.4g Pa is kept, and its effective Young's "
          "modulus is %.4g Pa",
          name, nu, bulk, 1.5 * bulk);
    else
      check_refuse(
          &c->report, place, given, "0.25",
          "material '%s' has a Poisson ratio of %.4g; bonds give 1/4 in three dimensions: leave it out, give 0.25, or set the option "
          "allow_nu_mismatch, which keeps the bulk modulus of %.4g Pa and makes the effective Young's modulus %.4g Pa",
          name, nu, bulk, 1.5 * bulk);
  }
}

/* Lattices whose nodes repel each other only nearer than h / 2 lie in each other without a force; nearer than h / sqrt 2, the distance of
 * the middle of four nodes from them, and a node passes between four of the other body's. */
static void check_contact_radius(pd_checker *c)
{
  double largest = 0;
  size_t grains = 0;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    largest = fmax(largest, pd_specimen_of(&c->scene->specimens[i])->spacing);
    grains += c->scene->specimens[i].position_count;
  }
  double ratio = c->contact_radius / largest;
  bool hard = ratio < 0.5 * (1 - GEO_LENGTH_SLACK);
  if (ratio >= M_SQRT1_2 * (1 - GEO_LENGTH_SLACK) || (!hard && grains < 2)) return;
  check_report(
      &c->report, hard, check_at("/options/contact_radius"), c->contact_radius,
      hard ? "at least half the largest spacing, in m" : "at least 0.71 of the largest spacing, in m",
      "contact radius %.4g m is %.3g of the spacing of %.4g m: nodes of one body %s, so that bodies and broken pieces can pass through "
      "each other: use at least %.4g m, or leave it out (1.6 spacings)",
      c->contact_radius, ratio, largest, ratio < 0.5 ? "lie between those of another without a force" : "fit between four of another",
      M_SQRT1_2 * largest);
}

/* Explicit damping is bounded by the paper's laws alone. */
static void warn_of_explicit_faces(pd_checker *c)
{
  if (pd_contact_begins(c->options) == (pd_contact_surface)c->options->contact_surface) return;
  check_warn(
      &c->report, check_at("/options/contact_surface"), NAN, "\"nodes\" or \"body\" where damping_step is \"explicit\"",
      "contact_surface \"faces\" takes damping from the velocities in limited impulses; with damping_step \"explicit\" contact begins half "
      "a spacing from the nodes by the paper's soft law, as by \"body\", so that the rig measures the contact rather than the specimen: "
      "leave damping_step out");
}

static void check_lengths(pd_checker *c)
{
  const scr_rig *rig = &c->scene->rig;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    double horizon = pd_horizon(c->options, specimen), h = pd_specimen_of(specimen)->spacing;
    if (horizon < 1.5 * h || horizon > 8 * h)
      check_refuse(&c->report, check_at("/specimens/%zu/spacing", i), h, "1/8 to 2/3 of the horizon, in m",
                   "spacing %.4g m is %.3g of the horizon of %.4g m; it must lie between %.4g and %.4g m", h, h / horizon, horizon,
                   horizon / 8, horizon / 1.5);
    if (c->options->self_contact && c->contact_radius > horizon * (1 + GEO_LENGTH_SLACK)) {
      check_refuse(&c->report, check_at("/options/contact_radius"), c->contact_radius, "a length up to the horizon, in m",
                   "contact radius %.4g m is larger than the horizon %.4g m of specimen '%s', which self_contact does not allow: use a "
                   "smaller contact_radius or switch self_contact off",
                   c->contact_radius, horizon, specimen->name);
    }
  }
  check_contact_radius(c);
  scr_vec3 gap = vec3_sub(rig->maximum, rig->minimum);
  double least = fmin(gap.x, fmin(gap.y, gap.z));
  if (rig->kind == SCR_RIG_BOX && c->contact_radius > 0.5 * least) {
    check_refuse(&c->report, check_at("/options/contact_radius"), c->contact_radius, "at most half the distance between walls, in m",
                 "contact radius %.4g m is more than half of the smallest distance between walls, %.4g m: use a larger box or a smaller "
                 "contact_radius",
                 c->contact_radius, least);
  }
}

/* Bonds of a node with a full neighbourhood: the ball's volume in cells, a little high. */
static double full_neighbourhood(double horizon, double spacing)
{
  double m = horizon / spacing;
  return 4.0 / 3.0 * M_PI * (m + 0.3) * (m + 0.3) * (m + 0.3);
}

static bool may_break(const pd_checker *c, const scr_specimen *specimen)
{
  return c->options->breakable && !isnan(pd_material_of(c->scene, specimen->material)->fracture_energy);
}

static size_t grain_count(const scr_scene *scene)
{
  size_t grains = 0;
  for (size_t i = 0; i < scene->specimen_count; i++) grains += scene->specimens[i].position_count;
  return grains;
}

/* Nodes nearer than `reach` in a full lattice. */
static double near_within(double reach, double spacing, double node_count)
{
  reach /= spacing;
  return fmin(4.0 / 3.0 * M_PI * reach * reach * reach, node_count);
}

/* Nodes within the reach of a contact of one, in a full lattice. */
static double near_of(const pd_checker *c, const scr_specimen *specimen, double node_count)
{
  return near_within(c->contact_radius * (1 + c->options->contact_skin), pd_specimen_of(specimen)->spacing, node_count);
}

/* How near a node of another grain must be to be in a row, m. */
static double touch_reach(const pd_checker *c)
{
  double largest = 0;
  for (size_t i = 0; i < c->scene->specimen_count; i++) largest = fmax(largest, pd_specimen_of(&c->scene->specimens[i])->spacing);
  return pd_touch_radius(c->options, c->contact_radius, largest, true) + c->options->contact_skin * c->contact_radius;
}

/* Places of the lattice within the reach of other grains' nodes that the grain's own leave free, of all its nodes.
 * @param body NULL: not built, by the outer layers of a ball */
static double free_places(const pd_checker *c, const scr_specimen *specimen, const pd_body *body, double nodes)
{
  double h = pd_specimen_of(specimen)->spacing, reach = touch_reach(c), deepest = body ? pd_deepest_node(body) : 0;
  if (deepest > 0) reach = fmax(reach, pd_face_touch_radius(h, deepest) + c->options->contact_skin * c->contact_radius);
  double full = near_within(reach, h, INFINITY), found = 0, shell = cbrt(nodes) - 2 * reach / h;
  if (!body || body->node_count == 0) return 0.5 * full * (nodes - (shell > 0 ? shell * shell * shell : 0));
  for (size_t i = 0; i < body->node_count; i++) {
    const uint32_t begin = body->bonds.first[i], end = begin + body->bonds.count[i];
    double own = 0;
    for (uint32_t k = begin; k < end; k++) own += body->bonds.inverse_length[k] * reach > 1;
    found += fmax(full - own, 0);
  }
  return found;
}

/* The same, where other balls of its size touch it: twelve at most. Two lie within g = a^2 / R of each other at a from the line between
 * them, where pi / 3 (r w^3 - w^4 / 4), w = r - g, pairs are nearer than r for each place; over all a that is pi^2 R r^5 / 15. */
static double places_between_balls(const pd_checker *c, const scr_specimen *specimen)
{
  double h = pd_specimen_of(specimen)->spacing;
  double r = (pd_touch_radius(c->options, c->contact_radius, h, true) + c->options->contact_skin * c->contact_radius) / h;
  if (c->scene->specimen_count > 1 || !shape_is_full_ball(&specimen->shape)) return INFINITY;
  return 12 * M_PI * M_PI * specimen->shape.radius / h * pow(r, 5) / 15;
}

/* Slots of nodes without a full neighbourhood. */
static double varied_slots(const pd_body *body, double slots)
{
  double varied = 0;
  uint32_t full = 0;
  if (!body || body->node_count == 0) return slots;
  for (size_t i = 0; i < body->node_count; i++) full = body->bond_degree[i] > full ? body->bond_degree[i] : full;
  for (size_t i = 0; i < body->node_count; i++) varied += body->bond_degree[i] < full ? body->bond_degree[i] : 0;
  return varied;
}

/* Adds a specimen's grains. @param body NULL: not built    @param slots of the rows of one grain */
static void add_arrays(const pd_checker *c, pd_array_sizes *sizes, const scr_specimen *specimen, const pd_body *body, double nodes,
                       double slots)
{
  double grains = (double)specimen->position_count;
  sizes->nodes += grains * nodes;
  sizes->template_nodes += nodes;
  sizes->slots += slots;
  if (slots > sizes->largest_slots) {
    bool varied = pd_shares_volume(c->options);
    sizes->largest_slots = slots;
    sizes->varied_slots = varied ? varied_slots(body, slots) : 0;
  }
  sizes->weighted = pd_weighted(c->options);
  sizes->limited = c->options->damping_step != PD_DAMPING_EXPLICIT;
  sizes->faces = pd_contact_begins(c->options) == PD_SURFACE_FACES;
  sizes->facing = sizes->faces && grain_count(c->scene) > 1;
  sizes->springs = sizes->facing && c->options->friction_law == PD_FRICTION_SPRING && c->options->loading == PD_DYNAMIC;
  bool breaks = may_break(c, specimen), within = breaks && c->options->self_contact;
  if (breaks) sizes->own_slots += grains * slots;
  if (within)
    sizes->near_entries += grains * nodes * near_of(c, specimen, grains * nodes);
  else if (grain_count(c->scene) > 1)
    sizes->foreign_entries += grains * fmin(free_places(c, specimen, body, nodes), places_between_balls(c, specimen));
}

/* Memory by volume, before anything is built. @return whether building may go on */
static bool check_memory(pd_checker *c, scr_estimate *estimate)
{
  pd_array_sizes sizes = {0};
  double blocks = 0;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    geo_solid solid = scr_shape_solid(&specimen->shape);
    double block = geo_lattice_block(&solid, pd_specimen_of(specimen)->spacing),
           nodes = geo_lattice_expected(&solid, pd_specimen_of(specimen)->spacing);
    double slots = nodes * full_neighbourhood(pd_horizon(c->options, specimen), pd_specimen_of(specimen)->spacing);
    blocks += 4 * block;
    add_arrays(c, &sizes, specimen, NULL, nodes, slots);
  }
  double bytes = blocks + pd_memory_bytes(&sizes);
  estimate->memory_bytes = bytes;
  return check_fits_memory(&c->report, bytes, "use a larger spacing or fewer grains");
}

static void check_body(pd_checker *c, size_t i, const pd_body *body)
{
  const char *name = c->scene->specimens[i].name;
  size_t lonely = 0;
  bool cracked = pd_has_crack(pd_specimen_of(&c->scene->specimens[i]));
  const char *allowed =
      cracked ? "a crack within the grain that leaves it in one piece" : "a spacing at which the grain is one piece, in m";
  check_place place = check_at(cracked ? "/specimens/%zu/crack_corner" : "/specimens/%zu/spacing", i);
  double given = cracked ? NAN : body->spacing;
  for (size_t k = 0; k < body->node_count; k++) lonely += body->bond_degree[k] == 0;
  uint32_t *piece = mem_array(body->node_count, sizeof *piece);
  size_t pieces = piece ? pd_pieces(&body->bonds, piece) : 1;
  mem_free(piece);
  if (body->node_count == 0)
    check_refuse(&c->report, place, given, allowed, "specimen '%s' holds no node at a spacing of %.4g m: use a smaller spacing", name,
                 body->spacing);
  else if (lonely)
    check_refuse(&c->report, place, given, allowed,
                 "%zu of the %zu nodes of specimen '%s' have no bond: use a smaller spacing or a larger horizon", lonely, body->node_count,
                 name);
  else if (cracked && pieces > 1)
    check_refuse(&c->report, place, given, allowed,
                 "the crack of specimen '%s' cuts it into %zu pieces: use a smaller one, or several specimens", name, pieces);
  else if (cracked && body->cut_bonds == 0)
    check_refuse(&c->report, place, given, allowed,
                 "the crack of specimen '%s' cuts no bond: it lies outside of the grain, or between its layers of nodes", name);
  else if (pieces > 1)
    check_refuse(&c->report, place, given, allowed,
                 "specimen '%s' falls into %zu pieces that no bond joins: use a smaller spacing or a larger horizon", name, pieces);
  else
    pd_check_filling(c, i, body);
}

/* Sum over a full ball of c V / L, in the continuum, times eps^2, Pa: c 2 pi eps^4; 36 k for the constant law, and for state-based
 * elasticity 60 G and what moments.h adds. */
static double full_row_sum(const pd_options *options, const pd_material *material)
{
  double k = pd_bulk_modulus(material), nu = pd_poisson_ratio(material), G = 3 * k * (1 - 2 * nu) / (2 * (1 + nu));
  if (options->elasticity == PD_STATE) return 60 * G + 8 * fmax(k - 5 * G / 3, 0);
  return (options->micromodulus == PD_CONSTANT ? 36 : 60) * k;
}

/* Of grains too large to be put in order here: as many bonds an entry as a lattice has inside. */
static const double bonds_an_entry = 6, ordered_slots = 2e6;

/* What force passes go through. @param slots of one grain */
static scr_status count_passes(pd_checker *c, const scr_specimen *specimen, const pd_body *body, double slots)
{
  double grains = (double)specimen->position_count;
  pd_run_counts counts = {.entries = grains * slots / 2 / bonds_an_entry};
  scr_error error;
  if (body->node_count > 0 && slots < ordered_slots) SCR_TRY(pd_runs_count(body, specimen, specimen->position_count, &counts, &error));
  c->entries += counts.entries;
  c->row_slots += counts.row_slots;
  bool dilates = c->options->elasticity == PD_STATE && pd_poisson_ratio(pd_material_of(c->scene, specimen->material)) != 0.25;
  if (dilates) c->dilated_slots += grains * slots;
  return SCR_OK;
}

/* Builds each specimen's template for exact numbers; a very large one is only estimated. */
static scr_status measure(pd_checker *c, scr_estimate *estimate)
{
  const double whole = 4;
  uint64_t *all_nodes = scr_count_in(estimate, "nodes", "Nodes"), *bonds = scr_count_in(estimate, "bonds", "Bonds"); /* each pair once */
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    const uint64_t before = *bonds;
    geo_solid solid = scr_shape_solid(&specimen->shape);
    double nodes = geo_lattice_expected(&solid, pd_specimen_of(specimen)->spacing), grains = (double)specimen->position_count;
    if (geo_lattice_block(&solid, pd_specimen_of(specimen)->spacing) > exact_nodes * whole) {
      geo_lattice lattice = {0};
      scr_error error;
      scr_status status =
          geo_lattice_fill(&lattice, &solid, pd_specimen_of(specimen)->spacing, &error); /* nodes are counted all the same */
      if (status == SCR_NO_MEMORY) return status;
      if (status == SCR_OK) nodes = (double)lattice.node_count;
      geo_lattice_clear(&lattice);
      double horizon = pd_horizon(c->options, specimen), neighbours = full_neighbourhood(horizon, pd_specimen_of(specimen)->spacing);
      *bonds += (uint64_t)(grains * nodes * neighbours / 2);
      double row_sum = full_row_sum(c->options, pd_material_of(c->scene, specimen->material)) / (horizon * horizon);
      bool corrected = pd_shares_volume(c->options);
      double share =
          corrected ? 0.8 : 0.95; /* corrected bonds of a surface may have a larger sum: 0.86 of the continuum's bound on a plate */
      c->bond_bound = fmin(c->bond_bound, share * sqrt(2 * pd_material_of(c->scene, specimen->material)->density / row_sum));
    } else {
      scr_error error;
      scr_status status = pd_body_build(&c->bodies[i], c->scene, specimen, &error);
      if (status != SCR_OK) return status;
      check_body(c, i, &c->bodies[i]);
      nodes = (double)c->bodies[i].node_count;
      *bonds += (uint64_t)(grains * (double)c->bodies[i].bonds.slot_count / 2);
      c->bond_bound = fmin(c->bond_bound, c->bodies[i].step_bound);
    }
    if (may_break(c, specimen)) breaks_estimate(estimate, *bonds - before);
    *all_nodes = estimate->node_count += (uint64_t)(grains * nodes);
    double slots = 2 * (double)(*bonds - before) / fmax(1, grains);
    add_arrays(c, &c->arrays, specimen, &c->bodies[i], nodes, slots);
    SCR_TRY(count_passes(c, specimen, &c->bodies[i], slots));
    c->near_nodes += grains * nodes * near_of(c, specimen, grains * nodes);
  }
  return SCR_OK;
}

/* Friction between nodes only takes velocity away (README), so a body that rests on another on a slope creeps. Each of its layers of nodes
 * along gravity presses the lowest one's dampers, m/(2 dt) of which a step's limited damping leaves 1 - 1/e, by at most m g sin(atan mu).
 * */
static void warn_of_creep(const pd_checker *c, double time_step)
{
  const scr_scene *scene = c->scene;
  double g = vec3_length(scene->rig.gravity), mu = 0, layers = 0, spacing = INFINITY;
  for (size_t a = 0; a < scene->material_count; a++)
    for (size_t b = a; b < scene->material_count; b++) mu = fmax(mu, pd_surface_of(scene, a, b)->friction_coefficient);
  size_t grains = 0;
  geo_box all = geo_box_empty();
  for (size_t i = 0; i < scene->specimen_count; i++) {
    if (c->bodies[i].node_count == 0) return; /* too large to be built here */
    spacing = fmin(spacing, c->bodies[i].spacing);
    for (size_t k = 0; k < scene->specimens[i].position_count; k++, grains++) {
      scr_vec3 at = scene->specimens[i].positions[k];
      all = geo_box_join(all, (geo_box){vec3_add(at, c->bodies[i].box.low), vec3_add(at, c->bodies[i].box.high)});
    }
  }
  bool springs = pd_contact_begins(c->options) == PD_SURFACE_FACES && c->options->friction_law == PD_FRICTION_SPRING;
  if (springs || grains < 2 || !(g > 0) || !(mu > 0)) return;
  scr_vec3 size = vec3_sub(all.high, all.low), down = scene->rig.gravity;
  layers = 1 + (fabs(size.x * down.x) + fabs(size.y * down.y) + fabs(size.z * down.z)) / (g * spacing);
  double creep = 2 / (1 - exp(-1)) * layers * g * mu / sqrt(1 + mu * mu) * time_step, displacement = creep * scene->time.duration;
  if (displacement < 0.01 * spacing) return;
  check_warn(&c->report, check_at("/contact/friction_coefficient"), mu, "bodies that move, or rest on the rig alone",
             "bodies that rest on each other on slopes creep, since friction between nodes has no memory: here by up to %.2g m/s, %.2g m "
             "in the run or %.2g spacings; on the rig they stay (friction_law \"spring\"). A shorter time step makes it less in proportion",
             creep, displacement, displacement / spacing);
}

/* Increments of a load step, about what bodies of 10 to 30 nodes across take to a thousandth. */
static const double increments = 300;

/* How much longer a run takes where strength scatters by bond: kernels mark by the least bond's, and what they mark is worked out in turn.
 * Through two measured runs of thin-hollow-sphere-crush, 5.8 times at modulus 2 and 2.6 times at 8; where nothing is loaded it is nothing.
 * */
static double scatter_cost(const pd_checker *c)
{
  double most = 1;
  for (size_t m = 0; m < c->scene->material_count; m++) {
    const pd_material *material = pd_material_of(c->scene, m);
    bool scatters = c->options->breakable && !isnan(material->fracture_energy) && material->weibull_scope == PD_WEIBULL_BOND;
    if (scatters && !isnan(material->weibull_modulus)) most = fmax(most, 1 + 8.3 * pow(material->weibull_modulus, -0.79));
  }
  return most;
}

static void estimate_cost(const pd_checker *c, scr_estimate *estimate)
{
  const scr_scene *scene = c->scene;
  estimate->memory_bytes = pd_memory_bytes(&c->arrays);
  pd_work work = {.nodes = (double)estimate->node_count,
                  .bonds = (double)scr_count_of(estimate, "bonds"),
                  .entries = c->entries,
                  .row_slots = c->row_slots,
                  .dilated_slots = c->dilated_slots,
                  .near_nodes = c->near_nodes,
                  .steps = scene->time.duration / estimate->time_step * (c->options->loading == PD_QUASI_STATIC ? increments : 1),
                  .samples = scene->time.duration / scene->output.sample_interval};
  work.samples = fmin(work.samples, work.steps);
  work.lists = pd_list_count(scene, 0.5 * c->options->contact_skin * c->contact_radius, work.steps);
  if (c->arrays.facing) {
    double reach = touch_reach(c), width = INFINITY;
    for (size_t i = 0; i < scene->specimen_count; i++) width = fmin(width, cbrt(scr_shape_volume(&scene->specimens[i].shape)));
    work.facing = pd_facing_entries(c, reach, fmin(pd_longest_travel(scene), width), places_between_balls);
  }
  pd_estimate_start(estimate);
  pd_estimate_run(&work, c->options->self_contact, c->options->breakable, scatter_cost(c), estimate);
}

scr_status pd_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  pd_checker c = {.report = check_begin(scene, problems),
                  .scene = scene,
                  .options = scene->options,
                  .contact_radius = pd_contact_radius(scene),
                  .bond_bound = INFINITY};
  check_materials(&c);
  check_elasticity(&c);
  check_cracks(&c);
  warn_of_explicit_faces(&c);
  check_lengths(&c);
  pd_check_fineness(&c);
  if (!check_memory(&c, estimate) || !check_is_clean(&c.report)) return SCR_OK;
  c.bodies = mem_array(scene->specimen_count, sizeof *c.bodies);
  if (!c.bodies) return SCR_NO_MEMORY;
  scr_status status = measure(&c, estimate);
  if (status == SCR_OK) pd_check_parting(&c);
  if (status == SCR_OK) status = pd_check_places(&c);
  if (status == SCR_OK) pd_check_step(&c, estimate);
  if (status == SCR_OK && check_is_clean(&c.report) && c.options->loading == PD_DYNAMIC) warn_of_creep(&c, estimate->time_step);
  if (status == SCR_OK) estimate_cost(&c, estimate);
  if (status == SCR_OK) fragments_estimate(estimate);
  if (status == SCR_OK) pd_tables_estimate(scene, estimate);
  for (size_t i = 0; i < scene->specimen_count; i++) pd_body_clear(&c.bodies[i]);
  mem_free(c.bodies);
  return status == SCR_BAD_USAGE ? SCR_OK : status;
}
