/* Columns of the inverse of the step's matrix. */
#include "methods/fem/dynamics/compliance.h"

#include <string.h>

#include "base/memory.h"
#include "sim/fields.h"
#include "sim/method.h"

enum { BATCH = 48 }; /* right-hand sides solved at once: always as many, empty ones too, so that no column depends on its neighbours */

enum { FIELDS = 4 };
static const sim_field fields[FIELDS] = {
    FIELD_LIST("columns of factors", fem_compliance, unknown, count, unknown_capacity, FIELD_SAVED), /* their numbers are made again */
    FIELD_LIST("groups of columns", fem_compliance, group, group_count, group_capacity, FIELD_SAVED),
    FIELD_ARRAY("contacts' unknowns", fem_compliance, place, size, 0),
    FIELD_SCRATCH_LIST("right-hand sides", fem_compliance, column, column_capacity),
};

scr_status fem_compliance_create(size_t size, fem_compliance *c, scr_error *error)
{
  *c = (fem_compliance){.size = size};
  return fields_allocate(fields, FIELDS, c, error);
}

void fem_compliance_clear(fem_compliance *c)
{
  fields_free(fields, FIELDS, c);
  mem_free(c->value);
  *c = (fem_compliance){0};
}

void fem_compliance_forget(fem_compliance *c)
{
  for (size_t k = 0; k < c->count; k++) c->place[c->unknown[k]] = 0;
  c->count = 0;
  c->group_count = 0;
}

/* Room for `count` unknowns: a larger matrix takes over what there is. */
static bool reserve(fem_compliance *c, size_t count)
{
  if (!mem_grow(&c->unknown, &c->unknown_capacity, count, sizeof *c->unknown)) return false;
  if (!mem_grow(&c->group, &c->group_capacity, c->group_count + 1, sizeof *c->group)) return false;
  if (!mem_grow(&c->column, &c->column_capacity, c->size * BATCH, sizeof *c->column)) return false;
  if (count <= c->stride) return true;
  size_t stride = count + count / 2, entries;
  if (!mem_multiply(stride, stride, &entries)) return false;
  double *value = mem_array(entries, sizeof *value);
  if (!value) return false;
  for (size_t k = 0; k < c->count; k++) memcpy(value + k * stride, c->value + k * c->stride, c->count * sizeof *value);
  mem_free(c->value);
  c->value = value;
  c->stride = stride;
  return true;
}

/* Columns of the unknowns from `from` on, of which `known` were there before: rows of all, and the same as rows of those that were there.
 * */
static scr_status solve_columns(fem_compliance *c, la_factor *factor, size_t known, const scr_liveness *liveness, scr_error *error)
{
  for (size_t from = known; from < c->count; from += BATCH) {
    size_t count = c->count - from < BATCH ? c->count - from : BATCH;
    memset(c->column, 0, BATCH * c->size * sizeof *c->column);
    for (size_t k = 0; k < count; k++) c->column[k * c->size + c->unknown[from + k]] = 1;
    SCR_TRY(la_factor_solve(factor, c->column, BATCH, c->column, error));
    for (size_t k = 0; k < count; k++)
      for (size_t r = 0; r < c->count; r++) {
        double x = c->column[k * c->size + c->unknown[r]];
        if (r >= known) c->value[r * c->stride + from + k] = x;
        if (r < known) c->value[r * c->stride + from + k] = c->value[(from + k) * c->stride + r] = x;
      }
    scr_report_alive(liveness);
  }
  for (size_t r = known; r < c->count; r++) /* the inverse is symmetric: only round-off is mended */
    for (size_t k = known; k < r; k++)
      c->value[r * c->stride + k] = c->value[k * c->stride + r] = 0.5 * (c->value[r * c->stride + k] + c->value[k * c->stride + r]);
  return SCR_OK;
}

scr_status fem_compliance_add(fem_compliance *c, la_factor *factor, const uint32_t *wanted, size_t count, const scr_liveness *liveness,
                              scr_error *error)
{
  size_t known = c->count, more = 0;
  for (size_t k = 0; k < count; k++) more += c->place[wanted[k]] == 0;
  if (more == 0) return SCR_OK;
  if (!reserve(c, known + more))
    return scr_fail_memory(error, "the compliance of contacts",
                           (known + more) * (known + more) * sizeof *c->value + c->size * BATCH * sizeof *c->column);
  for (size_t k = 0; k < count; k++) {
    if (c->place[wanted[k]]) continue;
    c->unknown[c->count++] = wanted[k];
    c->place[wanted[k]] = (uint32_t)c->count;
  }
  c->group[c->group_count++] = (uint32_t)c->count;
  return solve_columns(c, factor, known, liveness, error);
}

scr_status fem_compliance_redo(fem_compliance *c, la_factor *factor, const scr_liveness *liveness, scr_error *error)
{
  size_t known = 0, all = c->count;
  c->count = 0;
  if (!reserve(c, all)) return scr_fail_memory(error, "the compliance of contacts", all * all * sizeof *c->value);
  for (size_t g = 0; g < c->group_count; g++) {
    c->count = c->group[g];
    SCR_TRY(solve_columns(c, factor, known, liveness, error));
    known = c->count;
  }
  return SCR_OK;
}

scr_status fem_compliance_save(const fem_compliance *c, bool kept, scr_blob *blob, scr_error *error)
{
  const fem_compliance none = {.size = c->size};
  return fields_save(fields, FIELDS, kept ? c : &none, blob, error);
}

scr_status fem_compliance_load(fem_compliance *c, scr_blob *blob, scr_error *error)
{
  fem_compliance_forget(c);
  SCR_TRY(fields_load(fields, FIELDS, c, blob, error));
  bool valid = c->group_count == 0 ? c->count == 0 : c->group[c->group_count - 1] == c->count;
  for (size_t g = 0; g < c->group_count; g++) valid = valid && c->group[g] > (g ? c->group[g - 1] : 0);
  for (size_t k = 0; k < c->count && valid; k++) {
    valid = c->unknown[k] < c->size && c->place[c->unknown[k]] == 0;
    if (valid) c->place[c->unknown[k]] = (uint32_t)k + 1;
  }
  return valid ? SCR_OK : scr_sim_damaged("columns of factors", error);
}
