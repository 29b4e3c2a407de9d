/** Evaluation of bonds in batches of eight. */
#include "methods/bdem/bonds/bond_batch.h"

#include <omp.h>
#include <string.h>

batch_kernel batch_kernel_of(batch_set set)
{
#if defined(__x86_64__)
  if (set == BATCH_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return batch_kernel_avx512;
  if (set == BATCH_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return batch_kernel_avx2;
#endif
  return set == BATCH_PORTABLE ? batch_kernel_portable : NULL;
}

batch_kernel batch_kernel_best(void)
{
  for (int set = BATCH_SET_COUNT - 1; set > BATCH_PORTABLE; --set)
    if (batch_kernel_of((batch_set)set)) return batch_kernel_of((batch_set)set);
  return batch_kernel_portable;
}

const char *batch_kernel_name(batch_kernel kernel)
{
  static const char *const names[BATCH_SET_COUNT] = {[BATCH_PORTABLE] = "portable", [BATCH_AVX2] = "avx2", [BATCH_AVX512] = "avx512"};
  for (int set = BATCH_PORTABLE; set < BATCH_SET_COUNT; ++set)
    if (batch_kernel_of((batch_set)set) == kernel) return names[set];
  return "unknown";
}

static batch_state state_of(const bdem_body *body, uint32_t sphere)
{
  return (batch_state){.position = body->position[sphere], .orientation = body->orientation[sphere]};
}

static uint32_t padded(uint32_t count)
{
  return (count + BATCH_LANES - 1) / BATCH_LANES * BATCH_LANES;
}

/* The state of a block's rows side by side. */
static void load_block(const bdem_batches *t, const bdem_body *body, const batch_block *block, batch_state *state)
{
  const uint32_t *own = t->sphere + block->first_place, *ghost = t->ghost + block->first_ghost;
  uint32_t row = 0;
  for (; row < block->own_count; ++row) state[row] = state_of(body, own[row]);
  for (; row < padded(block->own_count); ++row) state[row] = (batch_state){0};
  for (uint32_t k = 0; k < block->ghost_count; ++k) state[row + k] = state_of(body, ghost[k]);
}

/* What a sweep does besides summing. */
typedef struct sweep_of {
  bdem_batches *batches;
  const bdem_body *body;
  batch_finish finish;
  batch_fetch fetch;
  void *context;
} sweep_of;

/* The piece of `count` things that falls to one of `pieces`. */
typedef struct share {
  size_t begin, count;
} share;

static share share_of(size_t count, size_t piece, size_t pieces)
{
  size_t begin = count * piece / pieces;
  return (share){begin, count * (piece + 1) / pieces - begin};
}

/* Sums of a block's bonds, its guests' put by for the blocks that they are in. The block's spheres are scattered over the body's arrays, so
 * `finish` will go to as many places: they are asked for piece by piece while the bonds are computed. (To ask for the next block's states
 * too was found to take the time that it gave.) */
static void evaluate_block(const sweep_of *sweep, size_t index, batch_state *state, batch_sum *sum)
{
  bdem_batches *t = sweep->batches;
  const batch_block *block = &t->block[index];
  uint32_t own = padded(block->own_count);
  load_block(t, sweep->body, block, state);
  memset(sum, 0, (own + block->ghost_count) * sizeof *sum);
  for (size_t piece = 0; piece < BATCH_PIECES; ++piece) {
    share chunks = share_of(block[1].first_chunk - block->first_chunk, piece, BATCH_PIECES);
    share spheres = share_of(block->own_count, piece, BATCH_PIECES);
    if (sweep->fetch) sweep->fetch(sweep->context, t->sphere + block->first_place + spheres.begin, spheres.count);
    t->kernel(t, index, block->first_chunk + chunks.begin, block->first_chunk + chunks.begin + chunks.count, state, sum);
  }
  memcpy(t->ghost_sum + block->first_ghost, sum + own, block->ghost_count * sizeof *sum);
}

static void add_parts(const bdem_batches *t, size_t index, batch_sum *sum)
{
  for (size_t p = t->block[index].first_part; p < t->block[index + 1].first_part; ++p)
    for (uint32_t k = t->part[p].first_ghost; k < t->part[p].first_ghost + t->part[p].count; ++k) {
      batch_sum *to = &sum[t->ghost_row[k]];
      const batch_sum *from = &t->ghost_sum[k];
      to->force = vec3_add(to->force, from->force);
      to->torque = vec3_add(to->torque, from->torque);
    }
}

/* One of several threads: its run of blocks, then those of them that had to wait. */
static void sweep_run(const sweep_of *sweep)
{
  bdem_batches *t = sweep->batches;
  size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
  size_t begin = t->block_count * thread / threads, end = t->block_count * (thread + 1) / threads;
  batch_sum *sum = t->sum + thread * t->rows;
  for (size_t index = begin; index < end; ++index) {
    const batch_block *block = &t->block[index];
    evaluate_block(sweep, index, t->state + thread * t->rows, sum);
    if (block->earliest < begin) {
      memcpy(t->waiting_sum + block->first_place, sum, block->own_count * sizeof *sum);
      continue;
    }
    add_parts(t, index, sum);
    sweep->finish(sweep->context, t, index, sum);
  }
#pragma omp barrier
  for (size_t index = begin; index < end; ++index) {
    if (t->block[index].earliest >= begin) continue;
    batch_sum *waiting = t->waiting_sum + t->block[index].first_place;
    add_parts(t, index, waiting);
    sweep->finish(sweep->context, t, index, waiting);
  }
}

static void finish_all(const sweep_of *sweep, const batch_sum *sum)
{
  const bdem_batches *t = sweep->batches;
#pragma omp parallel for schedule(static) num_threads(t->execution.threads)
  for (size_t index = 0; index < t->block_count; ++index) sweep->finish(sweep->context, t, index, sum + t->block[index].first_place);
}

void bdem_batches_sweep(bdem_batches *batches, const bdem_body *body, batch_finish finish, batch_fetch fetch, void *context)
{
  const sweep_of sweep = {batches, body, finish, fetch, context};
  const batch_sum *sum = batches->elsewhere ? batches->elsewhere(batches->where, body) : NULL;
  if (sum) {
    finish_all(&sweep, sum);
    return;
  }
  if (batches->execution.threads > 1) {
#pragma omp parallel num_threads(batches->execution.threads)
    sweep_run(&sweep);
    return;
  }
  for (size_t index = 0; index < batches->block_count; ++index) {
    evaluate_block(&sweep, index, batches->state, batches->sum);
    add_parts(batches, index, batches->sum);
    finish(context, batches, index, batches->sum);
  }
}

typedef struct forces_to {
  scr_vec3 *force, *torque;
} forces_to;

static void write_forces(void *context, const bdem_batches *t, size_t index, const batch_sum *sum)
{
  const forces_to *to = context;
  const batch_block *block = &t->block[index];
  const uint32_t *sphere = t->sphere + block->first_place;
  for (size_t k = 0; k < block->own_count; ++k) {
    to->force[sphere[k]] = sum[k].force;
    to->torque[sphere[k]] = sum[k].torque;
  }
}

static void fetch_forces(const void *context, const uint32_t *sphere, size_t count)
{
  const forces_to *to = context;
  batch_fetch_array(to->force, sizeof *to->force, sphere, count);
  batch_fetch_array(to->torque, sizeof *to->torque, sphere, count);
}

void bdem_batches_forces(bdem_batches *batches, const bdem_body *body, scr_vec3 *force, scr_vec3 *torque)
{
  forces_to to = {force, torque};
  bdem_batches_sweep(batches, body, write_forces, fetch_forces, &to);
}
