/* Sweeps over all blocks by the functions of sweep_body.h, in single or double precision. */
#include "methods/granular/step/sweep/sweep.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/granular/step/stages.h"
#include "methods/granular/step/sweep/sweep_kernel.h"

static const sweep_kernel *kernel_of(const granular_state *s)
{
  return s->single ? &sweep_kernel_single : &sweep_kernel_double;
}

/* The power of two near a number. */
static double power_near(double value)
{
  return value > 0 && isfinite(value) ? ldexp(1, ilogb(value)) : 1;
}

static sweep_view view_of(const granular_state *s)
{
  sweep_view v = {.d = s->d,
                  .batches = s->batches,
                  .batch = s->batch_number,
                  .first = s->batch_first,
                  .block = s->colour_block,
                  .halo = s->halo,
                  .nodes = s->swept,
                  .block_count = s->grid.block_count,
                  .none = (uint32_t)s->grid.cell_count,
                  .mass = power_near(granular_bulk_density(scr_scene_material(s->scene, 0)) * granular_cell_volume(s)),
                  .length = power_near(s->domain.h),
                  .lone = s->lone_cells,
                  .cohesive = s->cohesive};
  kernel_of(s)->begin(&v);
  return v;
}

/* Numbers of the nodes of sweeps, the one that stands for none too. */
static size_t swept_count(const granular_state *s)
{
  return 4 * (s->grid.cell_count + 1);
}

/* The nodes as they were after the last sweep. */
static void *swept_before(const granular_state *s)
{
  return (char *)s->swept + swept_count(s) * kernel_of(s)->real;
}

/* One thread's blocks of a colour, in a sweep. @param by_block  NULL: forwards */
static void sweep_share(const granular_state *s, const sweep_view *v, int colour, const unsigned part[2], double share, double *by_block)
{
  const sweep_kernel *kernel = kernel_of(s);
  const uint32_t begin = granular_first_of_share(s, colour, part[0], part[1]),
                 end = granular_first_of_share(s, colour, part[0] + 1, part[1]);
  if (!by_block)
    for (uint32_t b = begin; b < end; b++) (void)kernel->relax(v, b, false, share);
  else
    for (uint32_t b = end; b-- > begin;) by_block[b] = kernel->relax(v, b, true, 0); /* backwards through memory, too */
}

void granular_sweep_cells(granular_state *s, scr_execution execution, double share, double *by_block)
{
  const sweep_view v = view_of(s);
  const unsigned parts = execution.threads;
  int colours[GRANULAR_COLOURS] = {0}, count = 0;
  for (int colour = 0; colour < GRANULAR_COLOURS; colour++)
    if (s->colour_first[colour] < s->colour_first[colour + 1]) colours[count++] = colour;
#pragma omp parallel num_threads(parts)
  for (int k = 0; k < 2 * count; k++) {
    const bool back = k >= count;
    const int colour = colours[back ? 2 * count - 1 - k : k];
#pragma omp for schedule(static, 1) nowait
    for (unsigned part = 0; part < parts; part++)
      sweep_share(s, &v, colour, (const unsigned[2]){part, parts}, share, back ? by_block : NULL);
    if (k != count - 1 && k != 2 * count - 1) { /* back from the last colour each thread has the same blocks again */
#pragma omp barrier
    }
  }
}

void granular_extrapolate_nodes(granular_state *s, uint32_t block, double share)
{
  const size_t first = (size_t)block * GEO_GRID_BLOCK;
  kernel_of(s)->extrapolate(s->swept, swept_before(s), first, first + GEO_GRID_BLOCK, share);
}

enum { NODES_AT_A_TIME = 4096 };

void granular_take_nodes(granular_state *s, scr_execution execution)
{
  const size_t count = s->grid.cell_count + 1;
  const sweep_view v = view_of(s);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t n = 0; n < count; n += NODES_AT_A_TIME)
    kernel_of(s)->take_nodes(s, &v, n, n + NODES_AT_A_TIME < count ? n + NODES_AT_A_TIME : count);
}

/* ── residuals ──────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct measured {
  sweep_view view;
  const sweep_kernel *kernel;
  double share;
} measured;

static void measure_blocks(const void *user, size_t begin, size_t end, double *value)
{
  const measured *of = user;
  for (size_t b = begin; b < end; b++) of->kernel->measure(&of->view, (uint32_t)b, of->share, value);
}

void granular_measure_cells(const granular_state *s, scr_execution execution, double share, double *value)
{
  const measured of = {view_of(s), kernel_of(s), share};
  execution_reduce(execution, s->grid.block_count, 1, 2, 1, measure_blocks, &of, value);
}

/* ── to batches and back ────────────────────────────────────────────────────────────────────────────────────────── */

/* Numbers of the first batches of blocks. @return how many there are */
static size_t count_batches(granular_state *s)
{
  const sweep_kernel *kernel = kernel_of(s);
  size_t blocks = s->grid.block_count, count = 0;
  for (size_t b = 0; b < blocks; b++) {
    s->batch_first[b] = (uint32_t)count;
    count += (size_t)__builtin_popcount(kernel->batches_with_sand(s, s->colour_block[b]));
  }
  s->batch_first[blocks] = (uint32_t)count;
  return count;
}

scr_status granular_begin_sweeps(granular_state *s, scr_execution execution, scr_error *error)
{
  const sweep_kernel *kernel = kernel_of(s);
  size_t blocks = s->grid.block_count, swept = 2 * swept_count(s) * kernel->real;
  sweep_view v = {.d = s->d, .cohesive = s->cohesive};
  if (!mem_grow(&s->batch_first, &s->batch_first_capacity, blocks + 1, sizeof *s->batch_first))
    return scr_fail_memory(error, "batches", blocks * sizeof *s->batch_first);
  size_t count = count_batches(s), bytes = count * kernel->batch_bytes(&v);
  if (!mem_grow(&s->batches, &s->batch_capacity, bytes + 1, 1) ||
      !mem_grow(&s->batch_number, &s->batch_number_capacity, count + 1, sizeof *s->batch_number) ||
      !mem_grow(&s->swept, &s->swept_capacity, swept, 1))
    return scr_fail_memory(error, "sweeps", bytes + swept);
  v = view_of(s);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (uint32_t b = 0; b < (uint32_t)blocks; b++) kernel->fill(s, &v, b);
  granular_take_nodes(s, execution);
  memcpy(swept_before(s), s->swept, swept / 2);
  return SCR_OK;
}

void granular_end_sweeps(granular_state *s, scr_execution execution)
{
  const sweep_view v = view_of(s);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (uint32_t b = 0; b < (uint32_t)s->grid.block_count; b++) kernel_of(s)->empty(s, &v, b);
}
