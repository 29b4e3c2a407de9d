/** Drawables by themselves: whether one is sound, and copies that own the triangles of their bodies. */
#ifndef SCREE_RECORD_DRAWABLE_H
#define SCREE_RECORD_DRAWABLE_H

#include "record/frame.h"

/** Whether a drawable is sound: kind, names, counts, field 0 a position, components 1 or 3, known encodings; a body's triangles present, their
 *  numbers of vertices in range, its vertices finite. @return SCR_OK, SCR_BAD_USAGE */
scr_status drawable_check(const scr_drawable *drawable, scr_error *error);

/** The field of points that says to which fragment each belongs: "fragment", whole numbers. UINT32_MAX: there is none. */
uint32_t drawable_fragment_field(const scr_drawable *drawable);

/** Makes `copy` the same as `drawable`, with bodies of its own, which drawable_clear frees. On failure `copy` holds none.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status drawable_copy(const scr_drawable *drawable, scr_drawable *copy, scr_error *error);

/** Frees the bodies of a copy, or of a drawable that was read. */
void drawable_clear(scr_drawable *drawable);

#endif
