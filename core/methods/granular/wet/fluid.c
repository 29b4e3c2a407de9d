/* A fluid's grid, its state, and sums over it. */
#include "methods/granular/wet/fluid.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "sim/sim.h"

enum { FIELDS = 4 };
static const sim_field fields[FIELDS] = {
    FIELD_ARRAY("velocities of the fluid", wet_fluid, u, face_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("shares of fluid", wet_fluid, share, face_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("pore pressures", wet_fluid, pressure, cell_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("numbers of the fluid", wet_fluid, report, FIELD_SAVED | FIELD_NUMBERS),
};

/* ── the grid ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static uint32_t cell_at(const wet_fluid *f, int64_t i, int64_t j)
{
  if (f->periodic) i = (i + f->columns) % f->columns;
  if (i < 0 || j < 0 || i >= (int64_t)f->columns || j >= (int64_t)f->rows) return WET_NONE;
  return (uint32_t)(j * f->columns + i);
}

static uint32_t node_at(const wet_fluid *f, uint32_t i, uint32_t j)
{
  return j * f->lines + i % f->lines;
}

/* Face across an axis with its lower node at (i, j); WET_NONE: beside the domain. */
static uint32_t face_at(const wet_fluid *f, int axis, int64_t i, int64_t j)
{
  int64_t wide = axis == 0 ? f->lines : f->columns, tall = axis == 0 ? f->rows : (int64_t)f->rows + 1;
  if (f->periodic) i = (i + f->columns) % f->columns;
  if (i < 0 || j < 0 || i >= wide || j >= tall) return WET_NONE;
  return (uint32_t)((axis == 0 ? 0 : (int64_t)f->x_count) + j * wide + i);
}

static void lay_faces(wet_fluid *f)
{
  for (uint32_t j = 0; j <= f->rows; j++)
    for (uint32_t i = 0; i < f->lines; i++)
      for (int axis = 0; axis < 2; axis++) {
        uint32_t at = face_at(f, axis, i, j);
        if (at == WET_NONE) continue;
        wet_face *face = &f->face[at];
        face->node[0] = node_at(f, i, j);
        face->node[1] = axis == 0 ? node_at(f, i, j + 1) : node_at(f, i + 1, j);
        face->cell[0] = axis == 0 ? cell_at(f, (int64_t)i - 1, j) : cell_at(f, i, (int64_t)j - 1);
        face->cell[1] = cell_at(f, i, j);
        f->control[at] = f->volume * (wet_closed(face) ? 0.5 : 1);
      }
}

/* From a face to the next one along `along`: through a cell where that is its own axis, else through a node between two faces across
 * `along`. */
static void lay_link(wet_fluid *f, int axis, int along, uint32_t i, uint32_t j)
{
  uint32_t from = face_at(f, axis, i, j), to = face_at(f, axis, (int64_t)i + (along == 0), (int64_t)j + (along == 1));
  if (from == WET_NONE || to == WET_NONE || from == to) return;
  wet_link *link = &f->link[f->link_count++];
  *link = (wet_link){.face = {from, to}, .by = {from, to}};
  if (axis == along) return;
  int64_t k = (int64_t)i + (along == 0), l = (int64_t)j + (along == 1); /* the node's place */
  link->by[0] = along == 0 ? face_at(f, 0, k, l - 1) : face_at(f, 1, k - 1, l);
  link->by[1] = face_at(f, along, k, l);
}

static void lay_links(wet_fluid *f)
{
  for (int axis = 0; axis < 2; axis++)
    for (uint32_t j = 0; j <= f->rows; j++)
      for (uint32_t i = 0; i < f->lines; i++)
        for (int along = 0; along < 2; along++) lay_link(f, axis, along, i, j);
}

/* The Laplacian of the graph of links; one face across each axis is held. */
static scr_status factor_links(wet_fluid *f, scr_error *error)
{
  la_triplet *entry = mem_array(3 * f->link_count + 2, sizeof *entry);
  la_sparse matrix = {0};
  size_t count = 0;
  if (!entry) return scr_fail_memory(error, "the fluid's grid", 3 * f->link_count * sizeof *entry);
  entry[count++] = (la_triplet){0, 0, 1};
  entry[count++] = (la_triplet){(uint32_t)f->x_count, (uint32_t)f->x_count, 1};
  for (size_t k = 0; k < f->link_count; k++) {
    uint32_t a = f->link[k].face[0], b = f->link[k].face[1];
    entry[count++] = (la_triplet){a, a, 1};
    entry[count++] = (la_triplet){b, b, 1};
    entry[count++] = (la_triplet){a > b ? a : b, a > b ? b : a, -1};
  }
  scr_status status = la_sparse_from_triplets(f->face_count, f->face_count, entry, count, &matrix, error);
  if (status == SCR_OK) status = la_factor_make(f->lattice, &matrix, error);
  la_sparse_clear(&matrix);
  mem_free(entry);
  return status;
}

/* ── its life ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Sizes, densities and gravity from the scene. */
static void lay_out(wet_fluid *f, const granular_state *s)
{
  const granular_options *o = s->options;
  const granular_material *m = scr_scene_material(s->scene, 0);
  f->density = o->fluid_density, f->viscosity = o->fluid_viscosity, f->exponent = o->drag_exponent;
  f->diameter = m->grain_diameter, f->grain_density = m->density;
  f->h = s->domain.h, f->thickness = s->thickness, f->volume = granular_cell_volume(s);
  f->periodic = s->periodic[0];
  f->columns = s->domain.cells[0], f->rows = s->domain.cells[1];
  f->lines = f->columns + !f->periodic;
  f->cell_count = (size_t)f->columns * f->rows;
  f->node_count = (size_t)f->lines * (f->rows + 1);
  f->x_count = (size_t)f->lines * f->rows;
  f->face_count = f->x_count + (size_t)f->columns * (f->rows + 1);
  for (int a = 0; a < 2; a++) *(a == 0 && f->periodic && o->fluid_stream ? &f->drive[a] : &f->hydrostatic[a]) = s->gravity[a];
}

static scr_status allocate(wet_fluid *f, scr_error *error)
{
  size_t faces = f->face_count, nodes = f->node_count;
  SCR_TRY(fields_allocate(fields, FIELDS, f, error));
  SCR_TRY(mem_allocate(&f->face, faces, sizeof *f->face, "the fluid's grid", error));
  SCR_TRY(mem_allocate(&f->link, 2 * faces, sizeof *f->link, "the fluid's grid", error));
  SCR_TRY(mem_allocate(&f->control, faces, sizeof *f->control, "the fluid's grid", error));
  SCR_TRY(mem_allocate(&f->fraction, nodes, sizeof *f->fraction, "the fluid", error));
  SCR_TRY(mem_allocate(&f->place, nodes, sizeof *f->place, "the fluid", error));
  SCR_TRY(mem_allocate(&f->unknown, nodes, sizeof *f->unknown, "the fluid", error));
  SCR_TRY(mem_allocate(&f->mass, nodes, sizeof *f->mass, "the fluid", error));
  SCR_TRY(mem_allocate(&f->free, 2 * nodes, sizeof *f->free, "the fluid", error));
  SCR_TRY(mem_allocate(&f->viscous, faces, sizeof *f->viscous, "the fluid", error));
  SCR_TRY(mem_allocate(&f->flux, 2 * faces, sizeof *f->flux, "the fluid", error));
  SCR_TRY(mem_allocate(&f->before, faces, sizeof *f->before, "the fluid", error));
  SCR_TRY(mem_allocate(&f->scratch, 2 * faces, sizeof *f->scratch, "the fluid", error));
  return mem_allocate(&f->coupling, faces, sizeof *f->coupling, "the fluid", error);
}

scr_status wet_create(const granular_state *s, wet_fluid **fluid, scr_error *error)
{
  if (isnan(s->options->fluid_density)) return SCR_OK;
  SCR_TRY(mem_allocate(fluid, 1, sizeof **fluid, "a fluid", error));
  wet_fluid *f = *fluid;
  lay_out(f, s);
  SCR_TRY(allocate(f, error));
  lay_faces(f);
  lay_links(f);
  SCR_TRY(la_factor_create(LA_FACTOR_CHOLESKY, &f->lattice, error));
  SCR_TRY(la_factor_create(LA_FACTOR_SIGNED, &f->factor, error));
  return factor_links(f, error);
}

void wet_destroy(wet_fluid *f)
{
  if (!f) return;
  fields_free(fields, FIELDS, f);
  la_factor_destroy(f->lattice);
  la_factor_destroy(f->factor);
  void *arrays[] = {f->face,   f->link,    f->control,  f->fraction, f->place,   f->unknown, f->mass,     f->free, f->flux,
                    f->before, f->scratch, f->coupling, f->viscous,  f->triplet, f->right,   f->solution, f->round};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(arrays[k]);
  mem_free(f);
}

scr_status wet_save(const wet_fluid *f, scr_blob *blob, scr_error *error)
{
  return f ? fields_save(fields, FIELDS, f, blob, error) : SCR_OK;
}

scr_status wet_load(wet_fluid *f, scr_blob *blob, scr_error *error)
{
  if (!f) return SCR_OK;
  SCR_TRY(fields_load(fields, FIELDS, f, blob, error));
  for (size_t k = 0; k < f->face_count; k++)
    if (f->report.begun != 0 && !(f->share[k] > 0 && f->share[k] <= 1)) return scr_sim_damaged("shares of fluid", error);
  return SCR_OK;
}

/* ── sums ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

double wet_kinetic(const wet_fluid *f)
{
  double sum = 0;
  for (size_t k = 0; f && k < f->face_count; k++) sum += 0.5 * wet_mass(f, k) * f->u[k] * f->u[k];
  return sum;
}

void wet_momentum(const wet_fluid *f, double momentum[2])
{
  momentum[0] = momentum[1] = 0;
  for (size_t k = 0; f && k < f->face_count; k++) momentum[wet_axis(f, k)] += wet_mass(f, k) * f->u[k];
}

double wet_fastest(const wet_fluid *f)
{
  double most = 0;
  for (size_t k = 0; f && k < f->face_count; k++) most = fmax(most, fabs(f->u[k]));
  return most;
}

double wet_pressure_at(const wet_fluid *f, size_t cell)
{
  const size_t i = cell % f->columns, j = cell / f->columns;
  const double at[2] = {((double)i + 0.5) * f->h, ((double)j + 0.5) * f->h};
  const double length[2] = {f->columns * f->h, f->rows * f->h};
  double sum = f->pressure[cell];
  for (int a = 0; a < 2; a++) {
    double g = f->hydrostatic[a];
    sum += f->density * g * (g < 0 ? at[a] - length[a] : at[a]);
  }
  return sum;
}
