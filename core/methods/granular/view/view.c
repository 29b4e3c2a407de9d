/* Curves, headlines and pictures. */
#include "methods/granular/view/view.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/granular/step/stages.h"
#include "methods/granular/wet/fluid.h"
#include "scene/part.h"

const scr_series granular_curves[GRANULAR_CURVES] = {
    SCR_PART_SERIES,
    SCR_FREE_PART_SERIES,
    {"energy.kinetic", "J", "Kinetic energy"},
    {"energy.friction", "J", "Energy taken by friction, within the sand and at parts"},
    {"energy.fracture", "J", "Energy taken by pulling cohesive sand apart, less what came back as it closed"},
    {"energy.impact", "J", "Energy taken where sand closed gaps, less what undoing of over-filling gave"},
    {"energy.numerical", "J", "Energy taken by the steps themselves"},
    {"energy.external", "J", "Work of the rig and of gravity, and kinetic energy of what was poured less what was taken out"},
    {"energy.balance_error", "1", "Energy not accounted for, over the largest so far"},
    {"points", "1", "Material points"},
    {"mass", "kg", "Mass of the sand"},
    {"discharge", "kg", "Mass taken out so far, at outlets and open sides"},
    {"poured", "kg", "Mass poured so far, after what was there at the start"},
    {"height", "m", "Height of the sand over the domain's floor: of the highest point, and half of its size"},
    {"front", "m", "Front along x: end of the columns at least half a cell deep"},
    {"centroid.x", "m", "Centre of mass, x"},
    {"centroid.y", "m", "Centre of mass, y"},
    {"centroid.z", "m", "Centre of mass, z"},
    {"speed", "m/s", "Largest speed of a point"},
    {"momentum.x", "N s", "Momentum of the sand, x"},
    {"momentum.z", "N s", "Momentum of the sand, z"},
    {"fraction.largest", "1", "Largest fraction of the densest in a cell that presses, in the last step"},
    {"fraction.mean", "1", "Mean fraction of the densest in cells that press, in the last step"},
    {"residual.largest", "1", "Largest violation of the law of sand in the last step, over gravity times the step over a cell"},
    {"residual.rms", "1", "The same, root of the mean square over cells and contacts that press"},
    {"sweeps", "1", "Sweeps of the last step"},
    {"energy.drag", "J", "Energy taken by drag between fluid and grains"},
    {"energy.viscous", "J", "Energy taken by the fluid's viscosity"},
    {"energy.fluid", "J", "Kinetic energy of the fluid"},
    {"fluid.speed", "m/s", "Largest velocity of the fluid through a face of cells"},
    {"fluid.momentum_x", "N s", "Momentum of the fluid, x"},
    {"fluid.momentum_z", "N s", "Momentum of the fluid, z"},
    {"fluid.slip", "m/s", "Largest velocity of the fluid against the sand in it, in the last step"},
    {"fluid.excess_pressure", "Pa", "Largest pressure of the fluid over the hydrostatic one"},
    {"fluid.divergence", "1", "Largest share of its volume by which a cell gained sand and fluid in the last step"},
    {"fluid.rounds", "1", "Solutions of the fluid's equations in the last step"},
};

bool granular_reports(const void *options, const char *curve)
{
  const granular_options *o = options;
  bool of_fluid = strncmp(curve, "fluid.", 6) == 0 || strcmp(curve, "energy.drag") == 0 || strcmp(curve, "energy.viscous") == 0 ||
                  strcmp(curve, "energy.fluid") == 0;
  return !of_fluid || !isnan(o->fluid_density);
}

static scr_status declare_points(scr_sim *sim, scr_error *error)
{
  granular_state *s = sim->state;
  double finest = 1;
  for (size_t k = 0; k < s->scene->specimen_count; k++) finest = fmax(finest, granular_points_per_cell(s->scene, k));
  const scr_drawable sand = {.kind = SCR_DRAW_POINTS,
                             .name = "sand",
                             .radius = 0.55 * s->domain.h / finest,
                             .varying = true,
                             .field_count = 8,
                             .fields = {{"position", "m", 3, SCR_ENCODING_UINT16},
                                        {"speed", "m/s", 1, SCR_ENCODING_UINT16},
                                        {"fraction", "1", 1, SCR_ENCODING_UINT16},
                                        {"pressure", "Pa", 1, SCR_ENCODING_UINT16},
                                        {"shear_rate", "1/s", 1, SCR_ENCODING_UINT16},
                                        {"inertial_number", "1", 1, SCR_ENCODING_UINT16},
                                        {"state", "1", 1, SCR_ENCODING_UINT16},
                                        {"id", "1", 1, SCR_ENCODING_UINT32}}};
  s->points_drawn = (uint32_t)sim->drawable_count;
  return scr_sim_declare_drawable(sim, &sand, error);
}

scr_status granular_declare(scr_sim *sim, scr_error *error)
{
  SCR_TRY(scr_sim_declare_curves(sim, error));
  SCR_TRY(scr_sim_declare_headline(sim, "speed", "Largest speed", HEADLINE_NEWEST, error));
  SCR_TRY(scr_sim_declare_headline(sim, "mass", "Mass of sand", HEADLINE_NEWEST, error));
  SCR_TRY(scr_sim_declare_headline(sim, "height", "Height", HEADLINE_NEWEST, error));
  SCR_TRY(declare_points(sim, error));
  if (((const granular_options *)sim->scene->options)->show_cells) SCR_TRY(granular_declare_cells(sim, error));
  return ((const granular_state *)sim->state)->fluid ? granular_declare_fluid(sim, error) : SCR_OK;
}

/* ── curves ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

void granular_energies(const scr_sim *sim, sim_energies *now)
{
  const granular_state *s = sim->state;
  for (size_t i = 0; i < s->point_count; i++) now->kinetic += granular_point_energy(s, &s->points[i]);
  now->other = wet_kinetic(s->fluid);
}

typedef struct sand_sums {
  double mass, fastest, top;
  double centre[3], momentum[3];
} sand_sums;

static sand_sums sum_sand(const granular_state *s)
{
  sand_sums sums = {0};
  for (size_t i = 0; i < s->point_count; i++) {
    const granular_point *p = &s->points[i];
    double mass = granular_mass(s, p), square = 0, up = p->x[s->d - 1] - s->domain.origin[s->d - 1];
    sums.mass += mass;
    for (int a = 0; a < s->d; a++) {
      sums.centre[a] += mass * p->x[a];
      sums.momentum[a] += mass * p->u[a];
      square += p->u[a] * p->u[a];
    }
    sums.fastest = fmax(sums.fastest, square);
    double size = s->d == 2 ? sqrt(p->volume / s->thickness) : cbrt(p->volume);
    sums.top = fmax(sums.top, up + 0.5 * size);
  }
  for (int a = 0; a < 3 && sums.mass > 0; a++) sums.centre[a] /= sums.mass;
  sums.fastest = sqrt(sums.fastest);
  return sums;
}

/* Columns of cells along x, over the domain's whole depth. */
static double front_of(granular_state *s)
{
  size_t columns = s->domain.cells[0], c = 0;
  double h = s->domain.h, layer = granular_cell_volume(s) * (s->d == 2 ? 1 : s->domain.cells[1]);
  if (!mem_grow(&s->buffer, &s->buffer_capacity, columns + 1, sizeof *s->buffer)) return NAN;
  for (size_t k = 0; k < columns; k++) s->buffer[k] = 0;
  for (size_t i = 0; i < s->point_count; i++) {
    double at = floor((s->points[i].x[0] - s->domain.origin[0]) / h);
    s->buffer[(size_t)fmin(fmax(at, 0), (double)columns - 1)] += s->points[i].volume;
  }
  while (c < columns && s->buffer[c] <= 0.5 * layer) c++;
  if (c == columns) return s->domain.origin[0];
  while (c < columns && s->buffer[c] > 0.5 * layer) c++;
  return s->domain.origin[0] + (double)c * h;
}

void granular_observe(const scr_sim *sim, double *values)
{
  granular_state *s = sim->state;
  sand_sums sums = sum_sand(s);
  scr_vec3 centre = granular_from_grid(s, sums.centre), momentum = granular_from_grid(s, sums.momentum);
  if (s->d == 2) centre.y = s->middle;
  const double rest[] = {(double)s->point_count,
                         sums.mass,
                         s->report.removed_mass,
                         s->report.poured_mass,
                         sums.top,
                         front_of(s),
                         centre.x,
                         centre.y,
                         centre.z,
                         sums.fastest,
                         momentum.x,
                         momentum.z,
                         s->report.largest_fraction,
                         s->report.mean_fraction,
                         s->report.largest_residual,
                         s->report.rms_residual,
                         s->report.sweeps};
  memcpy(values + 1, rest, sizeof rest);
  if (s->fluid) granular_observe_fluid(s, values + 1 + sizeof rest / sizeof *rest);
}

/* ── pictures ───────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef enum sand_state { SAND_GAS, SAND_LIQUID, SAND_SOLID } sand_state;

static sand_state state_of(const granular_point *p)
{
  if (!(p->pressure > 0)) return SAND_GAS;
  return p->mobility > 1 - 1e-6 ? SAND_LIQUID : SAND_SOLID;
}

static scr_status draw_points(granular_state *s, scr_frame *frame, scr_error *error)
{
  size_t n = s->point_count;
  if (!mem_grow(&s->buffer, &s->buffer_capacity, 10 * n + 1, sizeof *s->buffer))
    return scr_fail_memory(error, "a picture", 10 * n * sizeof *s->buffer);
  double *column[9];
  uint32_t *number = (uint32_t *)(void *)(s->buffer + 9 * n);
  for (size_t k = 0; k < 9; k++) column[k] = s->buffer + k * n;
  for (size_t i = 0; i < n; i++) {
    granular_point *p = &s->points[i];
    scr_vec3 x = granular_place(s, p->x);
    column[0][i] = x.x, column[1][i] = x.y, column[2][i] = x.z;
    column[3][i] = sqrt(p->u[0] * p->u[0] + p->u[1] * p->u[1] + p->u[2] * p->u[2]);
    column[4][i] = p->fraction, column[5][i] = p->pressure, column[6][i] = granular_shear_rate(s, p);
    column[7][i] = granular_inertial_number(s, p, column[6][i]), column[8][i] = state_of(p);
    number[i] = p->number;
  }
  SCR_TRY(scr_frame_count(frame, s->points_drawn, (uint32_t)n, error));
  if (n == 0) return SCR_OK;
  SCR_TRY(scr_frame_field(frame, s->points_drawn, 0, column[0], column[1], column[2], error));
  for (uint32_t f = 1; f <= 6; f++) SCR_TRY(scr_frame_field(frame, s->points_drawn, f, column[2 + f], NULL, NULL, error));
  return scr_frame_field_u32(frame, s->points_drawn, 7, number, error);
}

scr_status granular_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  granular_state *s = sim->state;
  SCR_TRY(draw_points(s, frame, error));
  if (s->options->show_cells) SCR_TRY(granular_draw_cells(s, frame, error));
  return s->fluid ? granular_draw_fluid(s, frame, error) : SCR_OK;
}
