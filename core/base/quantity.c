/* Numbers for people, by hand: printf knows no prefixes. */
#include "base/quantity.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether a prefix may stand before the unit and says what it seems to: "m^2" with one would be read as (mm)^2. */
static bool takes_prefix(const char *unit)
{
  static const char *const plain[] = {"m", "s", "N", "Pa", "J", "W", "Hz", "V", "A", "rad", "B"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
    size_t length = strlen(plain[i]);
    char next = strncmp(unit, plain[i], length) == 0 ? unit[length] : 'x';
    if (next == '\0' || next == ' ' || next == '/' || next == '*') return true;
  }
  return false;
}

void quantity_text(double value, const char *unit, char *text, size_t capacity)
{
  static const char *const prefixes[] = {"f", "p", "n", "\u00b5", "m", "", "k", "M", "G", "T"};
  enum { last = sizeof prefixes / sizeof *prefixes - 1 };
  const char *shown = strcmp(unit, "1") == 0 ? "" : unit, *space = *shown ? " " : "";
  if (!isfinite(value)) {
    snprintf(text, capacity, "-");
    return;
  }
  if (value == 0 || !takes_prefix(unit)) {
    snprintf(text, capacity, "%.6g%s%s", value == 0 ? 0.0 : value, space, shown); /* no minus before 0 */
    return;
  }
  double scale = 1e-15;
  int prefix = 0;
  while (prefix < last && fabs(value) >= 999.5 * scale) prefix++, scale *= 1e3;
  double scaled = value / scale;
  int decimals = fabs(scaled) >= 99.95 ? 0 : fabs(scaled) >= 9.995 ? 1 : 2;
  snprintf(text, capacity, "%.*f%s%s%s", decimals, scaled, space, prefixes[prefix], shown);
}

void quantity_span(double seconds, char *text, size_t capacity)
{
  if (!isfinite(seconds) || seconds < 0 || seconds > 1e9) {
    snprintf(text, capacity, "?");
    return;
  }
  long whole = lround(seconds);
  if (seconds < 0.05)
    snprintf(text, capacity, "under 0.1 s");
  else if (seconds < 9.5)
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
