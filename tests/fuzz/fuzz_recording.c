/* Fuzzes everything that reads a recording: opening, the sidecar index, records, curves, topology, frames and the exports.
 *
 * Input: one byte of choices, a u16 length of the index, the index, the recording. Checksums would stop a fuzzer at the first record, so
 * with bit 0 set every record that can be found gets its right checksum and seq before the file is opened, and with bit 1 set so do the
 * index's entries. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/drawable.h"
#include "record/file/record.h"
#include "record/file/recording.h"
#include "record/frame/surface.h"
#include "record/geometry_record.h"
#include "record/topology.h"
#include "tests/support/frame_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_bytes(const char *path, const void *bytes, size_t size)
{
  FILE *out = fopen(path, "wb");
  if (!out) abort();
  if (size) fwrite(bytes, 1, size, out);
  fclose(out);
}

static void mend_records(unsigned char *file, size_t size)
{
  if (size < SCR_FILE_MAGIC_BYTES) return;
  memcpy(file, SCR_FILE_MAGIC, SCR_FILE_MAGIC_BYTES);
  uint64_t seq = 1;
  for (size_t at = SCR_FILE_MAGIC_BYTES; size - at >= sizeof(scr_record_header); seq++) {
    scr_record_header header;
    memcpy(&header, file + at, sizeof header);
    if (SCR_RECORD_BYTES(header.size) > size - at) header.size = (uint32_t)((size - at - sizeof header) & ~(size_t)7);
    header.type = header.type % SCR_RECORD_TYPE_COUNT ? header.type % SCR_RECORD_TYPE_COUNT : 1;
    header.flags = 0;
    header.stream = 0;
    header.seq = seq;
    header.crc32c = record_crc(&header, file + at + sizeof header);
    memcpy(file + at, &header, sizeof header);
    at += SCR_RECORD_BYTES(header.size);
  }
}

static void mend_index(unsigned char *index, size_t size)
{
  if (size < sizeof RECORD_INDEX_MAGIC - 1) return;
  memcpy(index, RECORD_INDEX_MAGIC, sizeof RECORD_INDEX_MAGIC - 1);
  for (size_t at = sizeof RECORD_INDEX_MAGIC - 1; size - at >= sizeof(index_entry); at += sizeof(index_entry)) {
    index_entry entry;
    memcpy(&entry, index + at, sizeof entry);
    entry = index_entry_make(&entry.header, entry.offset);
    memcpy(index + at, &entry, sizeof entry);
  }
}

static void read_frame(const void *payload, size_t size)
{
  frame_reader reader;
  frame_array array;
  bool more = true;
  double sum = 0.0;
  if (frame_reader_begin(&reader, payload, size, NULL) != SCR_OK) return;
  while (frame_reader_next(&reader, &array, &more, NULL) == SCR_OK && more)
    for (uint32_t i = 0; i < array.element_count; i++)
      for (uint32_t c = 0; c < array.header.components; c++) sum += frame_array_value(&array, i, c);
  (void)sum;
  for (uint32_t drawable = 0; drawable < 4; drawable++) {
    geo_mesh mesh;
    (void)frame_mesh_read(payload, size, drawable, &mesh);
    geo_mesh_clear(&mesh);
  }
}

/* A frame against the topology: what was let in can be drawn, every vertex of it. */
static void read_view(const scr_topology *topology, const void *payload, size_t size)
{
  frame_view view = {0};
  double sum = 0;
  if (frame_view_read(&view, topology, payload, size, NULL) == SCR_OK)
    for (size_t d = 0; d < topology->drawable_count; d++) {
      const drawable_view *of = &view.drawables[d];
      bool meshes = of->there && (of->drawable->kind == SCR_DRAW_INSTANCES || of->drawable->kind == SCR_DRAW_SURFACE);
      size_t vertices = 0, triangles = 0;
      geo_mesh mesh = {0};
      if (meshes && frame_surface_measure(of, &vertices, &triangles, NULL) == SCR_OK && vertices + triangles < 100000)
        for (uint32_t i = 0; i < (of->drawable->kind == SCR_DRAW_SURFACE ? 1 : of->count); i++)
          if (frame_surface_add(of, i, 0, &mesh, NULL) != SCR_OK) abort();
      for (size_t t = 0; t < mesh.triangle_count; t++) sum += mesh.vertex[mesh.triangle[t][2]].z;
      geo_mesh_clear(&mesh);
      for (uint32_t i = 0; of->there && of->drawable->kind == SCR_DRAW_GRID && i < of->count; i++)
        if (drawable_view_cell(of, i) >= drawable_grid_cells(&of->drawable->grid)) abort();
      for (uint32_t i = 0; of->there && !of->drawable->changing && of->drawable->kind != SCR_DRAW_MESH && i < of->count; i++)
        sum += drawable_view_radius(of, i);
    }
  (void)sum;
  frame_view_clear(&view);
}

static void read_frames(scr_recording *recording, const scr_topology *topology)
{
  for (uint64_t seq = 0; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_FRAME)) != 0;) {
    void *record = NULL;
    const void *payload = NULL;
    size_t size = 0;
    if (recording_payload(recording, seq, &record, &payload, &size, NULL) == SCR_OK) read_view(topology, payload, size);
    free(record);
  }
}

static void read_records(scr_recording *recording)
{
  for (uint64_t seq = 1; seq <= scr_recording_count(recording); seq++) {
    void *record = NULL;
    const void *payload = NULL;
    size_t size = 0;
    if (recording_payload(recording, seq, &record, &payload, &size, NULL) == SCR_OK) read_frame(payload, size);
    free(record);
  }
  for (unsigned mask = 0; mask < 2048; mask += 409) scr_recording_newest(recording, mask);
}

/* What a topology says is written again and read back as the same: whatever was let in is sound. */
static void read_topology(scr_recording *recording)
{
  scr_topology topology, again;
  bool found;
  if (geometry_topology_read(recording, &topology, &found, NULL) != SCR_OK || !found) return;
  read_frames(recording, &topology);
  char *text = topology_json(&topology);
  if (text && topology_parse(text, strlen(text), &again, NULL) == SCR_OK) {
    if (again.drawable_count != topology.drawable_count) abort();
    for (size_t d = 0; d < again.drawable_count; d++)
      if (again.drawables[d].changing != topology.drawables[d].changing ||
          again.drawables[d].shape_count != topology.drawables[d].shape_count)
        abort();
    topology_clear(&again);
  }
  free(text);
  topology_clear(&topology);
}

static void read_exports(scr_recording *recording, const char *folder, bool vtk)
{
  scr_curves *curves = NULL;
  char *text = NULL;
  size_t length = 0, files = 0;
  if (scr_curves_read(recording, 0, &curves, NULL) == SCR_OK && scr_curves_csv(curves, &text, &length, NULL) == SCR_OK) scr_free(text);
  scr_curves_destroy(curves);
  if (scr_recording_plot_svg(recording, 0, &text, &length, NULL) == SCR_OK) scr_free(text);
  if (vtk) scr_export_vtkhdf(recording, folder, "f", &files, NULL);
  scr_surface_options surface = {.format = vtk ? SCR_SURFACE_STL : SCR_SURFACE_PLY, .frame = -1};
  if (scr_export_surface(recording, &surface, &text, &length, NULL, NULL) == SCR_OK) scr_free(text);
}

static void empty_folder(const char *folder)
{
  DIR *entries = opendir(folder);
  char path[512];
  for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries)) {
    snprintf(path, sizeof path, "%s/%.200s", folder, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  if (entries) closedir(entries);
  rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 3) return 0;
  unsigned choices = data[0];
  size_t index_size = (size_t)data[1] | (size_t)data[2] << 8;
  data += 3, size -= 3;
  if (index_size > size) index_size = size;
  unsigned char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  memcpy(bytes, data, size);
  if (choices & 1) mend_records(bytes + index_size, size - index_size);
  if (choices & 2) mend_index(bytes, index_size);
  char folder[] = "/dev/shm/scree-fuzz-XXXXXX", path[64], index[64];
  if (!mkdtemp(folder)) abort();
  snprintf(path, sizeof path, "%s/r.scree", folder);
  snprintf(index, sizeof index, "%s/r.index", folder);
  write_bytes(path, bytes + index_size, size - index_size);
  if (index_size) write_bytes(index, bytes, index_size);
  free(bytes);
  scr_recording *recording = NULL;
  if (scr_recording_open(path, &recording, NULL) == SCR_OK) {
    read_records(recording);
    scr_recording_refresh(recording, NULL);
    read_topology(recording);
    read_exports(recording, folder, (choices & 12) == 12); /* HDF5 is slow: one input in four */
    scr_recording_close(recording);
  }
  empty_folder(folder);
  return 0;
}
