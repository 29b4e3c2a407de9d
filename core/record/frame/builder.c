/* Frame payloads: the parts of drawables that never change in number are laid out once and filled anew in every frame; those of the others
 * are laid out when their counts are known. */
#include "record/frame/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/drawable.h"
#include "record/frame/parts.h"

enum { range_numbers = sizeof(field_range) / sizeof(double) };

static size_t encoded_bytes(uint32_t encoding)
{
  return encoding == SCR_ENCODING_UINT16 ? 2 : 4;
}

/* ── layout ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How a drawable's part is to be laid out. */
typedef struct part_plan {
  uint32_t counts[2];                  /* elements of its two blocks; the second is only of drawables with a second field */
  uint32_t encodings[SCR_FIELD_LIMIT]; /* of skins other than declared */
} part_plan;

static part_plan plan_for(const scr_drawable *drawable, uint32_t count, uint32_t second)
{
  part_plan plan = {.counts = {count, second}};
  for (uint32_t f = 0; f < drawable->field_count; f++) plan.encodings[f] = drawable->fields[f].encoding;
  return plan;
}

static uint64_t array_bytes(const scr_drawable *drawable, const part_plan *plan, uint32_t field)
{
  return (uint64_t)plan->counts[frame_block_of(drawable, field)] * drawable->fields[field].components *
         encoded_bytes(plan->encodings[field]);
}

/* The bytes of a block, its own header left out; 0 for the second of a drawable that has one only. */
static uint64_t block_bytes(const scr_drawable *drawable, const part_plan *plan, int block)
{
  uint64_t size = 0;
  for (uint32_t f = 0; f < drawable->field_count; f++)
    if (frame_block_of(drawable, f) == block) size += sizeof(scr_array_header) + ((array_bytes(drawable, plan, f) + 7u) & ~(uint64_t)7u);
  return size;
}

static void write_block(frame_part *part, const scr_drawable *drawable, uint32_t id, const part_plan *plan, int block)
{
  scr_block_header head = {.drawable = id, .element_count = plan->counts[block], .byte_size = (uint32_t)block_bytes(drawable, plan, block)};
  size_t block_at = part->size;
  part->size += sizeof head;
  for (uint32_t f = 0; f < drawable->field_count; f++) {
    if (frame_block_of(drawable, f) != block) continue;
    size_t bytes = (size_t)array_bytes(drawable, plan, f), padded = frame_padded(bytes);
    scr_array_header array = {
        .field = f, .encoding = plan->encodings[f], .components = drawable->fields[f].components, .byte_size = (uint32_t)bytes};
    part->array_at[f] = part->size;
    memcpy(part->bytes + part->size, &array, sizeof array);
    part->size += sizeof array + padded;
    if (padded > bytes) memset(part->bytes + part->size - (padded - bytes), 0, padded - bytes);
    head.array_count++;
  }
  memcpy(part->bytes + block_at, &head, sizeof head);
}

static scr_status lay_out(scr_frame *frame, size_t d, const part_plan *plan, scr_error *error)
{
  const scr_drawable *drawable = &frame->drawables[d];
  frame_part *part = &frame->parts[d];
  int blocks = drawable_second_field(drawable) == DRAWABLE_NO_FIELD ? 1 : 2;
  uint64_t size = 0;
  for (int k = 0; k < blocks; k++) size += sizeof(scr_block_header) + block_bytes(drawable, plan, k);
  if (size > UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "'%s' would take %llu bytes of a frame, more than the %u that fit: record fewer fields or elements", drawable->name,
                    (unsigned long long)size, UINT32_MAX);
  if (!mem_grow(&part->bytes, &part->capacity, (size_t)size, 1)) return scr_fail_memory(error, "a frame", (size_t)size);
  part->size = 0;
  for (int k = 0; k < blocks; k++) write_block(part, drawable, (uint32_t)d, plan, k);
  memcpy(part->counts, plan->counts, sizeof part->counts);
  part->laid_out = true;
  return SCR_OK;
}

/* ── life ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

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

/* The payload must fit the record header's 32-bit size. */
static scr_status whole_size(const scr_frame *frame, size_t *size, scr_error *error)
{
  uint64_t sum = sizeof(scr_frame_header);
  for (size_t d = 0; d < frame->drawable_count; d++) sum += frame->parts[d].laid_out ? frame->parts[d].size : 0;
  *size = (size_t)sum;
  if (sum <= UINT32_MAX) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "a frame of %zu drawables would take more than %u bytes: record fewer fields or elements",
                  frame->drawable_count, UINT32_MAX);
}

scr_status frame_create(const scr_drawable *drawables, size_t count, scr_frame **out, scr_error *error)
{
  *out = NULL;
  for (size_t d = 0; d < count; d++) SCR_TRY(check_at(drawables, d, error));
  scr_frame *frame = calloc(1, sizeof *frame);
  if (!frame) return scr_fail_memory(error, "a frame", sizeof *frame);
  frame->drawables = drawables;
  frame->parts = calloc(count + 1, sizeof *frame->parts);
  frame->ranges = calloc(count * SCR_FIELD_LIMIT + 1, sizeof *frame->ranges);
  frame->drawable_count = frame->parts ? count : 0;
  scr_status status = SCR_OK;
  size_t size = 0;
  if (!frame->parts || !frame->ranges) status = scr_fail_memory(error, "a frame's layout", count * sizeof *frame->parts);
  for (size_t d = 0; d < count && status == SCR_OK; d++) {
    part_plan plan = plan_for(&drawables[d], drawables[d].element_count, 0);
    if (!drawable_varies(&drawables[d])) status = lay_out(frame, d, &plan, error);
  }
  if (status == SCR_OK) status = whole_size(frame, &size, error);
  if (status != SCR_OK) {
    frame_destroy(frame);
    return status;
  }
  frame_begin(frame);
  *out = frame;
  return SCR_OK;
}

void frame_destroy(scr_frame *frame)
{
  if (!frame) return;
  for (size_t d = 0; d < frame->drawable_count; d++) mem_free(frame->parts[d].bytes);
  free(frame->parts);
  free(frame->ranges);
  mem_free(frame->payload);
  free(frame);
}

void frame_begin(scr_frame *frame)
{
  for (size_t d = 0; d < frame->drawable_count; d++) {
    frame_part *part = &frame->parts[d];
    memset(part->given, 0, sizeof part->given);
    if (drawable_varies(&frame->drawables[d])) part->laid_out = false;
  }
  frame->box = (frame_box){0};
}

/* ── the end of a frame ──────────────────────────────────────────────────────────────────────────────────────────── */

/* Takes the values of a scalar field into its range so far, and writes that into its array's header. */
static void note_range(scr_frame *frame, size_t d, uint32_t field)
{
  scr_array_header header;
  unsigned char *at = frame->parts[d].bytes + frame->parts[d].array_at[field];
  field_range *range = &frame->ranges[d * SCR_FIELD_LIMIT + field];
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
  *count = frame->drawable_count * SCR_FIELD_LIMIT * range_numbers;
  return &frame->ranges[0].low;
}

static scr_status check_drawn(const scr_frame *frame, size_t d, scr_error *error)
{
  const scr_drawable *drawable = &frame->drawables[d];
  const frame_part *part = &frame->parts[d];
  if (!part->laid_out && drawable->changing)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the changing mesh '%s' was not drawn", drawable->name);
  if (!part->laid_out)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the method did not say how many elements '%s' has in this frame: %s", drawable->name,
                    drawable->kind == SCR_DRAW_THREADS ? "scr_frame_threads" : "scr_frame_count");
  for (uint32_t f = 0; f < drawable->field_count; f++)
    if (!part->given[f] && !(drawable_varies(drawable) && part->counts[frame_block_of(drawable, f)] == 0))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "the method did not draw field '%s' of '%s'", drawable->fields[f].name, drawable->name);
  return SCR_OK;
}

scr_status frame_finish(scr_frame *frame, const void **payload, size_t *size, scr_error *error)
{
  scr_frame_header head = {0};
  for (size_t d = 0; d < frame->drawable_count; d++) {
    SCR_TRY(check_drawn(frame, d, error));
    head.block_count += drawable_second_field(&frame->drawables[d]) == DRAWABLE_NO_FIELD ? 1 : 2;
  }
  SCR_TRY(whole_size(frame, size, error));
  if (!mem_grow(&frame->payload, &frame->capacity, *size, 1)) return scr_fail_memory(error, "a frame", *size);
  for (size_t d = 0; d < frame->drawable_count; d++)
    for (uint32_t f = 0; f < frame->drawables[d].field_count && !frame->drawables[d].changing; f++) note_range(frame, d, f);
  memcpy(frame->payload, &head, sizeof head);
  size_t at = sizeof head;
  for (size_t d = 0; d < frame->drawable_count; at += frame->parts[d].size, d++)
    memcpy(frame->payload + at, frame->parts[d].bytes, frame->parts[d].size);
  *payload = frame->payload;
  return SCR_OK;
}

/* ── counts and fields ───────────────────────────────────────────────────────────────────────────────────────────── */

scr_status scr_frame_count(scr_frame *frame, uint32_t drawable, uint32_t count, scr_error *error)
{
  uint32_t kind = drawable < frame->drawable_count ? frame->drawables[drawable].kind : 0;
  if (kind == 0 || !frame->drawables[drawable].varying || kind == SCR_DRAW_THREADS || kind == SCR_DRAW_SURFACE)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable %u does not vary in number%s", drawable,
                    kind == SCR_DRAW_THREADS   ? " by itself: scr_frame_threads says how many threads and nodes there are"
                    : kind == SCR_DRAW_SURFACE ? " by itself: scr_frame_triangles says how many vertices and triangles there are"
                                               : "");
  if (frame->parts[drawable].laid_out)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the elements of '%s' were counted twice in one frame", frame->drawables[drawable].name);
  part_plan plan = plan_for(&frame->drawables[drawable], count, 0);
  return lay_out(frame, drawable, &plan, error);
}

scr_status scr_frame_threads(scr_frame *frame, uint32_t drawable, uint32_t thread_count, const uint32_t *nodes_of_each, scr_error *error)
{
  if (drawable >= frame->drawable_count || frame->drawables[drawable].kind != SCR_DRAW_THREADS)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable %u was drawn as threads, which it was not declared as", drawable);
  const scr_drawable *of = &frame->drawables[drawable];
  frame_part *part = &frame->parts[drawable];
  if (part->laid_out) return scr_fail(error, SCR_BAD_USAGE, NULL, "the threads '%s' were counted twice in one frame", of->name);
  uint64_t nodes = 0;
  for (uint32_t i = 0; i < thread_count; i++) nodes += nodes_of_each[i];
  if (nodes > UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the threads '%s' have %llu nodes; at most %u are possible", of->name,
                    (unsigned long long)nodes, UINT32_MAX);
  part_plan plan = plan_for(of, (uint32_t)nodes, thread_count);
  SCR_TRY(lay_out(frame, drawable, &plan, error));
  uint32_t field = drawable_second_field(of);
  if (thread_count)
    memcpy(part->bytes + part->array_at[field] + sizeof(scr_array_header), nodes_of_each, (size_t)thread_count * sizeof *nodes_of_each);
  part->given[field] = true;
  return SCR_OK;
}

scr_status scr_frame_triangles(scr_frame *frame, uint32_t drawable, uint32_t vertex_count, uint32_t triangle_count,
                               const uint32_t (*corners)[3], scr_error *error)
{
  const scr_drawable *of = drawable < frame->drawable_count ? &frame->drawables[drawable] : NULL;
  if (!of || of->kind != SCR_DRAW_SURFACE || !of->varying)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable %u was drawn as a varying surface, which it was not declared as", drawable);
  frame_part *part = &frame->parts[drawable];
  if (part->laid_out) return scr_fail(error, SCR_BAD_USAGE, NULL, "the triangles of '%s' were given twice in one frame", of->name);
  for (uint32_t t = 0; t < triangle_count; t++)
    for (int k = 0; k < 3; k++)
      if (corners[t][k] >= vertex_count)
        return scr_fail(error, SCR_BAD_USAGE, NULL, "triangle %u of '%s' names vertex %u; there are %u", t, of->name, corners[t][k],
                        vertex_count);
  part_plan plan = plan_for(of, vertex_count, triangle_count);
  SCR_TRY(lay_out(frame, drawable, &plan, error));
  uint32_t field = drawable_second_field(of);
  if (triangle_count)
    memcpy(part->bytes + part->array_at[field] + sizeof(scr_array_header), corners, (size_t)triangle_count * sizeof *corners);
  part->given[field] = true;
  return SCR_OK;
}

/* The place of a field that is about to be given; NULL, with *status, when it may not be. */
static unsigned char *claim(scr_frame *frame, uint32_t drawable, uint32_t field, bool whole_numbers, scr_status *status, scr_error *error)
{
  if (drawable >= frame->drawable_count || frame->drawables[drawable].changing || field >= frame->drawables[drawable].field_count) {
    *status = scr_fail(error, SCR_BAD_USAGE, NULL, "field %u of drawable %u was drawn but never declared", field, drawable);
    return NULL;
  }
  const scr_field *declared = &frame->drawables[drawable].fields[field];
  frame_part *part = &frame->parts[drawable];
  if (!part->laid_out) {
    *status =
        scr_fail(error, SCR_BAD_USAGE, NULL, "field '%s' of '%s' was drawn before it was said how many elements there are in this frame",
                 declared->name, frame->drawables[drawable].name);
    return NULL;
  }
  if (part->given[field] || (declared->encoding == SCR_ENCODING_UINT32) != whole_numbers) {
    *status = scr_fail(error, SCR_BAD_USAGE, NULL, "field '%s' of drawable '%s' was drawn %s", declared->name,
                       frame->drawables[drawable].name, part->given[field] ? "twice" : "with values of another type than declared");
    return NULL;
  }
  part->given[field] = true;
  return part->bytes + part->array_at[field];
}

/* The least value of a field whose range has a bound. */
static scr_status check_least(const scr_drawable *of, const scr_field *field, const unsigned char *at, uint32_t count, scr_error *error)
{
  scr_array_header header;
  memcpy(&header, at, sizeof header);
  bool radius = (of->kind == SCR_DRAW_POINTS || of->kind == SCR_DRAW_THREADS) && strcmp(field->name, "radius") == 0;
  bool scale = of->kind == SCR_DRAW_INSTANCES && strcmp(field->name, "scale") == 0;
  if (count == 0 || !(radius || scale) || header.low[0] > 0) return SCR_OK;
  return scr_fail(error, SCR_DIVERGED, NULL, "%s of an element of '%s' is %g%s; it must be > 0: the run lost its state", field->name,
                  of->name, header.low[0], radius ? " m" : "");
}

static scr_status store_field(scr_frame *frame, uint32_t drawable, uint32_t field, unsigned char *at, const frame_column *columns,
                              scr_error *error)
{
  const scr_drawable *of = &frame->drawables[drawable];
  SCR_TRY(frame_store(at, columns, &of->fields[field], of, error));
  SCR_TRY(check_least(of, &of->fields[field], at, columns[0].count, error));
  if (field == 0 && of->kind != SCR_DRAW_GRID) frame_box_widen(frame, of, columns[0].count, columns);
  return SCR_OK;
}

scr_status scr_frame_field(scr_frame *frame, uint32_t drawable, uint32_t field, const double *x, const double *y, const double *z,
                           scr_error *error)
{
  scr_status status = SCR_OK;
  unsigned char *at = claim(frame, drawable, field, false, &status, error);
  if (!at) return status;
  const scr_drawable *of = &frame->drawables[drawable];
  const scr_field *declared = &of->fields[field];
  uint32_t count = frame->parts[drawable].counts[0];
  const double *const values[3] = {x, y, z};
  frame_column columns[3];
  if (declared->components > 3)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "field '%s' of '%s' has %u components: it is given by scr_frame_field_n", declared->name,
                    of->name, declared->components);
  for (uint32_t c = 0; c < declared->components; c++) {
    if (!values[c] && count)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "component %u of field '%s' of '%s' was not given", c, declared->name, of->name);
    columns[c] = (frame_column){values[c], 1, count};
  }
  return store_field(frame, drawable, field, at, columns, error);
}

scr_status scr_frame_field_n(scr_frame *frame, uint32_t drawable, uint32_t field, const double *values, scr_error *error)
{
  scr_status status = SCR_OK;
  unsigned char *at = claim(frame, drawable, field, false, &status, error);
  if (!at) return status;
  const scr_drawable *of = &frame->drawables[drawable];
  uint32_t count = frame->parts[drawable].counts[0], components = of->fields[field].components;
  frame_column columns[SCR_COMPONENT_LIMIT];
  if (!values && count) return scr_fail(error, SCR_BAD_USAGE, NULL, "field '%s' of '%s' was not given", of->fields[field].name, of->name);
  for (uint32_t c = 0; c < components; c++) columns[c] = (frame_column){count ? values + c : NULL, components, count};
  return store_field(frame, drawable, field, at, columns, error);
}

/* Cells of a grid are named once each, in their order. */
static scr_status check_cells(const scr_drawable *of, const uint32_t *cells, uint32_t count, scr_error *error)
{
  uint64_t limit = drawable_grid_cells(&of->grid);
  for (uint32_t i = 0; i < count; i++)
    if (cells[i] >= limit || (i > 0 && cells[i] <= cells[i - 1]))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "element %u of grid '%s' is cell %u; numbers of cells must rise and be below %llu", i,
                      of->name, cells[i], (unsigned long long)limit);
  return SCR_OK;
}

scr_status scr_frame_field_u32(scr_frame *frame, uint32_t drawable, uint32_t field, const uint32_t *values, scr_error *error)
{
  scr_status status = SCR_OK;
  unsigned char *at = claim(frame, drawable, field, true, &status, error);
  if (!at) return status;
  const scr_drawable *of = &frame->drawables[drawable];
  uint32_t count = frame->parts[drawable].counts[0];
  if (of->fields[field].components != 1 || field == drawable_second_field(of))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "field '%s' of '%s' can't be given as whole numbers, one per element",
                    of->fields[field].name, of->name);
  if (of->kind == SCR_DRAW_GRID && field == 0) SCR_TRY(check_cells(of, values, count, error));
  bool shapes = of->kind == SCR_DRAW_INSTANCES && strcmp(of->fields[field].name, "shape") == 0;
  for (uint32_t i = 0; shapes && i < count; i++)
    if (values[i] >= of->shape_count)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "instance %u of '%s' is a copy of shape %u; there are %u", i, of->name, values[i],
                      of->shape_count);
  if (count) memcpy(at + sizeof(scr_array_header), values, (size_t)count * sizeof *values);
  return SCR_OK;
}

/* ── changing meshes ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whole numbers up to 65535 go into 16 bits: with a range of 0 to 65535 a uint16 stands for itself. */
static uint32_t whole_encoding(uint32_t largest)
{
  return largest <= UINT16_MAX ? SCR_ENCODING_UINT16 : SCR_ENCODING_UINT32;
}

/* Where the whole numbers of an array stand, once its header says what they stand for. */
static unsigned char *begin_whole(unsigned char *at, uint32_t components)
{
  scr_array_header header;
  memcpy(&header, at, sizeof header);
  for (uint32_t c = 0; header.encoding == SCR_ENCODING_UINT16 && c < components; c++) header.high[c] = UINT16_MAX;
  memcpy(at, &header, sizeof header);
  memset(at + sizeof header, 0, header.byte_size);
  return at + sizeof header;
}

static void store_whole(unsigned char *at, uint32_t value, uint32_t encoding)
{
  uint16_t narrow = (uint16_t)value;
  if (encoding == SCR_ENCODING_UINT16)
    memcpy(at, &narrow, sizeof narrow);
  else
    memcpy(at, &value, sizeof value);
}

/* The number of a vertex's piece is that of its triangles. */
static scr_status store_skin(frame_part *part, const part_plan *plan, const geo_mesh *mesh, const scr_drawable *of, scr_error *error)
{
  size_t wide = encoded_bytes(plan->encodings[SCR_SKIN_PIECE]), corner_bytes = encoded_bytes(plan->encodings[SCR_SKIN_CORNERS]);
  unsigned char *piece = begin_whole(part->bytes + part->array_at[SCR_SKIN_PIECE], 1);
  unsigned char *corner = begin_whole(part->bytes + part->array_at[SCR_SKIN_CORNERS], 3);
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (size_t k = 0; k < 3; k++) {
      store_whole(piece + mesh->triangle[t][k] * wide, mesh->part[t], plan->encodings[SCR_SKIN_PIECE]);
      store_whole(corner + (3 * t + k) * corner_bytes, mesh->triangle[t][k], plan->encodings[SCR_SKIN_CORNERS]);
    }
  const scr_vec3 none = {0, 0, 0}, *first = mesh->vertex_count ? mesh->vertex : &none;
  uint32_t count = (uint32_t)mesh->vertex_count;
  const frame_column columns[3] = {{&first->x, 3, count}, {&first->y, 3, count}, {&first->z, 3, count}};
  return frame_store(part->bytes + part->array_at[SCR_SKIN_POSITION], columns, &of->fields[SCR_SKIN_POSITION], of, error);
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
  if (drawable >= frame->drawable_count || !frame->drawables[drawable].changing || frame->parts[drawable].laid_out)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable %u is not a changing mesh that is still to be drawn", drawable);
  const scr_drawable *of = &frame->drawables[drawable];
  SCR_TRY(check_corners(mesh, of->name, error));
  uint32_t largest = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++) largest = mesh->part[t] > largest ? mesh->part[t] : largest;
  if (mesh->vertex_count > UINT32_MAX || mesh->triangle_count > UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the skin '%s' has %zu triangles; record coarser surfaces", of->name, mesh->triangle_count);
  part_plan plan = plan_for(of, (uint32_t)mesh->vertex_count, (uint32_t)mesh->triangle_count);
  plan.encodings[SCR_SKIN_PIECE] = whole_encoding(largest);
  plan.encodings[SCR_SKIN_CORNERS] = whole_encoding(mesh->vertex_count > UINT16_MAX ? UINT32_MAX : 0);
  SCR_TRY(lay_out(frame, drawable, &plan, error));
  SCR_TRY(store_skin(&frame->parts[drawable], &plan, mesh, of, error));
  memset(frame->parts[drawable].given, true, sizeof frame->parts[drawable].given);
  return SCR_OK;
}
