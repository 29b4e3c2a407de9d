/* Frame payloads read back: every count is checked against the bytes that are there before it is used. */
#include "record/frame/reader.h"

#include <string.h>

#include "base/error.h"

static size_t padded(size_t size)
{
  return (size + 7u) & ~(size_t)7u;
}

static scr_status bad(scr_error *error, const char *what)
{
  return scr_fail(error, SCR_BAD_FILE, NULL, "a frame is damaged: %s does not fit its size", what);
}

scr_status frame_reader_begin(frame_reader *reader, const void *payload, size_t size, scr_error *error)
{
  scr_frame_header head;
  *reader = (frame_reader){.bytes = payload, .size = size};
  if (size < sizeof head) return bad(error, "the header");
  memcpy(&head, payload, sizeof head);
  reader->blocks_left = head.block_count;
  reader->at = reader->block_end = sizeof head;
  return SCR_OK;
}

static scr_status next_block(frame_reader *reader, scr_error *error)
{
  scr_block_header block;
  if (reader->at != reader->block_end || reader->size - reader->at < sizeof block) return bad(error, "a block");
  memcpy(&block, reader->bytes + reader->at, sizeof block);
  reader->at += sizeof block;
  if (block.byte_size > reader->size - reader->at) return bad(error, "a block");
  reader->block_end = reader->at + block.byte_size;
  reader->drawable = block.drawable;
  reader->element_count = block.element_count;
  reader->arrays_left = block.array_count;
  reader->blocks_left--;
  return SCR_OK;
}

scr_status frame_reader_next(frame_reader *reader, frame_array *array, bool *more, scr_error *error)
{
  *more = false;
  while (reader->arrays_left == 0) {
    if (reader->blocks_left == 0) return SCR_OK;
    SCR_TRY(next_block(reader, error));
  }
  frame_array next = {.drawable = reader->drawable, .element_count = reader->element_count};
  size_t left = reader->block_end - reader->at;
  if (left < sizeof next.header) return bad(error, "an array");
  memcpy(&next.header, reader->bytes + reader->at, sizeof next.header);
  const scr_array_header *header = &next.header;
  size_t width = header->encoding == SCR_ENCODING_UINT16 ? 2 : 4;
  bool any_number = header->encoding == SCR_ENCODING_FLOAT32 && header->components >= 1 && header->components <= SCR_COMPONENT_LIMIT;
  if (header->encoding > SCR_ENCODING_UINT32 || (header->components != 1 && header->components != 3 && !any_number) ||
      header->byte_size != (uint64_t)next.element_count * header->components * width || padded(header->byte_size) > left - sizeof *header)
    return bad(error, "an array");
  next.data = reader->bytes + reader->at + sizeof *header;
  reader->at += sizeof *header + padded(header->byte_size);
  reader->arrays_left--;
  *array = next;
  *more = true;
  return SCR_OK;
}

double frame_array_value(const frame_array *array, uint32_t element, uint32_t component)
{
  const scr_array_header *header = &array->header;
  size_t index = (size_t)element * header->components + component;
  if (header->encoding == SCR_ENCODING_UINT16) {
    uint16_t q;
    memcpy(&q, array->data + index * sizeof q, sizeof q);
    return header->low[component] + (header->high[component] - header->low[component]) * q / 65535.0;
  }
  if (header->encoding == SCR_ENCODING_UINT32) {
    uint32_t number;
    memcpy(&number, array->data + index * sizeof number, sizeof number);
    return number;
  }
  float real;
  memcpy(&real, array->data + index * sizeof real, sizeof real);
  return (double)real;
}
