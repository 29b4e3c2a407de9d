/* Fragments called after the innermost of their points. */
#include "sim/pieces/fragment_number.h"

#include <math.h>

/* Place of point k of n in the ranking middle, middle - 1, middle + 1, middle - 2, ...: every number below n once. */
static size_t rank_of(size_t k, size_t n)
{
  size_t middle = n / 2;
  return k >= middle ? 2 * (k - middle) : 2 * (middle - k) - 1;
}

void fragment_numbers(const uint32_t *grain_of, size_t count, uint32_t *piece, double *scratch)
{
  for (size_t i = 0; i < count; i++) scratch[i] = INFINITY;
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && grain_of[end] == grain_of[first];) end++;
    for (size_t i = first; i < end; i++) scratch[piece[i]] = fmin(scratch[piece[i]], (double)(first + rank_of(i - first, end - first)));
  }
  for (size_t i = 0; i < count; i++) piece[i] = (uint32_t)scratch[piece[i]];
}
