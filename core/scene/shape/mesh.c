/* A solid bounded by triangles: given, or made of another shape. */
#include <math.h>
#include <string.h>

#include "geometry/hexes/fill.h"
#include "geometry/level_set/shell.h"
#include "geometry/mesh/mesh_shapes.h"
#include "geometry/solid.h"
#include "scene/layout/mesh.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {MESH_SCALE(scr_shape, mesh), MESH_FILE(scr_shape, mesh)};
static const section_member members[] = {MESH_MEMBERS(scr_shape, mesh)};

static double reach(const scr_shape *shape)
{
  if (!shape->mesh.mesh) return NAN;
  scr_vec3 edges = vec3_sub(shape->mesh.mesh->box.high, shape->mesh.mesh->box.low);
  return 0.5 * fmax(edges.x, fmax(edges.y, edges.z));
}

static scr_vec3 half_extents(const scr_shape *shape, double resolution)
{
  geo_box box = shape->mesh.mesh->box;
  (void)resolution;
  return vec3(fmax(-box.low.x, box.high.x), fmax(-box.low.y, box.high.y), fmax(-box.low.z, box.high.z));
}

static double volume(const scr_shape *shape)
{
  return shape->mesh.mesh->volume;
}

static geo_solid fill(const scr_shape *shape)
{
  const struct scr_mesh *mesh = shape->mesh.mesh;
  return (geo_solid){.kind = GEO_SOLID_MESH, .mesh = mesh->tree, .box = mesh->box, .volume = mesh->volume};
}

/* The file's own elements where there is no spacing. */
static void divide(const scr_shape *shape, double spacing, const double given[3], shape_cells *cells)
{
  const struct scr_mesh *mesh = shape->mesh.mesh;
  double h = cells->spacing = spacing;
  (void)given;
  if (isnan(h)) {
    cells->hexes = (double)mesh->hexes.hex_count;
    cells->nodes = (double)mesh->hexes.node_count;
    return;
  }
  scr_vec3 edges = vec3_sub(mesh->box.high, mesh->box.low);
  cells->hexes =
      fmin(mesh->volume / (h * h * h) + 8, cells_along(edges.x, h, 1) * cells_along(edges.y, h, 1) * cells_along(edges.z, h, 1) * 1.5 + 8);
  cells->nodes = 1.3 * cells->hexes + 20;
}

/* The file's own elements, or the solid filled anew. */
static scr_status hexes(const scr_shape *shape, const shape_division *d, geo_hexes *mesh, scr_error *error)
{
  const geo_hexes *from = &shape->mesh.mesh->hexes;
  if (!isnan(d->spacing)) return geo_hexes_fill(shape->mesh.mesh->tree, d->spacing, mesh, error);
  SCR_TRY(geo_hexes_create(from->node_count, from->hex_count, mesh, error));
  memcpy(mesh->node, from->node, from->node_count * sizeof *mesh->node);
  memcpy(mesh->hex, from->hex, from->hex_count * sizeof *mesh->hex);
  return SCR_OK;
}

static scr_status shell(const scr_shape *shape, double spacing, geo_mesh *mesh, scr_error *error)
{
  return shell_refine(&shape->mesh.mesh->surface, spacing, mesh, error);
}

static double distance(const scr_shape *shape, scr_vec3 point)
{
  const geo_placed_solid solid = {.kind = GEO_PLACED_MESH, .rotation = quat_identity(), .mesh = shape->mesh.mesh->tree};
  return geo_placed_distance(&solid, point);
}

static scr_status pieces(const scr_shape *shape, geo_piece *pieces, scr_error *error)
{
  return geo_piece_make_mesh(&shape->mesh.mesh->surface, shape->mesh.mesh->tree, pieces, error);
}

static scr_moments moments(const scr_shape *shape)
{
  return scr_moments_of_mesh(&shape->mesh.mesh->surface);
}

static scr_status picture(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  return geo_mesh_append(&shape->mesh.mesh->surface, quat_identity(), vec3(0, 0, 0), mesh, error);
}

const scr_shape_form shape_form_mesh = {.section = {.title = "Mesh",
                                                    .help = "a solid bounded by triangles: lists of them, or the text of a file",
                                                    PARAMS(params),
                                                    MEMBERS(members)},
                                        .curved = true,
                                        .reach = reach,
                                        .half_extents = half_extents,
                                        .volume = volume,
                                        .fill = fill,
                                        .divide = divide,
                                        .hexes = hexes,
                                        .shell = shell,
                                        .distance = distance,
                                        .pieces = pieces,
                                        .moments = moments,
                                        .picture = picture};
