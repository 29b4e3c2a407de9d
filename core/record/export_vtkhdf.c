/* Frames as VTKHDF (1,0) files, the version that VTK 9.1 and ParaView 5.11 read: an UnstructuredGrid, one file per frame, and a .series index that
 * lists their times. Every point is a vertex cell; behind them come the rig and the obstacles (vtk_cells.h), whose vertices have radius 0. A
 * field that a drawable lacks is NaN there. Skins of fragments stay out: they are made finer by scr_export_surface. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/recording.h"
#include "record/vtk_cells.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <errno.h>
#include <unistd.h>

enum { field_limit = 32, name_bytes = 64 };

/* All points of one frame, gathered from its drawables, and behind them the vertices of its solids. */
typedef struct cloud {
  size_t point_count;
  size_t vertex_count; /* point_count and those of the solids */
  size_t field_count;
  char field_names[field_limit][name_bytes];
  float *position;            /* [vertex_count][3] */
  float *radius;              /* [vertex_count] */
  int *drawable;              /* [vertex_count] */
  float *fields[field_limit]; /* [vertex_count] */
  size_t *first;              /* [drawable_count] index of a drawable's first point; SIZE_MAX for other kinds */
  size_t *count;              /* [drawable_count] */
  size_t drawable_count;
  const scr_topology *topology; /* borrowed */
  frame_solids solids;
  geo_mesh mesh; /* of the solids in this frame */
  vtk_cells cells;
} cloud;

static void cloud_destroy(cloud *c)
{
  mem_free(c->position);
  mem_free(c->radius);
  mem_free(c->drawable);
  for (size_t k = 0; k < c->field_count; k++) mem_free(c->fields[k]);
  free(c->first);
  free(c->count);
  frame_solids_clear(&c->solids);
  geo_mesh_clear(&c->mesh);
  vtk_cells_clear(&c->cells);
  *c = (cloud){0};
}

static size_t field_index(cloud *c, const char *name)
{
  for (size_t k = 0; k < c->field_count; k++)
    if (strcmp(c->field_names[k], name) == 0) return k;
  return SIZE_MAX;
}

/* Sizes the cloud by the topology and adds the names of all scalar fields. */
static bool cloud_plan(cloud *c, const scr_topology *topology)
{
  c->topology = topology;
  c->drawable_count = topology->drawable_count;
  c->first = malloc((c->drawable_count + 1) * sizeof *c->first);
  c->count = calloc(c->drawable_count + 1, sizeof *c->count);
  if (!c->first || !c->count) return false;
  for (size_t d = 0; d < c->drawable_count; d++) {
    const scr_drawable *drawable = &topology->drawables[d];
    c->first[d] = SIZE_MAX;
    if (drawable->kind != SCR_DRAW_POINTS) continue;
    c->first[d] = c->point_count;
    c->count[d] = drawable->element_count;
    c->point_count += drawable->element_count;
    for (uint32_t k = 1; k < drawable->field_count; k++)
      if (drawable->fields[k].components == 1 && c->field_count < field_limit && field_index(c, drawable->fields[k].name) == SIZE_MAX)
        snprintf(c->field_names[c->field_count++], name_bytes, "%s", drawable->fields[k].name);
  }
  return true;
}

/* Makes the mesh of all solids anew, where they are now: the k-th element of all is part k. */
static scr_status cloud_mesh(cloud *c, scr_error *error)
{
  c->mesh.vertex_count = c->mesh.triangle_count = 0;
  for (size_t d = 0; d < c->drawable_count; d++)
    for (size_t k = c->solids.first[d]; k < c->solids.first[d + 1]; k++)
      SCR_TRY(frame_solids_add(&c->solids, d, (uint32_t)(k - c->solids.first[d]), (uint32_t)k, &c->mesh, error));
  return SCR_OK;
}

static scr_status cloud_allocate(cloud *c, scr_error *error)
{
  SCR_TRY(frame_solids_create(c->topology, &c->solids, error));
  SCR_TRY(cloud_mesh(c, error));
  SCR_TRY(vtk_cells_make(&c->solids, &c->mesh, &c->cells, error));
  c->vertex_count = c->point_count + c->mesh.vertex_count;
  c->position = mem_array(c->vertex_count * 3, sizeof *c->position);
  c->radius = mem_array(c->vertex_count, sizeof *c->radius);
  c->drawable = mem_array(c->vertex_count, sizeof *c->drawable);
  bool ok = c->position && c->radius && c->drawable;
  for (size_t k = 0; k < c->field_count; k++) {
    c->fields[k] = mem_array(c->vertex_count, sizeof *c->fields[k]);
    ok = ok && c->fields[k];
  }
  return ok ? SCR_OK : scr_fail_memory(error, "the points of a frame", c->vertex_count * (c->field_count + 5) * sizeof(float));
}

static void cloud_reset(cloud *c)
{
  for (size_t k = 0; k < c->field_count; k++)
    for (size_t i = 0; i < c->vertex_count; i++) c->fields[k][i] = NAN;
  for (size_t d = 0; d < c->drawable_count; d++)
    for (size_t i = 0; c->first[d] != SIZE_MAX && i < c->count[d]; i++) {
      c->drawable[c->first[d] + i] = (int)d;
      c->radius[c->first[d] + i] = (float)c->topology->drawables[d].radius;
    }
}

/* The vertices of the solids, once all arrays of a frame were taken. */
static scr_status place_solids(cloud *c, scr_error *error)
{
  SCR_TRY(cloud_mesh(c, error));
  for (size_t v = 0; v < c->mesh.vertex_count; v++) {
    float *to = c->position + 3 * (c->point_count + v);
    scr_vec3 at = c->mesh.vertex[v];
    to[0] = (float)at.x, to[1] = (float)at.y, to[2] = (float)at.z;
  }
  for (size_t k = c->point_count; k < c->cells.count; k++)
    for (long long at = c->cells.offset[k]; at < c->cells.offset[k + 1]; at++) c->drawable[c->cells.id[at]] = c->cells.drawable[k];
  return SCR_OK;
}

static scr_status take_array(cloud *c, const frame_array *array, scr_error *error)
{
  if (array->drawable >= c->drawable_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a frame names drawable %u, the topology has %zu: the recording is damaged", array->drawable,
                    c->drawable_count);
  if (c->first[array->drawable] == SIZE_MAX) return frame_solids_take(&c->solids, array, error);
  if (array->element_count != c->count[array->drawable])
    return scr_fail(error, SCR_BAD_FILE, NULL, "a frame has %u elements of drawable %u, the topology %zu: the recording is damaged",
                    array->element_count, array->drawable, c->count[array->drawable]);
  size_t first = c->first[array->drawable];
  if (array->header.field == 0 && array->header.components == 3) {
    for (uint32_t i = 0; i < array->element_count; i++)
      for (uint32_t k = 0; k < 3; k++) c->position[(first + i) * 3 + k] = (float)frame_array_value(array, i, k);
    return SCR_OK;
  }
  const scr_drawable *drawable = &c->topology->drawables[array->drawable];
  size_t k = array->header.field < drawable->field_count ? field_index(c, drawable->fields[array->header.field].name) : SIZE_MAX;
  for (uint32_t i = 0; k != SIZE_MAX && array->header.components == 1 && i < array->element_count; i++)
    c->fields[k][first + i] = (float)frame_array_value(array, i, 0);
  return SCR_OK;
}

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

static bool write_cells(hid_t group, size_t vertex_count, const vtk_cells *cells)
{
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
  if (data >= 0) H5Gclose(data);
  return ok;
}

static bool write_grid(hid_t file, const cloud *c)
{
  hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t data = group >= 0 ? H5Gcreate2(group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
  hsize_t dims[2] = {c->vertex_count, 3};
  bool ok = data >= 0 && write_attributes(group) && write_cells(group, c->vertex_count, &c->cells) &&
            write_array(group, "Points", H5T_NATIVE_FLOAT, 2, dims, c->position) &&
            write_array(data, "radius", H5T_NATIVE_FLOAT, 1, dims, c->radius) &&
            write_array(data, "drawable", H5T_NATIVE_INT, 1, dims, c->drawable);
  for (size_t k = 0; ok && k < c->field_count; k++) ok = write_array(data, c->field_names[k], H5T_NATIVE_FLOAT, 1, dims, c->fields[k]);
  if (data >= 0) H5Gclose(data);
  if (group >= 0) H5Gclose(group);
  return ok;
}

/* Group /scree: the curves' names and units, and all samples up to `time`. Readers of VTKHDF pass it over. */
static bool write_curves(hid_t file, const scr_curves *curves, double time)
{
  size_t samples = 0;
  while (samples < curves->sample_count && curves->values[samples * curves->series_count] <= time) samples++;
  char *names = mem_array(curves->series_count, name_bytes), *units = mem_array(curves->series_count, name_bytes);
  hid_t group = H5Gcreate2(file, "scree", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, name_bytes);
  for (size_t k = 0; names && units && k < curves->series_count; k++) {
    snprintf(names + k * name_bytes, name_bytes, "%s", curves->series[k].name);
    snprintf(units + k * name_bytes, name_bytes, "%s", curves->series[k].unit);
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
static scr_status write_file(const char *path, const cloud *c, const scr_curves *curves, double time, scr_error *error)
{
  char temporary[4200];
  snprintf(temporary, sizeof temporary, "%s.part", path);
  hid_t file = H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0)
    return scr_fail(error, SCR_IO, NULL, "could not create %s; check that the folder can be written to and the disk has room", temporary);
  bool ok = write_grid(file, c) && write_curves(file, curves, time);
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
  cloud points;
  text_builder series; /* the .series index being written */
} vtk_export;

static scr_status export_begin(scr_recording *recording, vtk_export *x, scr_error *error)
{
  bool found = false;
  SCR_TRY(topology_read(recording, &x->topology, &found, error));
  if (!found) return scr_fail(error, SCR_BAD_FILE, NULL, "the recording has no topology yet: there is nothing to export");
  SCR_TRY(scr_curves_read(recording, 0, &x->curves, error));
  if (!cloud_plan(&x->points, &x->topology))
    return scr_fail_memory(error, "the points of a frame", x->topology.drawable_count * sizeof(size_t));
  if (scr_recording_newest(recording, 1u << SCR_RECORD_FRAME) == 0) return SCR_OK;
  /* A position takes at least 6 bytes of every frame: a topology that claims more points than that is not believed with memory. */
  if (x->points.point_count > scr_recording_bytes(recording) / 6)
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "the topology claims %zu points, more than the recording's %llu bytes can hold: it is damaged", x->points.point_count,
                    (unsigned long long)scr_recording_bytes(recording));
  return cloud_allocate(&x->points, error);
}

static scr_status export_frame(scr_recording *recording, uint64_t seq, vtk_export *x, const char *path, scr_error *error)
{
  void *record;
  const void *payload;
  size_t size;
  double time = scr_recording_header(recording, seq)->sim_time;
  SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
  cloud_reset(&x->points);
  frame_reader reader;
  frame_array array;
  bool more = true;
  scr_status status = frame_reader_begin(&reader, payload, size, error);
  while (status == SCR_OK && more) {
    status = frame_reader_next(&reader, &array, &more, error);
    if (status == SCR_OK && more) status = take_array(&x->points, &array, error);
  }
  free(record);
  if (status == SCR_OK) status = place_solids(&x->points, error);
  return status == SCR_OK ? write_file(path, &x->points, x->curves, time, error) : status;
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
    return scr_fail(error, SCR_BAD_USAGE, NULL, "'%s' is no name for the exported files: use letters, digits, '-' and '_'", name);
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) return scr_fail_io(error, "create the folder", directory, errno);
  vtk_export x = {0};
  /* HDF5 prints its errors by default; ours are returned. The caller's choice is put back. */
  H5E_auto2_t printer = NULL;
  void *printer_data = NULL;
  H5Eget_auto2(H5E_DEFAULT, &printer, &printer_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  scr_status status = export_begin(recording, &x, error);
  if (status == SCR_OK) status = export_frames(recording, &x, directory, name, file_count, error);
  cloud_destroy(&x.points);
  scr_curves_destroy(x.curves);
  topology_clear(&x.topology);
  text_clear(&x.series);
  H5Eset_auto2(H5E_DEFAULT, printer, printer_data);
  return status;
}
