/* What has been given of a frame so far. */
#include "record/frame/parts.h"

#include <string.h>

#include "record/drawable.h"

int frame_block_of(const scr_drawable *drawable, uint32_t field)
{
  return field == drawable_second_field(drawable) ? 1 : 0;
}

bool frame_given(const scr_frame *frame, uint32_t drawable, uint32_t field, frame_array *array)
{
  if (drawable >= frame->drawable_count || field >= SCR_FIELD_LIMIT || frame->drawables[drawable].changing) return false;
  const frame_part *part = &frame->parts[drawable];
  if (!part->given[field]) return false;
  const unsigned char *at = part->bytes + part->array_at[field];
  *array = (frame_array){.drawable = drawable, .element_count = part->counts[frame_block_of(&frame->drawables[drawable], field)]};
  memcpy(&array->header, at, sizeof array->header);
  array->data = at + sizeof array->header;
  return true;
}
