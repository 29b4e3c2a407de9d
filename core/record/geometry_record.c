/* Shapes as records and back. Coordinates are float32 in files: a picture's precision. */
#include "record/geometry_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/drawable.h"
#include "record/file/recording.h"

enum { vector_bytes = 3 * sizeof(float), triangle_bytes = 3 * sizeof(uint32_t) };

static unsigned char *put_vectors(unsigned char *at, const scr_vec3 *vectors, size_t count)
{
  for (size_t i = 0; i < count; i++, at += vector_bytes) {
    const float three[3] = {(float)vectors[i].x, (float)vectors[i].y, (float)vectors[i].z};
    memcpy(at, three, sizeof three);
  }
  return at;
}

scr_status geometry_payload(const scr_drawable *drawable, uint32_t id, uint32_t shape, unsigned char **payload, size_t *size,
                            scr_error *error)
{
  const scr_modal_shape *from = &drawable->shapes[shape];
  size_t vertices = from->mesh.vertex_count, triangles = from->mesh.triangle_count;
  scr_geometry_header header = {.drawable = id,
                                .shape = shape,
                                .vertex_count = (uint32_t)vertices,
                                .triangle_count = (uint32_t)triangles,
                                .mode_count = from->mode_count};
  *size = sizeof header + vertices * (1 + (size_t)from->mode_count) * vector_bytes + triangles * triangle_bytes;
  *payload = mem_array(*size, 1);
  if (!*payload) return scr_fail_memory(error, "a geometry record", *size);
  memcpy(*payload, &header, sizeof header);
  unsigned char *at = put_vectors(*payload + sizeof header, from->mesh.vertex, vertices);
  if (triangles) memcpy(at, from->mesh.triangle, triangles * triangle_bytes);
  put_vectors(at + triangles * triangle_bytes, from->modes, vertices * from->mode_count);
  return SCR_OK;
}

static scr_vec3 vector_at(const unsigned char *bytes, size_t i)
{
  float three[3];
  memcpy(three, bytes + i * vector_bytes, sizeof three);
  return vec3((double)three[0], (double)three[1], (double)three[2]);
}

static scr_status bad(scr_error *error, const char *what)
{
  return scr_fail(error, SCR_BAD_FILE, NULL, "a geometry record %s: the recording is damaged", what);
}

/* The shape that a header speaks of; NULL when the topology knows none that is so, or it was taken before. */
static scr_modal_shape *shape_of(const scr_topology *topology, const scr_geometry_header *header)
{
  if (header->drawable >= topology->drawable_count || header->shape >= topology->drawables[header->drawable].shape_count) return NULL;
  scr_modal_shape *shape = &topology->drawables[header->drawable].shapes[header->shape];
  const topology_shape *said = &topology->shapes[topology->first_shape[header->drawable] + header->shape];
  bool same = said->vertex_count == header->vertex_count && said->triangle_count == header->triangle_count &&
              shape->mode_count == header->mode_count;
  return same && !said->taken ? shape : NULL;
}

static scr_status fill(scr_modal_shape *shape, const scr_geometry_header *header, const unsigned char *at, scr_error *error)
{
  size_t parts = (size_t)header->vertex_count * header->mode_count;
  for (uint32_t v = 0; v < header->vertex_count; v++) SCR_TRY(geo_mesh_add_vertex(&shape->mesh, vector_at(at, v), error));
  at += (size_t)header->vertex_count * vector_bytes;
  for (uint32_t t = 0; t < header->triangle_count; t++, at += triangle_bytes) {
    uint32_t corner[3];
    memcpy(corner, at, sizeof corner);
    SCR_TRY(geo_mesh_add_triangle(&shape->mesh, corner[0], corner[1], corner[2], 0, error));
  }
  shape->modes = parts ? mem_array(parts, sizeof *shape->modes) : NULL;
  if (parts && !shape->modes) return scr_fail_memory(error, "the modes of a shape", parts * sizeof *shape->modes);
  for (size_t k = 0; k < parts; k++) shape->modes[k] = vector_at(at, k);
  return SCR_OK;
}

scr_status geometry_take(scr_topology *topology, const void *payload, size_t size, scr_error *error)
{
  scr_geometry_header header;
  if (size < sizeof header) return bad(error, "is too short");
  memcpy(&header, payload, sizeof header);
  scr_modal_shape *shape = shape_of(topology, &header);
  if (!shape) return bad(error, "fits no shape that the topology has left");
  if (size - sizeof header !=
      ((uint64_t)header.vertex_count * (1 + (uint64_t)header.mode_count)) * vector_bytes + (uint64_t)header.triangle_count * triangle_bytes)
    return bad(error, "has another size than its numbers of vertices, triangles and modes");
  topology->shapes[topology->first_shape[header.drawable] + header.shape].taken = true;
  SCR_TRY(fill(shape, &header, (const unsigned char *)payload + sizeof header, error));
  scr_status status = drawable_check_shape(&topology->drawables[header.drawable], header.shape, error);
  if (status == SCR_BAD_USAGE && error) error->code = SCR_BAD_FILE;
  return status == SCR_BAD_USAGE ? SCR_BAD_FILE : status;
}

/* Takes every geometry record there is. `*missing`: how many shapes had none. */
static scr_status take_all(scr_recording *recording, scr_topology *topology, size_t *missing, scr_error *error)
{
  *missing = topology->shape_count;
  for (uint64_t seq = 0; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_GEOMETRY)) != 0;) {
    void *record = NULL;
    const void *payload = NULL;
    size_t size = 0;
    SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
    scr_status status = geometry_take(topology, payload, size, error);
    free(record);
    SCR_TRY(status);
    --*missing;
  }
  return SCR_OK;
}

scr_status geometry_topology_read(scr_recording *recording, scr_topology *topology, bool *found, scr_error *error)
{
  size_t missing = 0;
  SCR_TRY(topology_read(recording, topology, found, error));
  scr_status status = *found ? take_all(recording, topology, &missing, error) : SCR_OK;
  if (status == SCR_OK && missing > 0 && scr_recording_newest(recording, 1u << SCR_RECORD_FRAME))
    status =
        scr_fail(error, SCR_BAD_FILE, NULL, "%zu geometry records are missing before the first frame: the recording is damaged", missing);
  if (status == SCR_OK && missing == 0) return SCR_OK;
  *found = false; /* the recording is still being begun, or damaged */
  topology_clear(topology);
  return status;
}
