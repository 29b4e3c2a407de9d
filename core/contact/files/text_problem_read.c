/* Reads problems written as text, strictly. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/files/text_problem.h"
#include "contact/system/workspace.h"

enum { WORD_MAX = 63 };
static const long long most_rows = 30000000, most_entries = (long long)1 << 26;
static const long most_bytes = (long)1 << 31;

typedef struct reader {
  const char *at, *end;
  unsigned long line;
  char word[WORD_MAX + 1]; /* the word read last */
  scr_error *error;
} reader;

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip(reader *r)
{
  for (; r->at < r->end; ++r->at) {
    if (*r->at == '#')
      while (r->at + 1 < r->end && r->at[1] != '\n') ++r->at;
    else if (!is_blank(*r->at))
      return;
    if (*r->at == '\n') ++r->line;
  }
}

/* The next word; "" at the end of the text. Longer ones are cut, which no number or name here is. */
static const char *next(reader *r)
{
  size_t length = 0;
  skip(r);
  for (; r->at < r->end && !is_blank(*r->at) && *r->at != '#'; ++r->at)
    if (length < WORD_MAX) r->word[length++] = *r->at;
  r->word[length] = '\0';
  return r->word;
}

static scr_status expect(reader *r, const char *word)
{
  if (strcmp(next(r), word) == 0) return SCR_OK;
  return scr_fail(r->error, SCR_BAD_FILE, NULL, "line %lu: \"%.40s\" stands where \"%s\" belongs", r->line, r->word, word);
}

static scr_status read_whole(reader *r, const char *what, long long low, long long high, long long *value)
{
  char *rest = NULL;
  errno = 0;
  const char *word = next(r);
  *value = strtoll(word, &rest, 10);
  if (*word && !*rest && errno == 0 && *value >= low && *value <= high) return SCR_OK;
  return scr_fail(r->error, SCR_BAD_FILE, NULL, "line %lu: \"%.40s\" is no %s; %lld to %lld are possible", r->line, word, what, low, high);
}

static scr_status read_real(reader *r, const char *what, double *value)
{
  char *rest = NULL;
  const char *word = next(r);
  *value = strtod(word, &rest);
  if (*word && !*rest && isfinite(*value) && strspn(word, "+-.0123456789eE") == strlen(word)) return SCR_OK;
  return scr_fail(r->error, SCR_BAD_FILE, NULL, "line %lu: \"%.40s\" is not a finite number (%s)", r->line, word, what);
}

static scr_status read_reals(reader *r, const char *what, size_t count, double **values)
{
  SCR_TRY(expect(r, what));
  if ((size_t)(r->end - r->at) < count) /* a number and its blank take more than a byte */
    return scr_fail(r->error, SCR_BAD_FILE, NULL, "line %lu: the text ends before the %zu numbers of %s", r->line, count, what);
  *values = mem_array(count, sizeof **values);
  if (!*values) return scr_fail_memory(r->error, what, count * sizeof **values);
  for (size_t k = 0; k < count; ++k) SCR_TRY(read_real(r, what, &(*values)[k]));
  return SCR_OK;
}

static scr_status read_entries(reader *r, const char *what, long long rows, long long columns, la_triplet *entry, size_t count)
{
  for (size_t k = 0; k < count; ++k) {
    long long row = 0, column = 0;
    double value = 0.0;
    SCR_TRY(read_whole(r, "row", 0, rows - 1, &row));
    SCR_TRY(read_whole(r, "column", 0, columns - 1, &column));
    SCR_TRY(read_real(r, what, &value));
    entry[k] = (la_triplet){(uint32_t)row, (uint32_t)column, value};
  }
  return SCR_OK;
}

/* A section of triplets as a matrix, stored transposed when asked to. */
static scr_status read_matrix(reader *r, const char *what, long long rows, long long columns, bool transposed, la_sparse *matrix)
{
  long long count = 0;
  SCR_TRY(expect(r, what));
  SCR_TRY(read_whole(r, "number of entries", 0, most_entries, &count));
  if ((r->end - r->at) / 6 < count) /* the shortest entry takes six bytes */
    return scr_fail(r->error, SCR_BAD_FILE, NULL, "line %lu: the text ends before the %lld entries of %s", r->line, count, what);
  la_triplet *entry = mem_array((size_t)count, sizeof *entry);
  scr_status status =
      entry ? read_entries(r, what, rows, columns, entry, (size_t)count) : no_memory(r->error, what, (size_t)count * sizeof *entry);
  for (long long k = 0; status == SCR_OK && transposed && k < count; ++k)
    entry[k] = (la_triplet){entry[k].column, entry[k].row, entry[k].value};
  if (status == SCR_OK)
    status = la_sparse_from_triplets((size_t)(transposed ? columns : rows), (size_t)(transposed ? rows : columns), entry, (size_t)count,
                                     matrix, r->error);
  mem_free(entry);
  if (status == SCR_OK && matrix->first[matrix->column_count] != (size_t)count)
    return scr_fail(r->error, SCR_BAD_FILE, NULL, "line %lu: %s gives a place twice", r->line, what);
  return status;
}

typedef struct parts {
  la_sparse mass, h;
  double *momentum, *offset, *friction;
} parts;

static scr_status read_body(reader *r, parts *p, unsigned *dimension)
{
  long long version = 0, d = 0, m = 0, n = 0;
  SCR_TRY(expect(r, "scree"));
  SCR_TRY(expect(r, "contact"));
  SCR_TRY(expect(r, "problem"));
  SCR_TRY(read_whole(r, "version", 1, 1, &version));
  SCR_TRY(expect(r, "dimension"));
  SCR_TRY(read_whole(r, "dimension", 2, 6, &d));
  if (d > 3 && d != 6) return scr_fail(r->error, SCR_BAD_FILE, NULL, "line %lu: dimension %lld; 2, 3 and 6 are possible", r->line, d);
  SCR_TRY(expect(r, "velocities"));
  SCR_TRY(read_whole(r, "number of velocities", 1, most_rows, &m));
  SCR_TRY(expect(r, "contacts"));
  SCR_TRY(read_whole(r, "number of contacts", 1, most_rows / 6, &n));
  if (r->end - r->at < 2 * (m + n)) /* before anything of that size is allocated */
    return scr_fail(r->error, SCR_BAD_FILE, NULL, "line %lu: the text ends before the numbers of %lld velocities and %lld contacts",
                    r->line, m, n);
  *dimension = (unsigned)d;
  SCR_TRY(read_matrix(r, "mass", m, m, false, &p->mass));
  SCR_TRY(read_reals(r, "momentum", (size_t)m, &p->momentum));
  SCR_TRY(read_matrix(r, "jacobian", n * d, m, true, &p->h));
  SCR_TRY(read_reals(r, "offset", (size_t)(n * d), &p->offset));
  return read_reals(r, "friction", (size_t)n, &p->friction);
}

static scr_status read_solution(reader *r, contact_file *file)
{
  const contact_problem *p = &file->problem;
  if (strcmp(next(r), "end") != 0) {
    if (strcmp(r->word, "solution") != 0)
      return scr_fail(r->error, SCR_BAD_FILE, NULL, "line %lu: \"%.40s\" stands where \"solution\" or \"end\" belongs", r->line, r->word);
    size_t rows = p->contact_count * p->dimension;
    SCR_TRY(read_reals(r, "velocity", p->block_count * p->block_size, &file->velocity));
    SCR_TRY(read_reals(r, "relative", rows, &file->relative));
    SCR_TRY(read_reals(r, "impulse", rows, &file->impulse));
    SCR_TRY(expect(r, "end"));
  }
  if (!*next(r)) return SCR_OK;
  return scr_fail(r->error, SCR_BAD_FILE, NULL, "line %lu: \"%.40s\" follows the end", r->line, r->word);
}

scr_status text_problem_parse(const char *text, size_t length, contact_file *file, scr_error *error)
{
  reader r = {.at = text, .end = text + length, .line = 1, .error = error};
  parts p = {0};
  unsigned d = 0;
  *file = (contact_file){0};
  scr_status status = read_body(&r, &p, &d);
  if (status == SCR_OK) status = contact_file_from_matrices(d, &p.mass, &p.h, p.momentum, p.offset, p.friction, file, error);
  if (status == SCR_OK) status = read_solution(&r, file);
  la_sparse_clear(&p.mass);
  la_sparse_clear(&p.h);
  mem_free(p.momentum);
  mem_free(p.offset);
  mem_free(p.friction);
  if (status != SCR_OK) contact_file_clear(file);
  return status;
}

scr_status text_problem_read(const char *path, contact_file *file, scr_error *error)
{
  *file = (contact_file){0};
  FILE *in = fopen(path, "rb");
  if (!in) return scr_fail_io(error, "open", path, errno);
  long size = fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
  if (size < 0 || size > most_bytes || fseek(in, 0, SEEK_SET) != 0) {
    fclose(in);
    return scr_fail(error, SCR_BAD_FILE, NULL, "%s is not a contact problem: it has %ld bytes", path, size);
  }
  char *text = mem_array((size_t)size + 1, 1);
  size_t got = text ? fread(text, 1, (size_t)size, in) : 0;
  scr_status status = !text                 ? scr_fail_memory(error, path, (size_t)size)
                      : got != (size_t)size ? scr_fail_io(error, "read", path, errno)
                                            : text_problem_parse(text, got, file, error);
  fclose(in);
  mem_free(text);
  return status;
}
