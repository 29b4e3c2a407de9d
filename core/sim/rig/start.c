/* Bodies against each other and against grips at t = 0. */
#include "sim/rig/start.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/quat.h"
#include "scene/shape/shape.h"

static scr_vec3 point_of(const start_cloud *cloud, size_t k)
{
  return vec3(cloud->x[k * cloud->stride], cloud->y[k * cloud->stride], cloud->z[k * cloud->stride]);
}

static geo_box box_at(const start_cloud *cloud, scr_vec3 place)
{
  return (geo_box){vec3_add(place, cloud->box.low), vec3_add(place, cloud->box.high)};
}

scr_status start_judge_pairs(const scr_scene *scene, const start_cloud *clouds, double reach, start_judge judge, void *method)
{
  size_t count = 0, at = 0, reported = 0;
  for (size_t i = 0; i < scene->specimen_count; i++) count += scene->specimens[i].position_count;
  geo_box *boxes = mem_array(count, sizeof *boxes);
  start_body *bodies = mem_array(count, sizeof *bodies);
  geo_box_pairs pairs = {0};
  scr_status status = boxes && bodies ? SCR_OK : SCR_NO_MEMORY;
  for (size_t i = 0; status == SCR_OK && i < scene->specimen_count; i++)
    for (size_t k = 0; k < scene->specimens[i].position_count; k++, at++) {
      bodies[at] = (start_body){i, k, scene->specimens[i].positions[k]};
      boxes[at] = box_at(&clouds[i], bodies[at].place);
    }
  scr_error error;
  if (status == SCR_OK) status = geo_box_pairs_find(&pairs, boxes, count, reach, &error);
  for (size_t k = 0; status == SCR_OK && k < pairs.count && reported < START_REPORTS; k++)
    reported += judge(method, &bodies[pairs.pairs[k].a], &bodies[pairs.pairs[k].b]);
  geo_box_pairs_clear(&pairs);
  mem_free(boxes);
  mem_free(bodies);
  return status;
}

double start_gap(const start_cloud *clouds, const start_body *a, const start_body *b, double reach)
{
  const start_cloud *ca = &clouds[a->specimen], *cb = &clouds[b->specimen];
  scr_vec3 shift = vec3_sub(b->place, a->place);
  geo_box box = box_at(cb, shift);
  double least = INFINITY;
  for (size_t i = 0; i < ca->count; i++) {
    scr_vec3 p = point_of(ca, i);
    if (!geo_box_near(&(geo_box){p, p}, &box, reach)) continue;
    for (size_t j = 0; j < cb->count; j++) {
      scr_vec3 apart = vec3_sub(vec3_add(point_of(cb, j), shift), p);
      least = fmin(least, vec3_dot(apart, apart));
    }
  }
  return sqrt(least);
}

double start_depth(const scr_scene *scene, const start_cloud *clouds, const start_body *of, const start_body *in, double margin)
{
  const start_cloud *cloud = &clouds[of->specimen];
  const scr_specimen *other = &scene->specimens[in->specimen];
  geo_solid solid = scr_shape_solid(&other->shape);
  scr_quat back = quat_exp(vec3_scale(other->rotation_axis, -other->rotation_angle));
  scr_vec3 shift = vec3_sub(of->place, in->place);
  double deepest = -INFINITY;
  for (size_t k = 0; k < cloud->count; k++) {
    scr_vec3 p = vec3_add(shift, point_of(cloud, k));
    if (!geo_box_near(&(geo_box){p, p}, &clouds[in->specimen].box, margin)) continue;
    deepest = fmax(deepest, geo_solid_depth(&solid, quat_rotate(back, p)));
  }
  return deepest;
}

size_t start_count_held(const scr_scene *scene, const start_cloud *clouds, const scr_part *grip)
{
  size_t count = 0;
  for (size_t i = 0; i < scene->specimen_count; i++)
    for (size_t g = 0; g < scene->specimens[i].position_count; g++)
      for (size_t k = 0; k < clouds[i].count; k++)
        count += scr_part_holds(grip, vec3_add(scene->specimens[i].positions[g], point_of(&clouds[i], k)));
  return count;
}

scr_status start_refuse_empty_grip(const scr_part *grip, const char *point, scr_problems *problems)
{
  double border = vec3_dot(grip->start, grip->axis);
  char given[40];
  snprintf(given, sizeof given, "%.6g", border);
  return scr_problems_add(problems, vec3_dot(grip->normal, grip->axis) < 0 ? "/rig/high_start" : "/rig/low_end", given,
                          "a coordinate within the specimen, in m", "%.47s holds no %s: move its border at %.4g m into the specimen",
                          grip->name, point, border);
}
