/* Writes problems as text. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "contact/files/text_problem.h"

static void write_reals(FILE *out, const char *name, const double *x, size_t count)
{
  fprintf(out, "%s\n", name);
  for (size_t k = 0; k < count; ++k) fprintf(out, "%.17g\n", x[k]);
}

static void write_mass(FILE *out, const contact_problem *p)
{
  size_t b = p->block_size, m = b * p->block_count, count = 0;
  if (p->mass) {
    fprintf(out, "mass %zu\n", p->mass->first[m]);
    for (size_t c = 0; c < m; ++c)
      for (size_t k = p->mass->first[c]; k < p->mass->first[c + 1]; ++k)
        fprintf(out, "%u %zu %.17g\n", (unsigned)p->mass->row[k], c, p->mass->value[k]);
    return;
  }
  for (size_t k = 0; k < m * b; ++k) count += p->mass_block[k] != 0.0;
  fprintf(out, "mass %zu\n", count);
  for (size_t k = 0; k < m * b; ++k)
    if (p->mass_block[k] != 0.0) fprintf(out, "%zu %zu %.17g\n", k / b / b * b + k % b, k / b, p->mass_block[k]);
}

static void write_jacobian(FILE *out, const contact_problem *p)
{
  size_t b = p->block_size, d = p->dimension, entries = p->first[p->contact_count], count = 0;
  for (size_t k = 0; k < entries * b * d; ++k) count += p->jacobian[k] != 0.0;
  fprintf(out, "jacobian %zu\n", count);
  for (size_t i = 0; i < p->contact_count; ++i)
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
      for (size_t c = 0; c < b; ++c)
        for (size_t r = 0; r < d; ++r) {
          double value = p->jacobian[(k * b + c) * d + r];
          if (value != 0.0) fprintf(out, "%zu %zu %.17g\n", i * d + r, p->block[k] * b + c, value);
        }
}

scr_status text_problem_write(const char *path, const contact_problem *p, const double *velocity, const double *relative,
                              const double *impulse, scr_error *error)
{
  char draft[4096];
  size_t m = p->block_size * p->block_count, rows = p->contact_count * p->dimension;
  if ((size_t)snprintf(draft, sizeof draft, "%s.new", path) >= sizeof draft)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a path of more than %zu characters", sizeof draft - 5);
  FILE *out = fopen(draft, "w");
  if (!out) return scr_fail_io(error, "create", draft, errno);
  fprintf(out, "scree contact problem 1\ndimension %u\nvelocities %zu\ncontacts %zu\n", p->dimension, m, p->contact_count);
  write_mass(out, p);
  write_reals(out, "momentum", p->momentum, m);
  write_jacobian(out, p);
  write_reals(out, "offset", p->offset, rows);
  write_reals(out, "friction", p->friction, p->contact_count);
  if (velocity && relative && impulse) {
    fprintf(out, "solution\n");
    write_reals(out, "velocity", velocity, m);
    write_reals(out, "relative", relative, rows);
    write_reals(out, "impulse", impulse, rows);
  }
  fprintf(out, "end\n");
  bool failed = ferror(out) != 0;
  if ((fclose(out) != 0 || failed) || rename(draft, path) != 0) {
    int number = errno;
    unlink(draft);
    return scr_fail_io(error, "write", path, number);
  }
  return SCR_OK;
}
