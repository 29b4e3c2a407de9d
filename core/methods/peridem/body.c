/* Building a grain's template: lattice nodes, bonds within the horizon that don't cross a void, and the law's constants. */
#include "methods/peridem/body.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/crack.h"
#include "methods/peridem/material.h"
#include "methods/peridem/moments.h"
#include "sim/view/shape.h"

double pd_bulk_modulus(const pd_material *material)
{
  double nu = isnan(material->poisson_ratio) ? 0.25 : material->poisson_ratio;
  return isnan(material->bulk_modulus) ? material->young_modulus / (3 * (1 - 2 * nu)) : material->bulk_modulus;
}

double pd_poisson_ratio(const pd_material *material)
{
  if (!isnan(material->poisson_ratio)) return material->poisson_ratio;
  if (isnan(material->bulk_modulus) || isnan(material->young_modulus)) return 0.25;
  return 0.5 - material->young_modulus / (6 * material->bulk_modulus);
}

double pd_horizon(const pd_options *options, const scr_specimen *specimen)
{
  return isnan(options->horizon) ? 3.0 * pd_specimen_of(specimen)->spacing : options->horizon;
}

double pd_bond_reach(const pd_options *options, double horizon, double spacing)
{
  return options->horizon_weight == PD_WEIGHT_PARTIAL_VOLUME ? horizon + 0.5 * spacing : horizon;
}

/* Rotates about a unit axis (Rodrigues). */
static scr_vec3 rotate(scr_vec3 p, scr_vec3 axis, double angle)
{
  double c = cos(angle), s = sin(angle);
  scr_vec3 turned = vec3_add(vec3_scale(p, c), vec3_scale(vec3_cross(axis, p), s));
  return vec3_add(turned, vec3_scale(axis, vec3_dot(axis, p) * (1 - c)));
}

static scr_status place_nodes(pd_body *body, const geo_lattice *lattice, const scr_specimen *specimen, scr_error *error)
{
  size_t n = body->node_count = lattice->node_count;
  body->x = mem_array(n, sizeof(double));
  body->y = mem_array(n, sizeof(double));
  body->z = mem_array(n, sizeof(double));
  body->bond_degree = mem_array(n, sizeof *body->bond_degree);
  if (!body->x || !body->y || !body->z || !body->bond_degree)
    return scr_fail_memory(error, "the nodes of a specimen", n * 3 * sizeof(double));
  body->box = geo_box_empty();
  for (size_t i = 0; i < n; i++) {
    scr_vec3 p = geo_lattice_position(lattice, i);
    if (specimen->rotation_angle != 0) p = rotate(p, specimen->rotation_axis, specimen->rotation_angle);
    body->x[i] = p.x;
    body->y[i] = p.y;
    body->z[i] = p.z;
    body->box = geo_box_join(body->box, (geo_box){p, p});
  }
  return SCR_OK;
}

/* A bond stays when the straight line between its ends does not pass through a void or a notch, or leave a mesh. */
static bool bond_stays(const geo_lattice *lattice, size_t i, uint32_t j, const geo_solid *solid)
{
  return j != GEO_NO_NODE && geo_lattice_joins(lattice, solid, i, j);
}

static int compare_slots(uint32_t a, uint32_t b)
{
  return a < b ? -1 : a > b;
}

/* Sorts a row by far node; rows are short. */
static void sort_row(uint32_t *other, uint32_t *offset, size_t n)
{
  for (size_t i = 1; i < n; i++)
    for (size_t k = i; k > 0 && compare_slots(other[k], other[k - 1]) < 0; k--) {
      uint32_t o = other[k], p = offset[k];
      other[k] = other[k - 1], offset[k] = offset[k - 1];
      other[k - 1] = o, offset[k - 1] = p;
    }
}

typedef struct offset_table {
  int32_t (*offset)[3];
  size_t count;
  double *length;  /* [count] */
  double *weight;  /* [count] */
  uint32_t *other; /* [count] scratch row */
  uint32_t *which; /* [count] scratch row */
} offset_table;

static void clear_offsets(offset_table *table)
{
  mem_free(table->offset);
  mem_free(table->length);
  mem_free(table->weight);
  mem_free(table->other);
  mem_free(table->which);
}

static scr_status make_offsets(offset_table *table, const pd_body *body, const pd_options *options, scr_error *error)
{
  double h = body->spacing, eps = body->horizon;
  SCR_TRY(geo_lattice_offsets(h, pd_bond_reach(options, eps, h), &table->offset, &table->count, error));
  table->length = mem_array(table->count, sizeof(double));
  table->weight = mem_array(table->count, sizeof(double));
  table->other = mem_array(table->count, sizeof(uint32_t));
  table->which = mem_array(table->count, sizeof(uint32_t));
  if (!table->length || !table->weight || !table->other || !table->which)
    return scr_fail_memory(error, "a row of bonds", table->count * 24);
  for (size_t k = 0; k < table->count; k++) {
    const int32_t *p = table->offset[k];
    double length = h * sqrt((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
    double weight = pd_micromodulus_at((pd_micromodulus)options->micromodulus, body->bulk_modulus, eps, length) / body->micromodulus;
    if (options->horizon_weight == PD_WEIGHT_PARTIAL_VOLUME) weight *= pd_partial_volume(eps, h, length);
    table->length[k] = length;
    table->weight[k] = weight;
  }
  return SCR_OK;
}

/* Collects node i's bonds into the table's scratch row, sorted; returns their number. crack: or NULL; adds to `cut` what it leaves out of those with nodes
 * of higher numbers. */
static size_t collect_row(offset_table *table, const geo_lattice *lattice, size_t i, const geo_solid *solid, const pd_specimen *crack,
                          size_t *cut)
{
  size_t n = 0;
  for (size_t k = 0; k < table->count; k++) {
    if (!(table->weight[k] > 0)) continue;
    uint32_t j = geo_lattice_neighbour(lattice, i, table->offset[k]);
    if (!bond_stays(lattice, i, j, solid)) continue;
    if (crack && pd_crack_cuts(crack, geo_lattice_position(lattice, i), geo_lattice_position(lattice, j))) {
      *cut += i < j;
      continue;
    }
    table->other[n] = j;
    table->which[n++] = (uint32_t)k;
  }
  sort_row(table->other, table->which, n);
  return n;
}

bool pd_weighted(const pd_options *options)
{
  return options->micromodulus != PD_CONSTANT || options->horizon_weight != PD_WEIGHT_NONE || pd_uses_moments(options);
}

static scr_status join_nodes(pd_body *body, const geo_lattice *lattice, const pd_options *options, const geo_solid *solid,
                             const pd_specimen *crack, offset_table *table, scr_error *error)
{
  size_t slots = 0, counted = 0;
  for (size_t i = 0; i < body->node_count; i++) slots += body->bond_degree[i] = (uint32_t)collect_row(table, lattice, i, solid, crack, &body->cut_bonds);
  if (slots >= UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "one grain would have %zu bond ends; at most 4.29e9: use a larger spacing", slots);
  bool weighted = pd_weighted(options);
  SCR_TRY(pd_bonds_allocate(&body->bonds, body->node_count, slots, weighted, error));
  pd_bonds *bonds = &body->bonds;
  double worst = 0;
  for (size_t i = 0; i < body->node_count; i++) {
    uint32_t begin = bonds->first[i];
    size_t n = collect_row(table, lattice, i, solid, crack, &counted);
    double row_sum = 0;
    for (size_t k = 0; k < n; k++) {
      bonds->other[begin + k] = table->other[k];
      bonds->inverse_length[begin + k] = 1 / table->length[table->which[k]];
      if (weighted) bonds->weight[begin + k] = table->weight[table->which[k]];
      row_sum += table->weight[table->which[k]] / table->length[table->which[k]];
    }
    bonds->count[i] = (uint32_t)n;
    bonds->first[i + 1] = begin + (uint32_t)n;
    worst = fmax(worst, row_sum * body->micromodulus * body->node_volume);
  }
  if (pd_uses_moments(options)) SCR_TRY(pd_moments_apply(body, &worst, error));
  body->step_bound = pd_step_bound_bond(body->density, worst);
  return SCR_OK;
}

/* The dilatation's modulus is exactly 0 where Poisson's ratio is 1/4: then bonds do all. */
static void set_state_constants(pd_body *body, const pd_material *material, bool breaks)
{
  double k = body->bulk_modulus, nu = pd_poisson_ratio(material), G = 3 * k * (1 - 2 * nu) / (2 * (1 + nu));
  if (nu == 0.25) return;
  body->modulus_rate = 15 * G;
  body->volumetric_modulus = k - 5 * G / 3;
  if (breaks) body->critical_stretch = pd_critical_stretch_state(k, G, material->fracture_energy, body->horizon);
}

static void set_constants(pd_body *body, const scr_scene *scene, const scr_specimen *specimen)
{
  const pd_options *options = scene->options;
  const pd_material *material = pd_material_of(scene, specimen->material);
  pd_micromodulus kind = (pd_micromodulus)options->micromodulus;
  body->material = specimen->material;
  body->spacing = pd_specimen_of(specimen)->spacing;
  body->horizon = pd_horizon(options, specimen);
  body->density = material->density;
  body->bulk_modulus = pd_bulk_modulus(material);
  body->node_volume = body->spacing * body->spacing * body->spacing;
  body->node_mass = body->density * body->node_volume;
  body->micromodulus = pd_micromodulus_at(kind, body->bulk_modulus, body->horizon, 0);
  body->self_micromodulus = pd_micromodulus_at(PD_CONSTANT, body->bulk_modulus, body->horizon, 0);
  body->stiffness = body->micromodulus * body->node_volume * body->node_volume;
  body->modulus_rate = 9 * body->bulk_modulus;
  body->critical_stretch = INFINITY;
  body->strength = pd_strength_law(material->weibull_modulus, material->weibull_scope == PD_WEIBULL_GRAIN,
                                   (uint64_t)(material->weibull_seed < 0 ? scene->seed : material->weibull_seed));
  bool breaks = options->breakable && !isnan(material->fracture_energy);
  if (breaks) body->critical_stretch = pd_critical_stretch(kind, body->bulk_modulus, material->fracture_energy, body->horizon);
  if (options->elasticity == PD_STATE) set_state_constants(body, material, breaks);
}

scr_status pd_body_build(pd_body *body, const scr_scene *scene, const scr_specimen *specimen, scr_error *error)
{
  const pd_options *options = scene->options;
  const pd_specimen *values = pd_specimen_of(specimen);
  geo_solid solid = scr_shape_solid(&specimen->shape);
  geo_lattice lattice = {0};
  offset_table table = {0};
  set_constants(body, scene, specimen);
  scr_status status = geo_lattice_fill(&lattice, &solid, pd_specimen_of(specimen)->spacing, error);
  if (status == SCR_OK) status = place_nodes(body, &lattice, specimen, error);
  if (status == SCR_OK) status = make_offsets(&table, body, options, error);
  if (status == SCR_OK) status = join_nodes(body, &lattice, options, &solid, pd_has_crack(values) ? values : NULL, &table, error);
  geo_lattice_clear(&lattice);
  clear_offsets(&table);
  return status;
}

void pd_body_clear(pd_body *body)
{
  mem_free(body->x);
  mem_free(body->y);
  mem_free(body->z);
  mem_free(body->bond_degree);
  mem_free(body->moment);
  pd_bonds_clear(&body->bonds);
  *body = (pd_body){0};
}

/* Root of a node's tree, halving the path on the way. Roots are the lowest node of their piece. */
static uint32_t find_root(uint32_t *parent, uint32_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

size_t pd_pieces(const pd_bonds *bonds, uint32_t *piece)
{
  for (size_t i = 0; i < bonds->node_count; i++) piece[i] = (uint32_t)i;
  for (size_t i = 0; i < bonds->node_count; i++)
    for (uint32_t k = bonds->first[i], end = k + bonds->count[i]; k < end; k++) {
      if (bonds->other[k] > i) break; /* rows ascend: the rest is seen from the other end */
      uint32_t a = find_root(piece, (uint32_t)i), b = find_root(piece, bonds->other[k]);
      if (a < b) piece[b] = a;
      if (b < a) piece[a] = b;
    }
  /* Parents have lower numbers than their children: one ascending sweep turns roots into piece numbers. */
  size_t pieces = 0;
  for (size_t i = 0; i < bonds->node_count; i++) piece[i] = piece[i] == i ? (uint32_t)pieces++ : piece[piece[i]];
  return pieces;
}
