/* Memory and seconds of a run. */
#include "methods/granular/scene/cost.h"

#include <math.h>

#include "base/vec3.h"
#include "methods/granular/view/view.h"
#include "scene/counts.h"
#include "sim/cost.h"

/* s, on the machine of tests/reports/bench/GRANULAR.md. Sand spreads from the cells that it begins in to more, which are filled in part and
 * cost as much each: so runs take more of a cell than columns that have just been let go, by which that report goes. */
enum { START, POINT, CELL, SWEPT_CELL, MESH, KERNELS };
static const sim_cost fluid_kernels[] = {{"a cell of the fluid in a step: its equations, and rounds with the sand", 3.9e-6},
                                         {"cells of the fluid, to the power 1.5, in a step: a factor", 37e-9}};
static const sim_cost kernels[2][KERNELS] = {{{"the program's start", 0.03},
                                              {"a point in a step: sort, both transfers, pictures", 105e-9},
                                              {"a cell of the plane in a step: rows, accounts", 0.45e-6},
                                              {"such a cell in a sweep, with its share of inertia", 18e-9},
                                              {"such a cell beside an obstacle of triangles in a step", 3e-6}},
                                             {{"the program's start", 0.03},
                                              {"a point in a step: sort, both transfers, pictures", 105e-9},
                                              {"a cell of space in a step: rows, accounts", 1.3e-6},
                                              {"such a cell in a sweep, with its share of inertia", 50e-9},
                                              {"such a cell beside an obstacle of triangles in a step", 3e-6}}};

/* In a frame 4 for its number and 2 for each of seven values; while it is made, up to one cell a point: key, number, eight columns. */
enum { CELL_FRAME_BYTES = 4 + 7 * 2, CELL_PICTURE_BYTES = 8 + 4 + 8 * 8 };

/* Doubles of a point while a picture is made. */
enum { PICTURE_COLUMNS = 9 };

double granular_point_bytes(double points)
{
  return points * (2 * sizeof(granular_point) + (3 + PICTURE_COLUMNS) * sizeof(double) + 3 * sizeof(uint32_t));
}

/* What sources will bring. A filling's bound counts what its box holds, of which as many points come in as of the first one. */
static void expect_pouring(const granular_state *s, granular_found *found)
{
  const double duration = s->scene->time.duration;
  double first = 0, mean = 0;
  for (size_t k = 0; k < s->scene->specimen_count; k++) {
    const granular_specimen *specimen = scr_scene_specimen(s->scene, k);
    const double interval = specimen->pour_interval, bound = granular_fill_bound(s->scene, k);
    first += bound;
    if (isnan(interval)) continue;
    double fillings = fmin((double)specimen->pour_count - 1, floor(duration / interval));
    found->poured += fillings * bound;
    mean += fillings * (1 - 0.5 * (fillings + 1) * interval / duration) * bound; /* from when they come in */
  }
  found->present = found->points * (first > 0 ? 1 + mean / first : 1);
}

void granular_measure(const granular_state *s, granular_found *found)
{
  double gravity = sqrt(s->gravity[0] * s->gravity[0] + s->gravity[1] * s->gravity[1] + s->gravity[2] * s->gravity[2]);
  found->points = (double)s->point_count;
  found->blocks = (double)s->grid.block_count;
  for (uint32_t c = 0; c < (uint32_t)s->grid.cell_count; c++) found->cells += s->grid.first[c + 1] > s->grid.first[c];
  for (size_t i = 0; i < s->point_count; i++) {
    const granular_point *p = &s->points[i];
    double up = 0;
    found->mass += granular_mass(s, p);
    for (int a = 0; a < s->d && gravity > 0; a++) {
      double x = p->x[a] - s->domain.origin[a], length = s->domain.h * s->domain.cells[a];
      up += s->gravity[a] < 0 ? -s->gravity[a] / gravity * x : s->gravity[a] / gravity * (length - x);
    }
    found->height = fmax(found->height, up);
    found->speed = fmax(found->speed, sqrt(p->u[0] * p->u[0] + p->u[1] * p->u[1] + p->u[2] * p->u[2]));
  }
  expect_pouring(s, found);
}

/* Points that the domain can hold, as full as a run may be without doubt. */
static double points_that_fit(const scr_scene *scene)
{
  granular_state s = {0};
  double cells = 1.5, per = 1;
  granular_lay_out(&s, scene);
  for (int a = 0; a < s.d; a++) cells *= s.domain.cells[a];
  for (size_t k = 0; k < scene->specimen_count; k++) per = fmax(per, pow(granular_points_per_cell(scene, k), s.d));
  return cells * per;
}

/* Entries of a factor of the fluid's equations, of 12 bytes, that of its own grid counted; equations while they are made; the arrays of
 * faces, nodes and links. By cell. */
enum { FLUID_FACTOR_ENTRIES = 80 + 60, FLUID_ENTRY = 12, FLUID_EQUATIONS = 24 * (24 + 24), FLUID_ARRAYS = 600, FLUID_FRAME_BYTES = 7 * 2 };

/* A fluid fills the whole domain, wherever the sand is. */
static void estimate_fluid(const scr_scene *scene, double steps, scr_estimate *estimate)
{
  granular_state s = {0};
  granular_lay_out(&s, scene);
  const double cells = (double)s.domain.cells[0] * s.domain.cells[1], count[] = {steps * cells, steps * cells * sqrt(cells)};
  if (isnan(s.options->fluid_density)) return;
  estimate->state_bytes += 8 * (2 * 2 + 1) * cells;
  estimate->memory_bytes += cells * (FLUID_FACTOR_ENTRIES * FLUID_ENTRY + FLUID_EQUATIONS + FLUID_ARRAYS);
  sim_cost_add(fluid_kernels, 2, count, estimate);
  estimate->frame_body_bytes += cells * FLUID_FRAME_BYTES + 5 * 64;
}

static size_t meshes_of(const scr_scene *scene)
{
  size_t count = 0;
  for (size_t k = 0; k < scene->rig.obstacle_count; k++) count += scene->rig.obstacles[k].shape.kind == SCR_OBSTACLE_MESH;
  return count;
}

void granular_estimate(const scr_scene *scene, const granular_found *found, scr_estimate *estimate)
{
  const granular_options *o = scene->options;
  int plane = o->dimension == GRANULAR_PLANE;
  double h = o->cell, fall = sqrt(2 * vec3_length(scene->rig.gravity) * found->height) + found->speed;
  double points = fmin(found->points + found->poured, points_that_fit(scene)), spread = fmin(3, 1 + found->poured / found->points + 1);
  double cells = found->cells * spread, blocks = found->blocks * spread;
  double moving = fall > 0 ? GRANULAR_TRAVEL * h / (0.5 * fall) : INFINITY, step = fmin(estimate->time_step, moving),
         steps = scene->time.duration / step;
  *scr_count_in(estimate, "points", "Points") = estimate->node_count = (uint64_t)points;
  estimate->state_bytes = 4096 + points * sizeof(granular_point) + blocks * (4 + GEO_GRID_BLOCK * 8.0 * cell_size(plane ? 2 : 3)) +
                          blocks * 16 * sizeof(granular_touch);
  double per_cell = 1.2 * (sizeof(granular_cell) + sizeof(granular_extra) + (plane ? 4 : 8) * GRANULAR_SUMS * 8.0 +
                           (plane ? 24 : 34) * (o->tolerance < GRANULAR_SINGLE_TOLERANCE ? 8.0 : 4.0));
  double per_node = 1.2 * (sizeof(granular_node) + GRANULAR_SUMS * 8.0 + 32 + 8 + 12 + 4);
  estimate->memory_bytes =
      6e6 + granular_point_bytes(points) + cells * per_cell + blocks * GEO_GRID_BLOCK * per_node + 2 * estimate->state_bytes;
  const double present = fmin(found->present, points), swept = steps * found->cells * (found->points > 0 ? present / found->points : 1);
  const double count[KERNELS] = {1, steps * present, swept, swept * (double)o->sweeps, swept * (double)meshes_of(scene)};
  sim_cost_add(kernels[!plane], KERNELS, count, estimate);
  estimate->frame_body_bytes = points * GRANULAR_DRAWN_BYTES + 364;
  estimate_fluid(scene, steps, estimate);
  if (!o->show_cells) return;
  estimate->frame_body_bytes += cells * CELL_FRAME_BYTES + 6 * 64 + 16 + 64;
  estimate->memory_bytes += points * CELL_PICTURE_BYTES + cells * CELL_FRAME_BYTES;
}
