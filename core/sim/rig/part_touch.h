/** Parts as solids that bodies touch: the piece that a part is, and where a body's piece touches it. */
#ifndef SCREE_SIM_PART_TOUCH_H
#define SCREE_SIM_PART_TOUCH_H

#include "geometry/touch/touch.h"
#include "scene/part.h"

/** The piece of a part of kind SCR_PART_CYLINDER or SCR_PART_SOLID: a box, a ball, a cylinder, a mesh, whose tree it keeps. Its axes are
 *  the part's at t = 0, about its start. Cleared by geo_piece_clear, also after a failure.
 *  @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_SCENE (no such part) */
scr_status part_piece(const scr_part *part, geo_piece *piece, scr_error *error);

/** Adds where a body's piece is nearer to a part than `reach`, m; grips touch nothing.
 *  @param pose  where the part is    @param of_part  its piece there; not looked at where the part is a plane or a trough */
void part_touch(const scr_part *part, const scr_pose *pose, const geo_placed *of_part, const geo_placed *body, double reach,
                touch_sink *sink);

#endif
