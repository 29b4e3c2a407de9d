/** Normal random numbers from a seed: the same on every machine up to the C library's logarithm and cosine. */
#ifndef SCREE_CONTACT_RANDOM_NORMAL_H
#define SCREE_CONTACT_RANDOM_NORMAL_H

#include <math.h>

#include "base/random.h"

/** One number of mean 0 and variance 1; moves the seed on. Box and Muller. */
static inline double random_normal(uint64_t *seed)
{
  double uniform[2];
  for (int k = 0; k < 2; ++k) uniform[k] = ((double)(random_bits(seed) >> 11) + 0.5) * 0x1p-53;
  return sqrt(-2.0 * log(uniform[0])) * cos(6.283185307179586 * uniform[1]);
}

#endif
