/* Frame payloads: one buffer laid out once from the drawables, filled field by field.
 *
 *   frame_header | block 0: block_header | array_header data pad | array_header data pad | block 1: ... */
#include "record/frame_builder.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/quat.h"
#include "record/drawable.h"
#include "record/frame_reader.h"

/* Ranges beyond this would overflow in low + (high - low) * q / 65535. */
static const double range_limit = 1e300;
static const double steps_of_u16 = 65535.0;

typedef struct frame_box {
  bool filled;
  scr_vec3 low, high; /* m, 0 as long as nothing is in it */
} frame_box;

struct scr_frame {
  const scr_drawable *drawables; /* not owned */
  size_t drawable_count;
  size_t *array_at; /* [drawable_count * SCR_FIELD_LIMIT] offset of each array_header */
  bool *given;      /* [drawable_count * SCR_FIELD_LIMIT] */
  unsigned char *payload;
  size_t size;
  frame_box box; /* around everything given but SCR_DRAW_MESH */
};

static size_t encoded_bytes(uint32_t encoding)
{
  return encoding == SCR_ENCODING_UINT16 ? 2 : 4;
}

static size_t padded(size_t size)
{
  return (size + 7u) & ~(size_t)7u;
}

/* Sets every offset and the whole size; the payload must fit the record header's 32-bit size. */
static scr_status lay_out(scr_frame *frame, scr_error *error)
{
  uint64_t at = sizeof(scr_frame_header);
  for (size_t d = 0; d < frame->drawable_count; d++) {
    const scr_drawable *drawable = &frame->drawables[d];
    at += sizeof(scr_block_header);
    for (uint32_t f = 0; f < drawable->field_count; f++) {
      const scr_field *field = &drawable->fields[f];
      frame->array_at[d * SCR_FIELD_LIMIT + f] = (size_t)at;
      at += sizeof(scr_array_header) + padded((size_t)drawable->element_count * field->components * encoded_bytes(field->encoding));
    }
    if (at > UINT32_MAX)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "a frame of %zu drawables would take more than %u bytes: record fewer fields or elements",
                      frame->drawable_count, UINT32_MAX);
  }
  frame->size = (size_t)at;
  return SCR_OK;
}

static void write_headers(scr_frame *frame)
{
  scr_frame_header head = {.block_count = (uint32_t)frame->drawable_count};
  memcpy(frame->payload, &head, sizeof head);
  size_t at = sizeof head;
  for (size_t d = 0; d < frame->drawable_count; d++) {
    const scr_drawable *drawable = &frame->drawables[d];
    size_t block_at = at;
    at += sizeof(scr_block_header);
    for (uint32_t f = 0; f < drawable->field_count; f++) {
      const scr_field *field = &drawable->fields[f];
      scr_array_header array = {.field = f, .encoding = field->encoding, .components = field->components};
      array.byte_size = (uint32_t)((size_t)drawable->element_count * field->components * encoded_bytes(field->encoding));
      memcpy(frame->payload + at, &array, sizeof array);
      at += sizeof array + padded(array.byte_size);
    }
    scr_block_header block = {(uint32_t)d, drawable->element_count, drawable->field_count, (uint32_t)(at - block_at - sizeof block)};
    memcpy(frame->payload + block_at, &block, sizeof block);
  }
}

scr_status frame_create(const scr_drawable *drawables, size_t count, scr_frame **out, scr_error *error)
{
  *out = NULL;
  for (size_t d = 0; d < count; d++) SCR_TRY(drawable_check(&drawables[d], error));
  scr_frame *frame = calloc(1, sizeof *frame);
  if (!frame) return scr_fail_memory(error, "a frame", sizeof *frame);
  frame->drawables = drawables;
  frame->drawable_count = count;
  frame->array_at = calloc(count * SCR_FIELD_LIMIT + 1, sizeof *frame->array_at);
  frame->given = calloc(count * SCR_FIELD_LIMIT + 1, sizeof *frame->given);
  if (!frame->array_at || !frame->given) {
    frame_destroy(frame);
    return scr_fail_memory(error, "a frame's layout", count * SCR_FIELD_LIMIT);
  }
  frame->size = sizeof(scr_frame_header);
  scr_status status = lay_out(frame, error);
  if (status == SCR_OK && !(frame->payload = calloc(1, frame->size))) status = scr_fail_memory(error, "a frame", frame->size);
  if (!frame->payload) {
    frame_destroy(frame);
    return status;
  }
  write_headers(frame);
  *out = frame;
  return SCR_OK;
}

void frame_destroy(scr_frame *frame)
{
  if (!frame) return;
  free(frame->array_at);
  free(frame->given);
  free(frame->payload);
  free(frame);
}

void frame_begin(scr_frame *frame)
{
  memset(frame->given, 0, (frame->drawable_count * SCR_FIELD_LIMIT + 1) * sizeof *frame->given);
  frame->box = (frame_box){0};
}

scr_status frame_finish(const scr_frame *frame, const void **payload, size_t *size, scr_error *error)
{
  for (size_t d = 0; d < frame->drawable_count; d++)
    for (uint32_t f = 0; f < frame->drawables[d].field_count; f++)
      if (!frame->given[d * SCR_FIELD_LIMIT + f])
        return scr_fail(error, SCR_BAD_USAGE, NULL, "the method did not draw field '%s' of '%s'", frame->drawables[d].fields[f].name,
                        frame->drawables[d].name);
  *payload = frame->payload;
  *size = frame->size;
  return SCR_OK;
}

/* The place of a field that is about to be given; NULL, with *status, when it may not be. */
static unsigned char *claim(scr_frame *frame, uint32_t drawable, uint32_t field, bool whole_numbers, scr_status *status, scr_error *error)
{
  if (drawable >= frame->drawable_count || field >= frame->drawables[drawable].field_count) {
    *status = scr_fail(error, SCR_BAD_USAGE, NULL, "field %u of drawable %u was drawn but never declared", field, drawable);
    return NULL;
  }
  const scr_field *declared = &frame->drawables[drawable].fields[field];
  bool *given = &frame->given[(size_t)drawable * SCR_FIELD_LIMIT + field];
  if (*given || (declared->encoding == SCR_ENCODING_UINT32) != whole_numbers) {
    *status = scr_fail(error, SCR_BAD_USAGE, NULL, "field '%s' of drawable '%s' was drawn %s", declared->name,
                       frame->drawables[drawable].name, *given ? "twice" : "with values of another type than declared");
    return NULL;
  }
  *given = true;
  return frame->payload + frame->array_at[(size_t)drawable * SCR_FIELD_LIMIT + field];
}

static scr_status find_range(const double *values, uint32_t count, double *low, double *high, const scr_field *field,
                             const scr_drawable *drawable, scr_error *error)
{
  double least = count ? values[0] : 0.0, most = least;
  for (uint32_t i = 0; i < count; i++) {
    /* Written so that a NaN is caught too. */
    if (!(fabs(values[i]) <= DBL_MAX))
      return scr_fail(error, SCR_DIVERGED, NULL, "%s of element %u of '%s' is %g: the run lost its state; use a smaller time step",
                      field->name, i, drawable->name, values[i]);
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
  }
  double limit = field->encoding == SCR_ENCODING_FLOAT32 ? (double)FLT_MAX : range_limit;
  if (fmax(fabs(least), fabs(most)) > limit)
    return scr_fail(error, SCR_DIVERGED, NULL, "%s of '%s' reaches %g, beyond the %g that a frame can hold: the run lost its state",
                    field->name, drawable->name, fabs(least) > fabs(most) ? least : most, limit);
  *low = least;
  *high = most;
  return SCR_OK;
}

/* q = round((v - low) / (high - low) * 65535): the value read back is off by at most half a step, (high - low) / 131070. */
static void quantise(unsigned char *data, const double *values, uint32_t count, uint32_t component, uint32_t components, double low,
                     double high)
{
  double range = high - low;
  for (uint32_t i = 0; i < count; i++) {
    uint16_t q = range > 0.0 ? (uint16_t)lround((values[i] - low) / range * steps_of_u16) : 0;
    memcpy(data + ((size_t)i * components + component) * sizeof q, &q, sizeof q);
  }
}

static void store_float(unsigned char *data, const double *values, uint32_t count, uint32_t component, uint32_t components)
{
  for (uint32_t i = 0; i < count; i++) {
    float v = (float)values[i];
    memcpy(data + ((size_t)i * components + component) * sizeof v, &v, sizeof v);
  }
}

/* How far a roller or an arc reaches from its centre along the unit vector `along`, in either sense. */
static double cylinder_reach(const scr_cylinder_shape *shape, scr_vec3 along)
{
  double length = vec3_length(shape->half_axis), lengthwise = fabs(vec3_dot(shape->half_axis, along));
  double deep = fabs(vec3_dot(shape->middle, along)), slant = length > 0 ? lengthwise / length : 0;
  double across = sqrt(fmax(0, 1 - slant * slant - deep * deep));
  if (shape->half_arc >= 3.14) return lengthwise + shape->radius * hypot(across, deep);
  return lengthwise + shape->radius * (across * sin(fmin(shape->half_arc, 1.5707963267948966)) + deep * (1 - cos(shape->half_arc)));
}

/* How far element i reaches beyond its centre along each axis: a ball by its radius, a plane by its own half edges. */
static scr_vec3 reach(const scr_drawable *drawable, uint32_t i)
{
  if (drawable->kind == SCR_DRAW_POINTS) return vec3(drawable->radius, drawable->radius, drawable->radius);
  if (drawable->kind == SCR_DRAW_CYLINDERS) {
    const scr_cylinder_shape *shape = &drawable->cylinders[i];
    return vec3(cylinder_reach(shape, vec3(1, 0, 0)), cylinder_reach(shape, vec3(0, 1, 0)), cylinder_reach(shape, vec3(0, 0, 1)));
  }
  scr_vec3 u = drawable->planes[i].half_u, v = drawable->planes[i].half_v;
  return vec3(fabs(u.x) + fabs(v.x), fabs(u.y) + fabs(v.y), fabs(u.z) + fabs(v.z));
}

static void take_in(frame_box *box, scr_vec3 centre, scr_vec3 half)
{
  scr_vec3 low = vec3_sub(centre, half), high = vec3_add(centre, half);
  if (!box->filled) *box = (frame_box){.filled = true, .low = low, .high = high};
  box->low = vec3(fmin(box->low.x, low.x), fmin(box->low.y, low.y), fmin(box->low.z, low.z));
  box->high = vec3(fmax(box->high.x, high.x), fmax(box->high.y, high.y), fmax(box->high.z, high.z));
}

static void widen(scr_frame *frame, const scr_drawable *drawable, const double *const values[3])
{
  for (uint32_t i = 0; i < drawable->element_count; i++)
    take_in(&frame->box, vec3(values[0][i], values[1][i], values[2][i]), reach(drawable, i));
}

/* A vector of element i of a field that has been given. */
static scr_vec3 stored_vector(const scr_frame *frame, size_t drawable, uint32_t field, uint32_t i)
{
  const unsigned char *at = frame->payload + frame->array_at[drawable * SCR_FIELD_LIMIT + field];
  frame_array array = {.data = at + sizeof array.header};
  memcpy(&array.header, at, sizeof array.header);
  return vec3(frame_array_value(&array, i, 0), frame_array_value(&array, i, 1), frame_array_value(&array, i, 2));
}

/* The corners of turned bodies: their poses come in two fields, so they are looked at when somebody asks for the box. */
static void widen_by_bodies(const scr_frame *frame, size_t drawable, frame_box *box)
{
  const scr_drawable *of = &frame->drawables[drawable];
  const bool *given = &frame->given[drawable * SCR_FIELD_LIMIT];
  if (of->kind != SCR_DRAW_MESH || !given[0] || !given[1]) return;
  for (uint32_t i = 0; i < of->element_count; i++) {
    scr_vec3 position = stored_vector(frame, drawable, 0, i);
    scr_quat turn = quat_exp(stored_vector(frame, drawable, 1, i));
    const geo_mesh *mesh = &of->meshes[i].mesh;
    for (size_t v = 0; v < mesh->vertex_count; v++) take_in(box, vec3_add(position, quat_rotate(turn, mesh->vertex[v])), vec3(0, 0, 0));
  }
}

scr_status scr_frame_field(scr_frame *frame, uint32_t drawable, uint32_t field, const double *x, const double *y, const double *z,
                           scr_error *error)
{
  scr_status status = SCR_OK;
  unsigned char *at = claim(frame, drawable, field, false, &status, error);
  if (!at) return status;
  const scr_drawable *of = &frame->drawables[drawable];
  const scr_field *declared = &of->fields[field];
  const double *const values[3] = {x, y, z};
  scr_array_header header;
  memcpy(&header, at, sizeof header);
  for (uint32_t c = 0; c < declared->components; c++) {
    if (!values[c] && of->element_count)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "component %u of field '%s' of '%s' was not given", c, declared->name, of->name);
    SCR_TRY(find_range(values[c], of->element_count, &header.low[c], &header.high[c], declared, of, error));
  }
  for (uint32_t c = 0; c < declared->components; c++) {
    if (declared->encoding == SCR_ENCODING_UINT16)
      quantise(at + sizeof header, values[c], of->element_count, c, declared->components, header.low[c], header.high[c]);
    else
      store_float(at + sizeof header, values[c], of->element_count, c, declared->components);
  }
  memcpy(at, &header, sizeof header);
  if (field == 0 && of->kind != SCR_DRAW_MESH) widen(frame, of, values);
  return SCR_OK;
}

scr_status scr_frame_field_u32(scr_frame *frame, uint32_t drawable, uint32_t field, const uint32_t *values, scr_error *error)
{
  scr_status status = SCR_OK;
  unsigned char *at = claim(frame, drawable, field, true, &status, error);
  if (!at) return status;
  const scr_drawable *of = &frame->drawables[drawable];
  if (of->fields[field].components != 1)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "field '%s' of '%s' must be a scalar to hold whole numbers", of->fields[field].name,
                    of->name);
  if (of->element_count) memcpy(at + sizeof(scr_array_header), values, (size_t)of->element_count * sizeof *values);
  return SCR_OK;
}

bool frame_bounds(const scr_frame *frame, scr_vec3 *minimum, scr_vec3 *maximum)
{
  frame_box box = frame->box;
  for (size_t d = 0; d < frame->drawable_count; d++) widen_by_bodies(frame, d, &box);
  *minimum = box.low;
  *maximum = box.high;
  return box.filled;
}
