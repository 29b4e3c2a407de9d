/** Evaluation of bonds in batches of eight. */
#include "methods/bdem/bond_batch.h"

#include <omp.h>
#include <string.h>

bdem_bond_force batch_scalar_force(const batch_rest *rest, const batch_stiffness *k, int lane, const batch_state *near,
                                   const batch_state *far)
{
  bdem_bond bond = {.direction = {rest->direction[0][lane], rest->direction[1][lane], rest->direction[2][lane]},
                    .length = rest->length[lane],
                    .stretch = k->stretch[lane],
                    .shear = k->shear[lane],
                    .bend = 2.0 * k->bend[lane],
                    .twist = 2.0 * (k->bend[lane] + k->excess[lane])};
  return bdem_bond_force_of(&bond, vec3_sub(far->position, near->position), near->orientation, far->orientation);
}

batch_kernel batch_kernel_best(void)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return batch_kernel_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return batch_kernel_avx2;
#endif
  return batch_kernel_portable;
}

static batch_state state_of(const bdem_body *body, uint32_t sphere)
{
  return (batch_state){.position = body->position[sphere], .orientation = body->orientation[sphere]};
}

/* The state of a block's rows side by side; sums cleared. */
static void load_block(const bdem_batches *t, const bdem_body *body, const batch_block *block, batch_state *state)
{
  size_t rows = block[1].first_row - block->first_row, guests = block->guest_count, row = 0;
  memset(t->sum + block->first_row, 0, rows * sizeof *t->sum);
  for (; row < block->own_count; ++row) state[row] = state_of(body, t->sphere[block->first_place + row]);
  for (; row < rows - guests; ++row) state[row] = (batch_state){0};
  for (size_t k = 0; k < guests; ++k) state[row + k] = state_of(body, t->guest[block->first_guest + k]);
}

void bdem_batches_evaluate(bdem_batches *batches, const bdem_body *body)
{
  ptrdiff_t blocks = (ptrdiff_t)batches->block_count;
#pragma omp parallel for schedule(static) num_threads(batches->threads) if (batches->threads > 1)
  for (ptrdiff_t index = 0; index < blocks; ++index) {
    batch_state *state = batches->state + (size_t)omp_get_thread_num() * batches->state_rows;
    load_block(batches, body, &batches->block[index], state);
    batches->kernel(batches, (size_t)index, state);
  }
}

void bdem_batches_forces(bdem_batches *batches, const bdem_body *body, scr_vec3 *force, scr_vec3 *torque)
{
  ptrdiff_t blocks = (ptrdiff_t)batches->block_count;
  bdem_batches_evaluate(batches, body);
#pragma omp parallel for schedule(static) num_threads(batches->threads) if (batches->threads > 1)
  for (ptrdiff_t index = 0; index < blocks; ++index) {
    const batch_block *block = &batches->block[index];
    for (size_t place = block->first_place; place < block[1].first_place; ++place) {
      batch_sum total = bdem_batches_sum(batches, block, place);
      force[batches->sphere[place]] = total.force;
      torque[batches->sphere[place]] = total.torque;
    }
  }
}
