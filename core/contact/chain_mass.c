/* Sparse matrices as chains. */
#include "contact/chain_mass.h"

#include "base/memory.h"

void chain_mass_clear(chain_mass *c)
{
  mem_free(c->chain);
  mem_free(c->rows);
  *c = (chain_mass){0};
}

/* Where the chain that begins at an unknown ends, and its band. @return SIZE_MAX: that is wider than `widest` */
static size_t end_of(const la_sparse *m, size_t begin, size_t block, size_t widest, size_t *width)
{
  size_t end = begin + block;
  *width = 0;
  for (size_t c = begin; c < end; ++c)
    for (size_t k = m->first[c]; k < m->first[c + 1]; ++k) {
      if (m->row[k] < c || m->value[k] == 0.0) continue;
      size_t apart = m->row[k] - c;
      if (apart > widest) return SIZE_MAX;
      if (apart > *width) *width = apart;
      while (end <= m->row[k]) end += block;
    }
  return end;
}

static void fill(const la_sparse *m, size_t begin, la_band *a)
{
  for (size_t c = begin; c < begin + a->size; ++c)
    for (size_t k = m->first[c]; k < m->first[c + 1]; ++k)
      if (m->row[k] >= c && m->value[k] != 0.0) *la_band_at(a, m->row[k] - begin, c - begin) = m->value[k];
}

scr_status chain_mass_from(const la_sparse *m, size_t block, size_t widest, chain_mass *chains, scr_error *error)
{
  size_t n = m->column_count, doubles = 0, count = 0, width = 0;
  *chains = (chain_mass){0};
  if (n == 0 || n % block != 0) return SCR_OK;
  for (size_t at = 0; at < n; count++) {
    size_t end = end_of(m, at, block, widest, &width);
    if (end == SIZE_MAX || end > n) return SCR_OK;
    doubles += (end - at) * (width + 1);
    at = end;
  }
  chains->chain = mem_array(count, sizeof *chains->chain);
  chains->rows = mem_array(doubles, sizeof *chains->rows);
  if (!chains->chain || !chains->rows) {
    chain_mass_clear(chains);
    return scr_fail_memory(error, "the mass of chains", doubles * sizeof(double));
  }
  double *rows = chains->rows;
  for (size_t at = 0; at < n;) {
    size_t end = end_of(m, at, block, widest, &width);
    la_band *a = &chains->chain[chains->count++];
    *a = (la_band){end - at, width, rows};
    fill(m, at, a);
    rows += a->size * (width + 1);
    at = end;
  }
  return SCR_OK;
}
