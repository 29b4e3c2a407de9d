/* The cells of an exported frame. */
#include "record/export/vtk_cells.h"

#include "base/memory.h"

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

scr_status vtk_cells_reserve(vtk_cells *cells, size_t count, size_t id_count, scr_error *error)
{
  vtk_cells_clear(cells);
  *cells = (vtk_cells){.type = mem_array(count, sizeof *cells->type),
                       .offset = mem_array(count + 1, sizeof *cells->offset),
                       .id = mem_array(id_count, sizeof *cells->id),
                       .kind = mem_array(count, sizeof *cells->kind),
                       .drawable = mem_array(count, sizeof *cells->drawable),
                       .element = mem_array(count, sizeof *cells->element)};
  if (cells->type && cells->offset && cells->id && cells->kind && cells->drawable && cells->element) return SCR_OK;
  vtk_cells_clear(cells);
  return scr_fail_memory(error, "the cells of a frame", count * 21 + id_count * sizeof *cells->id);
}

void vtk_cells_add(vtk_cells *cells, unsigned char type, uint32_t kind, size_t drawable, size_t element)
{
  size_t k = cells->count++;
  cells->type[k] = type;
  cells->kind[k] = (int)kind;
  cells->drawable[k] = (int)drawable;
  cells->element[k] = (int)element;
  cells->offset[k + 1] = cells->offset[k];
}

void vtk_cells_add_id(vtk_cells *cells, size_t vertex)
{
  cells->id[cells->id_count++] = (long long)vertex;
  cells->offset[cells->count]++;
}
