/** A whole frame read against its topology: which arrays each drawable has, checked once, so that whoever draws or exports it need not. */
#ifndef SCREE_RECORD_FRAME_VIEW_H
#define SCREE_RECORD_FRAME_VIEW_H

#include "record/frame/reader.h"
#include "record/topology.h"

/** What one drawable shows in a frame. */
typedef struct drawable_view {
  const scr_drawable *drawable;        /**< of the topology */
  bool there;                          /**< the frame has it; else all below is 0 */
  uint32_t count;                      /**< elements: points, bodies, instances, vertices, nodes */
  uint32_t second_count;               /**< threads; triangles of a skin */
  frame_array arrays[SCR_FIELD_LIMIT]; /**< by field; `data` is NULL for one that is not in the frame */
} drawable_view;

/** Starts zeroed; read anew for every frame; emptied by frame_view_clear. */
typedef struct frame_view {
  const scr_topology *topology; /**< borrowed */
  drawable_view *drawables;     /**< [topology->drawable_count] */
  size_t capacity;
} frame_view;

/** Reads a payload, which must stay in place as long as the view is used. Everything in it fits the topology: numbers of elements,
 *  components, and of a drawable that is there every field; encodings are those declared, but whole numbers may be uint16 too, as in skins;
 *  corners of skins are vertices, shapes of instances exist, threads have all nodes, cells of grids are there and rise.
 *  @return SCR_OK; SCR_BAD_FILE naming what does not fit; SCR_NO_MEMORY */
scr_status frame_view_read(frame_view *view, const scr_topology *topology, const void *payload, size_t size, scr_error *error);
void frame_view_clear(frame_view *view);

/** The array of the field of that name, or NULL when the drawable has none. */
const frame_array *drawable_view_field(const drawable_view *view, const char *name);

/** Three components of an element, of an array that has so many. */
scr_vec3 frame_array_vector(const frame_array *array, uint32_t element);
/** A whole number of an element, of an array of uint32, or of uint16 that stands for itself. */
uint32_t frame_array_whole(const frame_array *array, uint32_t element, uint32_t component);

/** Radius of a point or node: its own, or the drawable's. m */
double drawable_view_radius(const drawable_view *view, uint32_t element);

/** Number of the grid's cell that is element `element` of the frame. */
uint32_t drawable_view_cell(const drawable_view *view, uint32_t element);

/** The vertices of an instance, posed and blended from its modes: position + R scale (x + sum_k amplitude_k mode_k).
 *  @param shape  receives the shape it is a copy of    @param vertices receives [shape->mesh.vertex_count] when not NULL, m */
void drawable_view_instance(const drawable_view *view, uint32_t element, const scr_modal_shape **shape, scr_vec3 *vertices);

#endif
