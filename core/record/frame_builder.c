/* Frame payloads: one buffer, whose first part is laid out once from the drawables and filled field by field. Behind it grow the changing
 * meshes, which come last in the topology, anew in every frame.
 *
 *   frame_header | block 0: block_header | array_header data pad | array_header data pad | block 1: ... | changing meshes */
#include "record/frame_builder.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/quat.h"
#include "record/drawable.h"

/* Ranges beyond this would overflow in low + (high - low) * q / 65535. */
static const double range_limit = 1e300;
static const double steps_of_u16 = 65535.0;

typedef struct frame_box {
  bool filled;
  scr_vec3 low, high; /* m, 0 as long as nothing is in it */
} frame_box;

/* The values of a scalar field in all frames recorded so far. */
typedef struct field_range {
  double low, high;
  double known; /* 1, or 0 before the first frame */
} field_range;

enum { range_numbers = sizeof(field_range) / sizeof(double) };

struct scr_frame {
  const scr_drawable *drawables; /* not owned */
  size_t drawable_count;
  size_t *array_at;    /* [drawable_count * SCR_FIELD_LIMIT] offset of each array_header */
  bool *given;         /* [drawable_count * SCR_FIELD_LIMIT] */
  field_range *ranges; /* [drawable_count * SCR_FIELD_LIMIT] */
  unsigned char *payload;
  size_t size, capacity;
  size_t fixed_count, fixed_size; /* drawables that don't change, and where their blocks end */
  size_t next_changing;           /* the changing mesh that is to be given next */
  frame_box box;                  /* around everything given but SCR_DRAW_MESH */
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
  for (size_t d = 0; d < frame->fixed_count; d++) {
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
  frame->fixed_size = (size_t)at;
  return SCR_OK;
}

static void write_headers(scr_frame *frame)
{
  size_t changing = frame->drawable_count - frame->fixed_count;
  scr_frame_header head = {.block_count = (uint32_t)(frame->fixed_count + 2 * changing)};
  memcpy(frame->payload, &head, sizeof head);
  size_t at = sizeof head;
  for (size_t d = 0; d < frame->fixed_count; d++) {
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

/* Makes room for a payload of `size` bytes. */
static scr_status reserve(scr_frame *frame, size_t size, scr_error *error)
{
  void *payload = frame->payload;
  if (size > UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a frame would take %zu bytes, more than the %u that fit: record coarser surfaces", size,
                    UINT32_MAX);
  if (!mem_grow(&payload, &frame->capacity, size, 1)) return scr_fail_memory(error, "a frame", size);
  frame->payload = payload;
  return SCR_OK;
}

/* Whether a drawable is sound where it stands. */
static scr_status check_at(const scr_drawable *drawables, size_t d, scr_error *error)
{
  const scr_drawable *drawable = &drawables[d];
  SCR_TRY(drawable_check(drawable, error));
  if (!drawable->changing && d > 0 && drawables[d - 1].changing)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable '%s' comes after the changing mesh '%s', which must be last", drawable->name,
                    drawables[d - 1].name);
  if (drawable->changing && (drawable->skin_of >= d || drawables[drawable->skin_of].kind != SCR_DRAW_POINTS))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the changing mesh '%s' must be the skin of points declared before it", drawable->name);
  return SCR_OK;
}

scr_status frame_create(const scr_drawable *drawables, size_t count, scr_frame **out, scr_error *error)
{
  *out = NULL;
  for (size_t d = 0; d < count; d++) SCR_TRY(check_at(drawables, d, error));
  scr_frame *frame = calloc(1, sizeof *frame);
  if (!frame) return scr_fail_memory(error, "a frame", sizeof *frame);
  frame->drawables = drawables;
  frame->drawable_count = count;
  frame->array_at = calloc(count * SCR_FIELD_LIMIT + 1, sizeof *frame->array_at);
  frame->given = calloc(count * SCR_FIELD_LIMIT + 1, sizeof *frame->given);
  frame->ranges = calloc(count * SCR_FIELD_LIMIT + 1, sizeof *frame->ranges);
  if (!frame->array_at || !frame->given || !frame->ranges) {
    frame_destroy(frame);
    return scr_fail_memory(error, "a frame's layout", count * SCR_FIELD_LIMIT);
  }
  while (frame->fixed_count < count && !drawables[frame->fixed_count].changing) frame->fixed_count++;
  scr_status status = lay_out(frame, error);
  if (status == SCR_OK) status = reserve(frame, frame->fixed_size, error);
  if (status != SCR_OK) {
    frame_destroy(frame);
    return status;
  }
  write_headers(frame);
  frame_begin(frame);
  *out = frame;
  return SCR_OK;
}

void frame_destroy(scr_frame *frame)
{
  if (!frame) return;
  free(frame->array_at);
  free(frame->given);
  free(frame->ranges);
  mem_free(frame->payload);
  free(frame);
}

void frame_begin(scr_frame *frame)
{
  memset(frame->given, 0, (frame->drawable_count * SCR_FIELD_LIMIT + 1) * sizeof *frame->given);
  frame->box = (frame_box){0};
  frame->size = frame->fixed_size;
  frame->next_changing = frame->fixed_count;
}

/* Takes the values of a scalar field into its range so far, and writes that into its array's header. */
static void note_range(scr_frame *frame, size_t place)
{
  scr_array_header header;
  unsigned char *at = frame->payload + frame->array_at[place];
  field_range *range = &frame->ranges[place];
  memcpy(&header, at, sizeof header);
  if (header.components != 1 || header.encoding == SCR_ENCODING_UINT32 || header.byte_size == 0) return;
  bool known = range->known > 0.0;
  range->low = known && range->low < header.low[0] ? range->low : header.low[0];
  range->high = known && range->high > header.high[0] ? range->high : header.high[0];
  range->known = 1.0;
  header.low[SCR_SO_FAR] = range->low;
  header.high[SCR_SO_FAR] = range->high;
  header.high[SCR_SO_FAR_KNOWN] = 1.0;
  memcpy(at, &header, sizeof header);
}

double *frame_ranges(scr_frame *frame, size_t *count)
{
  *count = frame->fixed_count * SCR_FIELD_LIMIT * range_numbers;
  return &frame->ranges[0].low;
}

scr_status frame_finish(scr_frame *frame, const void **payload, size_t *size, scr_error *error)
{
  if (frame->next_changing < frame->drawable_count)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the changing mesh '%s' was not drawn", frame->drawables[frame->next_changing].name);
  for (size_t d = 0; d < frame->fixed_count; d++)
    for (uint32_t f = 0; f < frame->drawables[d].field_count; f++)
      if (!frame->given[d * SCR_FIELD_LIMIT + f])
        return scr_fail(error, SCR_BAD_USAGE, NULL, "the method did not draw field '%s' of '%s'", frame->drawables[d].fields[f].name,
                        frame->drawables[d].name);
  for (size_t d = 0; d < frame->fixed_count; d++)
    for (uint32_t f = 0; f < frame->drawables[d].field_count; f++) note_range(frame, d * SCR_FIELD_LIMIT + f);
  *payload = frame->payload;
  *size = frame->size;
  return SCR_OK;
}

/* The place of a field that is about to be given; NULL, with *status, when it may not be. */
static unsigned char *claim(scr_frame *frame, uint32_t drawable, uint32_t field, bool whole_numbers, scr_status *status, scr_error *error)
{
  if (drawable >= frame->fixed_count || field >= frame->drawables[drawable].field_count) {
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

/* One component of a field: `stride` numbers lie from one element to the next. */
typedef struct column {
  const double *values;
  size_t stride;
  uint32_t count;
} column;

static scr_status find_range(column from, double *low, double *high, const scr_field *field, const scr_drawable *drawable, scr_error *error)
{
  double least = from.count ? from.values[0] : 0.0, most = least;
  for (uint32_t i = 0; i < from.count; i++) {
    double value = from.values[i * from.stride];
    /* Written so that a NaN is caught too. */
    if (!(fabs(value) <= DBL_MAX))
      return scr_fail(error, SCR_DIVERGED, NULL, "%s of element %u of '%s' is %g: the run lost its state; use a smaller time step",
                      field->name, i, drawable->name, value);
    least = value < least ? value : least;
    most = value > most ? value : most;
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
static void quantise(unsigned char *data, column from, uint32_t component, uint32_t components, double low, double high)
{
  double range = high - low;
  for (uint32_t i = 0; i < from.count; i++) {
    uint16_t q = range > 0.0 ? (uint16_t)lround((from.values[i * from.stride] - low) / range * steps_of_u16) : 0;
    memcpy(data + ((size_t)i * components + component) * sizeof q, &q, sizeof q);
  }
}

static void store_float(unsigned char *data, column from, uint32_t component, uint32_t components)
{
  for (uint32_t i = 0; i < from.count; i++) {
    float v = (float)from.values[i * from.stride];
    memcpy(data + ((size_t)i * components + component) * sizeof v, &v, sizeof v);
  }
}

/* Encodes the columns of a field behind the header at `at`, and their ranges into it. */
static scr_status store_columns(unsigned char *at, const column *columns, const scr_field *field, const scr_drawable *of, scr_error *error)
{
  scr_array_header header;
  memcpy(&header, at, sizeof header);
  for (uint32_t c = 0; c < field->components; c++) SCR_TRY(find_range(columns[c], &header.low[c], &header.high[c], field, of, error));
  for (uint32_t c = 0; c < field->components; c++) {
    if (field->encoding == SCR_ENCODING_UINT16)
      quantise(at + sizeof header, columns[c], c, field->components, header.low[c], header.high[c]);
    else
      store_float(at + sizeof header, columns[c], c, field->components);
  }
  memcpy(at, &header, sizeof header);
  return SCR_OK;
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

bool frame_given(const scr_frame *frame, uint32_t drawable, uint32_t field, frame_array *array)
{
  if (drawable >= frame->fixed_count || field >= SCR_FIELD_LIMIT || !frame->given[(size_t)drawable * SCR_FIELD_LIMIT + field]) return false;
  const unsigned char *at = frame->payload + frame->array_at[(size_t)drawable * SCR_FIELD_LIMIT + field];
  *array = (frame_array){.drawable = drawable, .element_count = frame->drawables[drawable].element_count};
  memcpy(&array->header, at, sizeof array->header);
  array->data = at + sizeof array->header;
  return true;
}

static scr_vec3 vector_at(const frame_array *array, uint32_t i)
{
  return vec3(frame_array_value(array, i, 0), frame_array_value(array, i, 1), frame_array_value(array, i, 2));
}

/* The corners of turned bodies: their poses come in two fields, so they are looked at when somebody asks for the box. */
static void widen_by_bodies(const scr_frame *frame, size_t drawable, frame_box *box)
{
  const scr_drawable *of = &frame->drawables[drawable];
  frame_array place, turns;
  if (of->kind != SCR_DRAW_MESH || !frame_given(frame, (uint32_t)drawable, 0, &place) || !frame_given(frame, (uint32_t)drawable, 1, &turns))
    return;
  for (uint32_t i = 0; i < of->element_count; i++) {
    scr_vec3 position = vector_at(&place, i);
    scr_quat turn = quat_exp(vector_at(&turns, i));
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
  column columns[3];
  for (uint32_t c = 0; c < declared->components; c++) {
    if (!values[c] && of->element_count)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "component %u of field '%s' of '%s' was not given", c, declared->name, of->name);
    columns[c] = (column){values[c], 1, of->element_count};
  }
  SCR_TRY(store_columns(at, columns, declared, of, error));
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

/* ── changing meshes ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whole numbers up to 65535 go into 16 bits: with a range of 0 to 65535 a uint16 stands for itself. */
static uint32_t whole_encoding(uint32_t largest)
{
  return largest <= UINT16_MAX ? SCR_ENCODING_UINT16 : SCR_ENCODING_UINT32;
}

static void store_whole(unsigned char *at, uint32_t value, uint32_t encoding)
{
  uint16_t narrow = (uint16_t)value;
  if (encoding == SCR_ENCODING_UINT16)
    memcpy(at, &narrow, sizeof narrow);
  else
    memcpy(at, &value, sizeof value);
}

/* An array that is about to be appended. */
typedef struct new_array {
  uint32_t field, encoding, components;
  size_t count;
} new_array;

static size_t data_bytes(const new_array *array)
{
  return array->count * array->components * encoded_bytes(array->encoding);
}

/* The bytes of a block with these arrays, its own header left out. */
static size_t block_bytes(const new_array *arrays, uint32_t count)
{
  size_t size = 0;
  for (uint32_t k = 0; k < count; k++) size += sizeof(scr_array_header) + padded(data_bytes(&arrays[k]));
  return size;
}

/* Appends a block whose data are zero; place[k] receives where the header of array k is. */
static void append_block(scr_frame *frame, uint32_t drawable, const new_array *arrays, uint32_t count, unsigned char **place)
{
  scr_block_header block = {drawable, (uint32_t)arrays[0].count, count, (uint32_t)block_bytes(arrays, count)};
  memcpy(frame->payload + frame->size, &block, sizeof block);
  frame->size += sizeof block;
  for (uint32_t k = 0; k < count; k++) {
    scr_array_header header = {.field = arrays[k].field,
                               .encoding = arrays[k].encoding,
                               .components = arrays[k].components,
                               .byte_size = (uint32_t)data_bytes(&arrays[k])};
    for (uint32_t c = 0; header.encoding == SCR_ENCODING_UINT16 && c < header.components; c++) header.high[c] = steps_of_u16;
    place[k] = frame->payload + frame->size;
    memcpy(place[k], &header, sizeof header);
    memset(place[k] + sizeof header, 0, padded(header.byte_size));
    frame->size += sizeof header + padded(header.byte_size);
  }
}

/* The number of a vertex's fragment is that of its triangles. */
static scr_status store_vertices(unsigned char *place, unsigned char *fragments, uint32_t encoding, const geo_mesh *mesh,
                                 const scr_drawable *of, scr_error *error)
{
  unsigned char *fragment = fragments + sizeof(scr_array_header);
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) store_whole(fragment + mesh->triangle[t][k] * encoded_bytes(encoding), mesh->part[t], encoding);
  const scr_vec3 none = {0, 0, 0}, *first = mesh->vertex_count ? mesh->vertex : &none;
  uint32_t count = (uint32_t)mesh->vertex_count;
  const column columns[3] = {{&first->x, 3, count}, {&first->y, 3, count}, {&first->z, 3, count}};
  return store_columns(place, columns, &of->fields[SCR_SKIN_POSITION], of, error);
}

static void store_corners(unsigned char *corners, uint32_t encoding, const geo_mesh *mesh)
{
  unsigned char *at = corners + sizeof(scr_array_header);
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (size_t k = 0; k < 3; k++) store_whole(at + (3 * t + k) * encoded_bytes(encoding), mesh->triangle[t][k], encoding);
}

static scr_status check_corners(const geo_mesh *mesh, const char *name, scr_error *error)
{
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      if (mesh->triangle[t][k] >= mesh->vertex_count)
        return scr_fail(error, SCR_BAD_USAGE, NULL, "triangle %zu of '%s' names vertex %u; there are %zu", t, name, mesh->triangle[t][k],
                        mesh->vertex_count);
  return SCR_OK;
}

scr_status scr_frame_mesh(scr_frame *frame, uint32_t drawable, const geo_mesh *mesh, scr_error *error)
{
  if (drawable != frame->next_changing || drawable >= frame->drawable_count)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable %u is not the changing mesh that is to be drawn next", drawable);
  const scr_drawable *of = &frame->drawables[drawable];
  SCR_TRY(check_corners(mesh, of->name, error));
  uint32_t largest = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++) largest = mesh->part[t] > largest ? mesh->part[t] : largest;
  const new_array vertices[2] = {{SCR_SKIN_POSITION, of->fields[SCR_SKIN_POSITION].encoding, 3, mesh->vertex_count},
                                 {SCR_SKIN_FRAGMENT, whole_encoding(largest), 1, mesh->vertex_count}};
  const new_array corners = {SCR_SKIN_CORNERS, whole_encoding(mesh->vertex_count > UINT16_MAX ? UINT32_MAX : 0), 3, mesh->triangle_count};
  SCR_TRY(reserve(frame, frame->size + 2 * sizeof(scr_block_header) + block_bytes(vertices, 2) + block_bytes(&corners, 1), error));
  unsigned char *place[3];
  append_block(frame, drawable, vertices, 2, place);
  append_block(frame, drawable, &corners, 1, place + 2);
  SCR_TRY(store_vertices(place[0], place[1], vertices[1].encoding, mesh, of, error));
  store_corners(place[2], corners.encoding, mesh);
  frame->next_changing++;
  return SCR_OK;
}

bool frame_bounds(const scr_frame *frame, scr_vec3 *minimum, scr_vec3 *maximum)
{
  frame_box box = frame->box;
  for (size_t d = 0; d < frame->fixed_count; d++) widen_by_bodies(frame, d, &box);
  *minimum = box.low;
  *maximum = box.high;
  return box.filled;
}
