/* Filling a shape: a lattice block or copies of a random cell around it, the points inside kept, paired with their neighbours, turned. */
#include "methods/bdem/body/filling.h"

#include <string.h>

#include "base/memory.h"
#include "base/quat.h"
#include "geometry/fill/packing.h"
#include "geometry/fill/random_packing.h"
#include "geometry/mesh/mesh_distance.h"
#include "scene/shape/shape.h"

static const double pi = 3.14159265358979323846;

static geo_packing packing_of(const scr_specimen *specimen)
{
  return bdem_specimen_of(specimen)->packing == BDEM_PACKING_BODY_CENTRED ? GEO_PACKING_BODY_CENTRED : GEO_PACKING_HEXAGONAL_CLOSE;
}

/* Distances between spheres of a row, rows of a layer and layers; and how far the largest shift moves a row in x and y. */
static void pitches(geo_packing packing, double r, double pitch[3], double shift[2])
{
  if (packing == GEO_PACKING_HEXAGONAL_CLOSE) {
    pitch[0] = 2 * r, pitch[1] = sqrt(3.0) * r, pitch[2] = 2 * r * sqrt(2.0 / 3.0);
    shift[0] = r, shift[1] = r / sqrt(3.0);
  } else {
    pitch[0] = pitch[1] = 4 * r / sqrt(3.0), pitch[2] = 0.5 * pitch[0];
    shift[0] = shift[1] = 0.5 * pitch[0];
  }
}

/* Half the shape's extent along each axis. */
static void half_extent(const scr_shape *shape, double half[3])
{
  geo_solid solid = scr_shape_solid(shape);
  bool box = solid.kind == GEO_SOLID_BOX;
  if (solid.kind == GEO_SOLID_MESH) {
    half[0] = 0.5 * (solid.box.high.x - solid.box.low.x);
    half[1] = 0.5 * (solid.box.high.y - solid.box.low.y);
    half[2] = 0.5 * (solid.box.high.z - solid.box.low.z);
    return;
  }
  half[0] = box ? 0.5 * solid.size.x : solid.radius;
  half[1] = box ? 0.5 * solid.size.y : solid.radius;
  half[2] = solid.kind == GEO_SOLID_SPHERE ? solid.radius : 0.5 * solid.size.z;
}

/* Where the middle of the shape's box is: at its origin, but for meshes. */
static scr_vec3 box_middle(const scr_shape *shape)
{
  geo_solid solid = scr_shape_solid(shape);
  return solid.kind == GEO_SOLID_MESH ? vec3_scale(vec3_add(solid.box.low, solid.box.high), 0.5) : vec3(0, 0, 0);
}

/* Whether an axis takes whole pitches between two flat faces. */
static bool is_flat(const scr_shape *shape, int axis)
{
  geo_solid_kind kind = scr_shape_solid(shape).kind;
  return kind == GEO_SOLID_BOX || (kind == GEO_SOLID_CYLINDER && axis == 2);
}

/* Counts of the lattice block around a shape. Round axes get odd counts about a middle point, and an odd number of layers either side. */
static void block_counts(const scr_specimen *specimen, double counts[3], double pitch[3], double shift[2])
{
  double half[3];
  half_extent(&specimen->shape, half);
  pitches(packing_of(specimen), 0.5 * bdem_specimen_of(specimen)->spacing, pitch, shift);
  for (int a = 0; a < 3; ++a) {
    if (is_flat(&specimen->shape, a))
      counts[a] = fmax(1.0, floor(2 * half[a] / pitch[a] + 1e-6));
    else
      counts[a] = 4 * ceil(0.5 * (half[a] / pitch[a] + 1)) + 1; /* the middle one has an even number: an unshifted row and layer */
  }
}

double bdem_filling_expected(const scr_specimen *specimen)
{
  double counts[3], pitch[3], shift[2], half[3];
  if (bdem_is_weave(&specimen->shape)) return bdem_weave_expected(specimen);
  block_counts(specimen, counts, pitch, shift);
  if (bdem_specimen_of(specimen)->packing != BDEM_PACKING_RANDOM_CLOSE) return counts[0] * counts[1] * counts[2];
  half_extent(&specimen->shape, half);
  return 8 * half[0] * half[1] * half[2] / (0.9 * pow(bdem_specimen_of(specimen)->spacing, 3)) +
         BDEM_RANDOM_CELL; /* a sphere takes 0.84 of its cube */
}

/* From the block's first point to the middle of the shape. */
static scr_vec3 middle(const scr_specimen *specimen, const double counts[3], const double pitch[3], const double shift[2])
{
  double half[3];
  for (int a = 0; a < 3; ++a) half[a] = 0.5 * (counts[a] - 1) * pitch[a];
  if (!is_flat(&specimen->shape, 0)) return vec3(half[0], half[1], half[2]);
  bool hexagonal = packing_of(specimen) == GEO_PACKING_HEXAGONAL_CLOSE;
  bool shifted_x = counts[2] > 1 || (hexagonal && counts[1] > 1), shifted_y = counts[2] > 1;
  return vec3(half[0] + (shifted_x ? 0.5 * shift[0] : 0), half[1] + (shifted_y ? 0.5 * shift[1] : 0), half[2]);
}

/* Whether a point lies `margin` inside of the faces that the filling has to cut: all, but those that lattices fit. */
static bool inside(const scr_shape *shape, geo_mesh_probe *probe, double margin, bool fitted, scr_vec3 p)
{
  geo_solid solid = scr_shape_solid(shape);
  double half[3];
  margin *= 1 - 1e-9;
  if (solid.kind == GEO_SOLID_MESH) return geo_mesh_is_deeper(probe, p, margin);
  half_extent(shape, half);
  const double at[3] = {p.x, p.y, p.z};
  for (int a = 0; a < 3; ++a)
    if (is_flat(shape, a) && !fitted && fabs(at[a]) > half[a] - margin) return false;
  if (solid.kind == GEO_SOLID_BOX)
    return !(fabs(p.x) < 0.5 * solid.notch_width * (1 - 1e-9) && p.z < solid.notch_depth * (1 - 1e-9) - half[2]);
  double distance = solid.kind == GEO_SOLID_CYLINDER ? hypot(p.x, p.y) : vec3_length(p);
  if (solid.inner_radius > 0 && distance < solid.inner_radius + margin) return false;
  return distance <= solid.radius - margin;
}

/* Turns the centres as the specimen says and boxes them. */
static void turn(bdem_filling *filling, const scr_specimen *specimen)
{
  scr_quat rotation = quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle));
  filling->box = geo_box_empty();
  for (size_t k = 0; k < filling->sphere_count; ++k) {
    scr_vec3 *p = &filling->centre[k];
    if (specimen->rotation_angle != 0) *p = quat_rotate(rotation, *p);
    filling->box = geo_box_join(filling->box, (geo_box){*p, *p});
  }
}

/* How far a lattice is stretched to end at flat faces. One layer has no distance that could be. */
static void choose_stretch(bdem_filling *filling, const scr_specimen *specimen)
{
  double counts[3], pitch[3], shift[2];
  if (bdem_specimen_of(specimen)->packing == BDEM_PACKING_RANDOM_CLOSE || bdem_is_weave(&specimen->shape)) return;
  block_counts(specimen, counts, pitch, shift);
  for (int a = 0; a < 3; ++a)
    if (is_flat(&specimen->shape, a) && counts[a] > 1.5) filling->stretch[a] = fmax(1.0, filling->extent[a] / (counts[a] * pitch[a]));
}

/* Where a point of the regular lattice comes to lie. Only shapes about their origin have flat axes. */
static scr_vec3 stretched(const bdem_filling *filling, scr_vec3 p)
{
  return vec3(p.x * filling->stretch[0], p.y * filling->stretch[1], p.z * filling->stretch[2]);
}

/* A lattice block around the shape, the points inside kept, not stretched yet. */
static scr_status fill_lattice(bdem_filling *filling, const scr_specimen *specimen, scr_error *error)
{
  double counts[3], pitch[3], shift[2], r = filling->radius;
  block_counts(specimen, counts, pitch, shift);
  size_t whole[3] = {(size_t)counts[0], (size_t)counts[1], (size_t)counts[2]}, block = whole[0] * whole[1] * whole[2];
  scr_vec3 origin = vec3_sub(middle(specimen, counts, pitch, shift), box_middle(&specimen->shape));
  SCR_TRY(mem_allocate(&filling->centre, block, sizeof *filling->centre, "the spheres of a specimen", error));
  geo_packing_block(packing_of(specimen), r, whole, filling->centre);
  geo_mesh_probe probe = {.tree = scr_shape_solid(&specimen->shape).mesh};
  for (size_t k = 0; k < block; ++k) {
    scr_vec3 p = vec3_sub(filling->centre[k], origin);
    if (inside(&specimen->shape, &probe, 0.5 * r, true, stretched(filling, p))) filling->centre[filling->sphere_count++] = p;
  }
  return SCR_OK;
}

/* Places of one copy of the periodic cell that lie inside; counts them when there is nowhere to put them. */
static size_t copy_cell(const scr_specimen *specimen, geo_mesh_probe *probe, const scr_vec3 *cell, double r, scr_vec3 corner, scr_vec3 *to)
{
  size_t kept = 0;
  for (size_t k = 0; k < BDEM_RANDOM_CELL; ++k) {
    scr_vec3 p = vec3_add(corner, vec3_scale(cell[k], 2 * r));
    if (!inside(&specimen->shape, probe, 0.5 * r, false, p)) continue;
    if (to) to[kept] = p;
    ++kept;
  }
  return kept;
}

static size_t copy_cells(const scr_specimen *specimen, const scr_vec3 *cell, double edge, double r, scr_vec3 *to)
{
  double half[3];
  size_t kept = 0;
  scr_vec3 centre = box_middle(&specimen->shape);
  geo_mesh_probe probe = {.tree = scr_shape_solid(&specimen->shape).mesh};
  half_extent(&specimen->shape, half);
  int n[3];
  for (int a = 0; a < 3; ++a) n[a] = (int)ceil(half[a] / edge);
  for (int z = -n[2]; z < n[2]; ++z)
    for (int y = -n[1]; y < n[1]; ++y)
      for (int x = -n[0]; x < n[0]; ++x)
        kept += copy_cell(specimen, &probe, cell, r, vec3_add(centre, vec3(x * edge, y * edge, z * edge)), to ? to + kept : NULL);
  return kept;
}

static scr_status fill_random(bdem_filling *filling, const scr_specimen *specimen, uint64_t seed, scr_error *error)
{
  double edge, r = filling->radius;
  scr_vec3 *cell = filling->cell = mem_array(BDEM_RANDOM_CELL, sizeof *filling->cell);
  if (!cell) return scr_fail_memory(error, "the spheres of a specimen", BDEM_RANDOM_CELL * sizeof *cell);
  SCR_TRY(geo_random_packing(BDEM_RANDOM_CELL, seed, &edge, cell, error));
  filling->cell_edge = edge;
  size_t count = copy_cells(specimen, cell, edge * 2 * r, r, NULL);
  SCR_TRY(mem_allocate(&filling->centre, count, sizeof *filling->centre, "the spheres of a specimen", error));
  filling->sphere_count = copy_cells(specimen, cell, edge * 2 * r, r, filling->centre);
  return SCR_OK;
}

/* Drops the pairs whose centre line crosses the shape's notch, or leaves its mesh. */
static void keep_inside(bdem_filling *filling, const scr_shape *shape)
{
  geo_solid solid = scr_shape_solid(shape);
  size_t kept = 0;
  if (!(solid.notch_width > 0) && solid.kind != GEO_SOLID_MESH) return;
  for (size_t b = 0; b < filling->pair_count; ++b) {
    const uint32_t *pair = filling->pairs[b];
    if (geo_solid_joins(&solid, filling->centre[pair[0]], filling->centre[pair[1]])) {
      filling->pairs[kept][0] = pair[0];
      filling->pairs[kept++][1] = pair[1];
    }
  }
  filling->pair_count = kept;
}

static scr_status pair_up(bdem_filling *filling, const scr_specimen *specimen, scr_error *error)
{
  size_t n = filling->sphere_count;
  double reach = bdem_specimen_of(specimen)->packing == BDEM_PACKING_RANDOM_CLOSE ? BDEM_RANDOM_REACH : BDEM_LATTICE_REACH;
  SCR_TRY(mem_allocate(&filling->degree, n, sizeof *filling->degree, "the spheres of a specimen", error));
  SCR_TRY(geo_packing_pairs(filling->centre, n, reach * filling->radius, &filling->pairs, &filling->pair_count, error));
  for (size_t k = 0; k < n; ++k) filling->centre[k] = stretched(filling, filling->centre[k]);
  keep_inside(filling, &specimen->shape);
  for (size_t b = 0; b < filling->pair_count; ++b) {
    filling->degree[filling->pairs[b][0]]++;
    filling->degree[filling->pairs[b][1]]++;
  }
  return SCR_OK;
}

double bdem_ball_mass(double radius, double density)
{
  return density * 4.0 / 3.0 * pi * radius * radius * radius;
}

/* The body weighs what its shape does. A lattice lacks part of a layer at curved faces, up to a fifth of a body ten spheres wide. */
static void share_mass(bdem_filling *filling, const scr_specimen *specimen, double density)
{
  double count = (double)filling->sphere_count, volume = scr_shape_volume(&specimen->shape);
  bool random = bdem_specimen_of(specimen)->packing == BDEM_PACKING_RANDOM_CLOSE;
  filling->mass = count > 1 ? density * volume / count : bdem_ball_mass(filling->radius, density);
  filling->cells = random ? 1 : count * geo_packing_cell_volume(packing_of(specimen), filling->radius) / volume;
  for (int a = 0; a < 3; ++a) filling->cells *= filling->stretch[a];
}

/* Extents along flat axes are whole pitches; the rest of the cells' volume is shared by the others. */
static void measure_packed(bdem_filling *filling, const scr_specimen *specimen)
{
  double counts[3], pitch[3], shift[2], left = filling->cells;
  int round = 0;
  memcpy(filling->packed, filling->extent, sizeof filling->packed);
  if (bdem_specimen_of(specimen)->packing == BDEM_PACKING_RANDOM_CLOSE || bdem_is_weave(&specimen->shape)) return;
  block_counts(specimen, counts, pitch, shift);
  for (int a = 0; a < 3; ++a) {
    bool flat = is_flat(&specimen->shape, a);
    if (flat) filling->packed[a] = counts[a] * pitch[a] * filling->stretch[a];
    if (flat) left *= filling->extent[a] / filling->packed[a];
    round += !flat;
  }
  for (int a = 0; a < 3; ++a)
    if (!is_flat(&specimen->shape, a)) filling->packed[a] *= pow(left, 1.0 / round);
}

static scr_status fill_packing(bdem_filling *filling, const scr_specimen *specimen, double density, uint64_t seed, scr_error *error)
{
  if (bdem_specimen_of(specimen)->packing == BDEM_PACKING_RANDOM_CLOSE)
    SCR_TRY(fill_random(filling, specimen, seed, error));
  else
    SCR_TRY(fill_lattice(filling, specimen, error));
  share_mass(filling, specimen, density);
  return pair_up(filling, specimen, error);
}

scr_status bdem_filling_build(bdem_filling *filling, const scr_specimen *specimen, bool fitted, double density, uint64_t seed,
                              scr_error *error)
{
  double expected = bdem_filling_expected(specimen);
  if (!(expected < 2147483648.0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "one grain would have about %.3g spheres; at most 2147483647: use a larger spacing",
                    expected);
  filling->radius = 0.5 * bdem_specimen_of(specimen)->spacing;
  half_extent(&specimen->shape, filling->extent);
  for (int a = 0; a < 3; ++a) filling->extent[a] *= 2, filling->stretch[a] = 1;
  if (fitted) choose_stretch(filling, specimen);
  filling->piece_count = 1;
  if (bdem_is_weave(&specimen->shape))
    SCR_TRY(bdem_weave_fill(filling, specimen, density, error));
  else
    SCR_TRY(fill_packing(filling, specimen, density, seed, error));
  measure_packed(filling, specimen);
  turn(filling, specimen);
  return SCR_OK;
}

void bdem_filling_clear(bdem_filling *filling)
{
  mem_free(filling->cell);
  mem_free(filling->centre);
  mem_free(filling->pairs);
  mem_free(filling->degree);
  *filling = (bdem_filling){0};
}

/* Root of a sphere's tree, halving the path on the way. Roots are the lowest sphere of their piece. */
static uint32_t find_root(uint32_t *parent, uint32_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

size_t bdem_pieces(size_t sphere_count, const uint32_t (*pairs)[2], size_t pair_count, uint32_t *piece)
{
  size_t pieces = 0;
  for (size_t i = 0; i < sphere_count; ++i) piece[i] = (uint32_t)i;
  for (size_t b = 0; b < pair_count; ++b) {
    uint32_t i = find_root(piece, pairs[b][0]), j = find_root(piece, pairs[b][1]);
    if (i < j) piece[j] = i;
    if (j < i) piece[i] = j;
  }
  /* Parents have lower numbers than their children: one ascending sweep turns roots into piece numbers. */
  for (size_t i = 0; i < sphere_count; ++i) piece[i] = piece[i] == i ? (uint32_t)pieces++ : piece[piece[i]];
  return pieces;
}
