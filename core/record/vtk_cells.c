/* The cells of an exported frame. */
#include "record/vtk_cells.h"

#include "base/error.h"
#include "base/memory.h"

enum { VTK_VERTEX_CELL = 1, VTK_POLY_LINE_CELL = 4, VTK_TRIANGLE_CELL = 5, OUTLINE_IDS = 5 };

void vtk_cells_clear(vtk_cells *cells)
{
  mem_free(cells->type);
  mem_free(cells->offset);
  mem_free(cells->id);
  mem_free(cells->kind);
  mem_free(cells->drawable);
  mem_free(cells->element);
  *cells = (vtk_cells){0};
}

static bool allocate(vtk_cells *cells, size_t count, size_t id_count)
{
  *cells = (vtk_cells){.type = mem_array(count, sizeof *cells->type),
                       .offset = mem_array(count + 1, sizeof *cells->offset),
                       .id = mem_array(id_count, sizeof *cells->id),
                       .kind = mem_array(count, sizeof *cells->kind),
                       .drawable = mem_array(count, sizeof *cells->drawable),
                       .element = mem_array(count, sizeof *cells->element)};
  return cells->type && cells->offset && cells->id && cells->kind && cells->drawable && cells->element;
}

/* Begins a cell of element `element` of drawable `d`; its vertices follow by add_id. */
static void add_cell(vtk_cells *cells, unsigned char type, const scr_topology *topology, size_t d, uint32_t element)
{
  size_t k = cells->count++;
  cells->type[k] = type;
  cells->kind[k] = (int)topology->drawables[d].kind;
  cells->drawable[k] = (int)d;
  cells->element[k] = (int)element;
  cells->offset[k + 1] = cells->offset[k];
}

static void add_id(vtk_cells *cells, size_t id)
{
  cells->id[cells->id_count++] = (long long)id;
  cells->offset[cells->count]++;
}

static size_t points_of(const scr_topology *topology)
{
  size_t count = 0;
  for (size_t d = 0; d < topology->drawable_count; d++)
    if (topology->drawables[d].kind == SCR_DRAW_POINTS) count += topology->drawables[d].element_count;
  return count;
}

/* Drawable of the k-th element of all solids. */
static size_t drawable_of(const frame_solids *solids, size_t k)
{
  size_t d = 0;
  while (solids->first[d + 1] <= k) d++;
  return d;
}

/* A rectangle is its four vertices in their order; two triangles follow another in the mesh. */
static void add_solids(const frame_solids *solids, const geo_mesh *mesh, size_t points, vtk_cells *cells)
{
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    size_t d = drawable_of(solids, mesh->part[t]);
    uint32_t element = (uint32_t)(mesh->part[t] - solids->first[d]);
    const uint32_t *corner = mesh->triangle[t];
    bool outline = solids->topology->drawables[d].kind == SCR_DRAW_PLANES;
    add_cell(cells, outline ? VTK_POLY_LINE_CELL : VTK_TRIANGLE_CELL, solids->topology, d, element);
    for (uint32_t k = 0; k < (outline ? OUTLINE_IDS : 3u); k++) add_id(cells, points + (outline ? corner[0] + k % 4 : corner[k]));
    if (outline) t++;
  }
}

scr_status vtk_cells_make(const frame_solids *solids, const geo_mesh *mesh, vtk_cells *cells, scr_error *error)
{
  const scr_topology *topology = solids->topology;
  size_t points = points_of(topology), point = 0;
  if (!allocate(cells, points + mesh->triangle_count, points + 3 * mesh->triangle_count)) {
    vtk_cells_clear(cells);
    return scr_fail_memory(error, "the cells of a frame", (points + mesh->triangle_count) * 40);
  }
  for (size_t d = 0; d < topology->drawable_count; d++)
    for (uint32_t i = 0; topology->drawables[d].kind == SCR_DRAW_POINTS && i < topology->drawables[d].element_count; i++) {
      add_cell(cells, VTK_VERTEX_CELL, topology, d, i);
      add_id(cells, point++);
    }
  add_solids(solids, mesh, points, cells);
  return SCR_OK;
}
