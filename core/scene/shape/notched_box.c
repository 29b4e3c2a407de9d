/* A block with a slot across the middle of its lower side. */
#include <stdio.h>

#include "geometry/hexes/blocks.h"
#include "geometry/mesh/mesh_shapes.h"
#include "scene/problem.h"
#include "scene/shape/box.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {SHAPE_SIZE("full edge lengths"),
                                   SHAPE_LENGTH(notch_depth, "depth of the notch from the bottom, less than the height"),
                                   SHAPE_LENGTH(notch_width, "width of the notch along x, less than the length")};

static scr_status check(const scr_shape *shape, size_t index, scr_problems *problems)
{
  const struct {
    const char *key, *edge;
    double given, most;
  } sides[2] = {{"notch_depth", "height", shape->notch_depth, shape->size.z}, {"notch_width", "length", shape->notch_width, shape->size.x}};
  for (size_t i = 0; i < 2; i++) {
    if (!(sides[i].given >= sides[i].most)) continue;
    char pointer[96], allowed[96], number[NUMBER_TEXT_BYTES];
    snprintf(pointer, sizeof pointer, "/specimens/%zu/shape/%s", index, sides[i].key);
    snprintf(allowed, sizeof allowed, "a number > 0 and < %s, in m", number_text(sides[i].most, number));
    SCR_TRY(
        problem_add_at(problems, pointer, sides[i].given, allowed,
                       "%s is %.6g m but the block's %s is %.6g m, so the notch would cut it in two or take all of it: give a smaller one",
                       sides[i].key, sides[i].given, sides[i].edge, sides[i].most));
  }
  return SCR_OK;
}

static double volume(const scr_shape *shape)
{
  return shape->size.x * shape->size.y * shape->size.z - shape->notch_width * shape->size.y * shape->notch_depth;
}

static geo_solid fill(const scr_shape *shape)
{
  return (geo_solid){.kind = GEO_SOLID_BOX, .size = shape->size, .notch_width = shape->notch_width, .notch_depth = shape->notch_depth};
}

static void divide(const scr_shape *shape, double spacing, const double given[3], shape_cells *cells)
{
  double *n = cells->n, *slot = cells->slot;
  (void)given;
  n[0] = cells_along(0.5 * (shape->size.x - shape->notch_width), spacing, 1);
  n[1] = cells_along(shape->size.y, spacing, 1);
  n[2] = cells_along(shape->size.z - shape->notch_depth, spacing, 1);
  slot[0] = cells_along(shape->notch_width, spacing, 1);
  slot[1] = cells_along(shape->notch_depth, spacing, 1);
  cells->hexes = n[1] * (2 * n[0] * (n[2] + slot[1]) + slot[0] * n[2]);
  cells->nodes = (2 * n[0] + slot[0] + 1) * (n[1] + 1) * (n[2] + slot[1] + 1);
}

static scr_status hexes(const scr_shape *shape, const shape_division *d, geo_hexes *mesh, scr_error *error)
{
  const double size[3] = {shape->size.x, shape->size.y, shape->size.z};
  return geo_hexes_notched_box(size, shape->notch_width, shape->notch_depth, d->cells, d->slot, mesh, error);
}

/* The block above the notch and those beside it: lowest and highest corners. */
static void blocks_of(const scr_shape *shape, scr_vec3 block[3][2])
{
  scr_vec3 h = vec3_scale(shape->size, 0.5);
  double top = shape->notch_depth - h.z, side = 0.5 * shape->notch_width;
  block[0][0] = vec3(-h.x, -h.y, top), block[0][1] = h;
  block[1][0] = vec3(-h.x, -h.y, -h.z), block[1][1] = vec3(-side, h.y, top);
  block[2][0] = vec3(side, -h.y, -h.z), block[2][1] = vec3(h.x, h.y, top);
}

static size_t piece_count(const scr_shape *shape)
{
  (void)shape;
  return 3;
}

static scr_status pieces(const scr_shape *shape, geo_piece *pieces, scr_error *error)
{
  scr_vec3 block[3][2];
  blocks_of(shape, block);
  for (int k = 0; k < 3; k++) SCR_TRY(geo_piece_make_box(block[k][0], block[k][1], &pieces[k], error));
  return SCR_OK;
}

static scr_moments moments(const scr_shape *shape)
{
  scr_moments m = scr_moments_of_box(shape->size), notch = scr_moments_of_box(vec3(shape->notch_width, shape->size.y, shape->notch_depth));
  notch.centre.z = 0.5 * (shape->notch_depth - shape->size.z);
  scr_moments_add(&m, &notch, -1);
  return m;
}

static scr_status picture(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  scr_vec3 block[3][2];
  blocks_of(shape, block);
  for (int k = 0; k < 3; k++) SCR_TRY(geo_mesh_add_box_at(mesh, block[k][0], block[k][1], error));
  return SCR_OK;
}

const scr_shape_form shape_form_notched_box = {
    .section = {.title = "Notched box", .help = "a block with a slot across the middle of its lower side, along y", PARAMS(params)},
    .notched = true,
    .check = check,
    .reach = box_reach,
    .half_extents = box_half_extents,
    .volume = volume,
    .fill = fill,
    .divide = divide,
    .hexes = hexes,
    .piece_count = piece_count,
    .pieces = pieces,
    .moments = moments,
    .picture = picture};
