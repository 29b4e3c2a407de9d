/** The inside of a frame being built, for the files that fill it: builder.c (layout, fields), encode.c (numbers), box.c (bounds).
 *
 *    part 0: block_header | array_header data pad | array_header data pad ...      one part per drawable, each in its own memory
 *    part 1: block_header | ... | block_header | ...                               two blocks: a skin, threads
 *    payload: frame_header | part 0 | part 1 | ...                                 put together by frame_finish */
#ifndef SCREE_RECORD_FRAME_PARTS_H
#define SCREE_RECORD_FRAME_PARTS_H

#include "record/frame/builder.h"

typedef struct frame_box {
  bool filled;
  scr_vec3 low, high; /* m, 0 as long as nothing is in it */
} frame_box;

/* The values of a scalar field in all frames recorded so far. */
typedef struct field_range {
  double low, high;
  double known; /* 1, or 0 before the first frame */
} field_range;

/* One drawable in this frame. */
typedef struct frame_part {
  unsigned char *bytes;
  size_t size, capacity;
  bool laid_out;                    /* the counts are known, all headers are written */
  uint32_t counts[2];               /* elements of its blocks: all but the second field's; those of the second field */
  size_t array_at[SCR_FIELD_LIMIT]; /* offset of each array_header */
  bool given[SCR_FIELD_LIMIT];
} frame_part;

struct scr_frame {
  const scr_drawable *drawables; /* not owned */
  size_t drawable_count;
  frame_part *parts;   /* [drawable_count] */
  field_range *ranges; /* [drawable_count * SCR_FIELD_LIMIT] */
  unsigned char *payload;
  size_t capacity;
  frame_box box; /* around all fixed planes, cylinders and points that were given */
};

static inline size_t frame_padded(size_t size)
{
  return (size + 7u) & ~(size_t)7u;
}

/* Numbers of one component: `stride` of them lie from one element to the next. */
typedef struct frame_column {
  const double *values;
  size_t stride;
  uint32_t count;
} frame_column;

/** Encodes the columns of a field, one per component, behind the header at `at`, and their ranges into it.
 *  @return SCR_OK, SCR_DIVERGED */
scr_status frame_store(unsigned char *at, const frame_column *columns, const scr_field *field, const scr_drawable *of, scr_error *error);

/** Takes elements whose position was just given into the frame's box, when their kind and constants are all that it takes. */
void frame_box_widen(scr_frame *frame, const scr_drawable *drawable, uint32_t count, const frame_column position[3]);

/** Which of the two blocks of its drawable a field is in. */
int frame_block_of(const scr_drawable *drawable, uint32_t field);

#endif
