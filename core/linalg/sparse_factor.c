/** CHOLMOD behind la_factor. */
#include <math.h>
#include <string.h>
#include <suitesparse/cholmod.h>

#include "base/memory.h"
#include "linalg/one_thread.h"
#include "linalg/panels.h"
#include "linalg/sparse.h"

struct la_factor {
  cholmod_common common;
  la_factor_kind kind;
  cholmod_sparse *lower; /* lower triangle of the analysed matrix */
  cholmod_factor *factor;
  cholmod_dense *solution, *work_y, *work_e;
  double *panel_work; /* of one right-hand side; NULL until it is needed */
  size_t analyses, column;
  la_factor_cost cost;
  bool ready; /* the factor holds numbers */
};

scr_status la_factor_create(la_factor_kind kind, la_factor **factor, scr_error *error)
{
  la_factor *self = *factor = mem_array(1, sizeof *self);
  if (!self) return scr_fail_memory(error, "a factor", sizeof *self);
  cholmod_l_start(&self->common);
  self->kind = kind;
  self->column = SIZE_MAX;
  self->common.print = 0;
  self->common.try_catch = 1; /* errors come back as status only */
  self->common.supernodal = kind == LA_FACTOR_CHOLESKY ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
  self->common.final_ll = kind == LA_FACTOR_CHOLESKY;
  self->common.quick_return_if_not_posdef = 1;
  if (kind == LA_FACTOR_SIGNED) { /* of both, that which fills in less: of saddles on a grid AMD takes up to 28 times METIS's operations */
    self->common.nmethods = 2;
    self->common.method[0].ordering = CHOLMOD_METIS;
    self->common.method[1].ordering = CHOLMOD_AMD;
  }
  self->common.metis_memory = 2.0; /* METIS does not survive a failed allocation: CHOLMOD asks for twice its estimate first */
  return SCR_OK;
}

static void release(la_factor *self)
{
  cholmod_l_free_sparse(&self->lower, &self->common);
  cholmod_l_free_factor(&self->factor, &self->common);
  cholmod_l_free_dense(&self->solution, &self->common);
  cholmod_l_free_dense(&self->work_y, &self->common);
  cholmod_l_free_dense(&self->work_e, &self->common);
  mem_free(self->panel_work);
  self->panel_work = NULL;
  self->ready = false;
}

void la_factor_destroy(la_factor *self)
{
  if (!self) return;
  release(self);
  cholmod_l_finish(&self->common);
  mem_free(self);
}

/* First entry of a column on or below the diagonal. */
static size_t lower_first(const la_sparse *matrix, size_t column)
{
  size_t k = matrix->first[column];
  while (k < matrix->first[column + 1] && matrix->row[k] < column) ++k;
  return k;
}

/* The matrix by CHOLMOD's types. `lower`: its lower triangle alone, symmetric. NULL: no memory. */
static cholmod_sparse *copy_of(const la_sparse *matrix, bool lower, cholmod_common *common)
{
  size_t n = matrix->column_count, count = 0;
  for (size_t c = 0; c < n; ++c) count += matrix->first[c + 1] - (lower ? lower_first(matrix, c) : matrix->first[c]);
  cholmod_sparse *copy = cholmod_l_allocate_sparse(matrix->row_count, n, count, 1, 1, lower ? -1 : 0, CHOLMOD_REAL, common);
  if (!copy) return NULL;
  SuiteSparse_long *start = copy->p, *row = copy->i;
  double *value = copy->x;
  size_t at = 0;
  for (size_t c = 0; c < n; ++c) {
    start[c] = (SuiteSparse_long)at;
    for (size_t k = lower ? lower_first(matrix, c) : matrix->first[c]; k < matrix->first[c + 1]; ++k, ++at) {
      row[at] = (SuiteSparse_long)matrix->row[k];
      value[at] = matrix->value[k];
    }
  }
  start[n] = (SuiteSparse_long)at;
  return copy;
}

static const char *order_name(int ordering)
{
  switch (ordering) {
  case CHOLMOD_NATURAL: return "natural";
  case CHOLMOD_AMD: return "AMD";
  case CHOLMOD_METIS: return "METIS";
  case CHOLMOD_NESDIS: return "nested dissection";
  default: return "other";
  }
}

la_factor_cost la_factor_estimate(const la_factor *self)
{
  return self->factor ? self->cost : (la_factor_cost){.order = ""};
}

scr_status la_factor_analyse(la_factor *self, const la_sparse *matrix, scr_error *error)
{
  size_t n = matrix->column_count;
  release(self);
  self->column = SIZE_MAX;
  if (matrix->row_count != n)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a matrix of %zu rows and %zu columns has no factor: it must be square", matrix->row_count,
                    n);
  self->common.supernodal = self->kind == LA_FACTOR_CHOLESKY ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
  self->lower = copy_of(matrix, true, &self->common);
  int before = la_one_thread_begin();
  if (self->lower) self->factor = cholmod_l_analyze(self->lower, &self->common);
  la_one_thread_end(before);
  if (!self->factor) {
    release(self);
    return scr_fail_memory(error, "the analysis of a sparse matrix", n * 64);
  }
  ++self->analyses;
  self->cost = (la_factor_cost){self->common.lnz, self->common.fl, order_name(self->factor->ordering)};
  return SCR_OK;
}

/* Copies the values. @return false when the pattern is not the analysed one */
static bool refill(la_factor *self, const la_sparse *matrix)
{
  size_t n = matrix->column_count, at = 0;
  if (!self->factor || self->lower->ncol != n || matrix->row_count != n) return false;
  const SuiteSparse_long *start = self->lower->p, *row = self->lower->i;
  double *value = self->lower->x;
  for (size_t c = 0; c < n; ++c) {
    size_t k = lower_first(matrix, c), end = matrix->first[c + 1];
    if ((size_t)start[c] != at || (size_t)start[c + 1] != at + (end - k)) return false;
    for (; k < end; ++k, ++at) {
      if ((size_t)row[at] != matrix->row[k]) return false;
      value[at] = matrix->value[k];
    }
  }
  return true;
}

/* Pivot j of an L D L^T factor. */
static double pivot(const cholmod_factor *factor, size_t j)
{
  const SuiteSparse_long *start = factor->p;
  const double *value = factor->x;
  return value[start[j]];
}

/* The first position whose pivot is of no use; n when there is none. */
static size_t bad_pivot(const la_factor *self)
{
  const cholmod_factor *factor = self->factor;
  if (factor->minor < factor->n) return factor->minor;
  if (factor->is_ll || factor->is_super) return factor->n;
  for (size_t j = 0; j < factor->n; ++j) {
    double d = pivot(factor, j);
    if (self->kind == LA_FACTOR_CHOLESKY ? !(d > 0.0) : !(fabs(d) > 0.0)) return j;
  }
  return factor->n;
}

/* Whether the factor can be used; else it is none, and its column is told. */
static scr_status judge(la_factor *self, const char *of, scr_error *error)
{
  size_t n = self->factor->n, at = bad_pivot(self);
  self->ready = at == n;
  if (self->ready) return SCR_OK;
  const SuiteSparse_long *order = self->factor->Perm;
  self->column = order ? (size_t)order[at] : at;
  return scr_fail(error, SCR_DIVERGED, NULL, "the matrix of %zu unknowns %s is %s: the pivot of unknown %zu is %s; %s", n, of,
                  self->kind == LA_FACTOR_CHOLESKY ? "not positive definite" : "singular", self->column,
                  self->kind == LA_FACTOR_CHOLESKY ? "not above 0" : "0",
                  self->kind == LA_FACTOR_CHOLESKY ? "hold it, add to its diagonal, or take a signed factor"
                                                   : "hold it or add to its diagonal");
}

scr_status la_factor_make(la_factor *self, const la_sparse *matrix, scr_error *error)
{
  self->ready = false;
  self->column = SIZE_MAX;
  if (!refill(self, matrix)) {
    SCR_TRY(la_factor_analyse(self, matrix, error));
  }
  int before = la_one_thread_begin();
  cholmod_l_factorize(self->lower, self->factor, &self->common);
  la_one_thread_end(before);
  if (self->common.status < 0) {
    release(self);
    return scr_fail_memory(error, "a sparse factor", (size_t)(8.0 * self->common.lnz));
  }
  return judge(self, "", error);
}

size_t la_factor_column(const la_factor *self)
{
  return self->column;
}

static scr_status no_factor(scr_error *error)
{
  return scr_fail(error, SCR_BAD_USAGE, NULL, "there is no factor: call la_factor_make first");
}

/* An array of the caller's as CHOLMOD's dense matrix; CHOLMOD only reads it. */
static cholmod_dense borrowed(const double *values, size_t n, size_t count)
{
  cholmod_dense dense = {.nrow = n, .ncol = count, .nzmax = n * count, .d = n, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
  memcpy(&dense.x, &values, sizeof values);
  return dense;
}

/* One right-hand side of a factor in panels. */
static scr_status solve_by_panels(la_factor *self, const double *b, double *x, scr_error *error)
{
  size_t needed = self->panel_work ? 0 : la_panels_work(self->factor);
  if (needed > 0) SCR_TRY(mem_allocate(&self->panel_work, needed, sizeof *self->panel_work, "the workspace of a sparse solver", error));
  la_panels_solve(self->factor, b, x, self->panel_work);
  return SCR_OK;
}

scr_status la_factor_solve(la_factor *self, const double *b, size_t count, double *x, scr_error *error)
{
  if (!self->ready) return no_factor(error);
  size_t n = self->factor->n;
  if (n == 0 || count == 0) return SCR_OK;
  if (count == 1 && self->factor->is_super) return solve_by_panels(self, b, x, error);
  cholmod_dense right = borrowed(b, n, count);
  int before = la_one_thread_begin();
  int done = cholmod_l_solve2(CHOLMOD_A, self->factor, &right, NULL, &self->solution, NULL, &self->work_y, &self->work_e, &self->common);
  la_one_thread_end(before);
  if (!done) return scr_fail_memory(error, "the workspace of a sparse solver", n * count * 2 * sizeof(double));
  memcpy(x, self->solution->x, n * count * sizeof *x);
  return SCR_OK;
}

scr_status la_factor_update(la_factor *self, const la_sparse *columns, bool down, scr_error *error)
{
  if (!self->ready) return no_factor(error);
  size_t n = self->factor->n;
  if (columns->row_count != n)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a change of %zu rows can't be added to a factor of %zu unknowns", columns->row_count, n);
  cholmod_sparse *given = copy_of(columns, false, &self->common);
  cholmod_sparse *ordered =
      given ? cholmod_l_submatrix(given, self->factor->Perm, (SuiteSparse_long)n, NULL, -1, 1, 1, &self->common) : NULL;
  int before = la_one_thread_begin();
  int done = ordered && cholmod_l_updown(!down, ordered, self->factor, &self->common);
  la_one_thread_end(before);
  cholmod_l_free_sparse(&given, &self->common);
  cholmod_l_free_sparse(&ordered, &self->common);
  if (!done && self->common.status < 0) {
    release(self);
    return scr_fail_memory(error, "the update of a sparse factor", n * 16);
  }
  return judge(self, down ? "less the change" : "and the change", error);
}

size_t la_factor_negative_count(const la_factor *self)
{
  size_t count = 0;
  if (!self->ready || self->factor->is_ll || self->factor->is_super) return 0;
  for (size_t j = 0; j < self->factor->n; ++j) count += pivot(self->factor, j) < 0.0;
  return count;
}

double la_factor_condition(la_factor *self)
{
  return self->ready ? cholmod_l_rcond(self->factor, &self->common) : 0.0;
}

size_t la_factor_analysis_count(const la_factor *self)
{
  return self->analyses;
}
