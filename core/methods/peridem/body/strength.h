/** Strength that scatters: every bond's, or every grain's, critical stretch times a factor of its own by Weibull's law of unit mean.
 *
 *  Factors are stored nowhere: each follows from the seed and the numbers of the bond's ends (of the grain), so that threads, restarts and
 *  the order in which bonds break don't matter. */
#ifndef SCREE_PERIDEM_STRENGTH_H
#define SCREE_PERIDEM_STRENGTH_H

#include <stdbool.h>

#include "methods/peridem/body/bonds.h"

typedef struct pd_strength {
  double modulus; /**< m of Weibull's law, > 0; 0: all factors are exactly 1 */
  double scale;   /**< 1 / Gamma(1 + 1 / m), which makes the mean 1 */
  bool of_grains; /**< one factor for all bonds of a grain; else each bond has its own */
  uint64_t seed;
  double least; /**< no factor of the body's bonds is less; 1 without a modulus */
} pd_strength;

/** Weibull's law, without `least` (0). @param modulus NaN: all factors are 1 */
pd_strength pd_strength_law(double modulus, bool of_grains, uint64_t seed);

/** Factor of the bond between nodes near and far of a grain. P(factor < f) = 1 - exp(-(f / scale)^m).
 *  @param grain number of the grain in the scene    @param near,far in any order, numbered within the grain */
double pd_strength_factor(const pd_strength *strength, size_t grain, uint32_t near, uint32_t far);

/** Even bits that the factors of a grain's bonds are made from: by the key itself with `of_grains`, else joined with the ends' numbers. */
uint64_t pd_strength_key(const pd_strength *strength, size_t grain);

/** Sets `least` for equal grains [first, first + count) with these bonds: the least of all their factors, less a rounding. */
void pd_strength_bound(pd_strength *strength, const pd_bonds *bonds, size_t first, size_t count);

#endif
