/* What a run shows of the fluid around its grains: the last of its curves, and all cells of the box. Both follow from the state that
 * checkpoints hold. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/granular/view/view.h"
#include "methods/granular/wet/fluid.h"

enum { PRESSURE, EXCESS, VELOCITY, SPEED, SHARE, FLUID_FIELDS };
enum { COLUMNS = FLUID_FIELDS + 2 }; /* three for velocity */

scr_status granular_declare_fluid(scr_sim *sim, scr_error *error)
{
  granular_state *s = sim->state;
  scr_grid_shape grid = granular_grid(s);
  const scr_drawable cells = {.kind = SCR_DRAW_GRID,
                              .name = "fluid",
                              .element_count = grid.counts[0] * grid.counts[2],
                              .field_count = FLUID_FIELDS,
                              .fields = {[PRESSURE] = {"pore_pressure", "Pa", 1, SCR_ENCODING_UINT16},
                                         [EXCESS] = {"excess_pressure", "Pa", 1, SCR_ENCODING_UINT16},
                                         [VELOCITY] = {"fluid_velocity", "m/s", 3, SCR_ENCODING_UINT16},
                                         [SPEED] = {"fluid_speed", "m/s", 1, SCR_ENCODING_UINT16},
                                         [SHARE] = {"fluid_fraction", "1", 1, SCR_ENCODING_UINT16}},
                              .grid = grid};
  s->fluid_drawn = (uint32_t)sim->drawable_count;
  return scr_sim_declare_drawable(sim, &cells, error);
}

void granular_observe_fluid(const granular_state *s, double *values)
{
  const wet_fluid *f = s->fluid;
  double momentum[2], excess = 0;
  wet_momentum(f, momentum);
  for (size_t c = 0; c < f->cell_count; c++) excess = fmax(excess, f->pressure[c]);
  const double now[GRANULAR_FLUID_CURVES] = {f->report.drag, f->report.viscous, wet_kinetic(f), wet_fastest(f),       momentum[0],
                                             momentum[1],    f->report.slip,    excess,         f->report.divergence, f->report.rounds};
  memcpy(values, now, sizeof now);
}

/* Faces before and behind a cell along an axis. */
static void faces_of(const wet_fluid *f, size_t cell, int axis, size_t face[2])
{
  size_t i = cell % f->columns, j = cell / f->columns;
  face[0] = axis == 0 ? j * f->lines + i : f->x_count + cell;
  face[1] = axis == 0 ? j * f->lines + (i + 1) % f->lines : f->x_count + cell + f->columns;
}

scr_status granular_draw_fluid(granular_state *s, scr_frame *frame, scr_error *error)
{
  const wet_fluid *f = s->fluid;
  const size_t n = f->cell_count;
  double *column[COLUMNS];
  SCR_TRY(mem_reserve(&s->buffer, &s->buffer_capacity, COLUMNS * n, sizeof *s->buffer, "a picture", error));
  for (size_t k = 0; k < COLUMNS; k++) column[k] = s->buffer + k * n;
  for (size_t c = 0; c < n; c++) {
    double u[2], share = 0;
    for (int a = 0; a < 2; a++) {
      size_t face[2];
      faces_of(f, c, a, face);
      u[a] = 0.5 * (f->u[face[0]] + f->u[face[1]]);
      share += 0.25 * (f->share[face[0]] + f->share[face[1]]);
    }
    column[PRESSURE][c] = wet_pressure_at(f, c), column[EXCESS][c] = f->pressure[c];
    column[VELOCITY][c] = u[0], column[VELOCITY + 1][c] = 0, column[VELOCITY + 2][c] = u[1];
    column[SPEED + 2][c] = hypot(u[0], u[1]), column[SHARE + 2][c] = f->report.begun != 0 ? share : 1;
  }
  SCR_TRY(scr_frame_field(frame, s->fluid_drawn, PRESSURE, column[PRESSURE], NULL, NULL, error));
  SCR_TRY(scr_frame_field(frame, s->fluid_drawn, EXCESS, column[EXCESS], NULL, NULL, error));
  SCR_TRY(scr_frame_field(frame, s->fluid_drawn, VELOCITY, column[VELOCITY], column[VELOCITY + 1], column[VELOCITY + 2], error));
  SCR_TRY(scr_frame_field(frame, s->fluid_drawn, SPEED, column[SPEED + 2], NULL, NULL, error));
  return scr_frame_field(frame, s->fluid_drawn, SHARE, column[SHARE + 2], NULL, NULL, error);
}
