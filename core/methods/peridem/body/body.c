/* Building a grain's template: lattice nodes, bonds within the horizon that don't cross a void, and the law's constants. */
#include "methods/peridem/body/body.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/body/crack.h"
#include "methods/peridem/body/directions.h"
#include "methods/peridem/law/material.h"
#include "methods/peridem/body/moments.h"
#include "methods/peridem/law/wall.h"
#include "scene/shape/shape.h"

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

/* Of the whole cells, each about h long, that fill a length. */
static double edge_of(double length, double h)
{
  double count = fmax(1, floor(length / h + 0.5));
  return fabs(count * h - length) > GEO_LENGTH_SLACK * length ? length / count : h;
}

scr_vec3 pd_cell_of(const pd_options *options, const scr_specimen *specimen)
{
  double h = pd_specimen_of(specimen)->spacing;
  geo_solid solid = scr_shape_solid(&specimen->shape);
  scr_vec3 cell = vec3(h, h, h);
  bool is_box = solid.kind == GEO_SOLID_BOX;
  if (!pd_corrects_directions(options) || (!is_box && solid.kind != GEO_SOLID_CYLINDER)) return cell;
  if (is_box) cell.x = edge_of(solid.size.x, h), cell.y = edge_of(solid.size.y, h);
  cell.z = edge_of(solid.size.z, h);
  return cell;
}

/* Position of a node in the unturned grain, m. */
static scr_vec3 place_of(const pd_body *body, const geo_lattice *lattice, size_t i)
{
  scr_vec3 p = geo_lattice_position(lattice, i);
  if (body->cell.x == body->spacing && body->cell.y == body->spacing && body->cell.z == body->spacing) return p;
  return vec3(p.x * (body->cell.x / body->spacing), p.y * (body->cell.y / body->spacing), p.z * (body->cell.z / body->spacing));
}

static scr_status place_nodes(pd_body *body, const geo_lattice *lattice, const scr_specimen *specimen, scr_error *error)
{
  size_t n = body->node_count = lattice->node_count;
  const scr_vec3 own[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int a = 0; a < 3; a++)
    body->axes[a] = specimen->rotation_angle != 0 ? rotate(own[a], specimen->rotation_axis, specimen->rotation_angle) : own[a];
  body->x = mem_array(n, sizeof(double));
  body->y = mem_array(n, sizeof(double));
  body->z = mem_array(n, sizeof(double));
  body->bond_degree = mem_array(n, sizeof *body->bond_degree);
  if (!body->x || !body->y || !body->z || !body->bond_degree)
    return scr_fail_memory(error, "the nodes of a specimen", n * 3 * sizeof(double));
  body->box = geo_box_empty();
  for (size_t i = 0; i < n; i++) {
    scr_vec3 p = place_of(body, lattice, i);
    if (specimen->rotation_angle != 0) p = rotate(p, specimen->rotation_axis, specimen->rotation_angle);
    body->x[i] = p.x;
    body->y[i] = p.y;
    body->z[i] = p.z;
    body->box = geo_box_join(body->box, (geo_box){p, p});
  }
  return SCR_OK;
}

/* Faces above the nodes, for contact that begins there. */
static scr_status find_faces(pd_body *body, const geo_lattice *lattice, const geo_solid *solid, const scr_specimen *specimen,
                             scr_error *error)
{
  size_t n = body->node_count;
  body->face = mem_array(n, sizeof *body->face);
  body->face_count = mem_array(n, 1);
  if (!body->face || !body->face_count) return scr_fail_memory(error, "the faces of a specimen", n * (sizeof *body->face + 1));
  for (size_t i = 0; i < n; i++) {
    body->face_count[i] =
        (unsigned char)geo_faces_near(solid, place_of(body, lattice, i), body->spacing * (1 - GEO_LENGTH_SLACK), body->face[i]);
    for (size_t k = 0; k < body->face_count[i] && specimen->rotation_angle != 0; k++) {
      body->face[i][k].normal = rotate(body->face[i][k].normal, specimen->rotation_axis, specimen->rotation_angle);
      body->face[i][k].straight = rotate(body->face[i][k].straight, specimen->rotation_axis, specimen->rotation_angle);
    }
  }
  return SCR_OK;
}

typedef struct offset_table {
  int32_t (*offset)[3];
  size_t count;
  double *length;  /* [count] */
  double *weight;  /* [count] */
  uint32_t *other; /* [count] scratch: nodes at these offsets from one */
} offset_table;

static void clear_offsets(offset_table *table)
{
  mem_free(table->offset);
  mem_free(table->length);
  mem_free(table->weight);
  mem_free(table->other);
}

static scr_status make_offsets(offset_table *table, const pd_body *body, const pd_options *options, scr_error *error)
{
  double h = body->spacing, eps = body->horizon;
  SCR_TRY(geo_lattice_offsets(h, pd_bond_reach(options, eps, h), &table->offset, &table->count, error));
  table->length = mem_array(table->count, sizeof(double));
  table->weight = mem_array(table->count, sizeof(double));
  table->other = mem_array(table->count, sizeof(uint32_t));
  if (!table->length || !table->weight || !table->other) return scr_fail_memory(error, "a row of bonds", table->count * 20);
  size_t kept = 0;
  bool in_cubes = body->cell.x == h && body->cell.y == h && body->cell.z == h;
  for (size_t k = 0; k < table->count; k++) {
    const int32_t *p = table->offset[k];
    double length = h * sqrt((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
    double weight = pd_micromodulus_at((pd_micromodulus)options->micromodulus, body->bulk_modulus, eps, length) / body->micromodulus;
    if (options->horizon_weight == PD_WEIGHT_PARTIAL_VOLUME) weight *= pd_partial_volume(eps, h, length);
    if (!(weight > 0)) continue;
    memmove(table->offset[kept], table->offset[k], sizeof *table->offset);
    table->length[kept] = in_cubes ? length : vec3_length(vec3(p[0] * body->cell.x, p[1] * body->cell.y, p[2] * body->cell.z));
    table->weight[kept++] = weight;
  }
  table->count = kept;
  return SCR_OK;
}

/* How a body's nodes are joined. */
typedef struct joining {
  const geo_lattice *lattice;
  const geo_solid *solid;
  const pd_specimen *crack; /* or NULL */
  const offset_table *table;
  const pd_full_node *full; /* or NULL */
  bool convex;              /* the solid, so that only a crack keeps nodes from being joined */
} joining;

/* A bond stays when the straight line between its ends does not pass through a void or a notch, leave a mesh, or pass through the crack.
 * cut: 1 is added where the crack takes it */
static bool bond_stays(const pd_body *body, const joining *how, size_t i, size_t j, size_t *cut)
{
  if (!how->convex && !geo_lattice_joins(how->lattice, how->solid, i, j)) return false;
  if (!how->crack || !pd_crack_cuts(how->crack, place_of(body, how->lattice, i), place_of(body, how->lattice, j))) return true;
  *cut += 1;
  return false;
}

/* Node i enters the rows of those it is joined with: as nodes do so in the order of their numbers, rows ascend. sum: [n] of weight over
 * length, by row; NULL: bonds are only counted. */
static void enter_rows(pd_body *body, const joining *how, size_t i, double *sum)
{
  const offset_table *table = how->table;
  pd_bonds *bonds = &body->bonds;
  size_t cut = 0;
  geo_lattice_neighbours(how->lattice, i, (const int32_t(*)[3])table->offset, table->count, table->other);
  for (size_t k = 0; k < table->count; k++) {
    uint32_t j = table->other[k];
    size_t *below = j < i ? &body->cut_bonds : &cut;
    if (j == GEO_NO_NODE || !bond_stays(body, how, j, i, sum ? &cut : below)) continue;
    if (!sum) {
      body->bond_degree[j]++;
      continue;
    }
    uint32_t slot = bonds->first[j] + bonds->count[j]++;
    bonds->other[slot] = (uint32_t)i;
    bonds->inverse_length[slot] = 1 / table->length[k];
    if (bonds->weight) bonds->weight[slot] = table->weight[k];
    sum[j] += table->weight[k] / table->length[k];
  }
}

bool pd_weighted(const pd_options *options)
{
  return options->micromodulus != PD_CONSTANT || options->horizon_weight != PD_WEIGHT_NONE || pd_shares_volume(options);
}

static scr_status join_nodes(pd_body *body, const joining *how, const pd_options *options, scr_error *error)
{
  size_t n = body->node_count, slots = 0;
  for (size_t i = 0; i < n; i++) enter_rows(body, how, i, NULL);
  for (size_t i = 0; i < n; i++) slots += body->bond_degree[i];
  if (slots >= UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "one grain would have %zu bond ends; at most 4.29e9: use a larger spacing", slots);
  SCR_TRY(pd_bonds_allocate(&body->bonds, n, slots, pd_weighted(options), error));
  double *sum = mem_array(n, sizeof *sum), worst = 0;
  if (!sum) return scr_fail_memory(error, "the bonds of a grain", n * sizeof *sum);
  for (size_t i = 0; i < n; i++) body->bonds.first[i + 1] = body->bonds.first[i] + body->bond_degree[i];
  for (size_t i = 0; i < n; i++) enter_rows(body, how, i, sum);
  for (size_t i = 0; i < n; i++) worst = fmax(worst, sum[i] * body->micromodulus * body->node_volume);
  mem_free(sum);
  if (pd_uses_moments(options)) SCR_TRY(pd_moments_apply(body, &worst, error));
  if (how->full) SCR_TRY(pd_directions_apply(body, how->full, &worst, error));
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
  body->cell = pd_cell_of(options, specimen);
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
  body->face_modulus = pd_face_modulus(body->bulk_modulus, body->modulus_rate / 15) * options->contact_stiffness_factor;
}

double pd_deepest_node(const pd_body *body)
{
  double deepest = 0;
  for (size_t i = 0; body->face && i < body->node_count; i++)
    for (unsigned p = 0; p < body->face_count[i]; p++) deepest = fmax(deepest, body->face[i][p].depth);
  return deepest;
}

bool pd_shares_volume(const pd_options *options)
{
  return pd_uses_moments(options) || pd_corrects_directions(options);
}

/* Nodes that make up the shape's volume, however many cells the lattice has in it: mass and elastic energy are the shape's. */
static void share_volume(pd_body *body, const scr_specimen *specimen)
{
  body->node_volume = scr_shape_volume(&specimen->shape) / (double)body->node_count;
  body->node_mass = body->density * body->node_volume;
  body->stiffness = body->micromodulus * body->node_volume * body->node_volume;
}

static scr_status find_sections(pd_body *body, scr_error *error);

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
  if (status == SCR_OK && pd_contact_begins(options) == PD_SURFACE_FACES) status = find_faces(body, &lattice, &solid, specimen, error);
  if (status == SCR_OK) status = make_offsets(&table, body, options, error);
  bool filled = status == SCR_OK && body->node_count > 0, corrects = filled && pd_corrects_directions(options);
  pd_full_node full = {0};
  if (filled && pd_shares_volume(options)) share_volume(body, specimen);
  if (corrects) {
    full = pd_full_node_of((const int32_t(*)[3])table.offset, table.weight, table.count, body->spacing, body->cell);
    pd_directions_calibrate(body, &full, pd_material_of(scene, specimen->material)->fracture_energy);
  }
  if (status == SCR_OK) status = find_sections(body, error);
  const joining how = {.lattice = &lattice,
                       .solid = &solid,
                       .crack = pd_has_crack(values) ? values : NULL,
                       .table = &table,
                       .full = corrects ? &full : NULL,
                       .convex = geo_solid_is_convex(&solid)};
  if (status == SCR_OK) status = join_nodes(body, &how, options, error);
  geo_lattice_clear(&lattice);
  clear_offsets(&table);
  return status;
}

double pd_node_height(const pd_body *body, scr_vec3 normal)
{
  const double least = 0.7 * body->spacing; /* a single layer may be thinner: its contact is no stiffer than that */
  double cell[3] = {fmax(body->cell.x, least), fmax(body->cell.y, least), fmax(body->cell.z, least)}, inverse = 0;
  for (int a = 0; a < 3; a++) {
    double along = vec3_dot(normal, body->axes[a]) / cell[a];
    inverse += along * along;
  }
  return inverse > 0 ? 1 / sqrt(inverse) : body->spacing;
}

double pd_node_face_stiffness(const pd_body *body, scr_vec3 normal)
{
  double height = pd_node_height(body, normal);
  return body->face_modulus * body->node_volume / (height * height);
}

/* Sections of nodes below their faces; node volumes must be known. */
static scr_status find_sections(pd_body *body, scr_error *error)
{
  if (!body->face) return SCR_OK;
  SCR_TRY(mem_allocate(&body->section, body->node_count, sizeof *body->section, "the faces of a specimen", error));
  for (size_t i = 0; i < body->node_count; i++)
    for (size_t k = 0; k < body->face_count[i]; k++) {
      scr_vec3 normal = body->face[i][k].normal;
      body->section[i][k].area = body->node_volume / pd_node_height(body, normal);
      body->section[i][k].softness = body->section[i][k].area / pd_node_face_stiffness(body, normal);
    }
  return SCR_OK;
}

void pd_body_clear(pd_body *body)
{
  mem_free(body->x);
  mem_free(body->y);
  mem_free(body->z);
  mem_free(body->bond_degree);
  mem_free(body->face);
  mem_free(body->face_count);
  mem_free(body->section);
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
