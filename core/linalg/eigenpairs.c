/* Shift and invert: ARPACK asks for products, sparse.h solves. */
#include "linalg/eigenpairs.h"

#include <arpack/arpack.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/one_thread.h"

/* Up to so many unknowns, or fewer than three Lanczos bases, a dense solution takes no longer; and Lanczos vectors don't run out. */
enum { DENSE = 100, BASES = 3, RESTARTS = 300 };

/* ARPACK's own routine: dseupd_c, its wrapper for C, allocates without looking whether it got memory. Lengths of characters come last. */
void dseupd_(const a_int *rvec, const char *howmny, const a_int *select, double *d, double *z, const a_int *ldz, const double *sigma,
             const char *bmat, const a_int *n, const char *which, const a_int *nev, const double *tol, double *resid, const a_int *ncv,
             double *v, const a_int *ldv, a_int *iparam, a_int *ipntr, double *workd, double *workl, const a_int *lworkl, a_int *info,
             size_t howmny_length, size_t bmat_length, size_t which_length);

static pthread_mutex_t arpack = PTHREAD_MUTEX_INITIALIZER; /* guards ARPACK's static variables, nothing of ours */

/* K - shift M. */
static scr_status shifted(const la_sparse *stiffness, const la_sparse *mass, double shift, la_sparse *matrix, scr_error *error)
{
  size_t n = stiffness->column_count, own = stiffness->first[n], others = mass ? mass->first[n] : n, at = 0;
  la_triplet *all = mem_array(own + others, sizeof *all);
  if (!all) return scr_fail_memory(error, "eigenpairs", (own + others) * sizeof *all);
  for (size_t c = 0; c < n; ++c)
    for (size_t k = stiffness->first[c]; k < stiffness->first[c + 1]; ++k)
      all[at++] = (la_triplet){stiffness->row[k], (uint32_t)c, stiffness->value[k]};
  for (size_t c = 0; mass && c < n; ++c)
    for (size_t k = mass->first[c]; k < mass->first[c + 1]; ++k)
      all[at++] = (la_triplet){mass->row[k], (uint32_t)c, -shift * mass->value[k]};
  for (size_t c = 0; !mass && c < n; ++c) all[at++] = (la_triplet){(uint32_t)c, (uint32_t)c, -shift};
  scr_status status = la_sparse_from_triplets(n, n, all, at, matrix, error);
  mem_free(all);
  return status;
}

static void by_mass(const la_sparse *mass, size_t n, const double *x, double *y)
{
  if (mass)
    la_sparse_multiply_transposed(mass, x, y, execution_of(1));
  else
    memcpy(y, x, n * sizeof *y);
}

/* Length 1 by M, and the largest entry's sign: the same vector whoever found it. */
static void normalise(const la_sparse *mass, size_t n, double *x, double *work)
{
  double square = 0.0, largest = 0.0;
  by_mass(mass, n, x, work);
  for (size_t i = 0; i < n; ++i) square += x[i] * work[i];
  for (size_t i = 0; i < n; ++i)
    if (fabs(x[i]) > fabs(largest) * (1 + 1e-6)) largest = x[i];
  double scale = (largest < 0.0 ? -1.0 : 1.0) / sqrt(square);
  for (size_t i = 0; i < n; ++i) x[i] *= scale;
}

/* ── dense ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void spread(const la_sparse *matrix, size_t n, double *a)
{
  for (size_t c = 0; c < n; ++c) {
    if (!matrix) a[c * n + c] = 1.0;
    for (size_t k = matrix ? matrix->first[c] : 0; matrix && k < matrix->first[c + 1]; ++k) a[c * n + matrix->row[k]] = matrix->value[k];
  }
}

/* What dense matrices of a problem need, zero before. */
typedef struct dense_workspace {
  double *a, *b; /* [n][n] */
  double *all;   /* [n] values */
} dense_workspace;

static scr_status solve_in(const la_sparse *stiffness, const la_sparse *mass, size_t count, const dense_workspace *w, double *values,
                           double *vectors, scr_error *error)
{
  size_t n = stiffness->column_count;
  double *a = w->a, *b = w->b, *all = w->all;
  spread(stiffness, n, a);
  spread(mass, n, b);
  SCR_TRY(la_dense_pencil_eigen(n, a, b, all, error));
  memcpy(values, all, count * sizeof *values);
  memcpy(vectors, a, count * n * sizeof *vectors);
  for (size_t k = 0; k < count; ++k) normalise(mass, n, vectors + k * n, b);
  return SCR_OK;
}

static scr_status solve_densely(const la_sparse *stiffness, const la_sparse *mass, size_t count, double *values, double *vectors,
                                scr_error *error)
{
  size_t n = stiffness->column_count;
  const dense_workspace w = {mem_array(n * n, sizeof *w.a), mem_array(n * n, sizeof *w.b), mem_array(n, sizeof *w.all)};
  scr_status status = w.a && w.b && w.all ? solve_in(stiffness, mass, count, &w, values, vectors, error)
                                          : scr_fail_memory(error, "eigenpairs", 2 * n * n * sizeof *w.a);
  mem_free(w.a);
  mem_free(w.b);
  mem_free(w.all);
  return status;
}

/* ── Lanczos ────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct lanczos {
  const la_sparse *mass;
  la_factor *factor;
  a_int n, wanted, basis, work_length, request, info, parameters[11], places[14];
  double shift, tolerance;
  const scr_liveness *liveness;
  double *residual, *vectors, *work, *more; /* [n], [basis][n], [3][n], [work_length] */
} lanczos;

static void lanczos_clear(lanczos *l)
{
  mem_free(l->residual);
  mem_free(l->vectors);
  mem_free(l->work);
  mem_free(l->more);
}

static scr_status lanczos_create(lanczos *l, scr_error *error)
{
  size_t n = (size_t)l->n, basis = (size_t)l->basis;
  l->work_length = (a_int)(basis * (basis + 8));
  l->residual = mem_array(n, sizeof *l->residual);
  l->vectors = mem_array(n * basis, sizeof *l->vectors);
  l->work = mem_array(3 * n, sizeof *l->work);
  l->more = mem_array((size_t)l->work_length, sizeof *l->more);
  if (!l->residual || !l->vectors || !l->work || !l->more) return scr_fail_memory(error, "eigenpairs", n * (basis + 4) * sizeof(double));
  uint64_t seed = 1;
  for (size_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    l->residual[i] = (double)(seed >> 11) * 0x1p-52 - 1.0;
  }
  return SCR_OK;
}

/* One product that ARPACK asks for: its 1 is y = (K - shift M)^-1 of what it has M-multiplied already, 2 is y = M x, -1 both. */
static scr_status answer(lanczos *l, scr_error *error)
{
  size_t n = (size_t)l->n;
  double *x = l->work + l->places[0] - 1, *y = l->work + l->places[1] - 1;
  if (l->request == 1) return la_factor_solve(l->factor, l->work + l->places[2] - 1, 1, y, error);
  by_mass(l->mass, n, x, y);
  return l->request == 2 ? SCR_OK : la_factor_solve(l->factor, y, 1, y, error);
}

static scr_status iterate(lanczos *l, scr_error *error)
{
  l->info = 1; /* begin with `residual` */
  for (;;) {
    dsaupd_c(&l->request, "G", l->n, "LM", l->wanted, l->tolerance, l->residual, l->basis, l->vectors, l->n, l->parameters, l->places,
             l->work, l->more, l->work_length, &l->info);
    if (l->request != 1 && l->request != 2 && l->request != -1) break;
    SCR_TRY(answer(l, error));
    scr_report_alive(l->liveness);
  }
  if (l->info == 0) return SCR_OK;
  return scr_fail(
      error, SCR_DIVERGED, NULL,
      "%ld of %ld eigenpairs converged in %ld restarts (ARPACK says %ld): use a shift nearer below the smallest eigenvalue, a coarser "
      "tolerance or more iterations",
      (long)l->parameters[4], (long)l->wanted, (long)l->parameters[2], (long)l->info);
}

/* Eigenvalues rising, as ARPACK gives them for this mode, and their vectors. */
static scr_status extract(lanczos *l, double *values, double *vectors, scr_error *error)
{
  size_t n = (size_t)l->n, count = (size_t)l->wanted;
  a_int *select = mem_array((size_t)l->basis, sizeof *select), info = 0;
  const a_int with_vectors = 1;
  if (!select) return scr_fail_memory(error, "eigenpairs", (size_t)l->basis * sizeof *select);
  dseupd_(&with_vectors, "A", select, values, vectors, &l->n, &l->shift, "G", &l->n, "LM", &l->wanted, &l->tolerance, l->residual,
          &l->basis, l->vectors, &l->n, l->parameters, l->places, l->work, l->more, &l->work_length, &info, 1, 1, 2);
  mem_free(select);
  if (info != 0) return scr_fail(error, SCR_DIVERGED, NULL, "eigenvectors could not be found (ARPACK says %ld)", (long)info);
  for (size_t k = 1; k < count; ++k) /* by insertion, with their vectors */
    for (size_t j = k; j > 0 && values[j] < values[j - 1]; --j) {
      double value = values[j];
      values[j] = values[j - 1];
      values[j - 1] = value;
      memcpy(l->work, vectors + j * n, n * sizeof *vectors);
      memcpy(vectors + j * n, vectors + (j - 1) * n, n * sizeof *vectors);
      memcpy(vectors + (j - 1) * n, l->work, n * sizeof *vectors);
    }
  for (size_t k = 0; k < count; ++k) normalise(l->mass, n, vectors + k * n, l->work);
  return SCR_OK;
}

static scr_status solve(lanczos *l, double *values, double *vectors, scr_error *error)
{
  SCR_TRY(lanczos_create(l, error));
  pthread_mutex_lock(&arpack);
  int before = la_one_thread_begin();
  scr_status status = iterate(l, error);
  if (status == SCR_OK) status = extract(l, values, vectors, error);
  la_one_thread_end(before);
  pthread_mutex_unlock(&arpack);
  return status;
}

static scr_status check(const la_sparse *stiffness, const la_sparse *mass, const la_eigen_options *options, scr_error *error)
{
  size_t n = stiffness->column_count;
  bool square = stiffness->row_count == n && (!mass || (mass->row_count == n && mass->column_count == n));
  if (!square || n > INT_MAX / 64)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "eigenpairs need square matrices of one size, up to %d: K is %zu x %zu", INT_MAX / 64,
                    stiffness->row_count, n);
  if (options->count < 1 || options->count > n || !(options->tolerance >= 0.0) || !isfinite(options->shift))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu eigenpairs of %zu unknowns, shift %.3g, tolerance %.3g: use 1 to %zu, finite numbers",
                    options->count, n, options->shift, options->tolerance, n);
  return SCR_OK;
}

scr_status la_eigenpairs(const la_sparse *stiffness, const la_sparse *mass, const la_eigen_options *options, double *values,
                         double *vectors, scr_error *error)
{
  SCR_TRY(check(stiffness, mass, options, error));
  size_t n = stiffness->column_count, basis = 2 * options->count + 20;
  if (n <= DENSE || n < BASES * basis) return solve_densely(stiffness, mass, options->count, values, vectors, error);
  la_sparse matrix = {0};
  size_t restarts = options->iteration_limit ? options->iteration_limit : RESTARTS;
  lanczos l = {.mass = mass,
               .n = (a_int)n,
               .wanted = (a_int)options->count,
               .basis = (a_int)basis,
               .parameters = {[0] = 1, [2] = restarts > INT_MAX ? INT_MAX : (a_int)restarts, [6] = 3 /* shift and invert */},
               .shift = options->shift,
               .tolerance = options->tolerance,
               .liveness = options->liveness};
  scr_status status = shifted(stiffness, mass, options->shift, &matrix, error);
  if (status == SCR_OK) status = la_factor_create(LA_FACTOR_CHOLESKY, &l.factor, error);
  if (status == SCR_OK) status = la_factor_make(l.factor, &matrix, error);
  scr_report_alive(options->liveness);
  if (status == SCR_OK) status = solve(&l, values, vectors, error);
  la_factor_destroy(l.factor);
  la_sparse_clear(&matrix);
  lanczos_clear(&l);
  return status;
}
