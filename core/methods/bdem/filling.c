/* Filling a shape: a lattice block around it, the points inside kept, turned, and paired with their neighbours. */
#include "methods/bdem/filling.h"

#include "base/memory.h"
#include "base/quat.h"
#include "geometry/packing.h"

static const double pi = 3.14159265358979323846;

static geo_packing packing_of(const scr_specimen *specimen)
{
  return specimen->packing == SCR_PACKING_BODY_CENTRED ? GEO_PACKING_BODY_CENTRED : GEO_PACKING_HEXAGONAL_CLOSE;
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

/* Counts of the lattice block around a shape. Spheres get odd counts about a middle point, and an odd number of layers either side. */
static void block_counts(const scr_specimen *specimen, double counts[3], double pitch[3], double shift[2])
{
  const scr_shape *shape = &specimen->shape;
  const double size[3] = {shape->size.x, shape->size.y, shape->size.z};
  pitches(packing_of(specimen), 0.5 * specimen->spacing, pitch, shift);
  for (int a = 0; a < 3; ++a) {
    if (shape->kind == SCR_SHAPE_BOX)
      counts[a] = fmax(1.0, floor(size[a] / pitch[a] + 1e-6));
    else
      counts[a] = 4 * ceil(0.5 * (shape->radius / pitch[a] + 1)) + 1; /* the middle one has an even number: an unshifted row and layer */
  }
}

double bdem_filling_expected(const scr_specimen *specimen)
{
  double counts[3], pitch[3], shift[2];
  block_counts(specimen, counts, pitch, shift);
  return counts[0] * counts[1] * counts[2];
}

/* From the block's first point to the shape's centre. */
static scr_vec3 middle(const scr_specimen *specimen, const double counts[3], const double pitch[3], const double shift[2])
{
  double half[3];
  for (int a = 0; a < 3; ++a) half[a] = 0.5 * (counts[a] - 1) * pitch[a];
  if (specimen->shape.kind != SCR_SHAPE_BOX) return vec3(half[0], half[1], half[2]);
  bool hexagonal = packing_of(specimen) == GEO_PACKING_HEXAGONAL_CLOSE;
  bool shifted_x = counts[2] > 1 || (hexagonal && counts[1] > 1), shifted_y = counts[2] > 1;
  return vec3(half[0] + (shifted_x ? 0.5 * shift[0] : 0), half[1] + (shifted_y ? 0.5 * shift[1] : 0), half[2]);
}

static bool inside(const scr_shape *shape, double r, scr_vec3 p)
{
  double distance = vec3_length(p);
  if (shape->kind == SCR_SHAPE_BOX) return true; /* the block is the box */
  if (shape->kind == SCR_SHAPE_HOLLOW_SPHERE && distance < shape->inner_radius + 0.5 * r * (1 - 1e-9)) return false;
  return distance <= shape->radius - 0.5 * r * (1 - 1e-9);
}

/* Keeps the points inside, turned by the specimen's rotation. */
static void keep_inside(bdem_filling *filling, const scr_specimen *specimen, size_t block, scr_vec3 origin)
{
  scr_quat turn = quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle));
  size_t kept = 0;
  filling->box = geo_box_empty();
  for (size_t k = 0; k < block; ++k) {
    scr_vec3 p = vec3_sub(filling->centre[k], origin);
    if (!inside(&specimen->shape, filling->radius, p)) continue;
    if (specimen->rotation_angle != 0) p = quat_rotate(turn, p);
    filling->centre[kept++] = p;
    filling->box = geo_box_join(filling->box, (geo_box){p, p});
  }
  filling->sphere_count = kept;
}

static scr_status pair_up(bdem_filling *filling, scr_error *error)
{
  size_t n = filling->sphere_count;
  filling->degree = mem_array(n, sizeof *filling->degree);
  if (!filling->degree) return scr_fail_memory(error, "the spheres of a specimen", n * sizeof *filling->degree);
  SCR_TRY(geo_packing_pairs(filling->centre, n, 2.01 * filling->radius, &filling->pairs, &filling->pair_count, error));
  for (size_t b = 0; b < filling->pair_count; ++b) {
    filling->degree[filling->pairs[b][0]]++;
    filling->degree[filling->pairs[b][1]]++;
  }
  return SCR_OK;
}

scr_status bdem_filling_build(bdem_filling *filling, const scr_specimen *specimen, double density, scr_error *error)
{
  double counts[3], pitch[3], shift[2], expected = bdem_filling_expected(specimen), r = 0.5 * specimen->spacing;
  geo_packing packing = packing_of(specimen);
  if (!(expected < 2147483648.0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "one grain would have about %.3g spheres; at most 2147483647: use a larger spacing",
                    expected);
  block_counts(specimen, counts, pitch, shift);
  size_t whole[3] = {(size_t)counts[0], (size_t)counts[1], (size_t)counts[2]}, block = whole[0] * whole[1] * whole[2];
  filling->radius = r;
  filling->centre = mem_array(block, sizeof *filling->centre);
  if (!filling->centre) return scr_fail_memory(error, "the spheres of a specimen", block * sizeof *filling->centre);
  geo_packing_block(packing, r, whole, filling->centre);
  keep_inside(filling, specimen, block, middle(specimen, counts, pitch, shift));
  filling->mass = density * (filling->sphere_count > 1 ? geo_packing_cell_volume(packing, r) : 4.0 / 3.0 * pi * r * r * r);
  return pair_up(filling, error);
}

void bdem_filling_clear(bdem_filling *filling)
{
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
