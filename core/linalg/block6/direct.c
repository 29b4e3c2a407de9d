/** CHOLMOD behind la_direct. The matrix is handed over as S A S, S = diag(A)^-1/2: pivots are then free of units, and a tiny one
 *  means a singular matrix. Its lower triangle by columns is the upper block triangle by rows, because A is symmetric. */
#include "linalg/block6/direct.h"

#include <suitesparse/cholmod.h>

#include "base/memory.h"
#include "linalg/block6/block_graph.h"
#include "linalg/one_thread.h"

struct la_direct {
  cholmod_common common;
  la_block_graph graph;
  cholmod_sparse *lower; /* S A S, lower triangle, columns sorted */
  double *scale;         /* [n][6] the diagonal of S */
  cholmod_factor *factor;
  cholmod_dense *right, *solution, *work_y, *work_e;
  size_t analyses;
  bool ready; /* the factor holds numbers */
};

scr_status la_direct_create(la_direct **direct, scr_error *error)
{
  la_direct *self = mem_array(1, sizeof *self);
  *direct = NULL;
  if (!self) return scr_fail_memory(error, "a direct solver", sizeof *self);
  cholmod_l_start(&self->common);
  self->common.print = 0;
  self->common.try_catch = 1; /* errors come back as status only */
  self->common.supernodal = CHOLMOD_SUPERNODAL;
  self->common.quick_return_if_not_posdef = 1;
  self->common.nmethods = 1;
  self->common.method[0].ordering = CHOLMOD_GIVEN;
  self->common.postorder = 1;
  self->common.metis_memory = 2.0; /* METIS does not survive a failed allocation: CHOLMOD asks for twice its estimate first */
  *direct = self;
  return SCR_OK;
}

static void release(la_direct *self)
{
  cholmod_l_free_sparse(&self->lower, &self->common);
  cholmod_l_free_factor(&self->factor, &self->common);
  cholmod_l_free_dense(&self->right, &self->common);
  cholmod_l_free_dense(&self->solution, &self->common);
  cholmod_l_free_dense(&self->work_y, &self->common);
  cholmod_l_free_dense(&self->work_e, &self->common);
  la_block_graph_clear(&self->graph);
  mem_free(self->scale);
  self->scale = NULL;
  self->ready = false;
}

void la_direct_destroy(la_direct *self)
{
  if (!self) return;
  release(self);
  cholmod_l_finish(&self->common);
  mem_free(self);
}

/* Nested dissection of the graph of blocks, spread over the six unknowns of each: order[6 k + d] = 6 nodes[k] + d. */
static bool order_unknowns(la_direct *self, SuiteSparse_long *order)
{
  size_t n = self->graph.row_count;
  cholmod_sparse *pattern = cholmod_l_allocate_sparse(n, n, self->graph.edge_count / 2, 1, 1, -1, CHOLMOD_PATTERN, &self->common);
  SuiteSparse_long *nodes = mem_array(n, sizeof *nodes);
  bool done = pattern && nodes;
  if (done) {
    SuiteSparse_long *start = pattern->p, *row = pattern->i, count = 0;
    for (size_t k = 0; k < n; ++k) {
      start[k] = count;
      for (size_t edge = self->graph.first[k]; edge < self->graph.first[k + 1]; ++edge)
        if (self->graph.column[edge] > k) row[count++] = (SuiteSparse_long)self->graph.column[edge];
    }
    start[n] = count;
    done = cholmod_l_metis(pattern, NULL, 0, 1, nodes, &self->common);
  }
  for (size_t k = 0; done && k < n; ++k)
    for (int d = 0; d < 6; ++d) order[6 * k + (size_t)d] = 6 * nodes[k] + d;
  cholmod_l_free_sparse(&pattern, &self->common);
  mem_free(nodes);
  return done;
}

/* Column 6 i + c of the lower triangle: rows c .. 5 of the diagonal block, then the six rows of every block (j, i), j > i. */
static void place_rows(la_direct *self)
{
  SuiteSparse_long *start = self->lower->p, *row = self->lower->i, count = 0;
  for (size_t i = 0; i < self->graph.row_count; ++i)
    for (size_t c = 0; c < 6; ++c) {
      start[6 * i + c] = count;
      for (size_t r = c; r < 6; ++r) row[count++] = (SuiteSparse_long)(6 * i + r);
      for (size_t edge = self->graph.first[i]; edge < self->graph.first[i + 1]; ++edge)
        for (size_t r = 0; self->graph.column[edge] > i && r < 6; ++r)
          row[count++] = (SuiteSparse_long)(6 * (size_t)self->graph.column[edge] + r);
    }
  start[6 * self->graph.row_count] = count;
}

static bool allocate(la_direct *self)
{
  size_t n = self->graph.row_count, count = 21 * n + 36 * (self->graph.edge_count / 2);
  self->lower = cholmod_l_allocate_sparse(6 * n, 6 * n, count, 1, 1, -1, CHOLMOD_REAL, &self->common);
  self->right = cholmod_l_allocate_dense(6 * n, 1, 6 * n, CHOLMOD_REAL, &self->common);
  return self->lower && self->right;
}

static scr_status analyse(la_direct *self, const la_block_matrix *matrix, scr_error *error)
{
  release(self);
  SCR_TRY(la_block_graph_take(&self->graph, matrix, error));
  SuiteSparse_long *order = mem_array(matrix->row_count, 6 * sizeof *order);
  bool done = order && allocate(self);
  if (done) place_rows(self);
  done = done && order_unknowns(self, order);
  if (done) self->factor = cholmod_l_analyze_p(self->lower, order, NULL, 0, &self->common);
  mem_free(order);
  self->scale = mem_array(matrix->row_count, 6 * sizeof *self->scale);
  self->analyses++;
  if (done && self->factor && self->scale) return SCR_OK;
  release(self);
  scr_fail_memory(error, "the analysis of a Cholesky factor", (matrix->block_count + matrix->row_count) * LA_BLOCK_SIZE * 8);
  return SCR_NO_MEMORY;
}

/* Values of S A S + shift in the order of place_rows. False when a diagonal entry of A is not > 0. */
static bool fill(la_direct *self, const la_block_matrix *matrix, double shift)
{
  double *value = self->lower->x, *s = self->scale;
  for (size_t i = 0; i < matrix->row_count; ++i)
    for (size_t d = 0; d < 6; ++d) {
      double entry = matrix->values[LA_BLOCK_SIZE * matrix->diagonal[i] + 7 * d];
      if (!(entry > 0.0) || !isfinite(entry)) return false;
      s[6 * i + d] = 1.0 / sqrt(entry);
    }
  for (size_t i = 0; i < matrix->row_count; ++i)
    for (size_t c = 0; c < 6; ++c) {
      const double *diagonal = matrix->values + LA_BLOCK_SIZE * matrix->diagonal[i];
      double own = s[6 * i + c];
      *value++ = own * own * diagonal[7 * c] + shift;
      for (size_t r = c + 1; r < 6; ++r) *value++ = own * s[6 * i + r] * diagonal[6 * r + c];
      for (size_t edge = self->graph.first[i]; edge < self->graph.first[i + 1]; ++edge) {
        size_t j = self->graph.column[edge];
        const double *block = matrix->values + LA_BLOCK_SIZE * self->graph.slot[edge];
        for (size_t r = 0; j > i && r < 6; ++r) *value++ = own * s[6 * j + r] * block[6 * c + r];
      }
    }
  return true;
}

/* CHOLMOD's own loops would ask for four threads each, whatever the machine has and the caller allowed. */
static int factorise_alone(la_direct *self)
{
  int before = la_one_thread_begin();
  cholmod_l_factorize(self->lower, self->factor, &self->common);
  la_one_thread_end(before);
  return self->common.status;
}

scr_status la_direct_factor(la_direct *self, const la_block_matrix *matrix, double shift, scr_error *error)
{
  self->ready = false;
  if (!la_block_graph_matches(&self->graph, matrix)) SCR_TRY(analyse(self, matrix, error));
  if (matrix->row_count == 0) return self->ready = true, SCR_OK;
  bool positive = fill(self, matrix, shift);
  if (positive) {
    int status = factorise_alone(self);
    if (status < 0) {
      release(self);
      return scr_fail_memory(error, "a Cholesky factor", (size_t)(8.0 * self->common.lnz));
    }
    positive = status != CHOLMOD_NOT_POSDEF;
  }
  double condition = positive ? cholmod_l_rcond(self->factor, &self->common) : 0.0;
  if (!(condition > 1e-15))
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "the matrix of %zu unknowns %s: the direct solver needs a positive definite one, so hold the body against rigid "
                    "motion, give it inertia (a finite time step) or take another preconditioner",
                    6 * matrix->row_count, positive ? "is singular to working precision" : "is not positive definite");
  self->ready = true;
  /* The first solve allocates the workspace of all later ones. */
  memset(self->right->x, 0, 6 * matrix->row_count * sizeof(double));
  self->ready =
      cholmod_l_solve2(CHOLMOD_A, self->factor, self->right, NULL, &self->solution, NULL, &self->work_y, &self->work_e, &self->common);
  if (self->ready) return SCR_OK;
  return scr_fail_memory(error, "the workspace of a direct solver", 6 * matrix->row_count * sizeof(double));
}

scr_status la_direct_solve(la_direct *self, const double *b, double *x, scr_error *error)
{
  size_t count = 6 * self->graph.row_count;
  if (!self->ready) return scr_fail(error, SCR_BAD_USAGE, NULL, "there is no factor: call la_direct_factor first");
  if (count == 0) return SCR_OK;
  double *right = self->right->x;
  for (size_t k = 0; k < count; ++k) right[k] = self->scale[k] * b[k];
  if (!cholmod_l_solve2(CHOLMOD_A, self->factor, self->right, NULL, &self->solution, NULL, &self->work_y, &self->work_e, &self->common))
    return scr_fail_memory(error, "the workspace of a direct solver", count * sizeof(double));
  const double *solution = self->solution->x;
  for (size_t k = 0; k < count; ++k) x[k] = self->scale[k] * solution[k];
  return SCR_OK;
}

size_t la_direct_bytes(const la_direct *self)
{
  return self->ready && self->factor ? self->factor->xsize * sizeof(double) : 0;
}

size_t la_direct_analysis_count(const la_direct *self)
{
  return self->analyses;
}
