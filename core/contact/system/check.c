/* What a contact problem must be before anything is computed with it. */
#include <math.h>

#include "base/memory.h"
#include "contact/system/system.h"
#include "contact/system/workspace.h"

/* The first number of an array that is not finite; `count` when all are. */
static size_t first_not_finite(const double *x, size_t count)
{
  for (size_t k = 0; k < count; ++k)
    if (!isfinite(x[k])) return k;
  return count;
}

static scr_status check_numbers(const char *what, const double *x, size_t count, scr_error *error)
{
  size_t k = first_not_finite(x, count);
  if (k == count) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "a contact problem's %s has %g at place %zu; it must be finite", what, x[k], k);
}

/* Within the matrix: what lies left of its first column is never looked at. */
static scr_status check_band(const la_band *a, size_t chain, scr_error *error)
{
  for (size_t i = 0; i < a->size; ++i)
    for (size_t j = i > a->width ? i - a->width : 0; j <= i; ++j)
      if (!isfinite(*la_band_at(a, i, j)))
        return scr_fail(error, SCR_BAD_USAGE, NULL, "the mass of chain %zu has %g in row %zu, column %zu; it must be finite", chain,
                        *la_band_at(a, i, j), i, j);
  return SCR_OK;
}

/* Chains hold all blocks, each in one; their bands are no wider than factors can be. */
static scr_status check_chains(const contact_problem *p, scr_error *error)
{
  size_t velocities = 0;
  for (size_t k = 0; k < p->chain_count; ++k) {
    const la_band *a = &p->chain[k];
    if (a->size == 0 || a->size % p->block_size != 0)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "chain %zu has %zu velocities, in blocks of %u", k, a->size, p->block_size);
    if (a->width > LA_BAND_WIDTH_MAX)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "chain %zu has a band of %zu; 0 to %d are possible", k, a->width, LA_BAND_WIDTH_MAX);
    velocities += a->size;
  }
  if (velocities == p->block_count * p->block_size) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "chains of %zu velocities in all, for %zu of a contact problem", velocities,
                  p->block_count * p->block_size);
}

static scr_status check_sizes(const contact_problem *p, scr_error *error)
{
  if (p->dimension != 2 && p->dimension != 3 && p->dimension != 6)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a contact problem of dimension %u; 2, 3 and 6 are possible", p->dimension);
  if (p->block_size < 1 || p->block_size > CONTACT_BLOCK_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "velocities in blocks of %u; 1 to %d are possible", p->block_size, CONTACT_BLOCK_MAX);
  if (p->block_count >= UINT32_MAX / CONTACT_BLOCK_MAX || p->contact_count >= UINT32_MAX / CONE_DIMENSION_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu blocks and %zu contacts; less than %u of each are possible", p->block_count,
                    p->contact_count, UINT32_MAX / CONTACT_BLOCK_MAX);
  if (p->block_count == 0) return scr_fail(error, SCR_BAD_USAGE, NULL, "a contact problem in which nothing moves: it needs a block");
  int given = (p->mass_block != NULL) + (p->mass != NULL) + (p->chain != NULL);
  if (given != 1)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a contact problem's mass is given %s: either by blocks, as one matrix or in chains",
                    given > 1 ? "twice" : "nowhere");
  size_t m = p->block_count * p->block_size;
  if (p->mass && (p->mass->row_count != m || p->mass->column_count != m))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a mass of %zu x %zu for %zu velocities", p->mass->row_count, p->mass->column_count, m);
  return p->chain ? check_chains(p, error) : SCR_OK;
}

/* To 1e-8 of the largest entry, the bound for what is read from files too. */
static scr_status check_symmetry(const contact_problem *p, scr_error *error)
{
  size_t b = p->block_size;
  for (size_t k = 0; p->mass_block && k < p->block_count; ++k)
    for (size_t c = 0; c < b; ++c)
      for (size_t r = 0; r < c; ++r) {
        const double *m = p->mass_block + k * b * b;
        if (fabs(m[c * b + r] - m[r * b + c]) > 1e-8 * sqrt(fabs(m[c * b + c] * m[r * b + r])))
          return scr_fail(error, SCR_BAD_USAGE, NULL, "the mass of block %zu is not symmetric: %g and %g in row %zu, column %zu", k,
                          m[c * b + r], m[r * b + c], r, c);
      }
  if (!p->mass) return SCR_OK;
  double largest = 0.0;
  for (size_t k = 0; k < p->mass->first[p->mass->column_count]; ++k) largest = fmax(largest, fabs(p->mass->value[k]));
  for (size_t c = 0; c < p->mass->column_count; ++c)
    for (size_t k = p->mass->first[c]; k < p->mass->first[c + 1]; ++k) {
      uint32_t row = p->mass->row[k];
      if (row == c) continue;
      size_t slot = la_sparse_slot(p->mass, (uint32_t)c, row);
      double other = slot != SIZE_MAX ? p->mass->value[slot] : 0.0;
      if (fabs(p->mass->value[k] - other) > 1e-8 * largest)
        return scr_fail(error, SCR_BAD_USAGE, NULL, "the mass is not symmetric: %g in row %u, column %zu and %g across the diagonal",
                        p->mass->value[k], (unsigned)row, c, other);
    }
  return SCR_OK;
}

/* @param seen [block_count] zero: holds i + 1 where contact i has been */
static scr_status check_rows(const contact_problem *p, uint32_t *seen, scr_error *error)
{
  for (size_t i = 0; i < p->contact_count; ++i) {
    if (p->first[i + 1] <= p->first[i])
      return scr_fail(error, SCR_BAD_USAGE, NULL, "contact %zu acts on nothing that moves: leave it out", i);
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
      if (p->block[k] >= p->block_count)
        return scr_fail(error, SCR_BAD_USAGE, NULL, "contact %zu acts on block %u of %zu", i, (unsigned)p->block[k], p->block_count);
      if (seen[p->block[k]] == i + 1)
        return scr_fail(error, SCR_BAD_USAGE, NULL,
                        "contact %zu acts on block %u twice: add the two up, or drop a body's contact with itself", i,
                        (unsigned)p->block[k]);
      seen[p->block[k]] = (uint32_t)i + 1;
    }
  }
  return SCR_OK;
}

scr_status contact_problem_check(const contact_problem *p, scr_error *error)
{
  SCR_TRY(check_sizes(p, error));
  size_t d = p->dimension, b = p->block_size, n = p->contact_count, m = p->block_count * b;
  if (p->mass_block) SCR_TRY(check_numbers("mass", p->mass_block, m * b, error));
  if (p->mass) SCR_TRY(check_numbers("mass", p->mass->value, p->mass->first[m], error));
  for (size_t k = 0; p->chain && k < p->chain_count; ++k) SCR_TRY(check_band(&p->chain[k], k, error));
  SCR_TRY(check_symmetry(p, error));
  SCR_TRY(check_numbers("momentum", p->momentum, m, error));
  if (n == 0) return SCR_OK;
  if (p->first[0] != 0) return scr_fail(error, SCR_BAD_USAGE, NULL, "the entries of contact 0 begin at %zu; they begin at 0", p->first[0]);
  uint32_t *seen = mem_array(p->block_count, sizeof *seen);
  scr_status status = seen ? check_rows(p, seen, error) : no_memory(error, "a contact problem", p->block_count * sizeof *seen);
  mem_free(seen);
  SCR_TRY(status);
  SCR_TRY(check_numbers("jacobian", p->jacobian, p->first[n] * b * d, error));
  SCR_TRY(check_numbers("offset", p->offset, n * d, error));
  return check_numbers("friction", p->friction, n, error);
}
