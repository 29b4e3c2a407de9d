/* Writes FCLIB files. */
#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "contact/files/fclib.h"
#include "contact/system/chains.h"

enum { PATH_LENGTH = 4096 };

/* An array, or with `count` 0 a single value of the type. */
static bool write_array(hid_t at, const char *name, hid_t type, size_t count, const void *data)
{
  hid_t space = count ? H5Screate_simple(1, &(hsize_t){count}, NULL) : H5Screate(H5S_SCALAR);
  hid_t set = space >= 0 ? H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
  bool done = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  if (set >= 0) H5Dclose(set);
  if (space >= 0) H5Sclose(space);
  return done;
}

static bool write_wholes(hid_t at, const char *name, const int *x, size_t count)
{
  return write_array(at, name, H5T_NATIVE_INT, count, x);
}

static bool write_whole(hid_t at, const char *name, size_t value)
{
  return write_wholes(at, name, &(int){(int)value}, 1);
}

static bool write_reals(hid_t at, const char *name, const double *x, size_t count)
{
  return write_array(at, name, H5T_NATIVE_DOUBLE, count, x);
}

static bool write_text(hid_t at, const char *name, const char *text)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  bool done = type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0 && write_array(at, name, type, 0, text);
  if (type >= 0) H5Tclose(type);
  return done;
}

/* A matrix by compressed columns. */
static bool write_matrix(hid_t at, const char *name, const la_sparse *m)
{
  size_t entries = m->first[m->column_count];
  int *p = mem_array(m->column_count + 1, sizeof *p), *i = mem_array(entries, sizeof *i), columns = -1;
  hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = p && i && group >= 0;
  for (size_t k = 0; done && k <= m->column_count; ++k) p[k] = (int)m->first[k];
  for (size_t k = 0; done && k < entries; ++k) i[k] = (int)m->row[k];
  done = done && write_whole(group, "m", m->row_count) && write_whole(group, "n", m->column_count) &&
         write_whole(group, "nzmax", entries) && write_wholes(group, "nz", &columns, 1) &&
         write_wholes(group, "p", p, m->column_count + 1) && write_wholes(group, "i", i, entries) &&
         write_reals(group, "x", m->value, entries);
  if (group >= 0) H5Gclose(group);
  mem_free(p);
  mem_free(i);
  return done;
}

/* The mass of blocks, or of chains, as one sparse matrix. */
static scr_status whole_mass(const contact_problem *p, la_sparse *mass, scr_error *error)
{
  size_t b = p->block_size, m = b * p->block_count, count = 0;
  if (p->chain) return contact_chains_matrix(p, mass, error);
  la_triplet *entry = mem_array(m * b, sizeof *entry);
  if (!entry) return scr_fail_memory(error, "a mass matrix", m * b * sizeof *entry);
  for (size_t k = 0; k < m * b; ++k)
    if (p->mass_block[k] != 0.0) entry[count++] = (la_triplet){(uint32_t)(k / b / b * b + k % b), (uint32_t)(k / b), p->mass_block[k]};
  scr_status status = la_sparse_from_triplets(m, m, entry, count, mass, error);
  mem_free(entry);
  return status;
}

/* H by columns of contacts' components, as FCLIB has it. */
static scr_status whole_h(const contact_problem *p, la_sparse *h, scr_error *error)
{
  size_t b = p->block_size, d = p->dimension, entries = p->first[p->contact_count], count = 0;
  la_triplet *entry = mem_array(entries * b * d, sizeof *entry);
  if (!entry) return scr_fail_memory(error, "H", entries * b * d * sizeof *entry);
  for (size_t i = 0; i < p->contact_count; ++i)
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
      for (size_t c = 0; c < b * d; ++c)
        if (p->jacobian[k * b * d + c] != 0.0)
          entry[count++] = (la_triplet){(uint32_t)(p->block[k] * b + c / d), (uint32_t)(i * d + c % d), p->jacobian[k * b * d + c]};
  scr_status status = la_sparse_from_triplets(b * p->block_count, p->contact_count * d, entry, count, h, error);
  mem_free(entry);
  return status;
}

static bool write_global(hid_t file, const contact_problem *p, const la_sparse *mass, const la_sparse *h, const char *title)
{
  hid_t group = H5Gcreate2(file, "fclib_global", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t vectors = group >= 0 ? H5Gcreate2(group, "vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
  hid_t info = group >= 0 ? H5Gcreate2(group, "info", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
  bool done = vectors >= 0 && info >= 0 && write_whole(group, "spacedim", p->dimension) && write_matrix(group, "M", mass) &&
              write_matrix(group, "H", h) && write_reals(vectors, "f", p->momentum, mass->column_count) &&
              write_reals(vectors, "w", p->offset, h->column_count) && write_reals(vectors, "mu", p->friction, p->contact_count) &&
              write_text(info, "title", title) && write_text(info, "description", "written by Scree") &&
              write_text(info, "math_info", "M v = H r + f, u = H' v + w");
  if (info >= 0) H5Gclose(info);
  if (vectors >= 0) H5Gclose(vectors);
  if (group >= 0) H5Gclose(group);
  return done;
}

static bool write_solution(hid_t file, const contact_problem *p, const double *velocity, const double *relative, const double *impulse)
{
  hid_t group = H5Gcreate2(file, "solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  size_t rows = p->contact_count * p->dimension;
  bool done = group >= 0 && (!velocity || write_reals(group, "v", velocity, p->block_count * p->block_size)) &&
              write_reals(group, "u", relative, rows) && write_reals(group, "r", impulse, rows);
  if (group >= 0) H5Gclose(group);
  return done;
}

/* What goes into the new file: a problem, or the groups of another file; then the solution. */
typedef struct content {
  const contact_problem *problem;
  const la_sparse *mass, *h; /* NULL: `from` is copied */
  const char *from, *title;
  const double *velocity, *relative, *impulse;
} content;

static bool copy_groups(hid_t file, const char *from)
{
  static const char *const groups[] = {"fclib_global", "fclib_local", "guesses"};
  hid_t source = H5Fopen(from, H5F_ACC_RDONLY, H5P_DEFAULT);
  bool done = source >= 0;
  for (size_t k = 0; done && k < sizeof groups / sizeof *groups; ++k)
    if (H5Lexists(source, groups[k], H5P_DEFAULT) > 0) done = H5Ocopy(source, groups[k], file, groups[k], H5P_DEFAULT, H5P_DEFAULT) >= 0;
  if (source >= 0) H5Fclose(source);
  return done;
}

/* Writes beside the path, then takes its place. */
static scr_status write_file(const char *path, const content *c, scr_error *error)
{
  char draft[PATH_LENGTH];
  H5E_auto2_t printer = NULL;
  void *data = NULL;
  if ((size_t)snprintf(draft, sizeof draft, "%s.new", path) >= sizeof draft)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a path of more than %d characters", PATH_LENGTH - 5);
  H5Eget_auto2(H5E_DEFAULT, &printer, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  errno = 0;
  hid_t file = H5Fcreate(draft, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  bool done = file >= 0 && (c->mass ? write_global(file, c->problem, c->mass, c->h, c->title) : copy_groups(file, c->from));
  if (done && c->impulse && c->relative) done = write_solution(file, c->problem, c->velocity, c->relative, c->impulse);
  if (file >= 0) done = H5Fclose(file) >= 0 && done;
  H5Eset_auto2(H5E_DEFAULT, printer, data);
  if (done && rename(draft, path) == 0) return SCR_OK;
  int number = errno;
  unlink(draft);
  return scr_fail_io(error, "write", path, number ? number : EIO);
}

scr_status fclib_write(const char *path, const contact_problem *problem, const double *velocity, const double *relative,
                       const double *impulse, const char *title, scr_error *error)
{
  la_sparse mass = {0}, h = {0};
  if (problem->dimension > 3)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "FCLIB's files hold problems of dimension 2 and 3; this has %u: write it as text",
                    problem->dimension);
  if (!problem->mass) SCR_TRY(whole_mass(problem, &mass, error));
  scr_status status = whole_h(problem, &h, error);
  if (status == SCR_OK)
    status = write_file(path,
                        &(content){.problem = problem,
                                   .mass = problem->mass ? problem->mass : &mass,
                                   .h = &h,
                                   .title = title,
                                   .velocity = velocity,
                                   .relative = relative,
                                   .impulse = impulse},
                        error);
  la_sparse_clear(&mass);
  la_sparse_clear(&h);
  return status;
}

scr_status fclib_copy(const char *from, const char *path, const contact_problem *problem, const double *velocity, const double *relative,
                      const double *impulse, scr_error *error)
{
  return write_file(path, &(content){.problem = problem, .from = from, .velocity = velocity, .relative = relative, .impulse = impulse},
                    error);
}
