/** Building frame payloads (see frame.h for the bytes). The layout is fixed by the drawables, so one builder is made per run and every
 *  frame is written in place, in any order of fields. */
#ifndef SCREE_RECORD_FRAME_BUILDER_H
#define SCREE_RECORD_FRAME_BUILDER_H

#include "base/error.h"
#include "record/frame/reader.h"

/** A builder for frames of these drawables, which must outlive it. Owned by the caller; ended by frame_destroy.
 *  @return SCR_OK, SCR_BAD_USAGE (a drawable is not sound), SCR_NO_MEMORY */
scr_status frame_create(const scr_drawable *drawables, size_t count, scr_frame **out, scr_error *error);
void frame_destroy(scr_frame *frame);

/** Forgets the fields of the frame before. */
void frame_begin(scr_frame *frame);

/** An array of this frame as it is stored; false when the field was not given yet. Valid until the next call that changes the frame. */
bool frame_given(const scr_frame *frame, uint32_t drawable, uint32_t field, frame_array *array);

/** The finished payload, of a frame that is to be recorded: its scalars count in the ranges of the run so far. Valid until the next
 *  frame_begin. SCR_BAD_USAGE naming a field that was not given. */
scr_status frame_finish(scr_frame *frame, const void **payload, size_t *size, scr_error *error);

/** What is known of the ranges so far, for checkpoints: numbers to be saved and set again as they are. Owned by the frame. */
double *frame_ranges(scr_frame *frame, size_t *count);

/** Box around all drawables as given to this frame, radii, half edges and turned bodies included; false when there is no element. */
bool frame_bounds(const scr_frame *frame, scr_vec3 *minimum, scr_vec3 *maximum);

#endif
