/* The value of an exact sum. */
#include "base/team/exact.h"

#include <math.h>
#include <stdbool.h>

/* Many sums have nothing added to them, as of what a scene does not have. */
static bool is_zero(const exact_sum *sum)
{
  int64_t any = 0;
  for (int k = 0; k < EXACT_DIGITS; k++) any |= sum->digit[k];
  return any == 0;
}

/* Digits from 0 to 2^32 - 1 but the last, which has the sign. */
static void carry_over(int64_t digit[EXACT_DIGITS])
{
  for (int k = 0; k < EXACT_DIGITS - 1; k++) {
    digit[k + 1] += digit[k] >> 32;
    digit[k] &= 0xffffffff;
  }
}

double exact_value(const exact_sum *sum)
{
  if (sum->lost) return (double)NAN;
  if (is_zero(sum)) return 0;
  int64_t digit[EXACT_DIGITS];
  memcpy(digit, sum->digit, sizeof digit);
  carry_over(digit);
  bool negative = digit[EXACT_DIGITS - 1] < 0;
  if (negative) {
    for (int k = 0; k < EXACT_DIGITS; k++) digit[k] = -digit[k];
    carry_over(digit);
  }
  int top = EXACT_DIGITS - 1;
  while (top > 2 && digit[top] == 0) top--;
  /* Where there are digits below these three, they have at least 65 bits: more than a double, so one bit tells of all the others. */
  exact_wide head = (exact_wide)digit[top] * ((exact_wide)1 << 64) + ((exact_wide)digit[top - 1] << 32) + digit[top - 2];
  for (int k = 0; k < top - 2; k++)
    if (digit[k]) head |= 1;
  double value = ldexp((double)head, 32 * (top - 2) - EXACT_LOW);
  return negative ? -value : value;
}
