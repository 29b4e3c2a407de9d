/** The surfaces of one frame as they are there: instances posed and blended from their modes, surfaces deformed. */
#ifndef SCREE_RECORD_FRAME_SURFACE_H
#define SCREE_RECORD_FRAME_SURFACE_H

#include "record/frame/view.h"

/** Most triangles that one frame is turned into, so that a recording can't ask for more memory than there is. */
enum { FRAME_SURFACE_TRIANGLE_LIMIT = 1 << 26 };

/** How many triangles and vertices all elements of an SCR_DRAW_INSTANCES or SCR_DRAW_SURFACE that is in the frame have together.
 *  @return SCR_OK; SCR_BAD_USAGE when there are more than FRAME_SURFACE_TRIANGLE_LIMIT of either */
scr_status frame_surface_measure(const drawable_view *view, size_t *vertex_count, size_t *triangle_count, scr_error *error);

/** Appends an instance, or a surface (element 0), as triangles of part `part`, m. @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_USAGE (too many)
 *  */
scr_status frame_surface_add(const drawable_view *view, uint32_t element, uint32_t part, geo_mesh *mesh, scr_error *error);

#endif
