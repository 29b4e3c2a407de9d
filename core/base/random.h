/** Random numbers from a state that the caller keeps: the same on every machine. splitmix64 (Steele, Lea, Flood 2014). */
#ifndef SCREE_BASE_RANDOM_H
#define SCREE_BASE_RANDOM_H

#include <stdint.h>

/** The next 64 even bits; moves the state on. */
static inline uint64_t random_bits(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/** Evenly in [0, 1). */
static inline double random_uniform(uint64_t *state)
{
  return (double)(random_bits(state) >> 11) * 0x1p-53;
}

#endif
