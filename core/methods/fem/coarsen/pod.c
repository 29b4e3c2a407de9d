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
  unsigned threads;
  double *gram, *values; /* [count][count], [count] */
  double *heavy;         /* [size] */
  double *raw;           /* [modes][size] before the stiffness is made diagonal */
  double *block;         /* K at rest */
  double *rest, *mode;   /* zero displacements, modes of elements */
} pod;

static void clear(pod *p)
{
  double *all[] = {p->gram, p->values, p->heavy, p->raw, p->block, p->rest, p->mode};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
}

static bool allocate(pod *p, size_t most)
{
  p->gram = mem_array(p->count * p->count, sizeof(double));
  p->values = mem_array(p->count, sizeof(double));
  p->heavy = mem_array(p->size, sizeof(double));
  p->raw = mem_array(most * p->size, sizeof(double));
  p->block = mem_array(p->system->block_count, 9 * sizeof(double));
  p->rest = mem_array(p->size, sizeof(double));
  p->mode = mem_array(p->system->hex_count, FEM_MODE_UNKNOWNS * sizeof(double));
  return p->gram && p->values && p->heavy && p->raw && p->block && p->rest && p->mode;
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
    fem_mass_multiply(p->system, p->snapshots + i * p->size, p->heavy, p->threads);
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

/* Fields in which the stiffness at rest is diagonal. */
static scr_status soften(pod *p, size_t kept, fem_modes *modes, scr_error *error)
{
  size_t bad;
  double *reduced = mem_array(kept * kept, sizeof *reduced);
  if (!reduced) return scr_fail_memory(error, "modes of snapshots", kept * kept * sizeof *reduced);
  (void)fem_system_evaluate(p->system, p->rest, p->mode, false, NULL, p->block, p->threads, &bad);
  for (size_t a = 0; a < kept; a++) {
    fem_block_multiply(p->system, p->block, p->raw + a * p->size, p->heavy, p->threads);
    for (size_t b = 0; b < kept; b++) reduced[a * kept + b] = product(p->heavy, p->raw + b * p->size, p->size);
  }
  scr_status status = la_dense_symmetric_eigen(kept, reduced, modes->value, error);
  for (size_t a = 0; a < kept && status == SCR_OK; a++)
    for (size_t b = 0; b < kept; b++)
      for (size_t k = 0; k < p->size; k++) modes->shape[a * p->size + k] += reduced[a * kept + b] * p->raw[b * p->size + k];
  mem_free(reduced);
  return status;
}

/* Modes point to where the motion goes: the shares of all snapshots add up to something positive. */
static void point(const pod *p, fem_modes *modes)
{
  for (size_t a = 0; a < modes->count; a++) {
    double *shape = modes->shape + a * p->size, sum = 0;
    fem_mass_multiply(p->system, shape, p->heavy, p->threads);
    for (size_t i = 0; i < p->count; i++) sum += product(p->heavy, p->snapshots + i * p->size, p->size);
    for (size_t k = 0; k < p->size && sum < 0; k++) shape[k] = -shape[k];
  }
}

scr_status fem_pod_find(const fem_system *system, const double *snapshots, size_t count, size_t most, unsigned threads, fem_modes *modes,
                        double *share, scr_error *error)
{
  pod p = {.system = system, .snapshots = snapshots, .count = count, .size = 3 * system->node_count, .threads = threads};
  size_t kept = 0;
  *modes = (fem_modes){0};
  scr_status status = SCR_NO_MEMORY;
  if (allocate(&p, most))
    status = decompose(&p, most, &kept, share, error);
  else
    (void)scr_fail_memory(error, "modes of snapshots", (most + 2) * p.size * sizeof(double));
  if (status == SCR_OK) {
    combine(&p, kept);
    *modes = (fem_modes){
        .count = kept, .size = p.size, .value = mem_array(kept, sizeof(double)), .shape = mem_array(kept * p.size, sizeof(double))};
    status = modes->value && modes->shape ? soften(&p, kept, modes, error)
                                          : scr_fail_memory(error, "modes of snapshots", kept * p.size * sizeof(double));
  }
  if (status == SCR_OK) point(&p, modes);
  clear(&p);
  if (status != SCR_OK) fem_modes_clear(modes);
  return status;
}
