/* Numbers for people. Plain ASCII, so that any terminal and any log shows them. */
#include "api/cli/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void quantity_text(double value, const char *unit, char *text, size_t capacity)
{
  static const char *const prefixes[] = {"n", "u", "m", "", "k", "M", "G"};
  if (!isfinite(value)) {
    snprintf(text, capacity, "-");
    return;
  }
  double magnitude = fabs(value), scale = 1e-9;
  int prefix = 0;
  if (magnitude == 0) prefix = 3, scale = 1;
  while (prefix < 6 && magnitude >= 999.5 * scale) prefix++, scale *= 1e3;
  double scaled = value / scale;
  int decimals = fabs(scaled) >= 99.95 ? 0 : fabs(scaled) >= 9.995 ? 1 : 2;
  snprintf(text, capacity, "%.*f %s%s", decimals, scaled, prefixes[prefix], unit);
}

void quantity_span(double seconds, char *text, size_t capacity)
{
  if (!isfinite(seconds) || seconds < 0 || seconds > 1e9) {
    snprintf(text, capacity, "?");
    return;
  }
  long whole = lround(seconds);
  if (seconds < 9.5)
    snprintf(text, capacity, "%.1f s", seconds);
  else if (whole < 60)
    snprintf(text, capacity, "%ld s", whole);
  else if (whole < 3600)
    snprintf(text, capacity, "%ld min %02ld s", whole / 60, whole % 60);
  else
    snprintf(text, capacity, "%ld h %02ld min", whole / 3600, whole % 3600 / 60);
}

void quantity_count(double value, char *text, size_t capacity)
{
  if (!isfinite(value) || fabs(value) > 9e15) {
    snprintf(text, capacity, "-");
    return;
  }
  char digits[24];
  snprintf(digits, sizeof digits, "%.0f", value);
  size_t length = strlen(digits), used = 0;
  for (size_t i = 0; i < length && used + 2 < capacity; i++) {
    if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0) text[used++] = ' ';
    text[used++] = digits[i];
  }
  text[used] = 0;
}
