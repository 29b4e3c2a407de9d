/* Modes from snapshots. */
#include "methods/fem/coarsen/pod.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"

static const double least_share = 1e-10; /* of the motion: below it a mode is rounding */

/* What the decomposition works on. */
typedef struct pod {
  const fem_system *system;
  const double *snapshots;
  size_t count, size;
  scr_execution execution;
  double *gram, *values; /* [count][count], [count] */
  double *heavy;         /* [size] */
  double *raw;           /* [modes][size] before the stiffness is made diagonal */
} pod;

static void clear(pod *p)
{
  double *all[] = {p->gram, p->values, p->heavy, p->raw};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
}

static bool allocate(pod *p, size_t most)
{
  p->gram = mem_array(p->count * p->count, sizeof(double));
  p->values = mem_array(p->count, sizeof(double));
  p->heavy = mem_array(p->size, sizeof(double));
  p->raw = mem_array(most * p->size, sizeof(double));
  return p->gram && p->values && p->heavy && p->raw;
}

static double product(const double *a, const double *b, size_t size)
{
  double sum = 0;
  for (size_t k = 0; k < size; k++) sum += a[k] * b[k];
  return sum;
}

/* Eigenvectors of G, rising. @return how many modes there are, at most `most` */
static scr_status decompose(pod *p, size_t most, size_t *kept, double *share, scr_error *error)
{
  double total = 0, held = 0;
  for (size_t i = 0; i < p->count; i++) {
    fem_mass_multiply(p->system, p->snapshots + i * p->size, p->heavy, p->execution);
    for (size_t j = 0; j <= i; j++)
      p->gram[i * p->count + j] = p->gram[j * p->count + i] = product(p->heavy, p->snapshots + j * p->size, p->size);
  }
  SCR_TRY(la_dense_symmetric_eigen(p->count, p->gram, p->values, error));
  for (size_t k = 0; k < p->count; k++) total += fmax(p->values[k], 0);
  if (!(total > 0))
    return scr_fail(error, SCR_DIVERGED, NULL, "the body did not deform in any of the %zu snapshots: load it, or let it hit something",
                    p->count);
  *kept = 0;
  while (*kept < most && *kept < p->count && p->values[p->count - 1 - *kept] > least_share * total)
    held += p->values[p->count - 1 - (*kept)++];
  *share = held / total;
  return SCR_OK;
}

/* M-normal fields, most of the motion first. */
static void combine(pod *p, size_t kept)
{
  for (size_t a = 0; a < kept; a++) {
    size_t column = p->count - 1 - a;
    for (size_t i = 0; i < p->count; i++) {
      double weight = p->gram[column * p->count + i] / sqrt(p->values[column]);
      for (size_t k = 0; k < p->size; k++) p->raw[a * p->size + k] += weight * p->snapshots[i * p->size + k];
    }
  }
}

/* Fields in which the stiffness at rest is diagonal: of what has room. */
static scr_status rotate(const fem_system *system, const double *raw, size_t count, scr_execution execution, fem_modes *modes,
                         double *block, double *scratch, scr_error *error)
{
  size_t bad, size = 3 * system->node_count;
  double *heavy = scratch, *rest = scratch + size, *mode = scratch + 2 * size, *reduced = mode + system->hex_count * FEM_MODE_UNKNOWNS;
  (void)fem_system_evaluate(system, rest, mode, false, NULL, block, execution, &bad);
  for (size_t a = 0; a < count; a++) {
    fem_block_multiply(system, block, raw + a * size, heavy, execution);
    for (size_t b = 0; b < count; b++) reduced[a * count + b] = product(heavy, raw + b * size, size);
  }
  SCR_TRY(la_dense_symmetric_eigen(count, reduced, modes->value, error));
  for (size_t a = 0; a < count; a++)
    for (size_t b = 0; b < count; b++)
      for (size_t k = 0; k < size; k++) modes->shape[a * size + k] += reduced[a * count + b] * raw[b * size + k];
  return SCR_OK;
}

scr_status fem_modes_soften(const fem_system *system, const double *raw, size_t count, scr_execution execution, fem_modes *modes,
                            scr_error *error)
{
  size_t size = 3 * system->node_count, scratch_size = 2 * size + system->hex_count * FEM_MODE_UNKNOWNS + count * count;
  double *block = mem_array(system->block_count, 9 * sizeof *block), *scratch = mem_array(scratch_size, sizeof *scratch);
  *modes = (fem_modes){
      .count = count, .size = size, .value = mem_array(count, sizeof(double)), .shape = mem_array(count * size, sizeof(double))};
  scr_status status =
      block && scratch && modes->value && modes->shape
          ? rotate(system, raw, count, execution, modes, block, scratch, error)
          : scr_fail_memory(error, "modes of snapshots", (scratch_size + 9 * system->block_count + count * size) * sizeof(double));
  mem_free(block);
  mem_free(scratch);
  return status;
}

void fem_modes_point(const fem_system *system, const double *snapshots, size_t count, scr_execution execution, fem_modes *modes,
                     double *heavy)
{
  for (size_t a = 0; a < modes->count; a++) {
    double *shape = modes->shape + a * modes->size, sum = 0;
    fem_mass_multiply(system, shape, heavy, execution);
    for (size_t i = 0; i < count; i++) sum += product(heavy, snapshots + i * modes->size, modes->size);
    for (size_t k = 0; k < modes->size && sum < 0; k++) shape[k] = -shape[k];
  }
}

scr_status fem_pod_find(const fem_system *system, const double *snapshots, size_t count, size_t most, scr_execution execution,
                        fem_modes *modes, double *share, scr_error *error)
{
  pod p = {.system = system, .snapshots = snapshots, .count = count, .size = 3 * system->node_count, .execution = execution};
  size_t kept = 0;
  *modes = (fem_modes){0};
  scr_status status = SCR_NO_MEMORY;
  if (allocate(&p, most))
    status = decompose(&p, most, &kept, share, error);
  else
    (void)scr_fail_memory(error, "modes of snapshots", (most + 2) * p.size * sizeof(double));
  if (status == SCR_OK) {
    combine(&p, kept);
    status = fem_modes_soften(system, p.raw, kept, execution, modes, error);
  }
  if (status == SCR_OK) fem_modes_point(system, snapshots, count, execution, modes, p.heavy);
  clear(&p);
  if (status != SCR_OK) fem_modes_clear(modes);
  return status;
}
