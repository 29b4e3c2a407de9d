/* diffusion: a made-up seventh method, written from core/methods/README.md alone. Heat spreads in a plate with a round hole, a shape of its
 * own, by explicit finite volumes on a structured grid; all sides are insulated.
 *
 *     T_i += dt D/h^2 sum over neighbours j of (T_j - T_i),   stable and without new extremes for dt <= h^2/(6 D)
 *
 * It has all that a method must: options, check, state, step, curves, a picture, checkpoints, a table. */
#include "tests/diffusion/diffusion.h"

#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "geometry/grid/grid.h"
#include "scene/check/checker.h"
#include "scene/counts.h"
#include "sim/fields.h"
#include "sim/time_step.h"

enum { SIDES = 6, OPTIONS = 1, MATERIAL_KEYS = 1, SPECIMEN_KEYS = 3, CURVES = 4, FIELDS = 3, CELL_LIMIT = 1 << 24 };

/* ── what a scene may say ────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct options {
  double cell; /* m, side of a cell */
} options;

typedef struct material {
  double diffusivity; /* m^2/s */
} material;

typedef struct plate {
  double hole_radius; /* m, of a hole along z through the middle; 0: none */
  double temperature; /* K, mean at the start */
  double wave;        /* K, amplitude of half a wave along x at the start */
} plate;

static const scr_param option_params[OPTIONS] = {{"cell", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED | SCR_PARAM_ABOVE, "m", 0, 0, 1e6, NULL,
                                                  "Side of the cells; the plate is a whole number of them along each axis",
                                                  offsetof(options, cell)}};
static const scr_param material_params[MATERIAL_KEYS] = {{"diffusivity", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED | SCR_PARAM_ABOVE, "m^2/s", 0,
                                                          0, 1e6, NULL, "Conductivity over heat capacity per volume",
                                                          offsetof(material, diffusivity)}};
static const scr_param specimen_params[SPECIMEN_KEYS] = {
    {"hole_radius", SCR_PARAM_NUMBER, 0, "m", 0, 0, 1e6, NULL, "Radius of a hole along z through the middle", offsetof(plate, hole_radius)},
    {"temperature", SCR_PARAM_NUMBER, 0, "K", 300, 0, 1e6, NULL, "Mean temperature at the start", offsetof(plate, temperature)},
    {"wave", SCR_PARAM_NUMBER, 0, "K", 0, -1e6, 1e6, NULL, "Amplitude of half a wave along x at the start", offsetof(plate, wave)}};

/* The grid of the plate's box, and whether a cell of it is of the plate: its middle lies beside the hole. */
static scr_grid_shape grid_of(const scr_scene *scene)
{
  const scr_specimen *specimen = &scene->specimens[0];
  double h = ((const options *)scene->options)->cell;
  scr_vec3 size = specimen->shape.size, corner = vec3_sub(specimen->positions[0], vec3_scale(size, 0.5));
  return (scr_grid_shape){.origin = corner,
                          .spacing = vec3(h, h, h),
                          .counts = {(uint32_t)lround(size.x / h), (uint32_t)lround(size.y / h), (uint32_t)lround(size.z / h)}};
}

static scr_vec3 middle_of(const scr_grid_shape *grid, const uint32_t at[3])
{
  double h = grid->spacing.x;
  return vec3_add(grid->origin, vec3(h * (at[0] + 0.5), h * (at[1] + 0.5), h * (at[2] + 0.5)));
}

static bool is_plate(const scr_scene *scene, scr_vec3 x)
{
  scr_vec3 off = vec3_sub(x, scene->specimens[0].positions[0]);
  return hypot(off.x, off.y) >= ((const plate *)scr_scene_specimen(scene, 0))->hole_radius;
}

static void check_plate(const scr_checker *c)
{
  const scr_specimen *specimen = &c->scene->specimens[0];
  double h = ((const options *)c->scene->options)->cell, cells = 1;
  const double size[3] = {specimen->shape.size.x, specimen->shape.size.y, specimen->shape.size.z};
  if (c->scene->specimen_count != 1 || specimen->position_count != 1 || specimen->rotation_angle != 0)
    check_refuse_words(c, check_at("/specimens"), "other", "one plate along the axes",
                       "heat spreads in one plate whose sides lie along the axes: give one specimen, in one place, without a rotation");
  for (int axis = 0; axis < 3; axis++) {
    double count = size[axis] / h;
    cells *= fmax(round(count), 1);
    if (!(count >= 1 - 1e-6) || fabs(count - round(count)) > 1e-6 * count)
      check_refuse(c, check_at("/options/cell"), h, "a length that each side of the plate is a whole number of",
                   "the plate is %.9g cells long along axis %d: choose a cell that fits", count, axis);
  }
  if (cells > CELL_LIMIT)
    check_refuse(c, check_at("/options/cell"), h, "larger cells", "the plate has %.3g cells, more than %d: use larger ones", cells,
                 CELL_LIMIT);
  const plate *keys = scr_scene_specimen(c->scene, 0);
  if (2 * keys->hole_radius > fmin(size[0], size[1]))
    check_refuse(c, check_at("/specimens/0/hole_radius"), keys->hole_radius, "at most half of the shorter side",
                 "a hole of radius %.6g m cuts the plate in two: make it smaller", keys->hole_radius);
}

static scr_status check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  scr_checker c = check_begin(scene, problems);
  check_plate(&c);
  if (!check_is_clean(&c)) return SCR_OK;
  scr_grid_shape grid = grid_of(scene);
  double h = grid.spacing.x, cells = (double)grid.counts[0] * grid.counts[1] * grid.counts[2];
  const material *stuff = scr_scene_material(scene, scene->specimens[0].material);
  sim_bound stable = {h * h / (SIDES * stuff->diffusivity), "diffusion"};
  bool given = sim_choose_step(scene, &stable, 1, scene->time.safety_factor, estimate);
  if (given && estimate->time_step > stable.step)
    check_refuse(&c, check_at("/time/time_step"), estimate->time_step, "at most h^2/(6 D), in s",
                 "the time step of %.3g s is longer than the %.3g s up to which diffusion is stable: use a shorter one, or leave it out",
                 estimate->time_step, stable.step);
  *scr_count_in(estimate, "cells", "Cells") = estimate->node_count = (uint64_t)cells;
  estimate->state_bytes = 64 + cells * 8;
  estimate->memory_bytes = 6e6 + cells * (3 * 8 + 4 * 8 + SIDES * 4 + 12) + 2 * 64 * 64 * 12 * sqrt(cells);
  estimate->frame_body_bytes = cells * 6 + 300;
  estimate->run_seconds = 0.02 + scene->time.duration / estimate->time_step * cells * 5e-9;
  check_fits_memory(&c, estimate->memory_bytes, "use larger cells");
  return SCR_OK;
}

/* ── the state ───────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct state {
  const scr_scene *scene;
  scr_grid_shape shape;
  size_t count;              /* cells of the plate, by their numbers in the grid */
  double *temperature;       /* [count] K; of checkpoints */
  double *next;              /* [count] K, scratch of a step */
  uint32_t *number;          /* [count] in the grid */
  uint32_t (*beside)[SIDES]; /* [count] cells beside, itself where there is none: insulated */
  uint32_t drawn;
} state;

static const sim_field fields[FIELDS] = {
    FIELD_ARRAY("temperatures", state, temperature, count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("next temperatures", state, next, count, 0),
    FIELD_ARRAY("cells", state, number, count, 0),
};

/* Places of the plate's cells: how many; filled in where `x` is not NULL. */
static size_t list_cells(const state *s, double *x, double *y, double *z, uint32_t *number)
{
  const uint32_t *n = s->shape.counts;
  size_t count = 0;
  for (uint32_t c = 0; c < n[0] * n[1] * n[2]; c++) {
    const uint32_t at[3] = {c % n[0], c / n[0] % n[1], c / n[0] / n[1]};
    scr_vec3 middle = middle_of(&s->shape, at);
    if (!is_plate(s->scene, middle)) continue;
    if (x) x[count] = middle.x, y[count] = middle.y, z[count] = middle.z, number[count] = c;
    count++;
  }
  return count;
}

/* Finds the cells beside by a sparse grid, which has one cell of the plate in each of its own. */
static scr_status find_beside(state *s, const double *const position[3], unsigned threads, scr_error *error)
{
  static const int steps[SIDES][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  scr_vec3 o = s->shape.origin;
  geo_grid_domain domain = {.dimension = 3, .h = s->shape.spacing.x, .origin = {o.x, o.y, o.z}};
  for (int a = 0; a < 3; a++) domain.cells[a] = s->shape.counts[a];
  geo_grid grid = {0};
  scr_status status = geo_grid_create(&domain, &grid, error);
  if (status == SCR_OK) status = geo_grid_sort(&grid, position, s->count, execution_of(threads), error);
  for (uint32_t i = 0; status == SCR_OK && i < s->count; i++) {
    int64_t at[3];
    geo_grid_place(&grid, grid.cell_of[i], at);
    for (int k = 0; k < SIDES; k++) {
      uint32_t cell = geo_grid_at(&grid, at[0] + steps[k][0], at[1] + steps[k][1], at[2] + steps[k][2]);
      bool there = cell != GEO_GRID_NONE && grid.first[cell + 1] > grid.first[cell];
      s->beside[i][k] = there ? grid.item[grid.first[cell]] : i;
    }
  }
  geo_grid_clear(&grid);
  return status;
}

static scr_status place(state *s, unsigned threads, scr_error *error)
{
  const plate *keys = scr_scene_specimen(s->scene, 0);
  double length = s->scene->specimens[0].shape.size.x;
  s->shape = grid_of(s->scene);
  s->count = list_cells(s, NULL, NULL, NULL, NULL);
  SCR_TRY(fields_allocate(fields, FIELDS, s, error));
  s->beside = mem_array(s->count, sizeof *s->beside);
  double *x = mem_array(3 * s->count, sizeof *x);
  scr_status status = SCR_OK;
  if (!s->beside || !x) status = scr_fail_memory(error, "the cells of a plate", s->count * (sizeof *s->beside + 3 * sizeof *x));
  if (status == SCR_OK) {
    double *y = x + s->count, *z = y + s->count;
    list_cells(s, x, y, z, s->number);
    for (size_t i = 0; i < s->count; i++)
      s->temperature[i] = keys->temperature + keys->wave * cos(M_PI * (x[i] - s->shape.origin.x) / length);
    status = find_beside(s, (const double *const[3]){x, y, z}, threads, error);
  }
  mem_free(x);
  return status;
}

static scr_status save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return fields_save(fields, FIELDS, sim->state, blob, error);
}

static scr_status load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return fields_load(fields, FIELDS, sim->state, blob, error);
}

/* ── a step ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Each cell sums over its sides in their order, so that bits do not depend on the number of threads. */
static scr_status step(scr_sim *sim, scr_error *error)
{
  state *s = sim->state;
  const material *stuff = scr_scene_material(s->scene, s->scene->specimens[0].material);
  double share = sim->time_step * stuff->diffusivity / (s->shape.spacing.x * s->shape.spacing.x);
  size_t lost = 0;
#pragma omp parallel for num_threads(sim->execution.threads) reduction(+ : lost)
  for (size_t i = 0; i < s->count; i++) {
    double sum = 0, own = s->temperature[i];
    for (int k = 0; k < SIDES; k++) sum += s->temperature[s->beside[i][k]] - own;
    s->next[i] = own + share * sum;
    lost += !isfinite(s->next[i]);
  }
  if (lost)
    return scr_fail(error, SCR_DIVERGED, NULL, "the temperature of %zu cells is not finite after step %llu; use a smaller time step", lost,
                    (unsigned long long)sim->steps);
  double *before = s->temperature;
  s->temperature = s->next;
  s->next = before;
  sim->steps++;
  sim->time = (double)sim->steps * sim->time_step;
  return SCR_OK;
}

/* ── what is shown ───────────────────────────────────────────────────────────────────────────────────────────────── */

static const scr_series curves[CURVES] = {{"temperature.mean", "K", "Mean temperature"},
                                          {"temperature.largest", "K", "Largest temperature"},
                                          {"temperature.smallest", "K", "Smallest temperature"},
                                          {"cells", "1", "Cells"}};

static void observe(const scr_sim *sim, double *values)
{
  const state *s = sim->state;
  double sum = 0, most = -INFINITY, least = INFINITY;
  for (size_t i = 0; i < s->count; i++) {
    sum += s->temperature[i];
    most = fmax(most, s->temperature[i]), least = fmin(least, s->temperature[i]);
  }
  values[1] = sum / (double)s->count, values[2] = most, values[3] = least, values[4] = (double)s->count;
}

static scr_status draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  const state *s = sim->state;
  SCR_TRY(scr_frame_count(frame, s->drawn, (uint32_t)s->count, error));
  SCR_TRY(scr_frame_field_u32(frame, s->drawn, 0, s->number, error));
  return scr_frame_field(frame, s->drawn, 1, s->temperature, NULL, NULL, error);
}

static scr_status declare(scr_sim *sim, scr_error *error)
{
  state *s = sim->state;
  const scr_drawable cells = {.kind = SCR_DRAW_GRID,
                              .name = "plate",
                              .varying = true,
                              .field_count = 2,
                              .fields = {{"cell", "1", 1, SCR_ENCODING_UINT32}, {"temperature", "K", 1, SCR_ENCODING_UINT16}},
                              .grid = s->shape};
  SCR_TRY(scr_sim_declare_curves(sim, error));
  SCR_TRY(scr_sim_declare_headline(sim, "temperature.largest", "Largest temperature", HEADLINE_NEWEST, error));
  s->drawn = (uint32_t)sim->drawable_count;
  return scr_sim_declare_drawable(sim, &cells, error);
}

/* ── the table ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status create(scr_sim *sim, scr_error *error)
{
  state *s = sim->state = mem_array(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->scene = sim->scene;
  sim->time_step = sim->scene->estimate.time_step;
  SCR_TRY(place(s, sim->execution.threads, error));
  return declare(sim, error);
}

static void destroy(scr_sim *sim)
{
  state *s = sim->state;
  if (!s) return;
  fields_free(fields, FIELDS, s);
  mem_free(s->beside);
  mem_free(s);
  sim->state = NULL;
}

const scr_method scr_method_diffusion = {
    .about = {.name = "diffusion",
              .title = "Heat in a plate with a hole",
              .summary = "Heat that spreads in an insulated plate. Made up to show how little a method needs, and to test that.",
              .params = option_params,
              .param_count = OPTIONS,
              .options_size = sizeof(options),
              .material = {material_params, MATERIAL_KEYS, sizeof(material)},
              .specimen = {specimen_params, SPECIMEN_KEYS, sizeof(plate)},
              .can = {.shapes = 1u << SCR_SHAPE_BOX, .rigs = 1u << SCR_RIG_NONE, .lacks = SCR_LACKS_FREE_PARTS},
              .default_plot = {.x = "time", .y = "temperature.largest", .title = "Largest temperature", .scale = 1, .moving_average = 1},
              .curves = curves,
              .curve_count = CURVES,
              .check = check},
    .layout = 1,
    .create = create,
    .step = step,
    .observe = observe,
    .draw = draw,
    .save = save,
    .load = load,
    .destroy = destroy,
};
