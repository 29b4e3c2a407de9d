/** Where the parts of the rig and the obstacles are in one frame, and their triangles there: what exports add to the points. */
#ifndef SCREE_RECORD_FRAME_SOLIDS_H
#define SCREE_RECORD_FRAME_SOLIDS_H

#include "record/frame/view.h"

/** Poses of every element of all planes, cylinders and rigid meshes. Made by frame_solids_create, emptied by frame_solids_clear,
 *  which takes a zeroed one too. */
typedef struct frame_solids {
  const scr_topology *topology; /**< borrowed */
  size_t *first;                /**< [drawable_count + 1] number of a drawable's first element among all; empty for those left out */
  scr_vec3 *position;           /**< [first[drawable_count]] m */
  scr_vec3 *orientation;        /**< the same: rotation vector, rad; 0 for what never turns */
} frame_solids;

/** All at the origin, unturned. @return SCR_OK, SCR_NO_MEMORY */
scr_status frame_solids_create(const scr_topology *topology, frame_solids *solids, scr_error *error);
void frame_solids_clear(frame_solids *solids);

/** Takes the places and turns of all solids that are in a frame of the same topology. */
void frame_solids_take(frame_solids *solids, const frame_view *view);

/** Appends an element at its pose as triangles of part `part`, counter-clockwise seen from outside: a body and a whole roller closed, an
 *  arc of a mantle and a rectangle (4 vertices in their order around it, 2 triangles) open.
 *  @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_USAGE (too many vertices) */
scr_status frame_solids_add(const frame_solids *solids, size_t drawable, uint32_t element, uint32_t part, geo_mesh *mesh, scr_error *error);

/** Whether an element's triangles are closed. */
bool frame_solids_closed(const scr_drawable *drawable, uint32_t element);

/** Name of an element: "anvil". */
const char *frame_solids_name(const scr_drawable *drawable, uint32_t element);

#endif
