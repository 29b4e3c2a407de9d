/* The box around a frame. */
#include <math.h>
#include <string.h>

#include "base/quat.h"
#include "record/drawable.h"
#include "record/frame/parts.h"

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
  if (drawable->kind == SCR_DRAW_SURFACE) return vec3(0, 0, 0);
  if (drawable->kind == SCR_DRAW_POINTS || drawable->kind == SCR_DRAW_THREADS)
    return vec3(drawable->radius, drawable->radius, drawable->radius);
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

/* Kinds whose extent needs more than a field are looked at when somebody asks for the box. */
static bool reach_is_known(const scr_drawable *drawable)
{
  return drawable->kind != SCR_DRAW_MESH && drawable->kind != SCR_DRAW_INSTANCES && drawable_field(drawable, "radius") == DRAWABLE_NO_FIELD;
}

void frame_box_widen(scr_frame *frame, const scr_drawable *drawable, uint32_t count, const frame_column position[3])
{
  if (!reach_is_known(drawable)) return;
  for (uint32_t i = 0; i < count; i++) {
    double at[3];
    for (int c = 0; c < 3; c++) at[c] = position[c].values[i * position[c].stride];
    take_in(&frame->box, vec3(at[0], at[1], at[2]), reach(drawable, i));
  }
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
  if (of->kind != SCR_DRAW_MESH || of->changing || !frame_given(frame, (uint32_t)drawable, 0, &place) ||
      !frame_given(frame, (uint32_t)drawable, 1, &turns))
    return;
  for (uint32_t i = 0; i < of->element_count; i++) {
    scr_vec3 position = vector_at(&place, i);
    scr_quat turn = quat_exp(vector_at(&turns, i));
    const geo_mesh *mesh = &of->meshes[i].mesh;
    for (size_t v = 0; v < mesh->vertex_count; v++) take_in(box, vec3_add(position, quat_rotate(turn, mesh->vertex[v])), vec3(0, 0, 0));
  }
}

/* Balls and nodes that have a radius each. */
static void widen_by_radii(const scr_frame *frame, size_t drawable, frame_box *box)
{
  const scr_drawable *of = &frame->drawables[drawable];
  frame_array place, radii;
  if ((of->kind != SCR_DRAW_POINTS && of->kind != SCR_DRAW_THREADS) || reach_is_known(of) ||
      !frame_given(frame, (uint32_t)drawable, 0, &place) || !frame_given(frame, (uint32_t)drawable, drawable_field(of, "radius"), &radii))
    return;
  for (uint32_t i = 0; i < place.element_count; i++) {
    double radius = frame_array_value(&radii, i, 0);
    take_in(box, vector_at(&place, i), vec3(radius, radius, radius));
  }
}

/* An instance lies within its shape's box, turned, and within the ball about that box's middle; its modes move vertices by no more than
 * their longest arrows. */
typedef struct shape_extent {
  scr_vec3 middle, half;
  double radius, arrows[SCR_MODE_LIMIT]; /* of the ball; the longest of each mode, m */
} shape_extent;

static shape_extent measure(const scr_modal_shape *shape)
{
  shape_extent extent = {0};
  frame_box box = {0};
  const geo_mesh *mesh = &shape->mesh;
  for (size_t v = 0; v < mesh->vertex_count; v++) take_in(&box, mesh->vertex[v], vec3(0, 0, 0));
  extent.middle = vec3_scale(vec3_add(box.low, box.high), 0.5);
  extent.half = vec3_scale(vec3_sub(box.high, box.low), 0.5);
  for (size_t v = 0; v < mesh->vertex_count; v++)
    extent.radius = fmax(extent.radius, vec3_length(vec3_sub(mesh->vertex[v], extent.middle)));
  for (uint32_t k = 0; k < shape->mode_count; k++)
    for (size_t v = 0; v < mesh->vertex_count; v++)
      extent.arrows[k] = fmax(extent.arrows[k], vec3_length(shape->modes[k * mesh->vertex_count + v]));
  return extent;
}

/* The half sizes of the box around a box of half sizes `half` that is turned. */
static scr_vec3 turned_half(scr_quat turn, scr_vec3 half)
{
  scr_vec3 x = quat_rotate(turn, vec3(half.x, 0, 0)), y = quat_rotate(turn, vec3(0, half.y, 0)), z = quat_rotate(turn, vec3(0, 0, half.z));
  return vec3(fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y), fabs(x.z) + fabs(y.z) + fabs(z.z));
}

/* The arrays of instances; `given` is false for those that are not declared. */
typedef struct instance_arrays {
  frame_array position, orientation, shape, scale, amplitudes;
  bool has_shape, has_scale, has_amplitudes;
} instance_arrays;

static void widen_by_instance(const instance_arrays *a, uint32_t i, const shape_extent *extent, uint32_t modes, frame_box *box)
{
  scr_quat turn = quat_exp(vector_at(&a->orientation, i));
  double scale = a->has_scale ? frame_array_value(&a->scale, i, 0) : 1, moved = 0;
  for (uint32_t k = 0; a->has_amplitudes && k < modes; k++) moved += fabs(frame_array_value(&a->amplitudes, i, k)) * extent->arrows[k];
  scr_vec3 half = turned_half(turn, extent->half),
           middle = vec3_add(vector_at(&a->position, i), quat_rotate(turn, vec3_scale(extent->middle, scale)));
  half = vec3(fmin(half.x, extent->radius) + moved, fmin(half.y, extent->radius) + moved, fmin(half.z, extent->radius) + moved);
  take_in(box, middle, vec3_scale(half, scale));
}

static void widen_by_instances(const scr_frame *frame, size_t drawable, frame_box *box)
{
  const scr_drawable *of = &frame->drawables[drawable];
  uint32_t id = (uint32_t)drawable;
  instance_arrays a = {0};
  if (of->kind != SCR_DRAW_INSTANCES || !frame_given(frame, id, 0, &a.position) || !frame_given(frame, id, 1, &a.orientation)) return;
  a.has_shape = frame_given(frame, id, drawable_field(of, "shape"), &a.shape);
  a.has_scale = frame_given(frame, id, drawable_field(of, "scale"), &a.scale);
  a.has_amplitudes = frame_given(frame, id, drawable_field(of, "amplitudes"), &a.amplitudes);
  for (uint32_t s = 0; s < of->shape_count; s++) {
    shape_extent extent = measure(&of->shapes[s]);
    for (uint32_t i = 0; i < a.position.element_count; i++)
      if ((a.has_shape ? frame_array_value(&a.shape, i, 0) : 0) == s) widen_by_instance(&a, i, &extent, of->shapes[s].mode_count, box);
  }
}

/* The cells of a grid that are there. */
static void widen_by_cells(const scr_frame *frame, size_t drawable, frame_box *box)
{
  const scr_drawable *of = &frame->drawables[drawable];
  frame_array cells;
  if (of->kind != SCR_DRAW_GRID) return;
  bool some = of->varying && frame_given(frame, (uint32_t)drawable, 0, &cells);
  if (of->varying && !some) return;
  for (uint32_t i = 0; i < (some ? cells.element_count : 1); i++) {
    uint32_t low[3] = {0}, size[3] = {1, 1, 1};
    if (some)
      drawable_grid_place(&of->grid, (uint32_t)frame_array_value(&cells, i, 0), low);
    else
      memcpy(size, of->grid.counts, sizeof size);
    take_in(box, drawable_grid_corner(&of->grid, low[0], low[1], low[2]), vec3(0, 0, 0));
    take_in(box, drawable_grid_corner(&of->grid, (uint64_t)low[0] + size[0], (uint64_t)low[1] + size[1], (uint64_t)low[2] + size[2]),
            vec3(0, 0, 0));
  }
}

bool frame_bounds(const scr_frame *frame, scr_vec3 *minimum, scr_vec3 *maximum)
{
  frame_box box = frame->box;
  for (size_t d = 0; d < frame->drawable_count; d++) {
    widen_by_bodies(frame, d, &box);
    widen_by_radii(frame, d, &box);
    widen_by_instances(frame, d, &box);
    widen_by_cells(frame, d, &box);
  }
  *minimum = box.low;
  *maximum = box.high;
  return box.filled;
}
