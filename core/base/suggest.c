/* "Did you mean": the known name that takes the fewest typing errors to become the given one. */
#include "base/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

static int lower(char c)
{
  return tolower((unsigned char)c);
}

/* Edits (insert, delete, replace, swap of neighbours) between two names of at most LONGEST bytes, upper and lower case alike.
 * The usual table of prefixes, of which three rows are needed: row i tells the distance of a's first i letters to each prefix of b. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
  uint8_t rows[3][LONGEST + 1];
  for (size_t j = 0; j <= b_length; j++) rows[0][j] = (uint8_t)j;
  for (size_t i = 1; i <= a_length; i++) {
    uint8_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    row[0] = (uint8_t)i;
    for (size_t j = 1; j <= b_length; j++) {
      bool same = lower(a[i - 1]) == lower(b[j - 1]);
      size_t edits = least(above[j - 1] + (same ? 0u : 1u), least(above[j], row[j - 1]) + 1u);
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        edits = least(edits, two_above[j - 2] + 1u);
      row[j] = (uint8_t)edits;
    }
  }
  return rows[a_length % 3][b_length];
}

suggestion suggestion_start(const char *given)
{
  /* A third of the letters may be wrong: beyond that a suggestion only puzzles. */
  return (suggestion){.given = given, .distance = 1 + strlen(given) / 3};
}

void suggestion_consider(suggestion *search, const char *name)
{
  size_t given_length = strlen(search->given), name_length = strlen(name);
  if (given_length > LONGEST || name_length > LONGEST) return;
  size_t distance = edit_distance(search->given, given_length, name, name_length);
  if (distance > search->distance || (distance == search->distance && search->best)) return;
  search->best = name;
  search->distance = distance;
}
