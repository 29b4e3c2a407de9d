/* What is refused, and what a run will cost. */
#include "methods/lsdem/scene/check.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "methods/lsdem/contact/pass.h"
#include "methods/lsdem/contact/query.h"
#include "methods/lsdem/scene/cost.h"
#include "scene/check/abilities.h"
#include "scene/counts.h"
#include "scene/problem.h"
#include "scene/shape/shape.h"
#include "sim/time_step.h"

typedef struct checker {
  scr_checker report;
  const scr_scene *scene;
  double nodes, points, modal_nodes; /* of all grains; of all templates; nodes of grains that have modes */
  double bytes, state_bytes;
  size_t modes; /* most of a grain */
} checker;

/* One problem is enough: contact_stiffness of the default law, or moduli of all materials that have grains. */
static void check_stiffness(checker *c)
{
  for (size_t k = 0; k < c->scene->specimen_count; k++) {
    uint32_t material = c->scene->specimens[k].material;
    for (size_t m = 0; m <= c->scene->specimen_count; m++) {
      if (!isnan(lsdem_normal_stiffness(c->scene, k, m))) continue;
      check_refuse(&c->report, check_at("/contact/contact_stiffness"), NAN, "a number > 0, in N/m^3",
                   "material '%s' has no young_modulus, from which the stiffness of contacts follows: give it, or contact_stiffness",
                   c->scene->materials[material].name);
      return;
    }
  }
}

static const char *partner_name(const scr_scene *scene, size_t partner)
{
  return partner < scene->material_count ? scene->materials[partner].name : "wall";
}

/* One law that friction changes in: whether that ever happens. */
static bool check_friction_change(checker *c, size_t a, size_t b)
{
  const lsdem_surface *law = lsdem_surface_of(c->scene, a, b);
  const char *one = partner_name(c->scene, a), *other = partner_name(c->scene, b);
  if (isnan(law->friction_before)) return true;
  if (law->friction_since <= 0) {
    check_refuse(&c->report, check_at("/contact/friction_before"), law->friction_before,
                 "a coefficient beside a friction_since > 0, or none",
                 "between '%s' and '%s' a friction_before of %.4g applies until friction_since, which is 0 s or not given: give that time, "
                 "or leave friction_before out",
                 one, other, law->friction_before);
    return false;
  }
  if (law->friction_since < c->scene->time.duration) return true;
  check_warn(&c->report, check_at("/contact/friction_since"), law->friction_since, "a time before the run's end, in s",
             "between '%s' and '%s' friction_coefficient would apply from %.4g s on, but the run ends after %.4g s: a friction_before of "
             "%.4g applies all the time",
             one, other, law->friction_since, c->scene->time.duration, law->friction_before);
  return false;
}

/* Once told is enough. A friction_since of the default law may be for a pair alone, so one without any friction_before is what is wrong. */
static void check_friction(checker *c)
{
  double since = 0;
  bool changes = false, fine = true;
  for (size_t a = 0; fine && a < c->scene->material_count; a++)
    for (size_t b = a; fine && b <= c->scene->material_count; b++) {
      const lsdem_surface *law = lsdem_surface_of(c->scene, a, b);
      changes = changes || !isnan(law->friction_before);
      since = fmax(since, law->friction_since);
      fine = check_friction_change(c, a, b);
    }
  if (fine && !changes && since > 0)
    check_refuse(&c->report, check_at("/contact/friction_since"), since, "a time beside a friction_before, or none",
                 "friction_since is when friction_before ceases to apply, but none is given: give friction_before, or leave friction_since "
                 "of %.4g s out",
                 since);
}

static void check_modes(checker *c, size_t k)
{
  const lsdem_specimen *block = lsdem_specimen_of(c->scene, k);
  const scr_specimen *specimen = &c->scene->specimens[k];
  const lsdem_material *material = lsdem_material_of(c->scene, specimen->material);
  size_t count = lsdem_mode_set_count(block->modes, (size_t)block->mode_count);
  bool single = !isnan(block->mode_stiffness) || !isnan(block->mode_mass) || block->mode_table[0];
  if (single && count != 1)
    check_refuse(&c->report, check_at("/specimens/%zu/modes", k), NAN, "\"isotropic\" or \"bending\"",
                 "specimen '%s' has %zu modes; mode_stiffness, mode_mass and mode_table are of grains with one: use modes isotropic or "
                 "bending, or leave them out",
                 specimen->name, count);
  if (block->mode_table[0] && !isnan(block->mode_stiffness))
    check_refuse(&c->report, check_at("/specimens/%zu/mode_stiffness", k), block->mode_stiffness, "mode_stiffness or mode_table",
                 "a mode has a stiffness and a table of its force: leave one of them out");
  if (block->mode_energy != LSDEM_BASIS_QUADRATIC && block->modes != LSDEM_MODES_BASIS)
    check_refuse(&c->report, check_at("/specimens/%zu/mode_energy", k), NAN, "\"quadratic\", or modes \"basis\"",
                 "mode_energy is of the modes of a mode basis; other modes have a mode_table: use modes \"basis\", or leave it out");
  if (block->mode_energy == LSDEM_BASIS_TABLE && block->modes == LSDEM_MODES_BASIS && count != 1)
    check_refuse(&c->report, check_at("/specimens/%zu/mode_count", k), (double)count, "1",
                 "specimen '%s' uses %zu modes of its basis; a table is of one: use mode_count 1, or mode_energy \"fit\"", specimen->name,
                 count);
  if (block->mode_energy != LSDEM_BASIS_QUADRATIC && (block->mode_table[0] || !isnan(block->mode_stiffness)))
    check_refuse(&c->report, check_at("/specimens/%zu/mode_energy", k), NAN, "one energy",
                 "a mode has a mode_energy of its basis and a mode_table or mode_stiffness: leave one of them out");
  if ((block->modes == LSDEM_MODES_BASIS) != (block->mode_basis.index >= 0))
    check_refuse(&c->report, check_at("/specimens/%zu/modes", k), NAN, "\"basis\" with a mode_basis, or neither",
                 "specimen '%s' has %s: modes \"basis\" and a mode_basis belong together", specimen->name,
                 block->mode_basis.index >= 0 ? "a mode_basis, but other modes" : "modes \"basis\", but no mode_basis");
  if (count && block->modes != LSDEM_MODES_BASIS && isnan(material->young_modulus)) {
    check_refuse(&c->report, check_at("/materials/%u/young_modulus", specimen->material), NAN, "a number > 0, in Pa",
                 "material '%s' has no young_modulus, by which the modes of specimen '%s' are stiff: give it",
                 c->scene->materials[specimen->material].name, specimen->name);
  }
}

/* Largest bond_reach that a glueing law gives, m; -INFINITY: none glues; NaN is automatic and small. */
static double farthest_bond(const scr_scene *scene)
{
  double reach = -INFINITY;
  for (size_t a = 0; a < scene->material_count; a++)
    for (size_t b = 0; b < scene->material_count; b++) {
      const lsdem_surface *law = lsdem_surface_of(scene, a, b);
      if (law->bond_stiffness > 0) reach = fmax(reach, isnan(law->bond_reach) ? 0 : law->bond_reach);
    }
  return reach;
}

static void check_bonds(checker *c, size_t k, double grid)
{
  double reach = farthest_bond(c->scene);
  if (!(reach > 2 * grid * (1 + 1e-9))) return;
  check_refuse(
      &c->report, check_at("/contact/bond_reach"), reach, "at most twice the smallest grid_spacing, in m",
      "a bond_reach of %.4g m is beyond what the level set of specimen '%s' knows, two grid spacings of %.4g m: use at most %.4g m", reach,
      c->scene->specimens[k].name, grid, 2 * grid);
}

static void check_specimen(checker *c, size_t k)
{
  const scr_specimen *specimen = &c->scene->specimens[k];
  lsdem_recipe recipe = lsdem_recipe_of(c->scene, k, 0);
  if (!abilities_offer(c->scene->method, CHOICE_SHAPE, (int)specimen->shape.kind)) return; /* refused */
  const lsdem_specimen *block = lsdem_specimen_of(c->scene, k);
  if (!shape_is_full_ball(&specimen->shape) &&
      (block->elongation < 1 || block->flatness < 1 || block->exponent != 2 || block->roughness > 0))
    check_refuse(
        &c->report, check_at("/specimens/%zu/shape/type", k), NAN, "\"sphere\"",
        "specimen '%s' has elongation, flatness, exponent or roughness, which make pebbles of spheres: use a sphere, or leave them out",
        specimen->name);
  check_modes(c, k);
  check_bonds(c, k, recipe.grid);
  if (recipe.spacing > 2 * recipe.grid * (1 + 1e-9)) {
    check_warn(&c->report, check_at("/specimens/%zu/spacing", k), recipe.spacing, "at most twice grid_spacing, in m",
               "nodes %.4g m apart are more than two grid spacings of %.4g m: what lies between them is not detected; use a spacing of at "
               "most %.4g m",
               recipe.spacing, recipe.grid, recipe.grid);
  }
  double nodes, points, grains = (double)specimen->position_count;
  size_t modes = lsdem_mode_set_count(recipe.modes, recipe.basis_modes);
  lsdem_template_expected(&recipe, &nodes, &points);
  const double per_touch = sizeof(lsdem_touch), per_grain = sizeof(lsdem_grain) + sizeof(lsdem_view) + 4 + sizeof(geo_box) + 32 +
                                                            (modes ? sizeof(lsdem_unbent) : 0) + 32 * (double)modes;
  /* Of a grain in a dense pack, measured by tests/bench/bench_lsdem_drum.c and in the gallery's triaxial test: lists of its nodes against a
   * neighbour or a part, of each the nodes in contact, and room that lists grow by. */
  const double lists = 10, growth = 1.5, least_touches = 16, touching = 0.03;
  double touches = fmax(least_touches, touching * nodes) * per_touch, direction = sizeof(lsdem_direction) + sizeof(lsdem_share);
  double own, kept;
  lsdem_follow_bytes(modes ? recipe.following : LSDEM_FOLLOW_PULL_BACK, (size_t)fmin(points, 1e12), modes, recipe.samples, &own, &kept);
  if (recipe.modes == LSDEM_MODES_BASIS)
    kept += (double)modes * 12 * points + 8 * (double)recipe.basis_bytes; /* fields on the grid; the mesh while it is read */
  c->bytes += grains * own + (double)lsdem_variants_of(c->scene, k) * kept;
  c->state_bytes += grains * own;
  if (isfinite(farthest_bond(c->scene)))
    c->bytes += grains * nodes * sizeof(lsdem_bond), c->state_bytes += grains * nodes * sizeof(lsdem_bond);
  double tiles = ceil(nodes / LSDEM_TILE_NODES),
         clear = 64 + sizeof(lsdem_clearance) +
                 tiles * (1.125 + 0.5 * LSDEM_TILE_NODES); /* how long tiles, and the nodes of half of them, are clear of a neighbour */
  c->nodes += grains * nodes;
  c->points += points;
  if (modes > c->modes) c->modes = modes;
  c->bytes += (double)lsdem_variants_of(c->scene, k) * lsdem_template_bytes(nodes, points, modes) +
              (recipe.is_pebble ? 3000 * nodes * fmax(1, pow(recipe.spacing / recipe.grid, 2)) : 0) +
              grains * (per_grain + lists * growth * (direction + touches + clear) + 200);
  c->state_bytes += grains * (sizeof(lsdem_grain) + 32 * (double)modes + lists * (2 * touches + 24));
}

static bool fits_memory(checker *c, scr_estimate *estimate)
{
  static const char remedy[] = "use a larger spacing, a larger grid_spacing or fewer grains";
  estimate->memory_bytes = 2e6 + (double)LSDEM_AT_ONCE * (sizeof(lsdem_sums) + LSDEM_MODAL_SUMS * 8 * (double)c->modes) + c->bytes;
  estimate->state_bytes = 1e4 + c->state_bytes;
  if (c->points >= 4e8)
    return (void)problem_add_memory(c->report.problems, estimate->memory_bytes, (double)c->scene->limits.memory_bytes, remedy), false;
  return check_fits_memory(&c->report, estimate->memory_bytes, remedy);
}

/* The level set that others touch encloses what it has mass for, but for edges, which interpolation between grid points rounds. Told once
 * of a specimen. */
static void report_volume(const checker *c, const lsdem_state *s, size_t number)
{
  const double most = 0.01;
  const lsdem_template *grain = &s->templates[number];
  if (number > 0 && s->templates[number - 1].specimen == grain->specimen) return;
  double off = level_set_volume(&grain->field) / grain->enclosed - 1;
  if (!(fabs(off) > most)) return;
  check_warn(&c->report, check_at("/specimens/%u/grid_spacing", grain->specimen), grain->field.spacing,
             "a grid on which the grain has its volume to 1 %",
             "the level set of specimen '%s' encloses %.2g %% %s than the volume that its mass is of: between points %.4g m apart edges "
             "are cut off and thin parts lost, while smooth faces stay where they are; a smaller grid_spacing brings it nearer",
             c->scene->specimens[grain->specimen].name, 100 * fabs(off), off < 0 ? "less" : "more", grain->field.spacing);
}

/* A fitted energy that had to be made convex. */
static void report_fit(const checker *c, const lsdem_state *s, size_t number)
{
  const lsdem_template *grain = &s->templates[number];
  const lsdem_fit_quality *quality = &grain->fit_quality;
  if (!quality->made_convex || (number > 0 && s->templates[number - 1].specimen == grain->specimen)) return;
  check_warn(
      &c->report, check_at("/specimens/%u/fit_degree", grain->specimen), (double)lsdem_specimen_of(c->scene, grain->specimen)->fit_degree,
      "a degree whose fit is convex by itself",
      "the energy of specimen '%s' nearest to the levels of its mode basis is not convex; the nearest convex one is taken. It misses their "
      "forces by %.2g %%, as against %.2g %%, and their energies by %.2g %%, as against %.2g %%; another fit_degree may come nearer",
      c->scene->specimens[grain->specimen].name, 100 * quality->force, 100 * quality->free_force, 100 * quality->energy,
      100 * quality->free_energy);
}

/* Every template, so that all that is wrong is told. */
static scr_status make_templates(checker *c, lsdem_state *s)
{
  for (size_t k = 0; k < s->template_count; k++) {
    scr_error error = {0};
    scr_status status = lsdem_state_make_template(s, k, &error);
    if (status == SCR_NO_MEMORY) return status;
    if (status != SCR_OK)
      check_refuse(&c->report, check_at("/specimens/%u", s->templates[k].specimen), NAN, "a specimen that can be made", "%s",
                   error.message);
    else
      report_volume(c, s, k), report_fit(c, s, k);
  }
  return SCR_OK;
}

static scr_status check_step(checker *c, const lsdem_state *s, scr_estimate *estimate, scr_error *error)
{
  const double rigid_share = 2.0 / 7, modal_share = 5.0 / 7; /* with the default safety factor of 0.7: 0.2 and 0.5 */
  lsdem_limits limits;
  SCR_TRY(lsdem_step_limits(s, &limits, error));
  double rigid = rigid_share * limits.rigid, modal = modal_share * limits.modal, given = c->scene->time.time_step;
  const sim_bound bounds[] = {{limits.travel, "travel"}, {modal, "modes"}, {rigid, "contact"}};
  if (!sim_choose_step(c->scene, bounds, sizeof bounds / sizeof bounds[0], c->scene->time.safety_factor, estimate)) return SCR_OK;
  if (given > limits.alone)
    check_refuse(&c->report, check_at("/time/time_step"), given, "a stable time step, in s",
                 "a time step of %.4g s is above the stable limit of the grains' modes, %.4g s: use at most that, or leave it out", given,
                 limits.alone);
  else if (given > fmin(limits.rigid, limits.modal))
    check_warn(&c->report, check_at("/time/time_step"), given, "a time step that is stable whatever touches, in s",
               "a time step of %.4g s is above the stable limit of a contact as large as a grain can have, half a grid spacing deep: %.4g "
               "s. Smaller contacts are stable; the run says whether larger ones came",
               given, fmin(limits.rigid, limits.modal));
  return SCR_OK;
}

/* Whether a grain's middle, where it has matter there, is deeper in another than a level set can tell. Of grains that lie in each other so
 * far that the surface of each is outside of the other, or in the same place, or one in the other's core, the nodes say nothing. */
static bool middle_inside(const lsdem_state *s, const lsdem_direction *direction)
{
  const lsdem_view *slave = &s->views[direction->slave], *master = &s->views[direction->master];
  lsdem_answer own, other;
  const int64_t iterations = 1;
  scr_vec3 place = matrix_transposed_times(&master->rotation, vec3_sub(slave->position, master->position));
  return lsdem_query(slave, vec3(0, 0, 0), iterations, &own) == LSDEM_BELOW &&
         lsdem_query(master, place, iterations, &other) == LSDEM_BELOW &&
         -other.value > 0.5 * fmin(slave->grain->depth, master->grain->depth);
}

/* What is thinner than nodes are apart passes between them: parts have no nodes of their own. */
static void check_thin_parts(checker *c, const lsdem_state *s)
{
  double spacing = 0;
  for (size_t k = 0; k < c->scene->specimen_count; k++) spacing = fmax(spacing, lsdem_specimen_of(c->scene, k)->spacing);
  for (size_t p = 0; p < s->parts->count; p++) {
    double thickness = s->thickness[p];
    if (thickness >= spacing * (1 - 1e-9)) continue;
    check_refuse(&c->report, check_at("%s", s->parts->form[p].pointer), thickness, "a part as thick as nodes are apart, in m",
                 "%s is %.4g m thick and nodes of grains are up to %.4g m apart: it would pass between them unseen; use a spacing of at "
                 "most %.4g m, or a thicker part",
                 s->parts->form[p].label, thickness, spacing, thickness);
  }
}

/* The first force pass says whether grains lie in each other or in parts. */
static scr_status check_start(checker *c, lsdem_state *s)
{
  static const char apart[] = "grains that hardly overlap at the start";
  scr_error error = {0};
  scr_status status = lsdem_force_pass(s, 0, &error);
  if (status == SCR_NO_MEMORY) return status;
  if (status != SCR_OK) {
    check_refuse(&c->report, check_at("/specimens"), NAN, apart,
                 "grains start in each other or in the rig: move them apart. At the start, %s", error.message);
    return SCR_OK;
  }
  for (size_t k = 0; k < s->near.count; k++) {
    const lsdem_direction *direction = &s->near.list[k];
    if (direction->master >= s->grain_count || !middle_inside(s, direction)) continue;
    check_refuse(&c->report, check_at("/specimens"), NAN, apart, "grain %u starts with its middle in grain %u: move them apart",
                 direction->slave, direction->master);
    return SCR_OK;
  }
  return SCR_OK;
}

static scr_status check_state(checker *c, scr_estimate *estimate, lsdem_state *s, scr_error *error)
{
  SCR_TRY(make_templates(c, s));
  if (!check_is_clean(&c->report)) return SCR_OK;
  SCR_TRY(lsdem_state_populate(s, error));
  *scr_count_in(estimate, "grains", "Grains") = s->grain_count;
  for (size_t i = 0; i < s->grain_count; i++) estimate->node_count += s->templates[s->grains[i].shape].node_count;
  *scr_count_in(estimate, "nodes", "Nodes") = estimate->node_count;
  lsdem_estimate_recording(s, estimate);
  SCR_TRY(check_step(c, s, estimate, error));
  check_thin_parts(c, s);
  SCR_TRY(parts_check_servos(c->scene, estimate->time_step, lsdem_part_response(c->scene), c->report.problems));
  SCR_TRY(parts_check_free(c->scene, estimate->time_step, lsdem_part_response(c->scene), c->report.problems));
  SCR_TRY(check_start(c, s));
  lsdem_estimate_run(c->scene, s, estimate);
  return SCR_OK;
}

scr_status lsdem_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  checker c = {.report = check_begin(scene, problems), .scene = scene};
  check_stiffness(&c);
  check_friction(&c);
  for (size_t k = 0; k < scene->specimen_count; k++) check_specimen(&c, k);
  if (!check_is_clean(&c.report) || !fits_memory(&c, estimate)) return SCR_OK;
  sim_parts *parts = mem_array(1, sizeof *parts);
  if (!parts) return SCR_NO_MEMORY;
  parts_create(parts, &scene->rig);
  lsdem_state *state = NULL;
  sim_ledger ledger = {0};
  scr_error error = {0};
  scr_status status = lsdem_state_begin(scene, parts, &ledger, execution_of(1), &state, &error);
  if (status == SCR_OK) status = check_state(&c, estimate, state, &error);
  lsdem_state_destroy(state);
  mem_free(parts);
  return status;
}
