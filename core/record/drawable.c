/* Checks and copies of drawables. */
#include "record/drawable.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const struct {
  const char *elements;
  uint32_t limit;
} kinds[] = {[SCR_DRAW_POINTS] = {"points", UINT32_MAX},
             [SCR_DRAW_PLANES] = {"planes", SCR_PLANE_LIMIT},
             [SCR_DRAW_CYLINDERS] = {"cylinders", SCR_CYLINDER_LIMIT},
             [SCR_DRAW_MESH] = {"bodies", SCR_MESH_LIMIT},
             [SCR_DRAW_INSTANCES] = {"instances", UINT32_MAX},
             [SCR_DRAW_SURFACE] = {"vertices", SCR_SHAPE_TRIANGLE_LIMIT},
             [SCR_DRAW_THREADS] = {"nodes", 0},
             [SCR_DRAW_GRID] = {"cells", SCR_GRID_CELL_LIMIT}};

uint32_t drawable_field(const scr_drawable *drawable, const char *name)
{
  for (uint32_t f = 0; f < drawable->field_count; f++)
    if (strcmp(drawable->fields[f].name, name) == 0) return f;
  return DRAWABLE_NO_FIELD;
}

uint32_t drawable_pieces_field(const scr_drawable *drawable)
{
  return drawable->pieces[0] ? drawable_field(drawable, drawable->pieces) : DRAWABLE_NO_FIELD;
}

bool drawable_varies(const scr_drawable *drawable)
{
  return drawable->varying || drawable->changing || drawable->kind == SCR_DRAW_THREADS;
}

uint32_t drawable_second_field(const scr_drawable *drawable)
{
  if (drawable->changing) return SCR_SKIN_CORNERS;
  if (drawable->kind == SCR_DRAW_SURFACE && drawable->varying) return drawable_field(drawable, "corners");
  return drawable->kind == SCR_DRAW_THREADS ? drawable_field(drawable, "nodes") : DRAWABLE_NO_FIELD;
}

enum {
  varying_kinds = 1 << SCR_DRAW_POINTS | 1 << SCR_DRAW_INSTANCES | 1 << SCR_DRAW_SURFACE | 1 << SCR_DRAW_THREADS | 1 << SCR_DRAW_GRID
};

static scr_status check_count(const scr_drawable *drawable, scr_error *error)
{
  if (drawable->kind < SCR_DRAW_POINTS || drawable->kind > SCR_DRAW_GRID)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable '%s' has the unknown kind %u", drawable->name, drawable->kind);
  if (drawable->element_count > kinds[drawable->kind].limit)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable '%s' has %u %s; at most %u are allowed", drawable->name, drawable->element_count,
                    kinds[drawable->kind].elements, kinds[drawable->kind].limit);
  if (drawable->varying && !(varying_kinds & 1 << drawable->kind))
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "drawable '%s' can't vary in number: only points, instances, surfaces, threads and grids do", drawable->name);
  return SCR_OK;
}

/* ── fields ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool is_place(const scr_field *field)
{
  return field->components == 3 && field->encoding != SCR_ENCODING_UINT32;
}

static bool is_real(const scr_field *field)
{
  return field->components == 1 && field->encoding != SCR_ENCODING_UINT32;
}

static bool is_whole(const scr_field *field)
{
  return field->components == 1 && field->encoding == SCR_ENCODING_UINT32;
}

/* Field number `field`, if there is one, holds the corners of triangles. */
static bool is_corners(const scr_drawable *drawable, uint32_t field)
{
  if (field == DRAWABLE_NO_FIELD || field == 0) return false;
  return drawable->fields[field].components == 3 && drawable->fields[field].encoding == SCR_ENCODING_UINT32;
}

/* The most modes that a shape of the drawable has. */
static uint32_t most_modes(const scr_drawable *drawable)
{
  uint32_t most = 0;
  for (uint32_t s = 0; s < drawable->shape_count && drawable->shapes; s++)
    most = drawable->shapes[s].mode_count > most ? drawable->shapes[s].mode_count : most;
  return most;
}

enum {
  round_kinds = 1 << SCR_DRAW_POINTS | 1 << SCR_DRAW_THREADS,
  shaped_kinds = 1 << SCR_DRAW_INSTANCES,
  grid_kinds = 1 << SCR_DRAW_GRID,
  all_kinds = ~0
};

static bool is_amplitudes(const scr_drawable *drawable, const scr_field *field)
{
  return field->encoding == SCR_ENCODING_FLOAT32 && field->components == most_modes(drawable);
}

static bool is_whole_number(const scr_drawable *drawable, const scr_field *field)
{
  (void)drawable;
  return is_whole(field);
}

static bool is_real_number(const scr_drawable *drawable, const scr_field *field)
{
  (void)drawable;
  return is_real(field);
}

/* Radii are those of a field or that of the drawable, never both. */
static bool is_radius(const scr_drawable *drawable, const scr_field *field)
{
  return is_real(field) && drawable->radius == 0;
}

static bool is_cell(const scr_drawable *drawable, const scr_field *field)
{
  return is_whole(field) && drawable->varying && field == drawable->fields;
}

/* A field whose name has a meaning must be what scr_field says of it. */
static scr_status check_meaning(const scr_drawable *drawable, const scr_field *field, scr_error *error)
{
  static const struct {
    const char *name;
    int kinds;
    bool (*holds)(const scr_drawable *drawable, const scr_field *field);
    const char *wanted;
  } meanings[] = {{"radius", round_kinds, is_radius, "one component, float32 or uint16, and the drawable no radius of its own"},
                  {"id", all_kinds, is_whole_number, "one component, uint32"},
                  {"shape", shaped_kinds, is_whole_number, "one component, uint32"},
                  {"cell", grid_kinds, is_cell, "one component, uint32, stand first, and only where the number of cells varies"},
                  {"scale", shaped_kinds, is_real_number, "one component, float32 or uint16"},
                  {"amplitudes", shaped_kinds, is_amplitudes, "float32, with as many components as the shape with most modes has modes"}};
  for (size_t k = 0; k < sizeof meanings / sizeof *meanings; k++)
    if (meanings[k].kinds & 1 << drawable->kind && strcmp(field->name, meanings[k].name) == 0 && !meanings[k].holds(drawable, field))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "field '%s' of drawable '%s' must have %s", field->name, drawable->name,
                      meanings[k].wanted);
  return SCR_OK;
}

static scr_status check_field(const scr_drawable *drawable, const scr_field *field, scr_error *error)
{
  bool any_number = field->encoding == SCR_ENCODING_FLOAT32 && field->components >= 1 && field->components <= SCR_COMPONENT_LIMIT;
  if (field->encoding > SCR_ENCODING_UINT32 || (field->components != 1 && field->components != 3 && !any_number))
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "field '%s' of drawable '%s' has encoding %u and %u components; encodings 0 to 2 and 1 or 3 components are allowed, of "
                    "float32 1 to %d",
                    field->name, drawable->name, field->encoding, field->components, SCR_COMPONENT_LIMIT);
  return check_meaning(drawable, field, error);
}

static scr_status check_cell_fields(const scr_drawable *drawable, scr_error *error)
{
  if (drawable_field(drawable, "position") != DRAWABLE_NO_FIELD)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "grid '%s' has a field 'position': cells are where the grid says", drawable->name);
  if (!drawable->varying || drawable_field(drawable, "cell") == 0) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL,
                  "field 0 of grid '%s', whose number of cells varies, must be 'cell', a scalar of uint32: which cells there are",
                  drawable->name);
}

static scr_status check_fields(const scr_drawable *drawable, scr_error *error)
{
  const char *name = drawable->name;
  bool turns = (drawable->kind == SCR_DRAW_MESH && !drawable->changing) || drawable->kind == SCR_DRAW_INSTANCES;
  if (drawable->field_count < 1 || drawable->field_count > SCR_FIELD_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable '%s' has %u fields; 1 to %d are allowed", name, drawable->field_count,
                    SCR_FIELD_LIMIT);
  for (uint32_t f = 0; f < drawable->field_count; f++) SCR_TRY(check_field(drawable, &drawable->fields[f], error));
  if (drawable->kind == SCR_DRAW_GRID) return check_cell_fields(drawable, error);
  if (!is_place(&drawable->fields[0]))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "field 0 of drawable '%s' must be its position: 3 components, float32 or uint16", name);
  if (turns && (drawable->field_count < 2 || !is_place(&drawable->fields[1])))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "field 1 of drawable '%s' must be its orientation: 3 components, float32 or uint16", name);
  uint32_t pieces = drawable_pieces_field(drawable), nodes = drawable_second_field(drawable);
  if (drawable->pieces[0] && (pieces == DRAWABLE_NO_FIELD || !is_whole(&drawable->fields[pieces])))
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "the pieces of drawable '%s' are numbered by its field '%s', which must be a scalar of uint32", name, drawable->pieces);
  if (drawable->kind == SCR_DRAW_THREADS && (nodes == DRAWABLE_NO_FIELD || !is_whole(&drawable->fields[nodes])))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "threads '%s' must have a field 'nodes', a scalar of uint32: how many nodes each has",
                    name);
  if (drawable->kind == SCR_DRAW_SURFACE && drawable->varying && !is_corners(drawable, nodes))
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "the varying surface '%s' must have a field 'corners', 3 components of uint32, behind its position: its triangles",
                    name);
  return SCR_OK;
}

/* A skin is declared by its fields; how many elements it has is up to the frames. */
static scr_status check_skin(const scr_drawable *drawable, scr_error *error)
{
  const scr_field *piece = &drawable->fields[SCR_SKIN_PIECE], *corners = &drawable->fields[SCR_SKIN_CORNERS];
  if (drawable->kind == SCR_DRAW_MESH && drawable->element_count == 0 && drawable->field_count == SCR_SKIN_FIELDS && is_whole(piece) &&
      corners->components == 3 && corners->encoding == SCR_ENCODING_UINT32)
    return SCR_OK;
  return scr_fail(
      error, SCR_BAD_USAGE, NULL,
      "the changing mesh '%s' must have no elements and three fields: position, number of the piece (uint32), corners (3 of uint32)",
      drawable->name);
}

/* ── triangles ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Written so that a NaN is caught too. */
static bool within_reach(scr_vec3 at)
{
  return fmax(fmax(fabs(at.x), fabs(at.y)), fabs(at.z)) <= GEO_MESH_COORDINATE_LIMIT && !isnan(at.x + at.y + at.z);
}

/* @param what,name  "body", "anvil" */
static scr_status check_mesh(const scr_drawable *drawable, const char *what, const char *name, const geo_mesh *mesh, scr_error *error)
{
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    scr_vec3 at = mesh->vertex[v];
    if (!within_reach(at))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "vertex %zu of %s '%s' of drawable '%s' is at (%g, %g, %g) m; at most %g m is allowed", v,
                      what, name, drawable->name, at.x, at.y, at.z, GEO_MESH_COORDINATE_LIMIT);
  }
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      if (mesh->triangle[t][k] >= mesh->vertex_count)
        return scr_fail(error, SCR_BAD_USAGE, NULL, "triangle %zu of %s '%s' of drawable '%s' names vertex %u; there are %zu", t, what,
                        name, drawable->name, mesh->triangle[t][k], mesh->vertex_count);
  return SCR_OK;
}

static scr_status check_bodies(const scr_drawable *drawable, scr_error *error)
{
  size_t vertices = 0, triangles = 0;
  if (drawable->element_count && !drawable->meshes)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable '%s' has %u bodies without triangles", drawable->name, drawable->element_count);
  for (uint32_t i = 0; i < drawable->element_count; i++) {
    const geo_mesh *mesh = &drawable->meshes[i].mesh;
    if (mesh->vertex_count > SCR_MESH_TRIANGLE_LIMIT || mesh->triangle_count > SCR_MESH_TRIANGLE_LIMIT ||
        (vertices += mesh->vertex_count) > SCR_MESH_TRIANGLE_LIMIT || (triangles += mesh->triangle_count) > SCR_MESH_TRIANGLE_LIMIT)
      return scr_fail(error, SCR_BAD_USAGE, NULL,
                      "the bodies of drawable '%s' have more than %d vertices or triangles: give coarser meshes, or fewer", drawable->name,
                      SCR_MESH_TRIANGLE_LIMIT);
  }
  for (uint32_t i = 0; i < drawable->element_count; i++)
    SCR_TRY(check_mesh(drawable, "body", drawable->meshes[i].name, &drawable->meshes[i].mesh, error));
  return SCR_OK;
}

static scr_status check_shape_count(const scr_drawable *drawable, scr_error *error)
{
  bool instances = drawable->kind == SCR_DRAW_INSTANCES;
  bool fixed_surface = drawable->kind == SCR_DRAW_SURFACE && !drawable->varying;
  uint32_t least = instances || fixed_surface ? 1 : 0, most = instances ? SCR_SHAPE_LIMIT : least;
  if (drawable->shape_count < least || drawable->shape_count > most || (drawable->shape_count && !drawable->shapes))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable '%s' has %u shapes; it needs %u and can have up to %u", drawable->name,
                    drawable->shape_count, least, most);
  for (uint32_t s = 0; s < drawable->shape_count; s++)
    if (drawable->shapes[s].mode_count > (instances ? SCR_MODE_LIMIT : 0u))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "shape '%s' of drawable '%s' has %u modes; at most %d are allowed, of a surface none",
                      drawable->shapes[s].name, drawable->name, drawable->shapes[s].mode_count, SCR_MODE_LIMIT);
  return SCR_OK;
}

scr_status drawable_check_shape(const scr_drawable *drawable, uint32_t number, scr_error *error)
{
  const scr_modal_shape *shape = &drawable->shapes[number];
  size_t vertices = shape->mesh.vertex_count, triangles = shape->mesh.triangle_count;
  if (vertices > SCR_SHAPE_TRIANGLE_LIMIT || triangles > SCR_SHAPE_TRIANGLE_LIMIT ||
      sizeof(scr_geometry_header) + 12 * (vertices * (1 + (size_t)shape->mode_count) + triangles) > SCR_GEOMETRY_BYTE_LIMIT)
    return scr_fail(
        error, SCR_BAD_USAGE, NULL,
        "shape '%s' of drawable '%s' has %zu vertices, %zu triangles and %u modes; at most %d vertices and triangles and %d MiB of "
        "all are allowed: give a coarser mesh",
        shape->name, drawable->name, vertices, triangles, shape->mode_count, SCR_SHAPE_TRIANGLE_LIMIT, SCR_GEOMETRY_BYTE_LIMIT >> 20);
  if (drawable->kind == SCR_DRAW_SURFACE && vertices != drawable->element_count)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "surface '%s' has %u elements, its mesh %zu vertices", drawable->name,
                    drawable->element_count, vertices);
  SCR_TRY(check_mesh(drawable, "shape", shape->name, &shape->mesh, error));
  size_t parts = vertices * shape->mode_count;
  for (size_t k = 0; k < parts; k++)
    if (!shape->modes || !within_reach(shape->modes[k]))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "mode %zu of shape '%s' of drawable '%s' is %s", k / vertices, shape->name,
                      drawable->name, shape->modes ? "not finite, or moves a vertex too far" : "missing");
  return SCR_OK;
}

/* ── grids ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

uint64_t drawable_grid_cells(const scr_grid_shape *grid)
{
  uint64_t plane = (uint64_t)grid->counts[0] * grid->counts[1];
  return plane > SCR_GRID_CELL_LIMIT ? plane : plane * grid->counts[2];
}

static scr_status check_grid(const scr_drawable *drawable, scr_error *error)
{
  const scr_grid_shape *grid = &drawable->grid;
  const double spacing[3] = {grid->spacing.x, grid->spacing.y, grid->spacing.z};
  const uint32_t *n = grid->counts;
  uint64_t cells = drawable_grid_cells(grid);
  int flat = 0;
  for (int axis = 0; axis < 3; axis++) {
    bool thin = spacing[axis] == 0 && n[axis] == 1;
    flat += thin;
    if (n[axis] < 1 || !(spacing[axis] > 0 || thin) || flat > 1)
      return scr_fail(error, SCR_BAD_USAGE, NULL,
                      "grid '%s' has %u x %u x %u cells of %g x %g x %g m; there must be cells along each axis, their sides be > 0, or 0 "
                      "along one axis with one cell",
                      drawable->name, n[0], n[1], n[2], spacing[0], spacing[1], spacing[2]);
  }
  if (cells > SCR_GRID_CELL_LIMIT || (!drawable->varying && drawable->element_count != cells))
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "grid '%s' has %u x %u x %u cells and %u elements: as many elements must be cells, of "
                    "which %u are possible",
                    drawable->name, n[0], n[1], n[2], drawable->element_count, SCR_GRID_CELL_LIMIT);
  scr_vec3 end = vec3_add(grid->origin, vec3(n[0] * spacing[0], n[1] * spacing[1], n[2] * spacing[2]));
  if (within_reach(grid->origin) && within_reach(end)) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "grid '%s' reaches from (%g, %g, %g) to (%g, %g, %g) m; at most %g m is allowed",
                  drawable->name, grid->origin.x, grid->origin.y, grid->origin.z, end.x, end.y, end.z, GEO_MESH_COORDINATE_LIMIT);
}

scr_vec3 drawable_grid_corner(const scr_grid_shape *grid, uint64_t i, uint64_t j, uint64_t k)
{
  return vec3_add(grid->origin, vec3((double)i * grid->spacing.x, (double)j * grid->spacing.y, (double)k * grid->spacing.z));
}

void drawable_grid_place(const scr_grid_shape *grid, uint32_t cell, uint32_t place[3])
{
  place[0] = cell % grid->counts[0];
  place[1] = cell / grid->counts[0] % grid->counts[1];
  place[2] = cell / grid->counts[0] / grid->counts[1];
}

int drawable_grid_flat(const scr_grid_shape *grid)
{
  return grid->spacing.x == 0 ? 0 : grid->spacing.y == 0 ? 1 : grid->spacing.z == 0 ? 2 : 3;
}

/* ── all of it ───────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status drawable_check_declared(const scr_drawable *drawable, scr_error *error)
{
  SCR_TRY(check_count(drawable, error));
  SCR_TRY(check_shape_count(drawable, error));
  SCR_TRY(check_fields(drawable, error));
  if (drawable->kind == SCR_DRAW_GRID) return check_grid(drawable, error);
  if (drawable->changing) return check_skin(drawable, error);
  return drawable->kind == SCR_DRAW_MESH ? check_bodies(drawable, error) : SCR_OK;
}

scr_status drawable_check(const scr_drawable *drawable, scr_error *error)
{
  SCR_TRY(drawable_check_declared(drawable, error));
  for (uint32_t s = 0; s < drawable->shape_count; s++) SCR_TRY(drawable_check_shape(drawable, s, error));
  return SCR_OK;
}

/* ── copies ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status copy_mesh(const geo_mesh *from, geo_mesh *to, scr_error *error)
{
  for (size_t v = 0; v < from->vertex_count; v++) SCR_TRY(geo_mesh_add_vertex(to, from->vertex[v], error));
  for (size_t t = 0; t < from->triangle_count; t++) {
    const uint32_t *corner = from->triangle[t];
    SCR_TRY(geo_mesh_add_triangle(to, corner[0], corner[1], corner[2], 0, error));
  }
  return SCR_OK;
}

static scr_status copy_bodies(const scr_drawable *from, scr_drawable *to, scr_error *error)
{
  SCR_TRY(mem_allocate(&to->meshes, from->element_count, sizeof *to->meshes, "the bodies of a drawable", error));
  for (uint32_t i = 0; i < from->element_count; i++) {
    memcpy(to->meshes[i].name, from->meshes[i].name, sizeof to->meshes[i].name);
    SCR_TRY(copy_mesh(&from->meshes[i].mesh, &to->meshes[i].mesh, error));
  }
  return SCR_OK;
}

static scr_status copy_shapes(const scr_drawable *from, scr_drawable *to, scr_error *error)
{
  if (from->shape_count == 0) return SCR_OK;
  SCR_TRY(mem_allocate(&to->shapes, from->shape_count, sizeof *to->shapes, "the shapes of a drawable", error));
  for (uint32_t s = 0; s < from->shape_count; s++) {
    const scr_modal_shape *shape = &from->shapes[s];
    scr_modal_shape *copy = &to->shapes[s];
    size_t count = shape->mesh.vertex_count * shape->mode_count;
    memcpy(copy->name, shape->name, sizeof copy->name);
    copy->mode_count = shape->mode_count;
    SCR_TRY(copy_mesh(&shape->mesh, &copy->mesh, error));
    if (count == 0) continue;
    SCR_TRY(mem_allocate(&copy->modes, count, sizeof *copy->modes, "the modes of a shape", error));
    memcpy(copy->modes, shape->modes, count * sizeof *copy->modes);
  }
  return SCR_OK;
}

scr_status drawable_copy(const scr_drawable *drawable, scr_drawable *copy, scr_error *error)
{
  *copy = *drawable;
  copy->meshes = NULL;
  copy->shapes = NULL;
  scr_status status = SCR_OK;
  if (drawable->kind == SCR_DRAW_MESH) status = copy_bodies(drawable, copy, error);
  if (status == SCR_OK) status = copy_shapes(drawable, copy, error);
  if (status != SCR_OK) drawable_clear(copy);
  return status;
}

void drawable_clear(scr_drawable *drawable)
{
  for (uint32_t i = 0; drawable->meshes && i < drawable->element_count; i++) geo_mesh_clear(&drawable->meshes[i].mesh);
  for (uint32_t s = 0; drawable->shapes && s < drawable->shape_count; s++) {
    geo_mesh_clear(&drawable->shapes[s].mesh);
    mem_free(drawable->shapes[s].modes);
  }
  mem_free(drawable->meshes);
  mem_free(drawable->shapes);
  drawable->meshes = NULL;
  drawable->shapes = NULL;
}
