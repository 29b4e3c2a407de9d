/* Frames as VTKHDF (1,0) files, the version that VTK 9.1 and ParaView 5.11 read: an UnstructuredGrid (vtk_grid.h), one file per frame, and
 * a .series index that lists their times. Skins of pieces stay out: they are made finer by scr_export_surface. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/export/vtk_grid.h"
#include "record/file/recording.h"
#include "record/geometry_record.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_array(hid_t group, const char *name, hid_t type, int rank, const hsize_t *dims, const void *data)
{
  hid_t space = H5Screate_simple(rank, dims, NULL);
  hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = set >= 0 && (dims[0] == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  return ok;
}

static bool write_attributes(hid_t group)
{
  hsize_t two = 2;
  long long version[2] = {1, 0};
  hid_t space = H5Screate_simple(1, &two, NULL), scalar = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, strlen("UnstructuredGrid")); /* readers want fixed-length ASCII */
  H5Tset_strpad(text, H5T_STR_NULLPAD);
  hid_t a = H5Acreate2(group, "Version", H5T_NATIVE_LLONG, space, H5P_DEFAULT, H5P_DEFAULT);
  hid_t b = H5Acreate2(group, "Type", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = a >= 0 && b >= 0 && H5Awrite(a, H5T_NATIVE_LLONG, version) >= 0 && H5Awrite(b, text, "UnstructuredGrid") >= 0;
  if (a >= 0) H5Aclose(a);
  if (b >= 0) H5Aclose(b);
  H5Tclose(text);
  H5Sclose(scalar);
  H5Sclose(space);
  return ok;
}

/* What all cells have takes its name first: a field of the same is left out. */
static bool is_taken(const char *name)
{
  return strcmp(name, "kind") == 0 || strcmp(name, "drawable") == 0 || strcmp(name, "element") == 0;
}

static bool write_cells(hid_t group, const vtk_grid *grid)
{
  const vtk_cells *cells = &grid->cells;
  size_t vertex_count = grid->vertex_count;
  hsize_t one = 1, count = cells->count, ids = cells->id_count, offsets = cells->count + 1;
  const long long totals[3] = {(long long)vertex_count, (long long)cells->count, (long long)cells->id_count};
  hid_t data = H5Gcreate2(group, "CellData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = data >= 0 && write_array(group, "NumberOfPoints", H5T_NATIVE_LLONG, 1, &one, &totals[0]) &&
            write_array(group, "NumberOfCells", H5T_NATIVE_LLONG, 1, &one, &totals[1]) &&
            write_array(group, "NumberOfConnectivityIds", H5T_NATIVE_LLONG, 1, &one, &totals[2]) &&
            write_array(group, "Types", H5T_NATIVE_UCHAR, 1, &count, cells->type) &&
            write_array(group, "Connectivity", H5T_NATIVE_LLONG, 1, &ids, cells->id) &&
            write_array(group, "Offsets", H5T_NATIVE_LLONG, 1, &offsets, cells->offset) &&
            write_array(data, "kind", H5T_NATIVE_INT, 1, &count, cells->kind) &&
            write_array(data, "drawable", H5T_NATIVE_INT, 1, &count, cells->drawable) &&
            write_array(data, "element", H5T_NATIVE_INT, 1, &count, cells->element);
  for (size_t k = 0; ok && k < grid->cell_field_count; k++)
    if (!is_taken(grid->cell_names[k])) ok = write_array(data, grid->cell_names[k], H5T_NATIVE_FLOAT, 1, &count, grid->cell_fields[k]);
  if (data >= 0) H5Gclose(data);
  return ok;
}

static bool write_grid(hid_t file, const vtk_grid *grid)
{
  hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t data = group >= 0 ? H5Gcreate2(group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
  hsize_t dims[2] = {grid->vertex_count, 3};
  bool ok = data >= 0 && write_attributes(group) && write_cells(group, grid) &&
            write_array(group, "Points", H5T_NATIVE_FLOAT, 2, dims, grid->position) &&
            write_array(data, "radius", H5T_NATIVE_FLOAT, 1, dims, grid->radius) &&
            write_array(data, "drawable", H5T_NATIVE_INT, 1, dims, grid->drawable);
  for (size_t k = 0; ok && k < grid->field_count; k++) ok = write_array(data, grid->names[k], H5T_NATIVE_FLOAT, 1, dims, grid->fields[k]);
  if (data >= 0) H5Gclose(data);
  if (group >= 0) H5Gclose(group);
  return ok;
}

/* Group /scree: the curves' names and units, and all samples up to `time`. Readers of VTKHDF pass it over. */
static bool write_curves(hid_t file, const scr_curves *curves, double time)
{
  size_t samples = 0;
  while (samples < curves->sample_count && curves->values[samples * curves->series_count] <= time) samples++;
  char *names = mem_array(curves->series_count, VTK_NAME_BYTES), *units = mem_array(curves->series_count, VTK_NAME_BYTES);
  hid_t group = H5Gcreate2(file, "scree", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, VTK_NAME_BYTES);
  for (size_t k = 0; names && units && k < curves->series_count; k++) {
    snprintf(names + k * VTK_NAME_BYTES, VTK_NAME_BYTES, "%s", curves->series[k].name);
    snprintf(units + k * VTK_NAME_BYTES, VTK_NAME_BYTES, "%s", curves->series[k].unit);
  }
  hsize_t series = curves->series_count, dims[2] = {samples, curves->series_count}, one = 1;
  bool ok = names && units && group >= 0 && write_array(group, "series", text, 1, &series, names) &&
            write_array(group, "units", text, 1, &series, units) &&
            write_array(group, "curves", H5T_NATIVE_DOUBLE, 2, dims, curves->values) &&
            write_array(group, "time", H5T_NATIVE_DOUBLE, 1, &one, &time);
  if (group >= 0) H5Gclose(group);
  H5Tclose(text);
  mem_free(names);
  mem_free(units);
  return ok;
}

/* Written under a temporary name and renamed, so that a viewer never opens half a file. */
static scr_status write_file(const char *path, const vtk_grid *grid, const scr_curves *curves, double time, scr_error *error)
{
  char temporary[4200];
  snprintf(temporary, sizeof temporary, "%s.part", path);
  hid_t file = H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0)
    return scr_fail(error, SCR_IO, NULL, "could not create %s; check that the folder can be written to and the disk has room", temporary);
  bool ok = write_grid(file, grid) && write_curves(file, curves, time);
  ok = H5Fclose(file) >= 0 && ok;
  if (!ok) {
    unlink(temporary);
    return scr_fail(error, SCR_IO, NULL, "could not write %s; check that the disk has room", path);
  }
  if (rename(temporary, path) != 0) return scr_fail_io(error, "rename", temporary, errno);
  return SCR_OK;
}

/* Everything one export needs, so that one function ends it. */
typedef struct vtk_export {
  scr_topology topology;
  scr_curves *curves;
  vtk_grid grid;
  text_builder series; /* the .series index being written */
} vtk_export;

static scr_status export_begin(scr_recording *recording, vtk_export *x, scr_error *error)
{
  bool found = false;
  SCR_TRY(geometry_topology_read(recording, &x->topology, &found, error));
  if (!found) return scr_fail(error, SCR_BAD_FILE, NULL, "the recording has no topology yet: there is nothing to export");
  SCR_TRY(scr_curves_read(recording, 0, &x->curves, error));
  return vtk_grid_create(&x->topology, &x->grid, error);
}

static scr_status export_frame(scr_recording *recording, uint64_t seq, vtk_export *x, const char *path, scr_error *error)
{
  void *record;
  const void *payload;
  size_t size;
  double time = scr_recording_header(recording, seq)->sim_time;
  SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
  scr_status status = vtk_grid_make(&x->grid, payload, size, error);
  free(record);
  return status == SCR_OK ? write_file(path, &x->grid, x->curves, time, error) : status;
}

static scr_status export_frames(scr_recording *recording, vtk_export *x, const char *directory, const char *name, size_t *file_count,
                                scr_error *error)
{
  text_add_string(&x->series, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [");
  for (uint64_t seq = scr_recording_next(recording, 0, 1u << SCR_RECORD_FRAME); seq;
       seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_FRAME)) {
    char path[4096], number[NUMBER_TEXT_BYTES];
    snprintf(path, sizeof path, "%s/%s-%06zu.vtkhdf", directory, name, *file_count);
    SCR_TRY(export_frame(recording, seq, x, path, error));
    text_add_format(&x->series, "%s\n    { \"name\": \"%s-%06zu.vtkhdf\", \"time\": %s }", *file_count ? "," : "", name, *file_count,
                    number_text(scr_recording_header(recording, seq)->sim_time, number));
    (*file_count)++;
  }
  text_add_string(&x->series, "\n  ]\n}\n");
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.vtkhdf.series", directory, name);
  size_t length = x->series.length;
  char *text = text_take(&x->series);
  if (!text) return scr_fail_memory(error, "the list of files", length);
  scr_status status = scr_write_file(path, text, length, error);
  free(text);
  return status;
}

scr_status scr_export_vtkhdf(scr_recording *recording, const char *directory, const char *name, size_t *file_count, scr_error *error)
{
  *file_count = 0;
  if (strlen(directory) + strlen(name) > 4000 || strpbrk(name, "/\"\\"))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "'%s' is not a valid name for the exported files: use letters, digits, '-' and '_'", name);
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) return scr_fail_io(error, "create the folder", directory, errno);
  vtk_export x = {0};
  /* HDF5 prints its errors by default; ours are returned. The caller's choice is put back. */
  H5E_auto2_t printer = NULL;
  void *printer_data = NULL;
  H5Eget_auto2(H5E_DEFAULT, &printer, &printer_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  scr_status status = export_begin(recording, &x, error);
  if (status == SCR_OK) status = export_frames(recording, &x, directory, name, file_count, error);
  vtk_grid_clear(&x.grid);
  scr_curves_destroy(x.curves);
  topology_clear(&x.topology);
  text_clear(&x.series);
  H5Eset_auto2(H5E_DEFAULT, printer, printer_data);
  return status;
}
