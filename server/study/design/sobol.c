/* A coordinate is the exclusive or of those direction numbers whose bits the Gray code of the index has. Direction numbers follow from a
 * few initial ones by the recurrence of a primitive polynomial over two elements. */
#include "server/study/design/sobol.h"

enum { BITS = 32, DEGREE_LIMIT = 6 };

/* Degree of the polynomial, its inner coefficients as bits, and the initial direction numbers; of the second dimension on. */
static const struct {
  uint8_t degree, coefficients;
  uint8_t initial[DEGREE_LIMIT];
} table[SOBOL_DIMENSIONS - 1] = {{1, 0, {1}},
                                 {2, 1, {1, 3}},
                                 {3, 1, {1, 3, 1}},
                                 {3, 2, {1, 1, 1}},
                                 {4, 1, {1, 1, 3, 3}},
                                 {4, 4, {1, 3, 5, 13}},
                                 {5, 2, {1, 1, 5, 5, 17}},
                                 {5, 4, {1, 1, 5, 5, 5}},
                                 {5, 7, {1, 1, 7, 11, 19}},
                                 {5, 11, {1, 1, 5, 1, 1}},
                                 {5, 13, {1, 1, 1, 3, 11}},
                                 {5, 14, {1, 3, 5, 5, 31}},
                                 {6, 1, {1, 3, 3, 9, 7, 49}},
                                 {6, 13, {1, 1, 1, 15, 21, 21}},
                                 {6, 16, {1, 3, 1, 13, 27, 49}}};

static void direction_numbers(unsigned dimension, uint32_t v[BITS])
{
  if (dimension == 0) { /* of van der Corput */
    for (unsigned i = 0; i < BITS; i++) v[i] = 1u << (BITS - 1 - i);
    return;
  }
  unsigned s = table[dimension - 1].degree, a = table[dimension - 1].coefficients;
  for (unsigned i = 0; i < BITS; i++) {
    if (i < s) {
      v[i] = (uint32_t)table[dimension - 1].initial[i] << (BITS - 1 - i);
      continue;
    }
    v[i] = v[i - s] ^ (v[i - s] >> s);
    for (unsigned k = 1; k < s; k++)
      if ((a >> (s - 1 - k)) & 1) v[i] ^= v[i - k];
  }
}

uint32_t sobol_fraction(uint32_t index, unsigned dimension)
{
  uint32_t v[BITS] = {0}, gray = index ^ (index >> 1), x = 0;
  direction_numbers(dimension, v);
  for (unsigned i = 0; i < BITS; i++)
    if ((gray >> i) & 1) x ^= v[i];
  return x;
}
