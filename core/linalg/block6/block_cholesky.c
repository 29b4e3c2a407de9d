/** Block incomplete Cholesky without fill.
 *
 *  A ~ L L^T. With rows in the order of their elimination (elimination.h), row i of L holds blocks L_ij (j earlier, A_ij not zero) and the
 *  factor G_i of its diagonal: L_ij = (A_ij - sum_k L_ik L_jk^T) G_j^-T,   G_i G_i^T = A_ii - sum_k L_ik L_ik^T.
 *
 *  Threads share out parts, then separators: a part's rows have blocks in the part only, a separator's rows also in parts around it.
 *  Backward substitution goes the other way; there the part subtracts what the separators' blocks in its columns say. A part that no
 *  separator touches is done forward and backward at once, while it is in the cache. */
#include "base/memory.h"
#include "linalg/block6/elimination.h"
#include "linalg/block6/preconditioner.h"

/* Block `block` of L, in a separator's row at position `position`. */
typedef struct separator_block {
  size_t block;
  uint32_t position;
} separator_block;

typedef struct block_cholesky {
  scr_execution execution;
  la_block_graph graph;
  la_elimination order;
  size_t block_count;
  size_t *first;            /* [row_count + 1] of the strictly lower blocks, by position of the row */
  uint32_t *column;         /* [block_count] positions, ascending within a row */
  size_t *slot;             /* [block_count] of the matrix */
  double *lower;            /* [block_count][36] */
  double *factors;          /* [row_count][36] by position, diagonals inverted as block6_cholesky leaves them */
  size_t *coupled_first;    /* [part_count + 1] */
  separator_block *coupled; /* the separators' blocks by the part of their columns */
  bool *failed;             /* [group_count] scratch */
} block_cholesky;

static void release(block_cholesky *self)
{
  void *arrays[] = {self->first, self->column, self->slot, self->lower, self->factors, self->coupled_first, self->coupled, self->failed};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) mem_free(arrays[k]);
  la_block_graph_clear(&self->graph);
  la_elimination_clear(&self->order);
  *self = (block_cholesky){.execution = self->execution};
}

/* ── structure ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Blocks of the row at `position`, by the position of their columns; rows are short. @return how many */
static size_t place_row(const block_cholesky *self, size_t position, uint32_t *column, size_t *slot)
{
  const la_block_graph *graph = &self->graph;
  uint32_t row = self->order.row[position];
  size_t count = 0;
  for (size_t k = graph->first[row]; k < graph->first[row + 1]; ++k) {
    uint32_t at = self->order.position[graph->column[k]];
    if (at >= position) continue;
    size_t to = count++;
    for (; to > 0 && column[to - 1] > at; --to) {
      column[to] = column[to - 1];
      slot[to] = slot[to - 1];
    }
    column[to] = at;
    slot[to] = graph->slot[k];
  }
  return count;
}

/* The part of a position, which is none of a separator's. */
static size_t part_at(const la_elimination *order, uint32_t position)
{
  size_t low = 0, high = order->part_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    *(order->group_first[middle] <= position ? &low : &high) = middle;
  }
  return low;
}

/* The separators' blocks with columns in parts: counted by part, then listed when there is a list. */
static void couple(block_cholesky *self)
{
  const la_elimination *order = &self->order;
  size_t begin = order->group_first[order->part_count], *first = self->coupled_first;
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t p = begin; p < order->row_count; ++p)
      for (size_t k = self->first[p]; k < self->first[p + 1] && self->column[k] < begin; ++k) {
        size_t part = part_at(order, self->column[k]);
        if (pass == 0)
          ++first[part + 1];
        else
          self->coupled[first[part]++] = (separator_block){k, (uint32_t)p};
      }
    if (pass == 0)
      for (size_t part = 0; part < order->part_count; ++part) first[part + 1] += first[part];
  }
  for (size_t part = order->part_count; part > 0; --part) first[part] = first[part - 1];
  first[0] = 0;
}

static scr_status no_memory(const block_cholesky *self, scr_error *error)
{
  return scr_fail_memory(error, "an incomplete Cholesky factor",
                         (self->block_count + self->graph.row_count) * (LA_BLOCK_SIZE + 3) * sizeof(double));
}

static scr_status build(block_cholesky *self, const la_block_matrix *matrix, scr_error *error)
{
  size_t n = matrix->row_count;
  SCR_TRY(la_block_graph_take(&self->graph, matrix, error));
  SCR_TRY(la_elimination_take(&self->order, &self->graph, error));
  self->block_count = self->graph.edge_count / 2;
  self->first = mem_array(n + 1, sizeof *self->first);
  self->column = mem_array(self->block_count, sizeof *self->column);
  self->slot = mem_array(self->block_count, sizeof *self->slot);
  self->lower = mem_array(self->block_count, LA_BLOCK_SIZE * sizeof *self->lower);
  self->factors = mem_array(n, LA_BLOCK_SIZE * sizeof *self->factors);
  self->coupled_first = mem_array(self->order.part_count + 1, sizeof *self->coupled_first);
  self->failed = mem_array(self->order.group_count, sizeof *self->failed);
  if (!self->first || !self->column || !self->slot || !self->lower || !self->factors || !self->coupled_first || !self->failed)
    return no_memory(self, error);
  for (size_t p = 0; p < n; ++p)
    self->first[p + 1] = self->first[p] + place_row(self, p, self->column + self->first[p], self->slot + self->first[p]);
  size_t begin = self->first[self->order.group_first[self->order.part_count]];
  self->coupled = mem_array(self->block_count - begin, sizeof *self->coupled);
  if (!self->coupled) return no_memory(self, error);
  couple(self);
  return SCR_OK;
}

/* ── factor ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* block -= sum over the columns k that rows a and b share before `end_a` of L_ak L_bk^T; rows are sorted. */
static void subtract_shared(const block_cholesky *self, size_t a, size_t end_a, size_t row_b, double *block)
{
  size_t b = self->first[row_b], end_b = self->first[row_b + 1];
  while (a < end_a && b < end_b) {
    if (self->column[a] < self->column[b])
      ++a;
    else if (self->column[a] > self->column[b])
      ++b;
    else
      block6_subtract_product(self->lower + LA_BLOCK_SIZE * a++, self->lower + LA_BLOCK_SIZE * b++, block);
  }
}

static bool factor_group(block_cholesky *self, const la_block_matrix *matrix, size_t group, double shift)
{
  for (size_t p = self->order.group_first[group]; p < self->order.group_first[group + 1]; ++p) {
    double pivot[LA_BLOCK_SIZE];
    memcpy(pivot, matrix->values + LA_BLOCK_SIZE * matrix->diagonal[self->order.row[p]], sizeof pivot);
    for (int d = 0; d < 6; ++d) pivot[7 * d] *= 1.0 + shift;
    for (size_t k = self->first[p]; k < self->first[p + 1]; ++k) {
      double *block = self->lower + LA_BLOCK_SIZE * k;
      memcpy(block, matrix->values + LA_BLOCK_SIZE * self->slot[k], LA_BLOCK_SIZE * sizeof *block);
      subtract_shared(self, self->first[p], k, self->column[k], block);
      /* block G^-T: each row of the block is solved with G */
      for (int r = 0; r < 6; ++r) block6_forward(self->factors + LA_BLOCK_SIZE * self->column[k], block + 6 * r);
      block6_subtract_product(block, block, pivot);
    }
    if (!block6_cholesky(pivot, self->factors + LA_BLOCK_SIZE * p, 1e-8)) return false;
  }
  return true;
}

/* False when a pivot fails, whichever comes first. */
static bool factor(block_cholesky *self, const la_block_matrix *matrix, double shift)
{
  size_t parts = self->order.part_count, groups = self->order.group_count;
  bool failed = false;
#pragma omp parallel num_threads(self->execution.threads) if (self->execution.threads > 1 && groups > 1)
  {
#pragma omp for schedule(static)
    for (size_t g = 0; g < parts; ++g) self->failed[g] = !factor_group(self, matrix, g, shift);
#pragma omp for schedule(static)
    for (size_t g = parts; g < groups; ++g) self->failed[g] = !factor_group(self, matrix, g, shift);
  }
  for (size_t g = 0; g < groups; ++g) failed = failed || self->failed[g];
  return !failed;
}

/* Last resort when even a doubled diagonal fails: M = |diagonal|. */
static void diagonal_only(block_cholesky *self, const la_block_matrix *matrix)
{
  memset(self->lower, 0, self->block_count * LA_BLOCK_SIZE * sizeof *self->lower);
  memset(self->factors, 0, matrix->row_count * LA_BLOCK_SIZE * sizeof *self->factors);
  for (size_t p = 0; p < matrix->row_count; ++p)
    for (int d = 0; d < 6; ++d) {
      double entry = fabs(matrix->values[LA_BLOCK_SIZE * matrix->diagonal[self->order.row[p]] + (size_t)(7 * d)]);
      self->factors[LA_BLOCK_SIZE * p + (size_t)(7 * d)] = entry > 0.0 ? 1.0 / sqrt(entry) : 1.0;
    }
}

static scr_status update(void *state, const la_block_matrix *matrix, scr_error *error)
{
  static const double shifts[] = {0.0, 1e-3, 1e-2, 1e-1, 1.0};
  block_cholesky *self = state;
  if (!la_block_graph_matches(&self->graph, matrix)) {
    release(self);
    scr_status status = build(self, matrix, error);
    if (status != SCR_OK) {
      release(self);
      return status;
    }
  }
  for (size_t k = 0; k < sizeof shifts / sizeof *shifts; ++k)
    if (factor(self, matrix, shifts[k])) return SCR_OK;
  diagonal_only(self, matrix);
  return SCR_OK;
}

/* ── substitution ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* z = L^-1 r in a group's rows; those before it that they need are done. */
static void forward(const block_cholesky *self, size_t group, const double *r, double *z)
{
  const uint32_t *row = self->order.row;
  for (size_t p = self->order.group_first[group]; p < self->order.group_first[group + 1]; ++p) {
    double sum[6] = {0}, *to = z + (size_t)6 * row[p];
    const double *from = r + (size_t)6 * row[p];
    for (size_t k = self->first[p]; k < self->first[p + 1]; ++k)
      block6_multiply_add(self->lower + LA_BLOCK_SIZE * k, z + (size_t)6 * row[self->column[k]], sum);
    for (int d = 0; d < 6; ++d) to[d] = from[d] - sum[d];
    block6_forward(self->factors + LA_BLOCK_SIZE * p, to);
  }
}

/* z = L^-T z in a group's rows, from which later groups' part is subtracted already. */
static void backward(const block_cholesky *self, size_t group, double *z)
{
  const uint32_t *row = self->order.row;
  size_t begin = self->order.group_first[group];
  for (size_t p = self->order.group_first[group + 1]; p-- > begin;) {
    double *from = z + (size_t)6 * row[p];
    block6_backward(self->factors + LA_BLOCK_SIZE * p, from);
    for (size_t k = self->first[p + 1]; k-- > self->first[p] && self->column[k] >= begin;)
      block6_transposed_subtract(self->lower + LA_BLOCK_SIZE * k, from, z + (size_t)6 * row[self->column[k]]);
  }
}

/* Subtracts the separators' part in the rows of a part. */
static void subtract_separators(const block_cholesky *self, size_t part, double *z)
{
  const uint32_t *row = self->order.row;
  for (size_t c = self->coupled_first[part]; c < self->coupled_first[part + 1]; ++c) {
    const separator_block *from = &self->coupled[c];
    block6_transposed_subtract(self->lower + LA_BLOCK_SIZE * from->block, z + (size_t)6 * row[from->position],
                               z + (size_t)6 * row[self->column[from->block]]);
  }
}

static void apply(void *state, const double *r, double *z)
{
  const block_cholesky *self = state;
  const size_t *coupled = self->coupled_first;
  size_t parts = self->order.part_count, groups = self->order.group_count;
#pragma omp parallel num_threads(self->execution.threads) if (self->execution.threads > 1 && groups > 1)
  {
#pragma omp for schedule(static)
    for (size_t g = 0; g < parts; ++g) {
      forward(self, g, r, z);
      if (coupled[g] == coupled[g + 1]) backward(self, g, z);
    }
#pragma omp for schedule(static)
    for (size_t g = parts; g < groups; ++g) {
      forward(self, g, r, z);
      backward(self, g, z);
    }
#pragma omp for schedule(static)
    for (size_t g = 0; g < parts; ++g) {
      if (coupled[g] == coupled[g + 1]) continue;
      subtract_separators(self, g, z);
      backward(self, g, z);
    }
  }
}

static void destroy(void *state)
{
  release(state);
  mem_free(state);
}

static size_t bytes(const void *state)
{
  const block_cholesky *self = state;
  size_t n = self->graph.row_count;
  return (n + self->block_count) * LA_BLOCK_SIZE * sizeof(double) + self->block_count * (sizeof *self->column + sizeof *self->slot) +
         n * (sizeof *self->first + 2 * sizeof *self->order.row) +
         self->graph.edge_count * (sizeof *self->graph.column + sizeof *self->slot);
}

scr_status la_block_cholesky_create(scr_execution execution, la_preconditioner *preconditioner, scr_error *error)
{
  block_cholesky *self = mem_array(1, sizeof *self);
  *preconditioner = (la_preconditioner){0};
  if (!self) return scr_fail_memory(error, "a preconditioner", sizeof *self);
  self->execution = execution;
  *preconditioner = (la_preconditioner){"block-cholesky", self, update, apply, destroy, bytes};
  return SCR_OK;
}
