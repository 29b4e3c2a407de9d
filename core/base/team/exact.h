/** Sums whose bits depend on the terms alone, not on their order nor on who adds which: whole numbers of 64 bits that count multiples of
 *  powers of 2^32, so that adding two sums is adding whole numbers. Rounded once, when the value is asked for.
 *
 *  Terms reach from 2^-224 (4e-68) to 2^127 (2e38); what of a term lies below is cut off toward 0, the same way wherever it is added. A sum
 *  with a term that is larger, or not finite, is NaN. Good for 2^30 terms. */
#ifndef SCREE_BASE_TEAM_EXACT_H
#define SCREE_BASE_TEAM_EXACT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  EXACT_DIGITS = 12,
  EXACT_LOW = 224,                /**< digit k counts 2^(32 k - EXACT_LOW) */
  EXACT_WORDS = EXACT_DIGITS + 1, /**< 64-bit numbers of a sum: joined by adding each */
  EXACT_BIAS = 1075               /* of a double's exponent, its whole mantissa as a number */
};

__extension__ typedef __int128 exact_wide;

/** Starts zeroed. */
typedef struct exact_sum {
  int64_t digit[EXACT_DIGITS];
  int64_t lost; /**< terms that have no place in it */
} exact_sum;

/** Adds a term. */
static inline void exact_add(exact_sum *sum, double term)
{
  uint64_t bits;
  memcpy(&bits, &term, sizeof bits);
  int exponent = (int)(bits >> 52 & 0x7ff), place = exponent - EXACT_BIAS + EXACT_LOW;
  if (exponent == 0 || place <= -53) return; /* 0, or too small */
  if (place > 32 * (EXACT_DIGITS - 2) - 21) {
    sum->lost++;
    return;
  }
  int64_t mantissa = (int64_t)((bits & 0xfffffffffffffu) | 0x10000000000000u);
  if (place < 0) {
    mantissa >>= -place;
    place = 0;
  }
  if (bits >> 63) mantissa = -mantissa;
  exact_wide wide = (exact_wide)mantissa * ((exact_wide)1 << (place & 31));
  int64_t *digit = sum->digit + (place >> 5);
  digit[0] += (int64_t)(uint32_t)wide;
  digit[1] += (int64_t)(uint32_t)(wide >> 32);
  digit[2] += (int64_t)(wide >> 64);
}

/** Adds another sum's terms. */
static inline void exact_join(exact_sum *sum, const exact_sum *more)
{
  for (int k = 0; k < EXACT_DIGITS; k++) sum->digit[k] += more->digit[k];
  sum->lost += more->lost;
}

/** The sum, rounded once to the nearest double, to even where two are as near. */
double exact_value(const exact_sum *sum);

#endif
