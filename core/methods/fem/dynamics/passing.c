/* Continuous detection against parts, by spheres that touch nothing. */
#include "methods/fem/dynamics/passing.h"

#include <math.h>

enum { STRIDES = 200, LOOKS = 60 };
static const double same_side = 0.5; /* cosine between normals: of a rounded part they turn under way */

/* The way of a point in the part's pose at the end of the step. */
typedef struct displacement {
  const scr_part *form;
  const scr_pose *pose;
  scr_vec3 from, step;
  double length;
} displacement;

static scr_part_distance distance_at(const displacement *w, double t)
{
  return scr_part_distance_posed(w->form, w->pose, vec3_add(w->from, vec3_scale(w->step, t)));
}

/* The moment of the first touch, in shares of the step; above 1: none. */
static double first_touch(const displacement *w, double fine, scr_vec3 *normal)
{
  double t = 0;
  for (int k = 0; k < STRIDES && t <= 1; k++) {
    scr_part_distance d = distance_at(w, t);
    *normal = d.normal;
    if (d.distance <= fine) return t;
    t += d.distance / w->length;
  }
  return t <= 1 ? t : 2; /* a way that grazes takes ever shorter strides: it is as good as there */
}

/* Whether the point gets inside after the touch, deeper than `depth`. */
static bool enters(const displacement *w, double t, double fine, double depth)
{
  double further = 2 * fine / w->length;
  for (int k = 0; k < LOOKS && t < 1; k++, further *= 1.5) {
    t = fmin(t + further, 1);
    if (distance_at(w, t).distance < -depth - fine) return true;
  }
  return false;
}

bool fem_passes_through(const scr_part *form, const part_motion *start, const part_motion *end, scr_vec3 before, scr_vec3 now, double fine,
                        scr_part_distance *from)
{
  if (form->kind == SCR_PART_PLANE || form->kind == SCR_PART_GRIP) return false;
  scr_vec3 arm = quat_rotate(quat_conjugate(start->pose.rotation), vec3_sub(before, start->pose.position)), normal;
  displacement w = {.form = form, .pose = &end->pose, .from = vec3_add(end->pose.position, quat_rotate(end->pose.rotation, arm))};
  w.step = vec3_sub(now, w.from);
  w.length = vec3_length(w.step);
  if (!(w.length > fine) || scr_part_is_far_posed(form, &end->pose, w.from, w.length)) return false;
  scr_part_distance first = distance_at(&w, 0);
  if (!(first.distance < w.length)) return false;
  double t = first_touch(&w, fine, &normal);
  double depth = fmax(0, -first.distance); /* what is inside already came from the side that is nearest */
  if (t > 1 || !enters(&w, t, fine, depth)) return false;
  scr_part_distance last = distance_at(&w, 1);
  if (last.distance < 0 && vec3_dot(last.normal, normal) > same_side) return false;
  *from = (scr_part_distance){(1 - t) * vec3_dot(normal, w.step) - depth, normal};
  return from->distance < 0;
}
