/* KLU and UMFPACK behind la_lu. */
#include "linalg/sparse_lu.h"

#include <math.h>
#include <string.h>
#include <suitesparse/klu.h>
#include <suitesparse/umfpack.h>

#include "base/memory.h"
#include "linalg/one_thread.h"

struct la_lu {
  la_lu_kind kind;
  size_t size, entries, analyses, fill;
  SuiteSparse_long *first, *row; /* the analysed pattern */
  double *value;
  klu_l_common klu;
  klu_l_symbolic *klu_symbolic;
  klu_l_numeric *klu_numeric;
  double control[UMFPACK_CONTROL];
  void *umf_symbolic, *umf_numeric;
};

scr_status la_lu_create(la_lu_kind kind, la_lu **lu, scr_error *error)
{
  la_lu *self = *lu = mem_array(1, sizeof *self);
  if (!self) return scr_fail_memory(error, "a factor", sizeof *self);
  self->kind = kind;
  klu_l_defaults(&self->klu);
  umfpack_dl_defaults(self->control);
  self->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC; /* the patterns are: diagonal pivots where they are large enough */
  self->control[UMFPACK_PRL] = 0;
  return SCR_OK;
}

static void drop_numbers(la_lu *self)
{
  if (self->klu_numeric) klu_l_free_numeric(&self->klu_numeric, &self->klu);
  if (self->umf_numeric) umfpack_dl_free_numeric(&self->umf_numeric);
  self->fill = 0;
}

static void drop_pattern(la_lu *self)
{
  drop_numbers(self);
  if (self->klu_symbolic) klu_l_free_symbolic(&self->klu_symbolic, &self->klu);
  if (self->umf_symbolic) umfpack_dl_free_symbolic(&self->umf_symbolic);
  mem_free(self->first);
  mem_free(self->row);
  mem_free(self->value);
  self->first = self->row = NULL;
  self->value = NULL;
  self->size = self->entries = 0;
}

void la_lu_destroy(la_lu *self)
{
  if (!self) return;
  drop_pattern(self);
  mem_free(self);
}

static bool same_pattern(const la_lu *self, const la_sparse *matrix)
{
  size_t n = matrix->column_count, entries = n ? matrix->first[n] : 0;
  if (!self->first || self->size != n || self->entries != entries) return false;
  for (size_t c = 0; c <= n; ++c)
    if ((size_t)self->first[c] != matrix->first[c]) return false;
  for (size_t k = 0; k < entries; ++k)
    if ((size_t)self->row[k] != matrix->row[k]) return false;
  return true;
}

static scr_status analyse(la_lu *self, const la_sparse *matrix, scr_error *error)
{
  size_t n = matrix->column_count, entries = n ? matrix->first[n] : 0;
  drop_pattern(self);
  self->first = mem_array(n + 1, sizeof *self->first);
  self->row = mem_array(entries, sizeof *self->row);
  self->value = mem_array(entries, sizeof *self->value);
  if (!self->first || !self->row || !self->value) {
    drop_pattern(self);
    return scr_fail_memory(error, "a sparse factor", entries * 16);
  }
  for (size_t c = 0; c <= n; ++c) self->first[c] = (SuiteSparse_long)matrix->first[c];
  for (size_t k = 0; k < entries; ++k) self->row[k] = (SuiteSparse_long)matrix->row[k];
  memcpy(self->value, matrix->value, entries * sizeof *self->value);
  self->size = n;
  self->entries = entries;
  ++self->analyses;
  bool done;
  if (self->kind == LA_LU_KLU)
    done = (self->klu_symbolic = klu_l_analyze((SuiteSparse_long)n, self->first, self->row, &self->klu)) != NULL;
  else
    done = umfpack_dl_symbolic((SuiteSparse_long)n, (SuiteSparse_long)n, self->first, self->row, self->value, &self->umf_symbolic,
                               self->control, NULL) >= 0;
  if (done) return SCR_OK;
  drop_pattern(self);
  return scr_fail_memory(error, "the analysis of a sparse matrix", entries * 64);
}

static scr_status singular(const la_lu *self, scr_error *error)
{
  return scr_fail(error, SCR_DIVERGED, NULL, "the matrix of %zu unknowns is singular to working precision", self->size);
}

static scr_status make_klu(la_lu *self, scr_error *error)
{
  self->klu_numeric = klu_l_factor(self->first, self->row, self->value, self->klu_symbolic, &self->klu);
  if (self->klu.status == KLU_SINGULAR || (!self->klu_numeric && self->klu.status != KLU_OUT_OF_MEMORY)) {
    drop_numbers(self);
    return singular(self, error);
  }
  if (!self->klu_numeric) return scr_fail_memory(error, "a sparse factor", self->entries * 64);
  self->fill = (size_t)self->klu_numeric->lnz + (size_t)self->klu_numeric->unz;
  return SCR_OK;
}

static scr_status make_umfpack(la_lu *self, scr_error *error)
{
  double info[UMFPACK_INFO] = {0};
  SuiteSparse_long status =
      umfpack_dl_numeric(self->first, self->row, self->value, self->umf_symbolic, &self->umf_numeric, self->control, info);
  if (status == UMFPACK_ERROR_out_of_memory) return scr_fail_memory(error, "a sparse factor", self->entries * 64);
  if (status != UMFPACK_OK) { /* singular, or numbers that are none */
    drop_numbers(self);
    return singular(self, error);
  }
  self->fill = (size_t)(info[UMFPACK_LNZ] + info[UMFPACK_UNZ]);
  return SCR_OK;
}

scr_status la_lu_make(la_lu *self, const la_sparse *matrix, scr_error *error)
{
  if (matrix->row_count != matrix->column_count)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a matrix of %zu rows and %zu columns has no factor: it must be square", matrix->row_count,
                    matrix->column_count);
  size_t entries = matrix->column_count ? matrix->first[matrix->column_count] : 0;
  int before = la_one_thread_begin();
  scr_status status = SCR_OK;
  if (same_pattern(self, matrix)) {
    drop_numbers(self);
    memcpy(self->value, matrix->value, entries * sizeof *self->value);
  } else {
    status = analyse(self, matrix, error);
  }
  for (size_t k = 0; status == SCR_OK && k < entries; ++k)
    if (!isfinite(self->value[k])) status = singular(self, error);
  if (status == SCR_OK) status = self->kind == LA_LU_KLU ? make_klu(self, error) : make_umfpack(self, error);
  la_one_thread_end(before);
  return status;
}

scr_status la_lu_solve(la_lu *self, const double *b, double *x, scr_error *error)
{
  if (!self->klu_numeric && !self->umf_numeric) return scr_fail(error, SCR_BAD_USAGE, NULL, "there is no factor: call la_lu_make first");
  int before = la_one_thread_begin();
  bool done;
  if (self->kind == LA_LU_KLU) {
    memcpy(x, b, self->size * sizeof *x);
    done = klu_l_solve(self->klu_symbolic, self->klu_numeric, (SuiteSparse_long)self->size, 1, x, &self->klu) != 0;
  } else {
    done = umfpack_dl_solve(UMFPACK_A, self->first, self->row, self->value, x, b, self->umf_numeric, self->control, NULL) >= 0;
  }
  la_one_thread_end(before);
  return done ? SCR_OK : scr_fail_memory(error, "the workspace of a sparse solver", self->size * 5 * sizeof(double));
}

size_t la_lu_fill(const la_lu *self)
{
  return self->fill;
}

size_t la_lu_analysis_count(const la_lu *self)
{
  return self->analyses;
}
