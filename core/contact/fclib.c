/* FCLIB files: read with HDF5, every size checked before it is trusted. */
#include "contact/fclib.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/cone.h"

enum { most_contacts = 10000000 };
static const size_t most_entries = (size_t)1 << 31;

/* Reads a whole dataset of numbers as `type`. *data is NULL and SCR_OK when it is not there and not `needed`. */
static scr_status read_dataset(hid_t file, const char *name, hid_t type, size_t size, bool needed, void **data, size_t *count,
                               scr_error *error)
{
  *data = NULL;
  *count = 0;
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) return needed ? scr_fail(error, SCR_BAD_FILE, NULL, "the dataset %s is missing", name) : SCR_OK;
  hid_t space = H5Dget_space(set), kind = H5Dget_type(set);
  hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  H5T_class_t class = kind >= 0 ? H5Tget_class(kind) : H5T_NO_CLASS;
  scr_status status = SCR_OK;
  if (points < 0 || (size_t)points > most_entries || (class != H5T_INTEGER && class != H5T_FLOAT))
    status = scr_fail(error, SCR_BAD_FILE, NULL, "the dataset %s holds no numbers, or more than %zu", name, most_entries);
  else if (!(*data = malloc((size_t)points * size + 1)))
    status = scr_fail_memory(error, name, (size_t)points * size);
  else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) < 0)
    status = scr_fail(error, SCR_BAD_FILE, NULL, "the dataset %s can't be read", name);
  *count = points > 0 ? (size_t)points : 0;
  if (kind >= 0) H5Tclose(kind);
  if (space >= 0) H5Sclose(space);
  H5Dclose(set);
  return status;
}

static scr_status read_reals(hid_t file, const char *name, size_t expected, bool needed, double **values, scr_error *error)
{
  void *data = NULL;
  size_t count = 0;
  scr_status status = read_dataset(file, name, H5T_NATIVE_DOUBLE, sizeof(double), needed, &data, &count, error);
  *values = data;
  if (status != SCR_OK || !data) return status;
  if (count != expected) return scr_fail(error, SCR_BAD_FILE, NULL, "%s has %zu numbers; %zu belong there", name, count, expected);
  for (size_t k = 0; k < count; k++)
    if (!isfinite((*values)[k])) return scr_fail(error, SCR_BAD_FILE, NULL, "%s[%zu] is %g", name, k, (*values)[k]);
  return SCR_OK;
}

static scr_status read_whole(hid_t file, const char *name, long long low, long long high, long long *value, scr_error *error)
{
  void *data = NULL;
  size_t count = 0;
  scr_status status = read_dataset(file, name, H5T_NATIVE_LLONG, sizeof(long long), true, &data, &count, error);
  if (status == SCR_OK) {
    *value = count == 1 && data ? *(const long long *)data : low - 1;
    if (*value < low || *value > high)
      status = scr_fail(error, SCR_BAD_FILE, NULL, "%s must be one number from %lld to %lld", name, low, high);
  }
  free(data);
  return status;
}

/* ── the matrix: scalar rows from any of FCLIB's forms ── */

typedef struct rows {
  size_t count;     /* of rows */
  size_t *first;    /* [count + 1] */
  uint32_t *column; /* [first[count]] */
  double *value;
} rows;

static void rows_clear(rows *m)
{
  free(m->first);
  free(m->column);
  free(m->value);
  *m = (rows){0};
}

/* Entry k is in row[k] and column[k]: counted, then placed. A symmetric matrix may be read by columns as by rows. */
static scr_status sort_into_rows(size_t size, size_t count, const long long *row, const long long *column, const double *x, rows *m,
                                 scr_error *error)
{
  *m = (rows){.count = size};
  m->first = calloc(size + 2, sizeof *m->first);
  m->column = calloc(count + 1, sizeof *m->column);
  m->value = calloc(count + 1, sizeof *m->value);
  if (!m->first || !m->column || !m->value) return scr_fail_memory(error, "W", count * sizeof *x);
  for (size_t k = 0; k < count; k++) {
    if (row[k] < 0 || (size_t)row[k] >= size || column[k] < 0 || (size_t)column[k] >= size)
      return scr_fail(error, SCR_BAD_FILE, NULL, "entry %zu of W stands at (%lld, %lld), outside of its %zu rows", k, row[k], column[k],
                      size);
    m->first[row[k] + 2]++;
  }
  for (size_t i = 2; i <= size + 1; i++) m->first[i] += m->first[i - 1];
  for (size_t k = 0; k < count; k++) {
    size_t at = m->first[row[k] + 1]++;
    m->column[at] = (uint32_t)column[k];
    m->value[at] = x[k];
  }
  return SCR_OK;
}

/* Rows of the entries of a compressed form. */
static scr_status expand(size_t size, const long long *p, size_t count, long long *row, scr_error *error)
{
  for (size_t i = 0; i < size; i++) {
    if (p[i] < 0 || p[i + 1] < p[i] || (size_t)p[i + 1] > count)
      return scr_fail(error, SCR_BAD_FILE, NULL, "fclib_local/W/p[%zu] is %lld after %lld; it must rise to at most %zu", i + 1, p[i + 1],
                      p[i], count);
    for (long long k = p[i]; k < p[i + 1]; k++) row[k] = (long long)i;
  }
  return SCR_OK;
}

static scr_status form_rows(size_t size, long long nz, long long *p, size_t p_count, const long long *i, size_t i_count, const double *x,
                            size_t x_count, rows *m, scr_error *error)
{
  bool compressed = nz < 0, dense = compressed && p_count == size + 1 && p[size] == 0 && x_count == size * size;
  size_t count = dense ? x_count : compressed && p_count == size + 1 && p[size] > 0 ? (size_t)p[size] : nz > 0 ? (size_t)nz : 0;
  if ((compressed && p_count != size + 1) || (!compressed && p_count < count) || (!dense && i_count < count) || x_count < count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "fclib_local/W has %zu p, %zu i and %zu x for %zu rows and nz = %lld: they do not fit",
                    p_count, i_count, x_count, size, nz);
  long long *row = calloc(count + 1, sizeof *row), *column = calloc(count + 1, sizeof *column);
  scr_status status = row && column ? SCR_OK : scr_fail_memory(error, "W", 2 * count * sizeof *row);
  if (status == SCR_OK && compressed && !dense) status = expand(size, p, count, row, error);
  for (size_t k = 0; status == SCR_OK && k < count; k++) {
    if (dense || !compressed) row[k] = dense ? (long long)(k / size) : p[k];
    column[k] = dense ? (long long)(k % size) : i[k];
  }
  if (status == SCR_OK) status = sort_into_rows(size, count, row, column, x, m, error);
  free(row);
  free(column);
  return status;
}

static scr_status read_matrix(hid_t file, unsigned d, rows *m, scr_error *error)
{
  long long size = 0, columns = 0, nz = 0;
  SCR_TRY(read_whole(file, "fclib_local/W/m", d, (long long)most_contacts * d, &size, error));
  SCR_TRY(read_whole(file, "fclib_local/W/n", size, size, &columns, error));
  SCR_TRY(read_whole(file, "fclib_local/W/nz", -2, (long long)most_entries, &nz, error));
  void *p = NULL, *i = NULL, *x = NULL;
  size_t p_count = 0, i_count = 0, x_count = 0;
  scr_status status = read_dataset(file, "fclib_local/W/p", H5T_NATIVE_LLONG, sizeof(long long), true, &p, &p_count, error);
  if (status == SCR_OK) status = read_dataset(file, "fclib_local/W/i", H5T_NATIVE_LLONG, sizeof(long long), true, &i, &i_count, error);
  if (status == SCR_OK) status = read_dataset(file, "fclib_local/W/x", H5T_NATIVE_DOUBLE, sizeof(double), true, &x, &x_count, error);
  if (status == SCR_OK) status = form_rows((size_t)size, nz, p, p_count, i, i_count, x, x_count, m, error);
  free(p);
  free(i);
  free(x);
  return status;
}

static scr_status read_problem(hid_t file, fclib_problem *problem, scr_error *error)
{
  long long d = 0;
  rows m = {0};
  SCR_TRY(read_whole(file, "fclib_local/spacedim", 2, 3, &d, error));
  scr_status status = read_matrix(file, (unsigned)d, &m, error);
  if (status == SCR_OK) status = delassus_from_rows((unsigned)d, m.count, m.first, m.column, m.value, &problem->w, error);
  size_t count = m.count;
  rows_clear(&m);
  SCR_TRY(status);
  SCR_TRY(read_reals(file, "fclib_local/vectors/q", count, true, &problem->free_velocity, error));
  SCR_TRY(read_reals(file, "fclib_local/vectors/mu", count / (size_t)d, true, &problem->friction, error));
  SCR_TRY(read_reals(file, "solution/u", count, false, &problem->velocity, error));
  return read_reals(file, "solution/r", count, false, &problem->impulse, error);
}

scr_status fclib_read(const char *path, fclib_problem *problem, scr_error *error)
{
  *problem = (fclib_problem){0};
  H5E_auto2_t printer = NULL;
  void *data = NULL;
  H5Eget_auto2(H5E_DEFAULT, &printer, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* failures come back as values */
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  scr_status status =
      file >= 0 ? read_problem(file, problem, error) : scr_fail(error, SCR_BAD_FILE, NULL, "%s is no HDF5 file that can be read", path);
  if (file >= 0) H5Fclose(file);
  H5Eset_auto2(H5E_DEFAULT, printer, data);
  if (status != SCR_OK) fclib_clear(problem);
  return status;
}

void fclib_clear(fclib_problem *problem)
{
  delassus_clear(&problem->w);
  free(problem->free_velocity);
  free(problem->friction);
  free(problem->velocity);
  free(problem->impulse);
  *problem = (fclib_problem){0};
}

double fclib_merit(const contact_problem *problem, const double *impulse, bool as_coded, double *velocity)
{
  const delassus *w = problem->delassus;
  unsigned d = w->dimension;
  double sum = 0.0, size = 0.0;
  delassus_velocity(w, impulse, problem->free_velocity, velocity);
  for (size_t k = 0; k < w->contact_count * d; k++) size += problem->free_velocity[k] * problem->free_velocity[k];
  for (size_t i = 0; i < w->contact_count; i++) {
    double residual = cone_residual(d, problem->friction[i], 1.0, velocity + i * d, impulse + i * d);
    sum += residual * residual;
  }
  return sqrt(sum) / (1.0 + (as_coded ? sqrt(sqrt(size)) : sqrt(size)));
}
