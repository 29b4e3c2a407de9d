/* Units are powers of kilogram, metre, second and radian, a power of ten and a factor, which is 1 for all but minutes, hours and angles.
 * The power of ten goes into the number's text, so that it is rounded once. */
#include "base/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 4, MOST_SYMBOLS = 16, MOST_POWER = 9, NUMBER_BYTES = 64 };
#define PI 3.14159265358979323846

typedef struct unit_size {
  int powers[DIMENSIONS]; /* of kg, m, s, rad */
  int ten;                /* times 10^ten */
  double factor;          /* times this */
} unit_size;

typedef struct unit_symbol {
  const char *name;
  bool prefixed;
  unit_size size;
} unit_symbol;

static const unit_symbol symbols[] = {
    {"m", true, {{0, 1, 0, 0}, 0, 1}},
    {"g", true, {{1, 0, 0, 0}, -3, 1}},
    {"s", true, {{0, 0, 1, 0}, 0, 1}},
    {"min", false, {{0, 0, 1, 0}, 0, 60}},
    {"h", false, {{0, 0, 1, 0}, 0, 3600}},
    {"N", true, {{1, 1, -2, 0}, 0, 1}},
    {"Pa", true, {{1, -1, -2, 0}, 0, 1}},
    {"bar", true, {{1, -1, -2, 0}, 5, 1}},
    {"J", true, {{1, 2, -2, 0}, 0, 1}},
    {"W", true, {{1, 2, -3, 0}, 0, 1}},
    {"Hz", true, {{0, 0, -1, 0}, 0, 1}},
    {"t", false, {{1, 0, 0, 0}, 3, 1}},
    {"rad", true, {{0, 0, 0, 1}, 0, 1}},
    {"deg", false, {{0, 0, 0, 1}, 0, PI / 180}},
    {"\u00b0", false, {{0, 0, 0, 1}, 0, PI / 180}},
    {"rpm", false, {{0, 0, -1, 1}, 0, 2 * PI / 60}},
};

static const struct {
  const char *name;
  int ten;
} prefixes[] = {{"f", -15}, {"p", -12}, {"n", -9}, {"u", -6}, {"\u00b5", -6}, {"\u03bc", -6}, {"m", -3},
                {"c", -2},  {"d", -1},  {"h", 2},  {"k", 3},  {"M", 6},       {"G", 9},       {"T", 12}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ── characters ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool skip(const char **at, const char *word)
{
  size_t length = strlen(word);
  if (strncmp(*at, word, length) != 0) return false;
  *at += length;
  return true;
}

/* Blanks: the common one, and the narrow and unbreakable ones that stand between number and unit in good print. */
static bool skip_blanks(const char **at)
{
  const char *begin = *at;
  while (skip(at, " ") || skip(at, "\u00a0") || skip(at, "\u202f") || skip(at, "\u2009")) continue;
  return *at > begin;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* A power's number, in plain or raised digits; false when there is none. */
static bool read_power(const char **at, int *power)
{
  static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074", "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  bool marked = skip(at, "^");
  const char *begin = *at;
  int sign = skip(at, "-") || skip(at, "\u2212") || skip(at, "\u207b") ? -1 : 1;
  for (int digit = 0; digit <= MOST_POWER; digit++) {
    if (skip(at, raised[digit]) || (**at == '0' + digit && ++*at)) {
      *power = sign * digit;
      return digit > 0 && !is_digit(**at);
    }
  }
  *power = 1;
  return !marked && *at == begin;
}

/* ── units ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The symbol in the `length` bytes at `name`, with its prefix. */
static bool find_symbol(const char *name, size_t length, unit_size *size)
{
  for (size_t i = 0; i < COUNT(symbols); i++) {
    if (strlen(symbols[i].name) != length || memcmp(symbols[i].name, name, length) != 0) continue;
    *size = symbols[i].size;
    return true;
  }
  for (size_t p = 0; p < COUNT(prefixes); p++) {
    size_t begin = strlen(prefixes[p].name);
    if (begin >= length || memcmp(prefixes[p].name, name, begin) != 0) continue;
    for (size_t i = 0; i < COUNT(symbols); i++) {
      if (!symbols[i].prefixed || strlen(symbols[i].name) != length - begin) continue;
      if (memcmp(symbols[i].name, name + begin, length - begin) != 0) continue;
      *size = symbols[i].size;
      size->ten += prefixes[p].ten;
      return true;
    }
  }
  return false;
}

/* Bytes of the symbol at `at`: letters, and the two-byte micro and degree signs. */
static size_t symbol_length(const char *at)
{
  const char *end = at;
  for (;;) {
    if ((*end >= 'A' && *end <= 'Z') || (*end >= 'a' && *end <= 'z'))
      end++;
    else if (!skip(&end, "\u00b5") && !skip(&end, "\u03bc") && !skip(&end, "\u00b0"))
      return (size_t)(end - at);
  }
}

static void multiply(unit_size *product, const unit_size *size, int power)
{
  for (int d = 0; d < DIMENSIONS; d++) product->powers[d] += power * size->powers[d];
  product->ten += power * size->ten;
  product->factor *= pow(size->factor, power);
}

/* One symbol with its power, or "1" before a "/". */
static bool read_symbol(const char **at, int sign, unit_size *product)
{
  unit_size size;
  int power;
  if (**at == '1' && sign > 0) {
    const char *next = *at + 1;
    skip_blanks(&next);
    *at = next;
    return *next == '/';
  }
  size_t length = symbol_length(*at);
  if (!length || !find_symbol(*at, length, &size)) return false;
  *at += length;
  if (!read_power(at, &power)) return false;
  multiply(product, &size, sign * power);
  return true;
}

/* A whole unit, to the end of the text. */
static bool read_unit(const char *text, unit_size *product)
{
  *product = (unit_size){.factor = 1};
  const char *at = text;
  skip_blanks(&at);
  bool apart = true; /* whether something separates the symbol from the one before */
  for (int count = 0; *at; count++) {
    if (count >= MOST_SYMBOLS) return false;
    int sign = skip(&at, "/") ? -1 : 1;
    if (sign > 0 && count > 0 && (skip(&at, "*") || skip(&at, "\u00b7") || skip(&at, "\u22c5"))) apart = true;
    if (sign > 0 && !apart) return false;
    skip_blanks(&at);
    if (!read_symbol(&at, sign, product)) return false;
    apart = skip_blanks(&at);
  }
  return true;
}

bool unit_can_be_given(const char *unit)
{
  unit_size size;
  if (!read_unit(unit, &size)) return false;
  for (int d = 0; d < DIMENSIONS; d++)
    if (size.powers[d]) return true;
  return false;
}

/* ── quantities ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The number at the text's beginning: its digits without the point into `digits`, so that no locale matters, and the power of ten that
 * makes up for it; moves `at` behind it. */
static bool read_number(const char **at, char digits[static NUMBER_BYTES], long *exponent)
{
  const char *c = *at;
  size_t used = 0, seen = 0;
  long decimals = 0, power = 0;
  if (skip(&c, "-") || skip(&c, "\u2212"))
    digits[used++] = '-';
  else
    skip(&c, "+");
  for (bool point = false; is_digit(*c) || (*c == '.' && !point); c++) {
    if (used + 2 >= NUMBER_BYTES) return false;
    if (*c == '.') {
      point = true;
      continue;
    }
    decimals += point;
    seen++;
    digits[used++] = *c;
  }
  digits[used] = '\0';
  if (*c == 'e' || *c == 'E') {
    const char *digit = c + 1 + (c[1] == '-' || c[1] == '+');
    if (is_digit(*digit)) {
      char *end;
      power = strtol(c + 1, &end, 10);
      if (power > 9999 || power < -9999) return false;
      c = end;
    }
  }
  *exponent = power - decimals;
  *at = c;
  return seen > 0;
}

unit_reading unit_read(const char *text, const char *unit, double *value)
{
  char digits[NUMBER_BYTES], whole[NUMBER_BYTES + 24];
  unit_size given, wanted;
  long exponent;
  const char *at = text;
  skip_blanks(&at);
  if (!read_number(&at, digits, &exponent)) return UNIT_NO_NUMBER;
  skip_blanks(&at);
  if (!*at) return UNIT_MISSING;
  if (!read_unit(at, &given)) return UNIT_UNKNOWN;
  if (!read_unit(unit, &wanted) || memcmp(given.powers, wanted.powers, sizeof given.powers) != 0) return UNIT_OF_OTHER_KIND;
  snprintf(whole, sizeof whole, "%se%ld", digits, exponent + given.ten - wanted.ten);
  double number = strtod(whole, NULL);
  *value = given.factor == wanted.factor ? number : number * (given.factor / wanted.factor);
  return UNIT_READ;
}

const char *unit_example(const char *unit, char buffer[static 40])
{
  static const char *const examples[][2] = {{"m", "1 mm"},           {"s", "20 us"},          {"Pa", "2 GPa"},   {"kg/m^3", "2.5 g/cm^3"},
                                            {"m/s", "10 mm/s"},      {"deg", "30 deg"},       {"rad", "30 deg"}, {"rad/s", "60 rpm"},
                                            {"J/m^2", "0.1 kJ/m^2"}, {"m/s^2", "9.81 m/s^2"}, {"1/s", "5 1/s"}};
  for (size_t i = 0; i < COUNT(examples); i++)
    if (strcmp(unit, examples[i][0]) == 0) return examples[i][1];
  snprintf(buffer, 40, "5 %.32s", unit);
  return buffer;
}
