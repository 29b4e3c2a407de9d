/* Modes from one snapshot to the next. */
#include "methods/fem/coarsen/differences.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/pivoted_cholesky.h"
#include "methods/fem/coarsen/pod.h"

static const double least_pivot = 1e-6; /* of the first: the specification's */

/* What the finding works on. */
typedef struct finder {
  const fem_system *system;
  const double *snapshots;
  size_t count, size;
  scr_execution execution;
  double *step;  /* [count][size] d_j */
  double *gram;  /* [count][count] G, then its factor */
  double *heavy; /* [size] */
  double *raw;   /* [rank][size] M-normal fields */
  size_t *order; /* [count] pivots */
} finder;

static void clear(finder *f)
{
  mem_free(f->step);
  mem_free(f->gram);
  mem_free(f->heavy);
  mem_free(f->raw);
  mem_free(f->order);
}

static scr_status allocate(finder *f, size_t most, scr_error *error)
{
  f->step = mem_array(f->count * f->size, sizeof(double));
  f->gram = mem_array(f->count * f->count, sizeof(double));
  f->heavy = mem_array(f->size, sizeof(double));
  f->raw = mem_array(most * f->size, sizeof(double));
  f->order = mem_array(f->count, sizeof *f->order);
  if (f->step && f->gram && f->heavy && f->raw && f->order) return SCR_OK;
  return scr_fail_memory(error, "modes of snapshots", (f->count + most + 1) * f->size * sizeof(double));
}

static double product(const double *a, const double *b, size_t size)
{
  double sum = 0;
  for (size_t k = 0; k < size; k++) sum += a[k] * b[k];
  return sum;
}

static double largest(const double *field, size_t size)
{
  double most = 0;
  for (size_t n = 0; n < size; n += 3) most = fmax(most, product(field + n, field + n, 3));
  return sqrt(most);
}

/* d_j and G. Where two snapshots are the same there is no difference, which is none of the pivots. */
static void fill(finder *f)
{
  for (size_t j = 0; j < f->count; j++) {
    double *d = f->step + j * f->size;
    for (size_t k = 0; k < f->size; k++) d[k] = f->snapshots[j * f->size + k] - (j ? f->snapshots[(j - 1) * f->size + k] : 0);
    double most = largest(d, f->size);
    for (size_t k = 0; k < f->size && most > 0; k++) d[k] /= most;
  }
  for (size_t i = 0; i < f->count; i++) {
    fem_mass_multiply(f->system, f->step + i * f->size, f->heavy, f->execution);
    for (size_t j = 0; j <= i; j++)
      f->gram[i * f->count + j] = f->gram[j * f->count + i] = product(f->heavy, f->step + j * f->size, f->size);
  }
}

/* M-normal fields out of the steps of the first pivots: raw = L^-1 steps. */
static void normalise(finder *f, size_t rank)
{
  for (size_t a = 0; a < rank; a++) {
    const double *row = f->gram + a * f->count;
    double *field = f->raw + a * f->size;
    memcpy(field, f->step + f->order[a] * f->size, f->size * sizeof *field);
    for (size_t b = 0; b < a; b++)
      for (size_t k = 0; k < f->size; k++) field[k] -= row[b] * f->raw[b * f->size + k];
    for (size_t k = 0; k < f->size; k++) field[k] /= row[a];
  }
}

/* Of all snapshots' squares, in M-normal modes. */
static double share_of(finder *f, const fem_modes *modes)
{
  double whole = 0, held = 0;
  for (size_t i = 0; i < f->count; i++) {
    fem_mass_multiply(f->system, f->snapshots + i * f->size, f->heavy, f->execution);
    whole += product(f->heavy, f->snapshots + i * f->size, f->size);
    for (size_t a = 0; a < modes->count; a++) {
      double part = product(f->heavy, modes->shape + a * f->size, f->size);
      held += part * part;
    }
  }
  return held / whole;
}

scr_status fem_differences_find(const fem_system *system, const double *snapshots, size_t count, size_t most, scr_execution execution,
                                fem_modes *modes, double *share, scr_error *error)
{
  finder f = {.system = system, .snapshots = snapshots, .count = count, .size = 3 * system->node_count, .execution = execution};
  size_t rank = 0;
  *modes = (fem_modes){0};
  *share = 0;
  scr_status status = allocate(&f, most, error);
  if (status == SCR_OK) {
    fill(&f);
    rank = la_pivoted_cholesky(count, f.gram, least_pivot, f.order);
    if (rank > most) rank = most;
    if (rank == 0)
      status = scr_fail(error, SCR_DIVERGED, NULL, "the body did not deform in any of the %zu snapshots: load it, or let it hit something",
                        count);
  }
  if (status == SCR_OK) {
    normalise(&f, rank);
    status = fem_modes_soften(system, f.raw, rank, execution, modes, error);
  }
  if (status == SCR_OK) {
    fem_modes_point(system, snapshots, count, execution, modes, f.heavy);
    *share = share_of(&f, modes);
  }
  clear(&f);
  if (status != SCR_OK) fem_modes_clear(modes);
  return status;
}

scr_status fem_last_snapshot_mode(const fem_system *system, const double *snapshots, size_t count, fem_modes *modes, scr_error *error)
{
  size_t size = 3 * system->node_count;
  const double *last = snapshots + (count - 1) * size;
  *modes = (fem_modes){0};
  if (!(largest(last, size) > 0))
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "the last of %zu snapshots is of a body that is not deformed: end the motion where the load is largest", count);
  *modes = (fem_modes){.count = 1, .size = size, .value = mem_array(1, sizeof(double)), .shape = mem_array(size, sizeof(double))};
  if (!modes->value || !modes->shape) {
    fem_modes_clear(modes);
    return scr_fail_memory(error, "a mode of a snapshot", size * sizeof(double));
  }
  memcpy(modes->shape, last, size * sizeof *last);
  return SCR_OK;
}
