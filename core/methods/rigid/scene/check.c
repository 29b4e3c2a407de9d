/* What only the method can check: shapes, servos, sizes; the time step; what a run costs. */
#include <stdio.h>

#include "methods/rigid/scene/cost.h"
#include "methods/rigid/state/state.h"
#include "record/table/table.h"
#include "scene/check/abilities.h"
#include "scene/counts.h"
#include "sim/rig/parts.h"
#include "sim/time_step.h"

static void check_scales(const scr_checker *c, size_t i)
{
  const rigid_specimen *block = scr_scene_specimen(c->scene, i);
  if (block->largest_scale < block->smallest_scale)
    check_refuse(c, check_at("/specimens/%zu/largest_scale", i), block->largest_scale, "a number >= smallest_scale",
                 "largest_scale %.6g is less than smallest_scale %.6g: exchange them, or give both the same number", block->largest_scale,
                 block->smallest_scale);
}

static scr_vec3 down_of(const scr_scene *scene)
{
  double gravity = vec3_length(scene->rig.gravity);
  return gravity > 0 ? vec3_scale(scene->rig.gravity, 1 / gravity) : vec3(0, 0, 0);
}

/* @param radius m, mean of the line's */
static void count_balls(const scr_scene *scene, const scr_specimen *specimen, double radius, rigid_findings *found)
{
  double count = (double)specimen->position_count;
  scr_vec3 down = down_of(scene);
  found->balls += count;
  found->ball_square += count * 4 * radius * radius;
  found->ball_volume += count * 4 / 3 * M_PI * radius * radius * radius;
  for (size_t i = 0; i < specimen->position_count; i++) found->ball_depth += vec3_dot(specimen->positions[i], down);
}

/* How high bodies that are no balls begin, and how deep anything can lie on which they could fall. */
static void find_fall(const scr_scene *scene, rigid_findings *found, double extent, const scr_specimen *specimen)
{
  scr_vec3 down = down_of(scene);
  for (size_t i = 0; i < specimen->position_count; i++) {
    double depth = vec3_dot(specimen->positions[i], down);
    found->depth = fmax(found->depth, depth);
    if (extent > 0) found->height = fmax(found->height, -depth);
  }
  if (extent > 0) found->extent = fmin(found->extent, extent);
}

static void find_floors(const scr_scene *scene, rigid_findings *found)
{
  const scr_rig *rig = &scene->rig;
  scr_vec3 down = down_of(scene);
  for (size_t k = 0; k < rig->obstacle_count; k++) found->depth = fmax(found->depth, vec3_dot(rig->obstacles[k].position, down));
  for (int k = 0; k < 8 && rig->kind == SCR_RIG_BOX; k++) {
    scr_vec3 corner =
        vec3(k & 1 ? rig->maximum.x : rig->minimum.x, k & 2 ? rig->maximum.y : rig->minimum.y, k & 4 ? rig->maximum.z : rig->minimum.z);
    found->depth = fmax(found->depth, vec3_dot(corner, down));
  }
}

/* Makes the shape, to be sure that it can be made and to know what it weighs and takes. */
static scr_status measure_shape(const scr_checker *c, size_t i, rigid_findings *found)
{
  const scr_scene *scene = c->scene;
  const scr_specimen *specimen = &scene->specimens[i];
  const rigid_specimen *block = scr_scene_specimen(scene, i);
  rigid_shape shape = {0};
  scr_error error;
  if (!abilities_offer(scene->method, CHOICE_SHAPE, (int)specimen->shape.kind)) return SCR_OK; /* refused */
  scr_status status = rigid_shape_create(&specimen->shape, true, &shape, &error);
  if (status == SCR_OK) {
    double vectors = 0;
    for (size_t k = 0; k < shape.piece_count; k++)
      vectors += (double)(shape.pieces[k].hull.corner_count + shape.pieces[k].hull.face_count) + 8;
    double extent = shape.extent * block->largest_scale;
    double count = (double)specimen->position_count;
    found->bodies += count;
    bool is_ball = shape.piece_count == 1 && shape.pieces[0].kind == GEO_PIECE_BALL;
    if (is_ball) count_balls(scene, specimen, shape.extent * 0.5 * (block->smallest_scale + block->largest_scale), found);
    find_fall(scene, found, is_ball ? 0 : shape.extent * block->smallest_scale, specimen);
    if (shape.pieces[0].kind == GEO_PIECE_MESH) found->meshes += count;
    found->vectors += vectors * (double)specimen->position_count;
    found->shape_bytes += rigid_shape_bytes(&shape);
    found->pictures += 12.0 * (double)(shape.picture.vertex_count + shape.picture.triangle_count);
    found->thickness = fmin(found->thickness, shape.thickness * block->smallest_scale);
    found->speed = fmax(found->speed, vec3_length(specimen->velocity) + vec3_length(specimen->angular_velocity) * extent);
  }
  rigid_shape_clear(&shape);
  if (status != SCR_BAD_SCENE) return status;
  check_refuse(c, check_at("/specimens/%zu/shape", i), NAN, "a solid with a volume",
               "specimen '%s' is not a solid that could be a rigid body: use another shape", specimen->name);
  return SCR_OK;
}

/* Rigid bodies have no stiffness that a gain could be chosen by. */
static void check_parts(const scr_checker *c, rigid_findings *found)
{
  const scr_scene *scene = c->scene;
  scr_part parts[SCR_PART_LIMIT];
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++) {
    found->speed = fmax(found->speed, scr_part_peak_speed(&parts[p], scene->time.duration, INFINITY));
    found->stirred =
        found->stirred || (parts[p].program && parts[p].program->segment_count > 0) || (parts[p].turn && parts[p].turn->segment_count > 0);
    for (size_t i = 0; parts[p].steers && parts[p].program && i < parts[p].program->segment_count; i++) {
      const scr_segment *segment = &parts[p].program->segments[i];
      found->servo = found->servo || segment->kind == SCR_SEGMENT_SERVO;
      if (segment->kind != SCR_SEGMENT_SERVO || !isnan(segment->servo.gain)) continue;
      check_refuse(c, check_at("%s/%zu/gain", parts[p].program_pointer, i), NAN, "a number > 0, in m/(N s)",
                   "rigid bodies have no stiffness from which the gain of %s could be chosen: give the speed at which it may move when "
                   "nothing resists, over its force",
                   parts[p].name);
    }
  }
}

/* m/s, at which bodies that are no balls can come down on others: from the highest of their places to the lowest that there is, or for as
 * long as the run takes; 0 where there are fewer than two. */
static double tumbling_speed(const scr_scene *scene, const rigid_findings *found)
{
  double gravity = vec3_length(scene->rig.gravity), fall = fmax(found->height + found->depth, 0);
  if (found->bodies - found->balls < 2 || !(gravity > 0)) return 0;
  return found->speed + fmin(sqrt(2 * gravity * fall), gravity * scene->time.duration);
}

/* A step in which gravity moves a body from rest by a hundredth of its thickness at most, and what is fast by a tenth; several bodies with
 * corners, which tumble over each other as they come down, by a tenth of the smallest one's extent: contacts are foreseen by what is near
 * at a step's start. */
static void choose_step(const scr_scene *scene, const rigid_findings *found, scr_estimate *estimate)
{
  double gravity = vec3_length(scene->rig.gravity), tumbling = tumbling_speed(scene, found);
  const sim_bound bounds[] = {{found->speed > 0 ? 0.1 * found->thickness / found->speed : INFINITY, "speed"},
                              {gravity > 0 ? sqrt(0.02 * found->thickness / gravity) : INFINITY, "fall"},
                              {tumbling > 0 ? 0.1 * found->extent / tumbling : INFINITY, "tumbling"}};
  sim_choose_step(scene, bounds, sizeof bounds / sizeof bounds[0], scene->time.safety_factor, estimate);
}

/* Memory from above: every body with as many contacts as packs of balls or of any shapes have. */
static void estimate_cost(const scr_scene *scene, const rigid_findings *found, scr_estimate *estimate)
{
  const rigid_options *options = scene->options;
  const double body_bytes = 1200, contact_bytes = 2600;
  double contacts = 12 * found->balls + 24 * (found->bodies - found->balls) + 64, steps = scene->time.duration / estimate->time_step;
  *scr_count_in(estimate, "bodies", "Bodies") = estimate->node_count = (uint64_t)found->bodies;
  estimate->state_bytes = 4096 + found->bodies * 256 + contacts * 80;
  estimate->memory_bytes =
      4e6 + found->shape_bytes + found->bodies * body_bytes + found->vectors * 24 + contacts * contact_bytes + estimate->state_bytes;
  rigid_estimate_run(scene, found, steps, estimate);
  estimate->step_rows = (uint64_t)fmin(steps, 1e15);
  estimate->step_row_bytes = 5 * 8 * (double)estimate->step_rows;
  if (options->recorded_problems > 0) {
    double kept = fmin((double)options->recorded_problems, ceil(steps / (double)options->recorded_every));
    estimate->file_bytes = fmin(options->recorded_bytes, kept * rigid_kept_bytes(found->bodies, contacts));
    estimate->memory_bytes +=
        2e6 + 3 * rigid_kept_bytes(found->bodies, contacts); /* matrices, their triplets, and what the library holds */
  }
  rigid_estimate_recording(scene, found, estimate);
}

scr_status rigid_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  rigid_findings found = {.thickness = INFINITY, .extent = INFINITY, .height = -INFINITY, .depth = -INFINITY};
  scr_checker c = check_begin(scene, problems);
  for (size_t i = 0; i < scene->specimen_count; i++) {
    check_scales(&c, i);
    SCR_TRY(measure_shape(&c, i, &found));
  }
  find_floors(scene, &found);
  check_parts(&c, &found);
  if (!check_is_clean(&c)) return SCR_OK;
  choose_step(scene, &found, estimate);
  estimate_cost(scene, &found, estimate);
  if (estimate->memory_bytes > (double)scene->limits.memory_bytes) return SCR_OK; /* refused for it */
  return rigid_check_start(&c, estimate->time_step);
}
