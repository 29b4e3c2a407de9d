/* Harmonics by order: the sectoral term of each m, then upwards in degree. */
#include "geometry/shapes/harmonics.h"

void harmonics_at(scr_vec3 direction, int degree, double value[HARMONICS_TERMS])
{
  double across = hypot(direction.x, direction.y), c = across > 0 ? direction.x / across : 1, s = across > 0 ? direction.y / across : 0;
  double sectoral = 1, cosine = 1, sine = 0; /* of P_mm, of m phi */
  for (int m = 0; m <= degree; m++) {
    double last = 0, now = sectoral;
    for (int l = m; l <= degree; l++) {
      value[l * l + l + m] = (m ? M_SQRT2 : 1) * now * cosine;
      if (m) value[l * l + l - m] = M_SQRT2 * now * sine;
      double n = l + 1, k = m, below = l;
      double up = sqrt((2 * n - 1) * (2 * n + 1) / ((n - k) * (n + k)));
      double down = l > m ? sqrt((2 * n + 1) * (below + k) * (below - k) / ((n - k) * (n + k) * (2 * n - 3))) : 0;
      double next = up * direction.z * now - down * last;
      last = now;
      now = next;
    }
    double k = m + 1, turned = cosine * c - sine * s;
    sectoral *= across * sqrt((2 * k + 1) / (2 * k));
    sine = sine * c + cosine * s;
    cosine = turned;
  }
}

/* SplitMix64 (Steele, Lea, Flood 2014), as a number in (0, 1). */
static double draw(uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

/* A normal deviate (Box, Muller 1958): factors of normal distribution make a field that prefers no direction. */
static double draw_normal(uint64_t *state)
{
  double radius = sqrt(-2 * log(draw(state))), angle = 2 * M_PI * draw(state);
  return radius * cos(angle);
}

void harmonics_draw(uint64_t seed, int low, int high, double decay, double factor[HARMONICS_TERMS])
{
  uint64_t state = seed;
  double square = 0;
  for (int k = 0; k < HARMONICS_TERMS; k++) factor[k] = 0;
  for (int l = low; l <= high; l++)
    for (int m = -l; m <= l; m++) {
      double f = draw_normal(&state) * pow(l, -decay);
      factor[l * l + l + m] = f;
      square += f * f;
    }
  for (int l = low; l <= high; l++)
    for (int m = -l; m <= l; m++) factor[l * l + l + m] /= sqrt(square);
}
