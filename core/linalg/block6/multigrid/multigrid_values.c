/** The numbers of the hierarchy, on fixed patterns. Every loop runs over rows that one thread owns, so the bits do not depend on threads.
 *  */

#include "linalg/block6/multigrid/multigrid_level.h"

enum { BLOCK = LA_BLOCK_SIZE };

/* block L^-T, rounded */
static void divide_columns(const double *block, const double *factor, la_rounded_block *to)
{
  double turned[BLOCK], scaled[BLOCK];
  block6_transpose(block, turned);
  block6_forward_block(factor, turned);
  block6_transpose(turned, scaled);
  la_round_block(scaled, to);
}

void la_level_scaled_block(const la_level *level, size_t row, size_t edge, double *block)
{
  double turned[BLOCK];
  memcpy(block, level->matrix->values + BLOCK * level->graph.slot[edge], BLOCK * sizeof *block);
  block6_forward_block(level->factors + BLOCK * row, block);
  block6_transpose(block, turned);
  block6_forward_block(level->factors + (size_t)BLOCK * level->graph.column[edge], turned);
  block6_transpose(turned, block);
}

void la_level_values(la_level *level, scr_execution execution)
{
  const la_block_graph *graph = &level->graph;
  const la_block_matrix *matrix = level->matrix;
  ptrdiff_t rows = (ptrdiff_t)graph->row_count;
  (void)execution; /* read by the pragmas only */
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t row = 0; row < rows; ++row)
    block6_factor_always(matrix->values + BLOCK * matrix->diagonal[row], level->factors + BLOCK * row);
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t row = 0; row < rows; ++row) {
    la_rounded_block *to = level->folded.values + level->folded.first[row];
    for (size_t edge = graph->first[row]; edge < graph->first[row + 1]; ++edge) {
      double block[BLOCK];
      if (graph->column[edge] < row) continue;
      la_level_scaled_block(level, (size_t)row, edge, block);
      la_round_block(block, to++);
    }
  }
  level->largest_eigenvalue = la_level_largest_eigenvalue(level, execution);
}

/* Sum over the members of the products of two columns of their tentative blocks. */
static double column_product(const la_level *level, size_t begin, size_t end, int a, int b)
{
  double sum = 0.0;
  for (size_t k = begin; k < end; ++k) {
    const double *q = level->tentative + (size_t)BLOCK * level->member[k];
    for (int r = 0; r < 6; ++r) sum += q[6 * r + a] * q[6 * r + b];
  }
  return sum;
}

/* Gram and Schmidt, each projection twice, on the columns of an aggregate; R goes to `r`. A column that the ones before it span (the
 * aggregate can't tell that motion from theirs, or is held against it) becomes zero, and its row of R too. */
static void orthonormalise(const la_level *level, size_t begin, size_t end, double *r)
{
  memset(r, 0, BLOCK * sizeof *r);
  for (int c = 0; c < 6; ++c) {
    double before = sqrt(column_product(level, begin, end, c, c));
    for (int pass = 0; pass < 2; ++pass)
      for (int p = 0; p < c; ++p) {
        double s = column_product(level, begin, end, p, c);
        r[6 * p + c] += s;
        for (size_t k = begin; k < end; ++k)
          for (int d = 0; d < 6; ++d) {
            double *q = level->tentative + (size_t)BLOCK * level->member[k] + (size_t)(6 * d);
            q[c] -= s * q[p];
          }
      }
    double length = sqrt(column_product(level, begin, end, c, c));
    bool spanned = !(length > 1e-10 * before);
    r[7 * c] = spanned ? 0.0 : length;
    for (size_t k = begin; k < end; ++k)
      for (int d = 0; d < 6; ++d) level->tentative[(size_t)BLOCK * level->member[k] + (size_t)(6 * d + c)] *= spanned ? 0.0 : 1.0 / length;
  }
}

void la_level_tentative(la_level *fine, la_level *coarse, scr_execution execution)
{
  ptrdiff_t count = (ptrdiff_t)fine->coarse_count;
  (void)execution;
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t a = 0; a < count; ++a) {
    size_t begin = fine->member_first[a], end = fine->member_first[a + 1];
    for (size_t k = begin; k < end; ++k) {
      size_t at = (size_t)BLOCK * fine->member[k];
      block6_transposed_factor_product(fine->factors + at, fine->modes + at, fine->tentative + at);
    }
    orthonormalise(fine, begin, end, coarse->modes + BLOCK * a);
    for (size_t k = begin; k < end; ++k) {
      size_t at = (size_t)BLOCK * fine->member[k];
      block6_backward_block(fine->factors + at, fine->tentative + at);
    }
  }
}

/* The block of `row` in `column`, which is there. */
static double *block_at(const la_block_rows *rows, size_t row, uint32_t column)
{
  size_t k = rows->first[row];
  while (rows->column[k] != column) ++k;
  return rows->values + BLOCK * k;
}

/* P_i = P0_i - omega D_i^-1 (A P0)_i */
static void smooth_row(la_level *fine, size_t row, double omega)
{
  const la_block_graph *graph = &fine->graph;
  const la_block_matrix *matrix = fine->matrix;
  la_block_rows *p = &fine->smoothed;
  size_t begin = p->first[row], end = p->first[row + 1];
  if (begin == end) return;
  memset(p->values + BLOCK * begin, 0, (end - begin) * BLOCK * sizeof *p->values);
  block6_add_product(matrix->values + BLOCK * matrix->diagonal[row], fine->tentative + BLOCK * row, block_at(p, row, fine->aggregate[row]));
  for (size_t edge = graph->first[row]; edge < graph->first[row + 1]; ++edge) {
    uint32_t other = graph->column[edge];
    block6_add_product(matrix->values + BLOCK * graph->slot[edge], fine->tentative + (size_t)BLOCK * other,
                       block_at(p, row, fine->aggregate[other]));
  }
  for (size_t k = begin; k < end; ++k) {
    double *block = p->values + BLOCK * k;
    block6_forward_block(fine->factors + BLOCK * row, block);
    block6_backward_block(fine->factors + BLOCK * row, block);
    for (int e = 0; e < BLOCK; ++e) block[e] *= -omega;
  }
  double *own = block_at(p, row, fine->aggregate[row]);
  for (size_t e = 0; e < BLOCK; ++e) own[e] += fine->tentative[BLOCK * row + e];
}

/* (A P)_i += A_ij P_j; both rows of columns ascend. */
static void add_row(la_level *fine, size_t row, const double *block, size_t other)
{
  const la_block_rows *p = &fine->smoothed;
  size_t at = fine->product.first[row];
  for (size_t k = p->first[other]; k < p->first[other + 1]; ++k) {
    while (fine->product.column[at] != p->column[k]) ++at;
    block6_add_product(block, p->values + BLOCK * k, fine->product.values + BLOCK * at);
  }
}

static void product_row(la_level *fine, size_t row)
{
  const la_block_graph *graph = &fine->graph;
  const la_block_matrix *matrix = fine->matrix;
  size_t begin = fine->product.first[row], end = fine->product.first[row + 1];
  memset(fine->product.values + BLOCK * begin, 0, (end - begin) * BLOCK * sizeof(double));
  add_row(fine, row, matrix->values + BLOCK * matrix->diagonal[row], row);
  for (size_t edge = graph->first[row]; edge < graph->first[row + 1]; ++edge)
    add_row(fine, row, matrix->values + BLOCK * graph->slot[edge], graph->column[edge]);
}

/* Row I of P^T A P from its diagonal on. An unknown whose column of P is zero decouples: its diagonal entry becomes 1. */
static void coarse_row(const la_level *fine, la_block_matrix *coarse, size_t row)
{
  const la_block_rows *ap = &fine->product;
  size_t diagonal = coarse->diagonal[row], end = coarse->first[row + 1];
  memset(coarse->values + BLOCK * diagonal, 0, (end - diagonal) * BLOCK * sizeof(double));
  for (size_t t = fine->transposed[row]; t < fine->transposed[row + 1]; ++t) {
    size_t at = diagonal;
    const double *p = fine->smoothed.values + BLOCK * fine->fine_slot[t];
    for (size_t k = ap->first[fine->fine_row[t]]; k < ap->first[fine->fine_row[t] + 1]; ++k) {
      if (ap->column[k] < row) continue;
      while (coarse->column[at] != ap->column[k]) ++at;
      block6_add_transposed_product(p, ap->values + BLOCK * k, coarse->values + BLOCK * at);
    }
  }
  for (size_t d = 0; d < 6; ++d) {
    double *entry = coarse->values + BLOCK * diagonal + 7 * d;
    if (*entry == 0.0) *entry = 1.0;
  }
}

/* Blocks before the diagonal are the transposed ones after it. */
static void mirror_row(la_block_matrix *coarse, size_t row)
{
  for (size_t k = coarse->first[row]; k < coarse->diagonal[row]; ++k) {
    const double *from = coarse->values + BLOCK * la_block_matrix_slot(coarse, coarse->column[k], (uint32_t)row);
    block6_transpose(from, coarse->values + BLOCK * k);
  }
}

void la_level_galerkin(la_level *fine, la_level *coarse, scr_execution execution)
{
  ptrdiff_t rows = (ptrdiff_t)fine->graph.row_count, coarse_rows = (ptrdiff_t)fine->coarse_count;
  double omega = 4.0 / (3.0 * fine->largest_eigenvalue);
  (void)execution;
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t row = 0; row < rows; ++row) smooth_row(fine, (size_t)row, omega);
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t row = 0; row < rows; ++row) product_row(fine, (size_t)row);
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t row = 0; row < coarse_rows; ++row) coarse_row(fine, &coarse->own, (size_t)row);
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t row = 0; row < coarse_rows; ++row) mirror_row(&coarse->own, (size_t)row);
}

void la_level_scale_prolongator(la_level *fine, const la_level *coarse, scr_execution execution)
{
  const la_block_rows *p = &fine->smoothed;
  ptrdiff_t rows = (ptrdiff_t)fine->graph.row_count, coarse_rows = (ptrdiff_t)fine->coarse_count;
  (void)execution;
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t row = 0; row < rows; ++row)
    for (size_t k = p->first[row]; k < p->first[row + 1]; ++k) {
      double scaled[BLOCK];
      block6_transposed_factor_product(fine->factors + BLOCK * row, p->values + BLOCK * k, scaled);
      divide_columns(scaled, coarse->factors + (size_t)BLOCK * p->column[k], fine->prolongator + k);
    }
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t column = 0; column < coarse_rows; ++column)
    for (size_t t = fine->transposed[column]; t < fine->transposed[column + 1]; ++t)
      fine->restrictor[t] = fine->prolongator[fine->fine_slot[t]];
}
