/** Reading frame payloads, trusting nothing in them. */
#ifndef SCREE_RECORD_FRAME_READER_H
#define SCREE_RECORD_FRAME_READER_H

#include "record/frame.h"

/** Walks the arrays of one payload, which must stay in place. */
typedef struct frame_reader {
  const unsigned char *bytes;
  size_t size, at;
  uint32_t blocks_left, arrays_left;
  uint32_t drawable, element_count; /**< of the current block */
  size_t block_end;
} frame_reader;

/** One array of a frame. */
typedef struct frame_array {
  uint32_t drawable, element_count;
  scr_array_header header;
  const unsigned char *data; /**< header.byte_size bytes, maybe unaligned */
} frame_array;

scr_status frame_reader_begin(frame_reader *reader, const void *payload, size_t size, scr_error *error);

/** Takes the next array; `*more` is false, and `array` untouched, after the last. SCR_BAD_FILE on any size that does not add up. */
scr_status frame_reader_next(frame_reader *reader, frame_array *array, bool *more, scr_error *error);

/** Value of a component of an element, both within range. */
double frame_array_value(const frame_array *array, uint32_t element, uint32_t component);

#endif
