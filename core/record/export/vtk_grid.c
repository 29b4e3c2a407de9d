/* A frame gathered into vertices and cells. */
#include "record/export/vtk_grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/drawable.h"
#include "record/frame/surface.h"

/* Vertices, cells and their vertices that were counted, or are there so far. */
typedef struct grid_size {
  size_t vertices, cells, ids;
} grid_size;

static bool has_fields(const scr_drawable *drawable)
{
  return drawable->kind == SCR_DRAW_POINTS || drawable->kind >= SCR_DRAW_INSTANCES;
}

static void clear_arrays(vtk_grid *grid)
{
  mem_free(grid->position);
  mem_free(grid->radius);
  mem_free(grid->drawable);
  for (size_t k = 0; k < VTK_FIELD_LIMIT; k++) {
    mem_free(grid->fields[k]);
    mem_free(grid->cell_fields[k]);
    grid->fields[k] = grid->cell_fields[k] = NULL;
  }
  grid->position = grid->radius = NULL;
  grid->drawable = NULL;
}

void vtk_grid_clear(vtk_grid *grid)
{
  clear_arrays(grid);
  mem_free(grid->column);
  for (size_t d = 0; grid->corners && d < grid->topology->drawable_count; d++) vtk_corners_clear(&grid->corners[d]);
  mem_free(grid->corners);
  vtk_cells_clear(&grid->cells);
  frame_view_clear(&grid->view);
  frame_solids_clear(&grid->solids);
  geo_mesh_clear(&grid->mesh);
  geo_mesh_clear(&grid->solid_mesh);
  *grid = (vtk_grid){0};
}

/* Whether a field is exported as one number per vertex; radii of balls and nodes have an array of their own. */
static bool is_scalar(const scr_drawable *drawable, uint32_t field)
{
  bool round = drawable->kind == SCR_DRAW_POINTS || drawable->kind == SCR_DRAW_THREADS;
  if (drawable->fields[field].components != 1 || field == drawable_second_field(drawable)) return false;
  return !(round && strcmp(drawable->fields[field].name, "radius") == 0);
}

/* The column of that name, a new one if it must be; SIZE_MAX when there are too many. */
static size_t column_named(char (*names)[VTK_NAME_BYTES], size_t *count, const char *name)
{
  for (size_t k = 0; k < *count; k++)
    if (strcmp(names[k], name) == 0) return k;
  if (*count == VTK_FIELD_LIMIT) return SIZE_MAX;
  snprintf(names[*count], VTK_NAME_BYTES, "%s", name);
  return (*count)++;
}

/* The column of a field. Which cell of a grid it is all cells say as `element`. */
static size_t column_for(vtk_grid *grid, const scr_drawable *drawable, uint32_t field)
{
  const char *name = drawable->fields[field].name;
  bool cells = drawable->kind == SCR_DRAW_GRID, first = field == 0 && (!cells || drawable->varying);
  if (!has_fields(drawable) || first || !is_scalar(drawable, field)) return SIZE_MAX;
  return cells ? column_named(grid->cell_names, &grid->cell_field_count, name) : column_named(grid->names, &grid->field_count, name);
}

scr_status vtk_grid_create(const scr_topology *topology, vtk_grid *grid, scr_error *error)
{
  *grid = (vtk_grid){.topology = topology,
                     .column = mem_array(topology->drawable_count * SCR_FIELD_LIMIT, sizeof *grid->column),
                     .corners = mem_array(topology->drawable_count, sizeof *grid->corners)};
  if (!grid->column || !grid->corners)
    return scr_fail_memory(error, "the fields of a frame", topology->drawable_count * SCR_FIELD_LIMIT * sizeof *grid->column);
  for (size_t d = 0; d < topology->drawable_count; d++)
    for (uint32_t f = 0; f < topology->drawables[d].field_count; f++)
      grid->column[d * SCR_FIELD_LIMIT + f] = column_for(grid, &topology->drawables[d], f);
  return frame_solids_create(topology, &grid->solids, error);
}

/* ── counting ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status count_drawable(const drawable_view *view, vtk_corners *corners, grid_size *size, scr_error *error)
{
  size_t vertices = 0, triangles = 0;
  switch (view->drawable->kind) {
  case SCR_DRAW_POINTS: *size = (grid_size){size->vertices + view->count, size->cells + view->count, size->ids + view->count}; break;
  case SCR_DRAW_INSTANCES:
  case SCR_DRAW_SURFACE:
    SCR_TRY(frame_surface_measure(view, &vertices, &triangles, error));
    *size = (grid_size){size->vertices + vertices, size->cells + triangles, size->ids + 3 * triangles};
    break;
  case SCR_DRAW_THREADS:
    *size = (grid_size){size->vertices + view->count, size->cells + view->second_count, size->ids + view->count};
    break;
  case SCR_DRAW_GRID:
    SCR_TRY(vtk_corners_find(view, corners, error));
    *size = (grid_size){size->vertices + corners->count, size->cells + view->count,
                        size->ids + (size_t)view->count * vtk_voxel_corners(view->drawable)};
    break;
  default: break;
  }
  return SCR_OK;
}

/* The mesh of all solids where they are: the k-th element of all is part k. */
static scr_status make_solids(vtk_grid *grid, scr_error *error)
{
  grid->solid_mesh.vertex_count = grid->solid_mesh.triangle_count = 0;
  for (size_t d = 0; d < grid->topology->drawable_count; d++)
    for (size_t k = grid->solids.first[d]; k < grid->solids.first[d + 1]; k++)
      SCR_TRY(frame_solids_add(&grid->solids, d, (uint32_t)(k - grid->solids.first[d]), (uint32_t)k, &grid->solid_mesh, error));
  return SCR_OK;
}

/* Columns of NaN. */
static bool make_columns(float **columns, size_t count, size_t rows)
{
  for (size_t k = 0; k < count; k++) {
    columns[k] = mem_array(rows, sizeof *columns[k]);
    if (!columns[k]) return false;
    for (size_t i = 0; i < rows; i++) columns[k][i] = NAN;
  }
  return true;
}

static scr_status allocate(vtk_grid *grid, const grid_size *size, scr_error *error)
{
  clear_arrays(grid);
  grid->vertex_count = size->vertices;
  grid->position = mem_array(size->vertices * 3, sizeof *grid->position);
  grid->radius = mem_array(size->vertices, sizeof *grid->radius);
  grid->drawable = mem_array(size->vertices, sizeof *grid->drawable);
  bool whole = grid->position && grid->radius && grid->drawable && make_columns(grid->fields, grid->field_count, size->vertices) &&
               make_columns(grid->cell_fields, grid->cell_field_count, size->cells);
  if (!whole) return scr_fail_memory(error, "the vertices of a frame", size->vertices * (grid->field_count + 5) * sizeof(float));
  return vtk_cells_reserve(&grid->cells, size->cells, size->ids, error);
}

/* ── filling ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void put_vertex(vtk_grid *grid, size_t vertex, scr_vec3 at, size_t drawable)
{
  float *to = grid->position + 3 * vertex;
  to[0] = (float)at.x, to[1] = (float)at.y, to[2] = (float)at.z;
  grid->drawable[vertex] = (int)drawable;
}

/* The scalars of an element at `count` vertices from `first` on. */
static void put_fields(vtk_grid *grid, size_t d, uint32_t element, size_t first, size_t count)
{
  const drawable_view *view = &grid->view.drawables[d];
  for (uint32_t f = 1; f < view->drawable->field_count; f++) {
    size_t k = grid->column[d * SCR_FIELD_LIMIT + f];
    for (size_t v = 0; k != SIZE_MAX && v < count; v++) grid->fields[k][first + v] = (float)frame_array_value(&view->arrays[f], element, 0);
  }
}

/* Points, nodes of threads, vertices of surfaces: a vertex each. */
static void add_vertices(vtk_grid *grid, size_t d, grid_size *at)
{
  const drawable_view *view = &grid->view.drawables[d];
  bool round = view->drawable->kind != SCR_DRAW_SURFACE;
  const frame_array *radius = drawable_view_field(view, "radius");
  for (uint32_t i = 0; i < view->count; i++) {
    size_t vertex = at->vertices++;
    put_vertex(grid, vertex, frame_array_vector(&view->arrays[0], i), d);
    put_fields(grid, d, i, vertex, 1);
    if (round) grid->radius[vertex] = (float)(radius ? frame_array_value(radius, i, 0) : view->drawable->radius);
  }
}

static void add_points(vtk_grid *grid, size_t d, grid_size *at)
{
  size_t first = at->vertices;
  add_vertices(grid, d, at);
  for (size_t v = first; v < at->vertices; v++) {
    vtk_cells_add(&grid->cells, VTK_CELL_VERTEX, SCR_DRAW_POINTS, d, v - first);
    vtk_cells_add_id(&grid->cells, v);
  }
}

/* Threads without nodes are no cells; a single node is a vertex. */
static void add_threads(vtk_grid *grid, size_t d, grid_size *at)
{
  const drawable_view *view = &grid->view.drawables[d];
  const frame_array *nodes = &view->arrays[drawable_second_field(view->drawable)];
  size_t vertex = at->vertices;
  add_vertices(grid, d, at);
  for (uint32_t i = 0; i < view->second_count; i++) {
    uint32_t count = frame_array_whole(nodes, i, 0);
    if (count > 0) vtk_cells_add(&grid->cells, count > 1 ? VTK_CELL_POLY_LINE : VTK_CELL_VERTEX, SCR_DRAW_THREADS, d, i);
    for (uint32_t k = 0; k < count; k++) vtk_cells_add_id(&grid->cells, vertex++);
  }
}

static void add_triangles(vtk_grid *grid, size_t d, const geo_mesh *mesh, size_t first_vertex, uint32_t element)
{
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    vtk_cells_add(&grid->cells, VTK_CELL_TRIANGLE, grid->topology->drawables[d].kind, d, element);
    for (int k = 0; k < 3; k++) vtk_cells_add_id(&grid->cells, first_vertex + mesh->triangle[t][k]);
  }
}

/* The triangles that a frame brings along. */
static void add_corners(vtk_grid *grid, size_t d, size_t first_vertex)
{
  const drawable_view *view = &grid->view.drawables[d];
  const frame_array *corners = &view->arrays[drawable_second_field(view->drawable)];
  for (uint32_t t = 0; t < view->second_count; t++) {
    vtk_cells_add(&grid->cells, VTK_CELL_TRIANGLE, SCR_DRAW_SURFACE, d, 0);
    for (uint32_t k = 0; k < 3; k++) vtk_cells_add_id(&grid->cells, first_vertex + frame_array_whole(corners, t, k));
  }
}

static scr_status add_instances(vtk_grid *grid, size_t d, grid_size *at, scr_error *error)
{
  const drawable_view *view = &grid->view.drawables[d];
  for (uint32_t i = 0; i < view->count; i++) {
    grid->mesh.vertex_count = grid->mesh.triangle_count = 0;
    SCR_TRY(frame_surface_add(view, i, 0, &grid->mesh, error));
    for (size_t v = 0; v < grid->mesh.vertex_count; v++) put_vertex(grid, at->vertices + v, grid->mesh.vertex[v], d);
    put_fields(grid, d, i, at->vertices, grid->mesh.vertex_count);
    add_triangles(grid, d, &grid->mesh, at->vertices, i);
    at->vertices += grid->mesh.vertex_count;
  }
  return SCR_OK;
}

/* Values stay with the cells: a vertex belongs to several of them. */
static void add_grid(vtk_grid *grid, size_t d, grid_size *at)
{
  const drawable_view *view = &grid->view.drawables[d];
  const vtk_corners *corners = &grid->corners[d];
  for (size_t k = 0; k < corners->count; k++) put_vertex(grid, at->vertices + k, vtk_corner_place(&view->drawable->grid, corners, k), d);
  for (uint32_t f = 0; f < view->drawable->field_count; f++) {
    size_t column = grid->column[d * SCR_FIELD_LIMIT + f], first = grid->cells.count;
    for (uint32_t c = 0; column != SIZE_MAX && c < view->count; c++)
      grid->cell_fields[column][first + c] = (float)frame_array_value(&view->arrays[f], c, 0);
  }
  vtk_voxels_add(view, d, corners, at->vertices, &grid->cells);
  at->vertices += corners->count;
}

/* Drawable of the k-th element of all solids. */
static size_t drawable_of(const frame_solids *solids, size_t k)
{
  size_t d = 0;
  while (solids->first[d + 1] <= k) d++;
  return d;
}

/* A rectangle is its four vertices in their order; two triangles follow one another in the mesh. */
static void add_solids(vtk_grid *grid, size_t first)
{
  const geo_mesh *mesh = &grid->solid_mesh;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    size_t d = drawable_of(&grid->solids, mesh->part[t]), element = mesh->part[t] - grid->solids.first[d];
    const uint32_t *corner = mesh->triangle[t];
    uint32_t kind = grid->topology->drawables[d].kind;
    bool outline = kind == SCR_DRAW_PLANES;
    vtk_cells_add(&grid->cells, outline ? VTK_CELL_POLY_LINE : VTK_CELL_TRIANGLE, kind, d, element);
    for (uint32_t k = 0; k < (outline ? 5u : 3u); k++) {
      uint32_t vertex = outline ? corner[0] + k % 4 : corner[k];
      vtk_cells_add_id(&grid->cells, first + vertex);
      put_vertex(grid, first + vertex, mesh->vertex[vertex], d);
    }
    if (outline) t++;
  }
}

static scr_status fill(vtk_grid *grid, scr_error *error)
{
  grid_size at = {0};
  size_t count = grid->topology->drawable_count;
  for (size_t d = 0; d < count; d++)
    if (grid->view.drawables[d].there && grid->topology->drawables[d].kind == SCR_DRAW_POINTS) add_points(grid, d, &at);
  for (size_t d = 0; d < count; d++) {
    if (!grid->view.drawables[d].there) continue;
    uint32_t kind = grid->topology->drawables[d].kind;
    if (kind == SCR_DRAW_INSTANCES) SCR_TRY(add_instances(grid, d, &at, error));
    if (kind == SCR_DRAW_THREADS) add_threads(grid, d, &at);
    if (kind == SCR_DRAW_GRID) add_grid(grid, d, &at);
    if (kind != SCR_DRAW_SURFACE) continue;
    size_t first = at.vertices;
    add_vertices(grid, d, &at);
    if (grid->topology->drawables[d].varying)
      add_corners(grid, d, first);
    else
      add_triangles(grid, d, &grid->topology->drawables[d].shapes[0].mesh, first, 0);
  }
  add_solids(grid, at.vertices);
  return SCR_OK;
}

scr_status vtk_grid_make(vtk_grid *grid, const void *payload, size_t size, scr_error *error)
{
  grid_size needed = {0};
  SCR_TRY(frame_view_read(&grid->view, grid->topology, payload, size, error));
  frame_solids_take(&grid->solids, &grid->view);
  SCR_TRY(make_solids(grid, error));
  for (size_t d = 0; d < grid->topology->drawable_count; d++)
    if (grid->view.drawables[d].there) SCR_TRY(count_drawable(&grid->view.drawables[d], &grid->corners[d], &needed, error));
  needed.vertices += grid->solid_mesh.vertex_count;
  needed.cells += grid->solid_mesh.triangle_count;
  needed.ids += 3 * grid->solid_mesh.triangle_count;
  SCR_TRY(allocate(grid, &needed, error));
  return fill(grid, error);
}
