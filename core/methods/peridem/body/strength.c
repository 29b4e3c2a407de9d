#include "methods/peridem/body/strength.h"

#include <math.h>

#include "base/random.h"

/* Even bits from a number. */
static uint64_t scramble(uint64_t number)
{
  return random_bits(&number);
}

uint64_t pd_strength_key(const pd_strength *strength, size_t grain)
{
  return scramble(scramble(strength->seed) ^ grain);
}

/* In (0, 1): the middle of one of 2^52 equal parts. */
static double uniform(const pd_strength *strength, size_t grain, uint32_t near, uint32_t far)
{
  uint64_t key = pd_strength_key(strength, grain);
  if (!strength->of_grains) key = scramble(key ^ (near < far ? (uint64_t)near << 32 | far : (uint64_t)far << 32 | near));
  return ((double)(key >> 12) + 0.5) * 0x1p-52;
}

/* Weibull's law, solved for the factor below which a part p of all lies. */
static double factor_at(const pd_strength *strength, double p)
{
  return strength->scale * pow(-log1p(-p), 1 / strength->modulus);
}

pd_strength pd_strength_law(double modulus, bool of_grains, uint64_t seed)
{
  if (isnan(modulus)) return (pd_strength){.scale = 1, .least = 1};
  return (pd_strength){.modulus = modulus, .scale = 1 / tgamma(1 + 1 / modulus), .of_grains = of_grains, .seed = seed};
}

double pd_strength_factor(const pd_strength *strength, size_t grain, uint32_t near, uint32_t far)
{
  return strength->modulus > 0 ? factor_at(strength, uniform(strength, grain, near, far)) : 1;
}

void pd_strength_bound(pd_strength *strength, const pd_bonds *bonds, size_t first, size_t count)
{
  if (!(strength->modulus > 0)) return;
  double least = 1;
  for (size_t g = first; g < first + count; g++) {
    if (strength->of_grains) {
      least = fmin(least, uniform(strength, g, 0, 0));
      continue;
    }
    for (uint32_t i = 0; i < bonds->node_count; i++)
      for (uint32_t k = bonds->first[i]; k < bonds->first[i] + bonds->count[i]; k++)
        if (i < bonds->other[k]) least = fmin(least, uniform(strength, g, i, bonds->other[k]));
  }
  strength->least = factor_at(strength, least) * (1 - 1e-12);
}
