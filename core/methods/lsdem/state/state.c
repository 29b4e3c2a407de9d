/* Making the state of a run. */
#include "methods/lsdem/state/state.h"

#include "base/memory.h"
#include "base/random.h"
#include "methods/lsdem/contact/pass.h"
#include "methods/lsdem/scene/thickness.h"
#include "scene/shape/shape.h"

enum { EARLY_FIELDS = 2 }; /* whose counts are known before templates are made */
const sim_field lsdem_fields[LSDEM_FIELDS] = {
    FIELD_ARRAY("templates", lsdem_state, templates, template_count, 0),
    FIELD_ARRAY("laws of contacts", lsdem_state, laws, law_count, 0),
    FIELD_ARRAY("grains", lsdem_state, grains, grain_count, FIELD_SAVED),
    FIELD_ARRAY("amplitudes", lsdem_state, amplitude, amplitude_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("rates of amplitudes", lsdem_state, rate, amplitude_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("modal forces", lsdem_state, modal_force, amplitude_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("modal forces of dashpots", lsdem_state, modal_dashpot, amplitude_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("numbers of contacts", lsdem_state, touching, grain_count, FIELD_SAVED),
    FIELD_ARRAY("views of grains", lsdem_state, views, grain_count, 0),
    FIELD_ARRAY("inverses of modes", lsdem_state, unbent, unbent_count, FIELD_OPTIONAL),
    FIELD_ARRAY("own level sets", lsdem_state, followed, followed_count, FIELD_OPTIONAL), /* saved by lsdem_follow_save */
    FIELD_ARRAY("pieces", lsdem_state, piece, grain_count, 0),
    FIELD_ARRAY("stiffnesses", lsdem_state, stiffness, grain_count, 0),
    FIELD_LIST("bonds", lsdem_state, bonds, bond_count, bond_capacity, 0), /* which broke is saved by lsdem_save */
    FIELD_SCRATCH_LIST("pictures", lsdem_state, buffer, buffer_capacity),
    FIELD_VALUE("dashpots' pulls on parts", lsdem_state, dashpot, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("energies of contacts", lsdem_state, contact_energy, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("energies of bonds", lsdem_state, bond_energy, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("pairs in contact", lsdem_state, pairs_touching, FIELD_SAVED),
    FIELD_VALUE("parts in contact", lsdem_state, parts_touching, FIELD_SAVED),
    FIELD_VALUE("fabric tensors", lsdem_state, fabric, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("edges of the box", lsdem_state, box_zero, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("overlaps", lsdem_state, deepest, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("slopes", lsdem_state, steepest, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("travels", lsdem_state, undivided, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("time steps", lsdem_state, fastest, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("shares of overlaps", lsdem_state, deepest_share, FIELD_SAVED | FIELD_NUMBERS),
};

static bool is_pebble(const scr_scene *scene, size_t k)
{
  const lsdem_specimen *block = lsdem_specimen_of(scene, k);
  return shape_is_full_ball(&scene->specimens[k].shape) &&
         (block->elongation < 1 || block->flatness < 1 || block->exponent != 2 || block->roughness > 0);
}

size_t lsdem_variants_of(const scr_scene *scene, size_t k)
{
  size_t variants = (size_t)lsdem_specimen_of(scene, k)->variants, grains = scene->specimens[k].position_count;
  if (!is_pebble(scene, k) || !(lsdem_specimen_of(scene, k)->roughness > 0)) return 1;
  return variants < grains ? variants : grains;
}

lsdem_recipe lsdem_recipe_of(const scr_scene *scene, size_t k, size_t variant)
{
  const scr_specimen *specimen = &scene->specimens[k];
  const lsdem_specimen *block = lsdem_specimen_of(scene, k);
  const lsdem_material *material = lsdem_material_of(scene, specimen->material);
  const lsdem_options *options = scene->options;
  double spacing = block->spacing, grid = isnan(block->grid_spacing) ? spacing : block->grid_spacing, amplitude = block->largest_amplitude;
  if (lsdem_mode_set_count(block->modes, 1) == 0)
    amplitude = 0;
  else if (isnan(amplitude))
    amplitude = 2 * grid;
  pebble form = {.power = 2};
  if (is_pebble(scene, k))
    form = pebble_make(specimen->shape.radius, block->elongation, block->flatness, block->exponent, block->roughness,
                       (uint64_t)scene->seed + 977 * k, variant);
  return (lsdem_recipe){.shape = &specimen->shape,
                        .is_pebble = is_pebble(scene, k),
                        .form = form,
                        .spacing = spacing,
                        .grid = grid,
                        .unbiased = options->bias_fix,
                        .density = material->density,
                        .young = material->young_modulus,
                        .poisson = isnan(material->poisson_ratio) ? 0 : material->poisson_ratio,
                        .modes = block->modes,
                        .basis = block->mode_basis.index >= 0 ? scene->assets[block->mode_basis.index].bytes : NULL,
                        .basis_bytes = block->mode_basis.index >= 0 ? scene->assets[block->mode_basis.index].size : 0,
                        .basis_modes = (size_t)block->mode_count,
                        .basis_energy = block->mode_energy,
                        .fit_degree = (size_t)block->fit_degree,
                        .contraction = block->contraction && !isnan(material->poisson_ratio) ? material->poisson_ratio : 0,
                        .amplitude = amplitude,
                        .damping_ratio = block->mode_damping_ratio,
                        .stiffness = block->mode_stiffness,
                        .modal_mass = block->mode_mass,
                        .table = block->mode_table,
                        .following = block->follow,
                        .samples = (size_t)block->follow_samples | 1,
                        .table_factor = block->table_is == LSDEM_TABLE_PER_WALL ? (double)block->table_walls : 1};
}

/* ── orientations ────────────────────────────────────────────────────────────────────────────────────────────────── */

/* An even random rotation (Shoemake, Graphics Gems III, 1992). */
static scr_quat random_rotation(uint64_t seed, uint64_t grain)
{
  uint64_t state = seed ^ (grain + 1) * 0xd1342543de82ef95ULL;
  double u = random_uniform(&state), a = 2 * M_PI * random_uniform(&state), b = 2 * M_PI * random_uniform(&state), p = sqrt(1 - u),
         q = sqrt(u);
  return quat_normalise(quat(p * sin(a), p * cos(a), q * sin(b), q * cos(b)));
}

/* ── grains ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void place_grain(lsdem_state *s, lsdem_grain *g, size_t k, size_t i, size_t number)
{
  const scr_specimen *specimen = &s->scene->specimens[k];
  const lsdem_template *shape = &s->templates[g->shape];
  scr_quat turn = quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle));
  if (lsdem_specimen_of(s->scene, k)->random_rotation) turn = quat_multiply(random_rotation((uint64_t)s->scene->seed, number), turn);
  scr_vec3 arm = quat_rotate(turn, shape->centroid), spin = specimen->angular_velocity;
  g->position = vec3_add(specimen->positions[i], arm);
  g->rotation = quat_normalise(quat_multiply(turn, shape->axes));
  g->velocity = vec3_add(specimen->velocity, vec3_cross(spin, arm));
  scr_vec3 own = quat_rotate(quat_conjugate(g->rotation), spin);
  g->angular = quat_rotate(g->rotation, vec3(shape->inertia.x * own.x, shape->inertia.y * own.y, shape->inertia.z * own.z));
}

bool lsdem_identify_grains(lsdem_state *s)
{
  size_t at = 0, amplitudes = 0, first = 0;
  bool same = true;
  for (size_t k = 0; k < s->scene->specimen_count; k++) {
    size_t variants = lsdem_variants_of(s->scene, k);
    for (size_t i = 0; i < s->scene->specimens[k].position_count; i++, at++) {
      lsdem_grain *g = &s->grains[at];
      uint32_t shape = (uint32_t)(first + i % variants), specimen = (uint32_t)k, material = s->scene->specimens[k].material;
      same = same && g->shape == shape && g->specimen == specimen && g->material == material && g->first == (uint32_t)amplitudes;
      g->shape = shape, g->specimen = specimen, g->material = material, g->first = (uint32_t)amplitudes;
      amplitudes += s->templates[shape].mode_count;
    }
    first += variants;
  }
  return same;
}

/* Own level sets, where some grains keep them. */
static bool some_follow(const lsdem_state *s)
{
  bool any = false;
  for (size_t k = 0; k < s->template_count; k++)
    any = any || (s->templates[k].mode_count &&
                  (s->templates[k].following == LSDEM_FOLLOW_RECOMPUTE || s->templates[k].following == LSDEM_FOLLOW_ADVECT));
  return any;
}

static scr_status make_grains(lsdem_state *s, scr_error *error)
{
  const scr_scene *scene = s->scene;
  for (size_t k = 0, first = 0; k < scene->specimen_count; first += lsdem_variants_of(scene, k), k++) {
    s->grain_count += scene->specimens[k].position_count;
    s->amplitude_count += scene->specimens[k].position_count * s->templates[first].mode_count;
  }
  s->unbent_count = s->amplitude_count ? s->grain_count : 0;
  s->followed_count = some_follow(s) ? s->grain_count : 0;
  SCR_TRY(fields_allocate(lsdem_fields + EARLY_FIELDS, LSDEM_FIELDS - EARLY_FIELDS, s, error));
  (void)lsdem_identify_grains(s);
  size_t at = 0;
  for (size_t k = 0; k < scene->specimen_count; k++)
    for (size_t i = 0; i < scene->specimens[k].position_count; i++, at++) {
      place_grain(s, &s->grains[at], k, i, at);
      s->volume += s->templates[s->grains[at].shape].volume;
    }
  return SCR_OK;
}

scr_status lsdem_state_begin(const scr_scene *scene, sim_parts *parts, sim_ledger *ledger, scr_execution execution, lsdem_state **state,
                             scr_error *error)
{
  lsdem_state *s = *state = mem_array(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->scene = scene;
  s->options = scene->options;
  s->parts = parts;
  s->ledger = ledger;
  s->execution = execution;
  size_t at = 0;
  s->law_count = (scene->material_count + 1) * (scene->material_count + 1);
  for (size_t k = 0; k < scene->specimen_count; k++) s->template_count += lsdem_variants_of(scene, k);
  SCR_TRY(fields_allocate(lsdem_fields, EARLY_FIELDS, s, error));
  for (size_t k = 0; k < scene->specimen_count; k++)
    for (size_t v = 0; v < lsdem_variants_of(scene, k); v++) s->templates[at++].specimen = (uint32_t)k;
  return SCR_OK;
}

static double smallest_reach(const lsdem_state *s)
{
  double reach = INFINITY;
  for (size_t k = 0; k < s->template_count; k++) reach = fmin(reach, s->templates[k].reach);
  return reach;
}

/* How far bonds reach beyond surfaces at the start, m, at most. */
static double farthest_bond(const lsdem_state *s)
{
  double reach = 0;
  for (size_t k = 0; k < s->law_count; k++)
    if (s->laws[k].glue.normal > 0) reach = fmax(reach, s->laws[k].glue.reach);
  return reach;
}

scr_status lsdem_state_populate(lsdem_state *s, scr_error *error)
{
  for (size_t p = 0; p < s->parts->count; p++) s->thickness[p] = lsdem_part_thickness(&s->parts->form[p]);
  lsdem_make_laws(s);
  lsdem_laws_at(s, 0);
  SCR_TRY(make_grains(s, error));
  SCR_TRY(lsdem_directions_create(&s->near, s->grain_count, s->options->skin * smallest_reach(s) + 2 * farthest_bond(s), error));
  lsdem_make_views(s);
  return SCR_OK;
}

scr_status lsdem_state_make_template(lsdem_state *s, size_t number, scr_error *error)
{
  uint32_t specimen = s->templates[number].specimen;
  size_t variant = 0;
  while (variant < number && s->templates[number - variant - 1].specimen == specimen) variant++;
  lsdem_recipe recipe = lsdem_recipe_of(s->scene, specimen, variant);
  SCR_TRY(lsdem_template_make(&s->templates[number], &recipe, s->execution, error));
  s->templates[number].body = lsdem_body_of(s->scene, specimen);
  return lsdem_follow_prepare(&s->templates[number], &recipe, error);
}

scr_status lsdem_state_create(const scr_scene *scene, sim_parts *parts, sim_ledger *ledger, scr_execution execution,
                              const scr_liveness *liveness, lsdem_state **state, scr_error *error)
{
  SCR_TRY(lsdem_state_begin(scene, parts, ledger, execution, state, error));
  lsdem_state *s = *state;
  if (!s) return SCR_NO_MEMORY;
  for (size_t k = 0; k < s->template_count; k++) {
    SCR_TRY(lsdem_state_make_template(s, k, error));
    scr_report_alive(liveness);
  }
  return lsdem_state_populate(s, error);
}

void lsdem_state_destroy(lsdem_state *s)
{
  if (!s) return;
  for (size_t k = 0; s->templates && k < s->template_count; k++) lsdem_template_clear(&s->templates[k]);
  for (size_t i = 0; s->followed && i < s->followed_count; i++) level_set_clear(&s->followed[i].field);
  fields_free(lsdem_fields, LSDEM_FIELDS, s);
  lsdem_directions_clear(&s->near);
  mem_free(s);
}
