#include "server/study/measured/cells.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 };

/* ── encodings ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Bytes of the UTF-8 character at `at`, 0: none. */
static size_t utf8_length(const unsigned char *at, const unsigned char *end)
{
  size_t length = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : *at >= 0xe0 && *at < 0xf0 ? 3 : *at >= 0xf0 && *at < 0xf5 ? 4 : 0;
  if (length == 0 || (size_t)(end - at) < length) return 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  return length;
}

static size_t put_utf8(unsigned code, char *out)
{
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xc0 | code >> 6);
    out[1] = (char)(0x80 | (code & 0x3f));
    return 2;
  }
  out[0] = (char)(0xe0 | code >> 12);
  out[1] = (char)(0x80 | (code >> 6 & 0x3f));
  out[2] = (char)(0x80 | (code & 0x3f));
  return 3;
}

static bool is_utf8(const unsigned char *at, const unsigned char *end)
{
  while (at < end) {
    size_t length = utf8_length(at, end);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

scr_status cells_decode(const void *bytes, size_t size, char **out, size_t *length, const char **encoding, scr_error *error)
{
  const unsigned char *at = bytes, *end = at + size;
  bool little = size >= 2 && at[0] == 0xff && at[1] == 0xfe, big = size >= 2 && at[0] == 0xfe && at[1] == 0xff;
  *length = 0;
  *out = malloc(2 * size + 4); /* UTF-16: 3 bytes of 2 at most; Latin-1: 2 of 1 */
  if (!*out) return scr_fail_memory(error, "text of a measured curve", 2 * size + 4);
  *encoding = little || big ? "UTF-16" : is_utf8(at, end) ? "UTF-8" : "Latin-1";
  if (little || big) {
    for (at += 2; at + 1 < end; at += 2) *length += put_utf8((unsigned)at[!big] << 8 | at[big], *out + *length);
  } else {
    if (size >= 3 && at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf) at += 3;
    bool plain = (*encoding)[0] == 'U';
    for (; at < end; at++) *length += plain ? (size_t)((*out)[*length] = (char)*at, 1) : put_utf8(*at, *out + *length);
  }
  (*out)[*length] = 0;
  if (!memchr(*out, 0, *length)) return SCR_OK;
  free(*out);
  *out = NULL;
  return scr_fail(error, SCR_BAD_FILE, NULL, "the file is binary: it has bytes of value 0; export the curve as text (CSV)");
}

/* ── lines and cells ────────────────────────────────────────────────────────────────────────────────────────────── */

bool cells_line(const char **at, const char *end, cell *line)
{
  if (*at >= end) return false;
  const char *begin = *at, *stop = begin;
  while (stop < end && *stop != '\n' && *stop != '\r') stop++;
  *line = (cell){begin, (size_t)(stop - begin), false};
  *at = stop < end ? stop + 1 : end;
  if (stop + 1 < end && stop[0] == '\r' && stop[1] == '\n') *at = stop + 2;
  return true;
}

/* Bytes of the blank at `at`, 0: none. The unbreakable and the narrow one count. */
static size_t blank_length(const char *at, size_t left)
{
  if (left >= 1 && (*at == ' ' || *at == '\t')) return 1;
  if (left >= 2 && memcmp(at, "\u00a0", 2) == 0) return 2;
  if (left >= 3 && memcmp(at, "\u202f", 3) == 0) return 3;
  return 0;
}

cell cells_trim(cell of)
{
  for (size_t blank; (blank = blank_length(of.text, of.length)) > 0; of.text += blank, of.length -= blank) continue;
  for (;;) {
    size_t cut = 0;
    for (size_t width = 1; width <= 3 && cut == 0; width++)
      if (of.length >= width && blank_length(of.text + of.length - width, width) == width) cut = width;
    if (cut == 0) return of;
    of.length -= cut;
  }
}

/* A quoted cell from the quote at `at`; its end behind the closing quote, or at the line's end. */
static const char *split_quoted(const char *at, const char *end, cell *out)
{
  const char *begin = ++at;
  while (at < end && *at != '"') at++;
  *out = (cell){begin, (size_t)(at - begin), true};
  return at < end ? at + 1 : end;
}

size_t cells_split(cell line, char separator, cell *cells, size_t most)
{
  const char *at = line.text, *end = at + line.length;
  size_t count = 0;
  if (cells_trim(line).length == 0) return 0;
  for (;;) {
    while (at < end && (*at == ' ' || (separator == ' ' && *at == '\t'))) at++;
    if (separator == ' ' && at == end) return count;
    if (count == most) return most + 1;
    if (at < end && *at == '"') {
      at = split_quoted(at, end, &cells[count]);
      while (at < end && *at != separator && !(separator == ' ' && *at == '\t')) at++;
    } else {
      const char *begin = at;
      while (at < end && *at != separator && !(separator == ' ' && *at == '\t')) at++;
      cells[count] = (cell){begin, (size_t)(at - begin), false};
    }
    cells[count] = cells_trim(cells[count]);
    count++;
    if (at == end) return count;
    at++;
    if (at == end && separator != ' ') { /* a separator at the end of the line: machines put one behind each cell */
      if (count < most) cells[count] = (cell){end, 0, false};
      return count + 1;
    }
  }
}

/* ── numbers ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static size_t skip_digits(const char **at, const char *end)
{
  const char *begin = *at;
  while (*at < end && is_digit(**at)) ++*at;
  return (size_t)(*at - begin);
}

/* Bytes that only stand in numbers: digits, signs, points, commas, blanks and apostrophes between groups. */
static bool looks_like_number(cell of)
{
  size_t digits = 0;
  for (size_t i = 0, blank; i<of.length; i += blank> 1 ? blank : 1) {
    blank = blank_length(of.text + i, of.length - i);
    if (is_digit(of.text[i]))
      digits++;
    else if (!blank && !strchr(".,+-'", of.text[i]))
      return false;
  }
  /* 2.5.2019 or 2024-01-31 are dates */
  return digits > 0 && (of.length == 0 || !memchr(of.text + 1, '-', of.length - 1));
}

/* "12.5.2019" has groups of other than three digits behind its first sign: no grouped number. */
static bool groups_are_of_three(cell of)
{
  size_t run = 0, signs = 0;
  bool three = true;
  for (size_t i = 0; i <= of.length; i++) {
    if (i < of.length && is_digit(of.text[i])) {
      run++;
      continue;
    }
    bool last = i == of.length;
    if (signs > 0 && !last) three &= run == 3;
    if (!last && of.text[i] != '+' && of.text[i] != '-') signs++;
    run = 0;
  }
  return three && signs > 0;
}

static bool stands_for_nothing(cell of)
{
  static const char *const words[] = {"-", "--", "---", "NaN", "nan", "NAN", "n/a", "N/A", "#N/A"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == of.length && memcmp(words[i], of.text, of.length) == 0) return true;
  return of.length == 0;
}

cell_kind cells_read(cell of, char decimal, double *value, cell_evidence *evidence)
{
  if (stands_for_nothing(of)) return CELL_EMPTY;
  const char *at = of.text, *end = at + of.length;
  if (of.length >= NUMBER_BYTES) return CELL_TEXT;
  at += *at == '+' || *at == '-';
  const char *begin = at;
  size_t whole = skip_digits(&at, end), fraction = 0;
  bool sign = at < end && *at == decimal;
  if (sign) {
    at++;
    fraction = skip_digits(&at, end);
  }
  bool number = whole + fraction > 0, exponent = number && at < end && (*at == 'e' || *at == 'E');
  if (exponent) {
    at++;
    at += at < end && (*at == '+' || *at == '-');
    number = skip_digits(&at, end) > 0;
  }
  if (!number || at != end) return looks_like_number(of) && groups_are_of_three(of) ? CELL_GROUPED : CELL_TEXT;
  char copy[NUMBER_BYTES];
  memcpy(copy, of.text, of.length);
  copy[of.length] = 0;
  char *point = memchr(copy, decimal, of.length);
  if (point) *point = '.';
  *value = strtod(copy, NULL);
  if (evidence && sign) {
    bool thousands = !exponent && fraction == 3 && whole >= 1 && whole <= 3 && *begin != '0';
    evidence->sure += !thousands;
    evidence->unsure += thousands;
  }
  return CELL_NUMBER;
}
