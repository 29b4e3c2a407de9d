/** Loops over blocks in single precision, compiled by folded_portable.c and folded_avx2.c, which define KERNELS. A row of a block is read
 *  as eight entries: its six and two of what follows, which meet zeros or end up in columns that nobody reads. */
#include <string.h>

#include "linalg/block6/folded/folded.h"

#define INLINE static inline __attribute__((always_inline))
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

typedef float lanes __attribute__((vector_size(32), aligned(4), may_alias));

typedef int16_t shorts __attribute__((vector_size(16), aligned(2), may_alias));

/* A row of a block, before its scale. */
#ifndef ENTRIES
#define ENTRIES(block, r) __builtin_convertvector(*(const shorts *)((block)->entry + (ptrdiff_t)6 * (r)), lanes)
#endif

/* to[r] += the sum over sum[r]'s columns */
INLINE void add_across(const lanes sum[6], float *to)
{
  lanes a = SHUFFLE(sum[0], sum[1], 0, 8, 2, 10, 4, 12, 6, 14) + SHUFFLE(sum[0], sum[1], 1, 9, 3, 11, 5, 13, 7, 15);
  lanes b = SHUFFLE(sum[2], sum[3], 0, 8, 2, 10, 4, 12, 6, 14) + SHUFFLE(sum[2], sum[3], 1, 9, 3, 11, 5, 13, 7, 15);
  lanes c = SHUFFLE(sum[4], sum[5], 0, 8, 2, 10, 4, 12, 6, 14) + SHUFFLE(sum[4], sum[5], 1, 9, 3, 11, 5, 13, 7, 15);
  lanes d = SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13) + SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  for (int r = 0; r < 4; ++r) to[r] += d[r] + d[4 + r];
  to[4] += (c[0] + c[2]) + c[4];
  to[5] += (c[1] + c[3]) + c[5];
}

static void fold(const la_rounded_block *values, const size_t *first, const uint32_t *local, size_t count, const float *x, float *y)
{
  for (size_t row = 0; row < count; ++row) {
    const float *own = x + FOLDED_ROW * row;
    lanes sum[6] = {{0}};
    for (size_t k = first[row]; k < first[row + 1]; ++k) {
      const la_rounded_block *block = &values[k];
      lanes other = *(const lanes *)(x + (size_t)FOLDED_ROW * local[k]) * block->scale, theirs = {0};
      for (int r = 0; r < 6; ++r) {
        lanes entries = ENTRIES(block, r);
        sum[r] += entries * other;
        theirs += entries * own[r];
      }
      *(lanes *)(y + (size_t)FOLDED_ROW * local[k]) += theirs * block->scale;
    }
    add_across(sum, y + FOLDED_ROW * row);
  }
}

static void gather(const la_rounded_block *values, const size_t *first, const uint32_t *column, size_t begin, size_t end, const float *x,
                   float *y)
{
  for (size_t row = begin; row < end; ++row) {
    lanes sum[6] = {{0}};
    for (size_t k = first[row]; k < first[row + 1]; ++k) {
      lanes other = *(const lanes *)(x + (size_t)FOLDED_ROW * column[k]) * values[k].scale;
      for (int r = 0; r < 6; ++r) sum[r] += ENTRIES(&values[k], r) * other;
    }
    add_across(sum, y + FOLDED_ROW * row);
  }
}

static void gather_transposed(const la_rounded_block *values, const size_t *first, const uint32_t *from, size_t begin, size_t end,
                              const float *x, float *y)
{
  for (size_t row = begin; row < end; ++row) {
    lanes sum = {0};
    for (size_t t = first[row]; t < first[row + 1]; ++t) {
      const float *other = x + (size_t)FOLDED_ROW * from[t];
      lanes part = {0};
      for (int r = 0; r < 6; ++r) part += ENTRIES(&values[t], r) * other[r];
      sum += part * values[t].scale;
    }
    sum[6] = sum[7] = 0.0f;
    *(lanes *)(y + FOLDED_ROW * row) = sum;
  }
}

const la_single_kernels KERNELS = {fold, gather, gather_transposed};
