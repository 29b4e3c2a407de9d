/* Frames read against their topology. */
#include "record/frame/view.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "record/drawable.h"

void frame_view_clear(frame_view *view)
{
  mem_free(view->drawables);
  *view = (frame_view){0};
}

/* ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_vec3 frame_array_vector(const frame_array *array, uint32_t element)
{
  return vec3(frame_array_value(array, element, 0), frame_array_value(array, element, 1), frame_array_value(array, element, 2));
}

uint32_t frame_array_whole(const frame_array *array, uint32_t element, uint32_t component)
{
  size_t index = (size_t)element * array->header.components + component;
  if (array->header.encoding == SCR_ENCODING_UINT16) {
    uint16_t narrow;
    memcpy(&narrow, array->data + index * sizeof narrow, sizeof narrow);
    return narrow;
  }
  uint32_t wide;
  memcpy(&wide, array->data + index * sizeof wide, sizeof wide);
  return wide;
}

const frame_array *drawable_view_field(const drawable_view *view, const char *name)
{
  uint32_t field = drawable_field(view->drawable, name);
  return field == DRAWABLE_NO_FIELD || !view->arrays[field].data ? NULL : &view->arrays[field];
}

double drawable_view_radius(const drawable_view *view, uint32_t element)
{
  const frame_array *radius = drawable_view_field(view, "radius");
  return radius ? frame_array_value(radius, element, 0) : view->drawable->radius;
}

uint32_t drawable_view_cell(const drawable_view *view, uint32_t element)
{
  return view->drawable->varying ? frame_array_whole(&view->arrays[0], element, 0) : element;
}

void drawable_view_instance(const drawable_view *view, uint32_t element, const scr_modal_shape **shape, scr_vec3 *vertices)
{
  const frame_array *number = drawable_view_field(view, "shape"), *scales = drawable_view_field(view, "scale");
  const frame_array *amplitudes = drawable_view_field(view, "amplitudes");
  const scr_modal_shape *of = &view->drawable->shapes[number ? frame_array_whole(number, element, 0) : 0];
  *shape = of;
  if (!vertices) return;
  double scale = scales ? frame_array_value(scales, element, 0) : 1;
  scr_vec3 position = frame_array_vector(&view->arrays[0], element);
  scr_quat turn = quat_exp(frame_array_vector(&view->arrays[1], element));
  size_t count = of->mesh.vertex_count;
  for (size_t v = 0; v < count; v++) vertices[v] = of->mesh.vertex[v];
  for (uint32_t k = 0; amplitudes && k < of->mode_count; k++) {
    double amplitude = frame_array_value(amplitudes, element, k);
    for (size_t v = 0; v < count; v++) vertices[v] = vec3_add(vertices[v], vec3_scale(of->modes[k * count + v], amplitude));
  }
  for (size_t v = 0; v < count; v++) vertices[v] = vec3_add(position, quat_rotate(turn, vec3_scale(vertices[v], scale)));
}

/* ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status bad(scr_error *error, const drawable_view *view, const char *what)
{
  return scr_fail(error, SCR_BAD_FILE, NULL, "of drawable '%s', %s: the recording is damaged", view->drawable->name, what);
}

/* Whether an array is stored as its field is declared. */
static bool fits(const frame_array *array, const scr_field *field)
{
  const scr_array_header *header = &array->header;
  if (header->components != field->components) return false;
  return header->encoding == field->encoding || (field->encoding == SCR_ENCODING_UINT32 && header->encoding == SCR_ENCODING_UINT16);
}

static scr_status take_array(frame_view *view, const frame_array *array, scr_error *error)
{
  const scr_topology *topology = view->topology;
  if (array->drawable >= topology->drawable_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a frame names drawable %u, the topology has %zu: the recording is damaged", array->drawable,
                    topology->drawable_count);
  drawable_view *of = &view->drawables[array->drawable];
  const scr_drawable *drawable = of->drawable;
  uint32_t field = array->header.field;
  if (field >= drawable->field_count || of->arrays[field].data)
    return bad(error, of, "a frame has a field twice, or one that is not declared");
  if (!fits(array, &drawable->fields[field])) return bad(error, of, "a frame has a field that is stored otherwise than declared");
  bool second = field == drawable_second_field(drawable);
  uint32_t *count = second ? &of->second_count : &of->count;
  bool first_array = true;
  for (uint32_t f = 0; f < drawable->field_count; f++)
    if (of->arrays[f].data && (f == drawable_second_field(drawable)) == second) first_array = false;
  if (first_array) *count = array->element_count;
  if (*count != array->element_count) return bad(error, of, "fields have different numbers of elements in a frame");
  if (!drawable_varies(drawable) && array->element_count != drawable->element_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a frame has %u elements of drawable %u, the topology %u: the recording is damaged",
                    array->element_count, array->drawable, drawable->element_count);
  of->arrays[field] = *array;
  of->there = true;
  return SCR_OK;
}

/* Whether all whole numbers of an array are below a limit. */
static bool all_below(const frame_array *array, uint64_t limit)
{
  for (uint32_t i = 0; i < array->element_count; i++)
    for (uint32_t c = 0; c < array->header.components; c++)
      if (frame_array_whole(array, i, c) >= limit) return false;
  return true;
}

/* Whether the numbers of cells rise, and all are below a limit. */
static bool all_cells(const frame_array *array, uint64_t limit)
{
  for (uint32_t i = 1; i < array->element_count; i++)
    if (frame_array_whole(array, i, 0) <= frame_array_whole(array, i - 1, 0)) return false;
  return all_below(array, limit);
}

static scr_status check_drawable(const drawable_view *view, scr_error *error)
{
  const scr_drawable *drawable = view->drawable;
  for (uint32_t f = 0; f < drawable->field_count; f++)
    if (!view->arrays[f].data) return bad(error, view, "a frame lacks a field");
  if (drawable->changing && !all_below(&view->arrays[SCR_SKIN_CORNERS], view->count))
    return bad(error, view, "a triangle has a vertex that is not there");
  if (drawable->kind == SCR_DRAW_SURFACE && drawable->varying && !all_below(&view->arrays[drawable_second_field(drawable)], view->count))
    return bad(error, view, "a triangle has a vertex that is not there");
  if (drawable->kind == SCR_DRAW_GRID && drawable->varying && !all_cells(&view->arrays[0], drawable_grid_cells(&drawable->grid)))
    return bad(error, view, "cells are named that are not there, or not in their order");
  const frame_array *shape = drawable->kind == SCR_DRAW_INSTANCES ? drawable_view_field(view, "shape") : NULL;
  if (shape && !all_below(shape, drawable->shape_count)) return bad(error, view, "an instance has a shape that is not there");
  if (drawable->kind != SCR_DRAW_THREADS) return SCR_OK;
  uint64_t nodes = 0;
  for (uint32_t i = 0; i < view->second_count; i++) nodes += frame_array_whole(&view->arrays[drawable_second_field(drawable)], i, 0);
  return nodes == view->count ? SCR_OK : bad(error, view, "threads have another number of nodes together than there are");
}

scr_status frame_view_read(frame_view *view, const scr_topology *topology, const void *payload, size_t size, scr_error *error)
{
  view->topology = topology;
  SCR_TRY(
      mem_reserve(&view->drawables, &view->capacity, topology->drawable_count, sizeof *view->drawables, "the drawables of a frame", error));
  for (size_t d = 0; d < topology->drawable_count; d++) view->drawables[d] = (drawable_view){.drawable = &topology->drawables[d]};
  frame_reader reader;
  frame_array array;
  bool more = true;
  SCR_TRY(frame_reader_begin(&reader, payload, size, error));
  for (;;) {
    SCR_TRY(frame_reader_next(&reader, &array, &more, error));
    if (!more) break;
    SCR_TRY(take_array(view, &array, error));
  }
  for (size_t d = 0; d < topology->drawable_count; d++)
    if (view->drawables[d].there) SCR_TRY(check_drawable(&view->drawables[d], error));
  return SCR_OK;
}
