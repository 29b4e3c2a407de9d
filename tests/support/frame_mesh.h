/** The changing mesh of a frame as a geo_mesh, for tests. */
#ifndef SCREE_TESTS_SUPPORT_FRAME_MESH_H
#define SCREE_TESTS_SUPPORT_FRAME_MESH_H

#include <stdlib.h>

#include "record/frame/reader.h"

/** A whole number of a frame; UINT32_MAX for what is none, as in a damaged one. */
static inline uint32_t frame_mesh_whole(const frame_array *array, uint32_t element, uint32_t component)
{
  double value = frame_array_value(array, element, component);
  return value >= 0 && value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/** Reads the mesh of one drawable; parts are the fragments of each triangle's first corner. False when the frame is damaged, a corner is
 *  out of range, or the corners of a triangle belong to different fragments. */
static inline bool frame_mesh_read(const void *payload, size_t size, uint32_t drawable, geo_mesh *mesh)
{
  frame_reader reader;
  frame_array array;
  bool more = true, sound = frame_reader_begin(&reader, payload, size, NULL) == SCR_OK;
  uint32_t *fragment = NULL;
  *mesh = (geo_mesh){0};
  while (sound && (sound = frame_reader_next(&reader, &array, &more, NULL) == SCR_OK) && more) {
    if (array.drawable != drawable) continue;
    uint32_t n = array.element_count;
    sound = array.header.components == (array.header.field == SCR_SKIN_PIECE ? 1 : 3) && array.header.field < SCR_SKIN_FIELDS;
    if (array.header.field == SCR_SKIN_POSITION && !fragment)
      for (uint32_t i = 0; i < n && sound; i++)
        sound = geo_mesh_add_vertex(mesh,
                                    vec3(frame_array_value(&array, i, 0), frame_array_value(&array, i, 1), frame_array_value(&array, i, 2)),
                                    NULL) == SCR_OK;
    if (array.header.field == SCR_SKIN_PIECE && sound && !fragment) {
      sound = n == mesh->vertex_count;
      fragment = calloc(n + 1u, sizeof *fragment);
      for (uint32_t i = 0; fragment && i < n; i++) fragment[i] = frame_mesh_whole(&array, i, 0);
    }
    for (uint32_t t = 0; array.header.field == SCR_SKIN_CORNERS && t < n && sound; t++) {
      uint32_t corner[3];
      for (uint32_t k = 0; k < 3; k++) corner[k] = frame_mesh_whole(&array, t, k);
      sound = fragment && corner[0] < mesh->vertex_count && corner[1] < mesh->vertex_count && corner[2] < mesh->vertex_count &&
              fragment[corner[0]] == fragment[corner[1]] && fragment[corner[0]] == fragment[corner[2]] &&
              geo_mesh_add_triangle(mesh, corner[0], corner[1], corner[2], fragment[corner[0]], NULL) == SCR_OK;
    }
  }
  free(fragment);
  return sound;
}

#endif
