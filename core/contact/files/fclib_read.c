/* FCLIB files: read with HDF5, every size checked before it is trusted. */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "contact/files/fclib.h"
#include "contact/system/workspace.h"

enum { NAME_LENGTH = 64 };
static const long long most_rows = 30000000;
static const size_t most_entries = (size_t)1 << 26;

/* Whether the file has as many bytes for a dataset as its extent asks for. HDF5 1.10 believes the extent of a dataset that lies in its
 * header, and reads from nowhere if the file holds less. Of chunks it knows the sizes itself. A contiguous dataset that was made and never
 * written has no bytes at all, and its fill value everywhere: FCLIB leaves such where a solution was not stored. */
static bool stored_whole(hid_t set, hid_t kind, size_t points)
{
  hid_t plan = H5Dget_create_plist(set);
  H5D_layout_t layout = plan >= 0 ? H5Pget_layout(plan) : H5D_LAYOUT_ERROR;
  if (plan >= 0) H5Pclose(plan);
  size_t bytes = H5Tget_size(kind); /* 0 for a damaged type */
  if (layout == H5D_CHUNKED) return bytes > 0;
  if (layout == H5D_CONTIGUOUS && bytes > 0 && H5Dget_storage_size(set) == 0) return points <= (size_t)most_rows;
  return (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS) && bytes > 0 && H5Dget_storage_size(set) / bytes >= points;
}

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
  else if (!stored_whole(set, kind, (size_t)points))
    status = scr_fail(error, SCR_BAD_FILE, NULL, "the dataset %s has %lld numbers by its extent, and fewer in the file", name,
                      (long long)points);
  else if (!(*data = mem_array((size_t)points + 1, size)))
    status = no_memory(error, name, (size_t)points * size);
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
  for (size_t k = 0; k < count; ++k)
    if (!isfinite((*values)[k])) return scr_fail(error, SCR_BAD_FILE, NULL, "%s[%zu] is %g", name, k, (*values)[k]);
  return SCR_OK;
}

static scr_status read_whole(hid_t file, const char *group, const char *field, long long low, long long high, long long *value,
                             scr_error *error)
{
  char name[NAME_LENGTH];
  void *data = NULL;
  size_t count = 0;
  snprintf(name, sizeof name, "%s/%s", group, field);
  scr_status status = read_dataset(file, name, H5T_NATIVE_LLONG, sizeof(long long), true, &data, &count, error);
  if (status == SCR_OK) {
    *value = count == 1 && data ? *(const long long *)data : low - 1;
    if (*value < low || *value > high)
      status = scr_fail(error, SCR_BAD_FILE, NULL, "%s must be one number from %lld to %lld", name, low, high);
  }
  mem_free(data);
  return status;
}

/* ── a matrix in any of FCLIB's forms, by columns ── */

typedef struct stored_matrix {
  const char *group;
  long long rows, columns, nz;
  long long *p, *i;
  double *x;
  size_t p_count, i_count, x_count;
} stored_matrix;

static scr_status read_parts(hid_t file, stored_matrix *m, scr_error *error)
{
  char name[NAME_LENGTH];
  void *data = NULL;
  SCR_TRY(read_whole(file, m->group, "m", 1, most_rows, &m->rows, error));
  SCR_TRY(read_whole(file, m->group, "n", 1, most_rows, &m->columns, error));
  SCR_TRY(read_whole(file, m->group, "nz", -2, (long long)most_entries, &m->nz, error));
  snprintf(name, sizeof name, "%s/p", m->group);
  scr_status status = read_dataset(file, name, H5T_NATIVE_LLONG, sizeof(long long), true, &data, &m->p_count, error);
  m->p = data;
  SCR_TRY(status);
  snprintf(name, sizeof name, "%s/i", m->group);
  status = read_dataset(file, name, H5T_NATIVE_LLONG, sizeof(long long), true, &data, &m->i_count, error);
  m->i = data;
  SCR_TRY(status);
  snprintf(name, sizeof name, "%s/x", m->group);
  status = read_dataset(file, name, H5T_NATIVE_DOUBLE, sizeof(double), true, &data, &m->x_count, error);
  m->x = data;
  return status;
}

static scr_status place(const stored_matrix *m, size_t k, long long row, long long column, la_triplet *entry, scr_error *error)
{
  if (row < 0 || row >= m->rows || column < 0 || column >= m->columns)
    return scr_fail(error, SCR_BAD_FILE, NULL, "entry %zu of %s stands at (%lld, %lld), outside of its %lld rows and %lld columns", k,
                    m->group, row, column, m->rows, m->columns);
  if (!isfinite(m->x[k])) return scr_fail(error, SCR_BAD_FILE, NULL, "%s/x[%zu] is %g", m->group, k, m->x[k]);
  *entry = (la_triplet){(uint32_t)row, (uint32_t)column, m->x[k]};
  return SCR_OK;
}

/* Triplets of a compressed form: `majors` rows (nz = -2) or columns. */
static scr_status expand(const stored_matrix *m, size_t count, la_triplet *entry, scr_error *error)
{
  long long majors = m->nz == -2 ? m->rows : m->columns;
  for (long long a = 0; a < majors; ++a) {
    if (m->p[a] < 0 || m->p[a + 1] < m->p[a] || (size_t)m->p[a + 1] > count || (a == 0 && m->p[0] != 0))
      return scr_fail(error, SCR_BAD_FILE, NULL, "%s/p[%lld] is %lld after %lld; it must rise from 0 to at most %zu", m->group, a + 1,
                      m->p[a + 1], m->p[a], count);
    for (long long k = m->p[a]; k < m->p[a + 1]; ++k)
      SCR_TRY(place(m, (size_t)k, m->nz == -2 ? a : m->i[k], m->nz == -2 ? m->i[k] : a, &entry[k], error));
  }
  return SCR_OK;
}

static scr_status form_matrix(const stored_matrix *m, la_sparse *matrix, scr_error *error)
{
  size_t majors = (size_t)(m->nz == -2 ? m->rows : m->columns), area = (size_t)m->rows * (size_t)m->columns;
  bool compressed = m->nz < 0, fits = compressed && m->p_count == majors + 1, dense = fits && m->p[majors] == 0 && m->x_count == area;
  size_t count = dense ? area : fits && m->p[majors] > 0 ? (size_t)m->p[majors] : m->nz > 0 ? (size_t)m->nz : 0;
  if ((compressed && !fits) || (!compressed && m->p_count < count) || (!dense && m->i_count < count) || m->x_count < count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "%s has %zu p, %zu i and %zu x for %lld rows, %lld columns and nz = %lld: they do not fit",
                    m->group, m->p_count, m->i_count, m->x_count, m->rows, m->columns, m->nz);
  la_triplet *entry = mem_array(count, sizeof *entry);
  scr_status status = entry ? SCR_OK : no_memory(error, m->group, count * sizeof *entry);
  if (status == SCR_OK && compressed && !dense) status = expand(m, count, entry, error);
  for (size_t k = 0; status == SCR_OK && (dense || !compressed) && k < count; ++k) {
    long long across = dense ? (long long)(k / (size_t)(m->nz == -2 ? m->columns : m->rows)) : 0,
              along = dense ? (long long)(k % (size_t)(m->nz == -2 ? m->columns : m->rows)) : 0;
    if (dense)
      status = place(m, k, m->nz == -2 ? across : along, m->nz == -2 ? along : across, &entry[k], error);
    else
      status = place(m, k, m->p[k], m->i[k], &entry[k], error);
  }
  if (status == SCR_OK) status = la_sparse_from_triplets((size_t)m->rows, (size_t)m->columns, entry, count, matrix, error);
  mem_free(entry);
  return status;
}

static scr_status read_matrix(hid_t file, const char *group, la_sparse *matrix, scr_error *error)
{
  stored_matrix m = {.group = group};
  scr_status status = read_parts(file, &m, error);
  if (status == SCR_OK) status = form_matrix(&m, matrix, error);
  mem_free(m.p);
  mem_free(m.i);
  mem_free(m.x);
  return status;
}

/* ── the two forms ── */

static scr_status refuse(hid_t file, const char *group, scr_error *error)
{
  if (H5Lexists(file, group, H5P_DEFAULT) <= 0) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "%s: equality rows can't be read; write them as contacts with a friction below 0", group);
}

static scr_status read_global(hid_t file, contact_file *out, scr_error *error)
{
  long long d = 0;
  la_sparse mass = {0}, h = {0};
  double *f = NULL, *w = NULL, *mu = NULL;
  SCR_TRY(refuse(file, "fclib_global/G", error));
  SCR_TRY(read_whole(file, "fclib_global", "spacedim", 2, 3, &d, error));
  scr_status status = read_matrix(file, "fclib_global/M", &mass, error);
  if (status == SCR_OK) status = read_matrix(file, "fclib_global/H", &h, error);
  if (status == SCR_OK && h.column_count % (size_t)d != 0)
    status =
        scr_fail(error, SCR_BAD_FILE, NULL, "fclib_global/H has %zu columns, which are no contacts of %lld components", h.column_count, d);
  if (status == SCR_OK) status = read_reals(file, "fclib_global/vectors/f", mass.column_count, true, &f, error);
  if (status == SCR_OK) status = read_reals(file, "fclib_global/vectors/w", h.column_count, true, &w, error);
  if (status == SCR_OK) status = read_reals(file, "fclib_global/vectors/mu", h.column_count / (size_t)d, true, &mu, error);
  if (status == SCR_OK) status = contact_file_from_matrices((unsigned)d, &mass, &h, f, w, mu, out, error);
  if (status == SCR_OK) status = read_reals(file, "solution/v", mass.column_count, false, &out->velocity, error);
  la_sparse_clear(&mass);
  la_sparse_clear(&h);
  mem_free(f);
  mem_free(w);
  mem_free(mu);
  return status;
}

static scr_status read_local(hid_t file, contact_file *out, scr_error *error)
{
  long long d = 0;
  la_sparse w = {0};
  double *q = NULL, *mu = NULL;
  SCR_TRY(refuse(file, "fclib_local/V", error));
  SCR_TRY(read_whole(file, "fclib_local", "spacedim", 2, 3, &d, error));
  scr_status status = read_matrix(file, "fclib_local/W", &w, error);
  if (status == SCR_OK && w.column_count % (size_t)d != 0)
    status =
        scr_fail(error, SCR_BAD_FILE, NULL, "fclib_local/W has %zu columns, which are no contacts of %lld components", w.column_count, d);
  if (status == SCR_OK) status = read_reals(file, "fclib_local/vectors/q", w.column_count, true, &q, error);
  if (status == SCR_OK) status = read_reals(file, "fclib_local/vectors/mu", w.column_count / (size_t)d, true, &mu, error);
  if (status == SCR_OK) status = contact_file_from_dual((unsigned)d, &w, q, mu, out, error);
  la_sparse_clear(&w);
  mem_free(q);
  mem_free(mu);
  return status;
}

static scr_status read_problem(hid_t file, contact_file *out, scr_error *error)
{
  if (H5Lexists(file, "fclib_global", H5P_DEFAULT) > 0)
    SCR_TRY(read_global(file, out, error));
  else if (H5Lexists(file, "fclib_local", H5P_DEFAULT) > 0)
    SCR_TRY(read_local(file, out, error));
  else
    return scr_fail(error, SCR_BAD_FILE, NULL, "the file has neither a group fclib_global nor fclib_local");
  size_t rows = out->problem.contact_count * out->problem.dimension;
  SCR_TRY(read_reals(file, "solution/u", rows, false, &out->relative, error));
  return read_reals(file, "solution/r", rows, false, &out->impulse, error);
}

scr_status fclib_read(const char *path, contact_file *file, scr_error *error)
{
  *file = (contact_file){0};
  H5E_auto2_t printer = NULL;
  void *data = NULL;
  H5Eget_auto2(H5E_DEFAULT, &printer, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* failures come back as values */
  hid_t from = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  scr_status status =
      from >= 0 ? read_problem(from, file, error) : scr_fail(error, SCR_BAD_FILE, NULL, "%s is no HDF5 file that can be read", path);
  if (from >= 0) H5Fclose(from);
  H5Eset_auto2(H5E_DEFAULT, printer, data);
  if (status != SCR_OK) contact_file_clear(file);
  return status;
}
