/* Modes of a mesh, and those of two meshes against each other. */
#include "methods/fem/coarsen/modes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigenpairs.h"
#include "linalg/symmetric_eigen.h"
#include "methods/fem/system/held.h"

enum { SPARE = 4 };                        /* coarse modes beside a cluster's that are tried */
static const double same_frequency = 0.02; /* of a cluster's first mode */

void fem_modes_clear(fem_modes *modes)
{
  mem_free(modes->value);
  mem_free(modes->shape);
  *modes = (fem_modes){0};
}

double fem_mode_frequency(const fem_modes *modes, size_t k)
{
  return sqrt(modes->value[k]) / (2 * 3.14159265358979323846);
}

/* Free unknowns in order; SIZE_MAX: clamped. @return how many are free */
static size_t number_free(const unsigned char *fixed, size_t size, size_t *number)
{
  size_t count = 0;
  for (size_t k = 0; k < size; k++) number[k] = fixed[k] ? SIZE_MAX : count++;
  return count;
}

/* The free rows and columns of K (blocks) or M (block NULL). */
static scr_status reduce(const fem_system *s, const size_t *number, size_t free_count, const double *block, la_sparse *matrix,
                         scr_error *error)
{
  size_t at = 0;
  *matrix = (la_sparse){.row_count = free_count, .column_count = free_count};
  matrix->first = mem_array(free_count + 1, sizeof *matrix->first);
  matrix->row = mem_array(9 * s->block_count, sizeof *matrix->row);
  matrix->value = mem_array(9 * s->block_count, sizeof *matrix->value);
  if (!matrix->first || !matrix->row || !matrix->value) {
    la_sparse_clear(matrix);
    return scr_fail_memory(error, "a reduced matrix", 9 * s->block_count * 12);
  }
  for (size_t column = 0; column < 3 * s->node_count; column++) {
    if (number[column] == SIZE_MAX) continue;
    size_t c = column / 3, j = column % 3;
    for (size_t k = s->first[c]; k < s->first[c + 1]; k++)
      for (size_t i = 0; i < 3; i++) {
        size_t row = number[3 * (size_t)s->row[k] + i];
        if (row == SIZE_MAX || (!block && i != j)) continue;
        matrix->row[at] = (uint32_t)row;
        matrix->value[at++] = block ? block[9 * k + 3 * i + j] : s->mass[k];
      }
    matrix->first[number[column] + 1] = at;
  }
  return SCR_OK;
}

static double span_of(const fem_system *s, double centre[3])
{
  double span = 0;
  for (size_t k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t n = 0; n < s->node_count; n++) low = fmin(low, s->rest[3 * n + k]), high = fmax(high, s->rest[3 * n + k]);
    centre[k] = 0.5 * (low + high);
    span = fmax(span, high - low);
  }
  return span;
}

size_t fem_modes_rigid(const fem_system *s, const unsigned char *fixed)
{
  return fem_free_motions(s->rest, s->node_count, fixed, NULL);
}

/* A shift below zero where rigid motions are left: about the square of a thousandth of what a wave goes through the body in a second. */
static double shift_of(const fem_system *s)
{
  double centre[3], fastest = 0, span = span_of(s, centre);
  for (size_t b = 0; b < s->body_count; b++) fastest = fmax(fastest, s->modulus[b] / s->density[b]);
  return -1e-6 * fastest / (span * span);
}

/* K of the bodies at rest. */
static scr_status stiffness_at_rest(const fem_system *s, double *block, scr_error *error)
{
  double *u = mem_array(s->node_count, 3 * sizeof *u), *mode = mem_array(s->hex_count, FEM_MODE_UNKNOWNS * sizeof *mode);
  double *gradient = mem_array(s->node_count, 3 * sizeof *gradient);
  bool memory = u && mode && gradient;
  size_t bad;
  if (memory) (void)fem_system_evaluate(s, u, mode, false, gradient, block, execution_of(1), &bad);
  mem_free(u);
  mem_free(mode);
  mem_free(gradient);
  return memory ? SCR_OK : scr_fail_memory(error, "the stiffness at rest", s->node_count * 6 * sizeof *u);
}

static void spread(const size_t *number, size_t size, size_t free_count, const double *vectors, fem_modes *modes)
{
  for (size_t m = 0; m < modes->count; m++)
    for (size_t k = 0; k < size; k++) modes->shape[m * size + k] = number[k] == SIZE_MAX ? 0 : vectors[m * free_count + number[k]];
}

/* `count` modes above `rigid` motions, into `modes`, which has room for them. */
static scr_status find(const fem_system *system, const la_sparse *stiffness, const la_sparse *mass, const size_t *number, size_t rigid,
                       const scr_liveness *liveness, fem_modes *modes, scr_error *error)
{
  size_t free_count = stiffness->row_count, wanted = modes->count + rigid;
  const la_eigen_options options = {.count = wanted, .shift = rigid ? shift_of(system) : 0, .liveness = liveness};
  double *vectors = mem_array(wanted * free_count, sizeof *vectors), *values = mem_array(wanted, sizeof *values);
  scr_status status = SCR_NO_MEMORY;
  if (vectors && values) {
    status = la_eigenpairs(stiffness, mass, &options, values, vectors, error);
    if (status == SCR_OK && !(values[rigid] > 1e-3 * fabs(options.shift)))
      status = scr_fail(
          error, SCR_DIVERGED, NULL,
          "the body can move in more than %zu ways without deforming: it consists of several pieces; give each a scene of its own", rigid);
    if (status == SCR_OK) {
      memcpy(modes->value, values + rigid, modes->count * sizeof *values);
      spread(number, modes->size, free_count, vectors + rigid * free_count, modes);
    }
  } else {
    (void)scr_fail_memory(error, "modes", wanted * free_count * sizeof *vectors);
  }
  mem_free(vectors);
  mem_free(values);
  return status;
}

scr_status fem_modes_find(const fem_system *system, const unsigned char *fixed, size_t count, fem_modes *modes, scr_error *error)
{
  return fem_modes_find_slowly(system, fixed, count, NULL, modes, error);
}

scr_status fem_modes_find_slowly(const fem_system *system, const unsigned char *fixed, size_t count, const scr_liveness *liveness,
                                 fem_modes *modes, scr_error *error)
{
  size_t size = 3 * system->node_count, *number = mem_array(size, sizeof *number),
         free_count = number ? number_free(fixed, size, number) : 0;
  double *block = mem_array(system->block_count, 9 * sizeof *block);
  la_sparse stiffness = {0}, mass = {0};
  *modes = (fem_modes){
      .count = count, .size = size, .value = mem_array(count, sizeof(double)), .shape = mem_array(count * size, sizeof(double))};
  scr_status status = SCR_NO_MEMORY;
  if (number && block && modes->value && modes->shape) {
    status = stiffness_at_rest(system, block, error);
    if (status == SCR_OK) status = reduce(system, number, free_count, block, &stiffness, error);
    if (status == SCR_OK) status = reduce(system, number, free_count, NULL, &mass, error);
    if (status == SCR_OK) status = find(system, &stiffness, &mass, number, fem_modes_rigid(system, fixed), liveness, modes, error);
  } else {
    (void)scr_fail_memory(error, "modes", count * size * sizeof(double));
  }
  la_sparse_clear(&stiffness);
  la_sparse_clear(&mass);
  mem_free(number);
  mem_free(block);
  if (status != SCR_OK) fem_modes_clear(modes);
  return status;
}

/* ── one mesh's modes against another's ─────────────────────────────────────────────────────────────────────────── */

/* What a comparison works on: coarse modes on fine nodes, their M-products with each other and with the fine ones. */
typedef struct comparison {
  const fem_modes *fine, *coarse;
  double *own;   /* [coarse->count][coarse->count] Psi^T M Psi */
  double *cross; /* [coarse->count][fine->count] Psi^T M Phi */
} comparison;

static double product(const double *a, const double *b, size_t size)
{
  double sum = 0;
  for (size_t k = 0; k < size; k++) sum += a[k] * b[k];
  return sum;
}

static scr_status compare(const fem_system *system, const fem_prolongation *p, comparison *c, scr_error *error)
{
  size_t size = c->fine->size, count = c->coarse->count;
  double *lifted = mem_array(count * size, sizeof *lifted), *heavy = mem_array(size, sizeof *heavy);
  bool memory = lifted && heavy;
  for (size_t m = 0; memory && m < count; m++)
    for (size_t n = 0; n < p->count; n++)
      for (size_t a = 0; a < FEM_CORNERS; a++)
        for (size_t i = 0; i < 3; i++)
          lifted[m * size + 3 * n + i] += p->share[n][a] * c->coarse->shape[m * c->coarse->size + 3 * (size_t)p->node[n][a] + i];
  for (size_t m = 0; memory && m < count; m++) {
    fem_mass_multiply(system, lifted + m * size, heavy, execution_of(1));
    for (size_t k = 0; k < count; k++) c->own[m * count + k] = product(heavy, lifted + k * size, size);
    for (size_t k = 0; k < c->fine->count; k++) c->cross[m * c->fine->count + k] = product(heavy, c->fine->shape + k * size, size);
  }
  mem_free(lifted);
  mem_free(heavy);
  return memory ? SCR_OK : scr_fail_memory(error, "modes on fine nodes", count * size * sizeof *lifted);
}

/* MAC of fine modes first ... first + n with the coarse ones of a list. */
static scr_status cluster_mac(const comparison *c, size_t first, size_t n, const size_t *list, double *mac, scr_error *error)
{
  double left[FEM_CLUSTER_LIMIT * FEM_CLUSTER_LIMIT], right[FEM_CLUSTER_LIMIT * FEM_CLUSTER_LIMIT], values[FEM_CLUSTER_LIMIT];
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += c->cross[list[a] * c->fine->count + first + k] * c->cross[list[b] * c->fine->count + first + k];
      left[b * n + a] = sum;
      right[b * n + a] = c->own[list[a] * c->coarse->count + list[b]];
    }
  SCR_TRY(la_dense_pencil_eigen(n, left, right, values, error));
  *mac = values[0];
  return SCR_OK;
}

/* How much of coarse mode m lies in the fine cluster, 0 ... 1. */
static double part_in(const comparison *c, size_t first, size_t n, size_t m)
{
  double sum = 0;
  for (size_t k = first; k < first + n; k++) sum += pow(c->cross[m * c->fine->count + k], 2);
  return sum / c->own[m * c->coarse->count + m];
}

/* The coarse modes that have most of the cluster, best first. @return how many, n + SPARE at most */
static size_t candidates(const comparison *c, size_t first, size_t n, size_t list[FEM_CLUSTER_LIMIT + SPARE])
{
  size_t count = 0;
  for (size_t m = 0; m < c->coarse->count; m++) {
    double own = part_in(c, first, n, m);
    size_t at = count < n + SPARE ? count++ : count;
    if (at == n + SPARE && !(own > part_in(c, first, n, list[--at]))) continue;
    for (; at > 0 && own > part_in(c, first, n, list[at - 1]); at--) list[at] = list[at - 1];
    list[at] = m;
  }
  return count;
}

static double mean_frequency(const fem_modes *modes, const size_t *list, size_t count)
{
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += fem_mode_frequency(modes, list[k]);
  return sum / (double)count;
}

static int size_order(const void *left, const void *right)
{
  const size_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* The best of all choices of n coarse modes among those that have most of the cluster: close modes of a coarse mesh may lie in another
 * order, with others between them. */
static scr_status match_cluster(const comparison *c, size_t first, size_t n, fem_match *match, scr_error *error)
{
  size_t list[FEM_CLUSTER_LIMIT + SPARE], own[FEM_CLUSTER_LIMIT], count = candidates(c, first, n, list);
  *match = (fem_match){.first = first, .count = n};
  for (size_t k = 0; k < n; k++) own[k] = first + k;
  for (unsigned choice = 0; choice < 1U << count; choice++) {
    size_t chosen[FEM_CLUSTER_LIMIT], have = 0;
    double mac;
    for (size_t k = 0; k < count && have <= n; k++)
      if (choice >> k & 1U && have++ < n) chosen[have - 1] = list[k];
    if (have != n) continue;
    SCR_TRY(cluster_mac(c, first, n, chosen, &mac, error));
    if (match->ratio > 0 && !(mac > match->mac)) continue;
    match->mac = mac;
    qsort(chosen, n, sizeof *chosen, size_order);
    memcpy(match->coarse, chosen, n * sizeof *chosen);
    match->ratio = mean_frequency(c->coarse, chosen, n) / mean_frequency(c->fine, own, n);
  }
  return SCR_OK;
}

scr_status fem_match_modes(const fem_system *fine_system, const fem_modes *fine, const fem_modes *coarse,
                           const fem_prolongation *prolongation, fem_match *match, size_t *count, scr_error *error)
{
  comparison c = {fine, coarse, mem_array(coarse->count * coarse->count, sizeof(double)),
                  mem_array(coarse->count * fine->count, sizeof(double))};
  scr_status status = SCR_NO_MEMORY;
  *count = 0;
  if (c.own && c.cross)
    status = compare(fine_system, prolongation, &c, error);
  else
    (void)scr_fail_memory(error, "a comparison of modes", coarse->count * fine->count * sizeof(double));
  for (size_t first = 0; first < fine->count && status == SCR_OK;) {
    size_t n = 1;
    while (first + n < fine->count && n < FEM_CLUSTER_LIMIT &&
           fem_mode_frequency(fine, first + n) < (1 + same_frequency) * fem_mode_frequency(fine, first))
      n++;
    if (first + n == fine->count && first > 0) break; /* there may be more of it */
    status = match_cluster(&c, first, n, &match[*count], error);
    ++*count;
    first += n;
  }
  mem_free(c.own);
  mem_free(c.cross);
  return status;
}
