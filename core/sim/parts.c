/* The motion of parts and their state in checkpoints. */
#include "sim/parts.h"

void parts_create(sim_parts *parts, const scr_rig *rig)
{
  *parts = (sim_parts){0};
  parts->count = scr_rig_parts(rig, parts->form);
  parts_move(parts, 0);
}

part_motion parts_at(const sim_parts *parts, size_t p, double time)
{
  const scr_part *form = &parts->form[p];
  part_motion motion = {.pose = scr_part_pose(form, time), .velocity = scr_part_velocity(form, time)};
  if (!form->turn) return motion;
  motion.angle = scr_part_angle(form, time);
  motion.spin = vec3_scale(form->turn_axis, scr_part_angular_velocity(form, time));
  return motion;
}

void parts_move(sim_parts *parts, double time)
{
  for (size_t p = 0; p < parts->count; p++) parts->now[p] = parts_at(parts, p, time);
}

part_way part_way_between(const scr_part *form, const part_motion *before, const part_motion *after)
{
  part_way way = {.way = vec3_sub(after->pose.position, before->pose.position)};
  if (form->turn) way.turn = vec3_scale(form->turn_axis, after->angle - before->angle);
  return way;
}

double part_travel(const scr_part *form, const part_motion *before, const part_motion *after, double span)
{
  part_way way = part_way_between(form, before, after);
  double gone = vec3_length(way.way);
  if (!form->pivots) return gone;
  return gone + vec3_length(way.turn) * fmin(span, form->extent); /* a chord is never longer than its arc */
}

scr_status parts_save(const sim_parts *parts, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_write_array(blob, parts->now, parts->count, sizeof *parts->now, error));
  return scr_blob_write_array(blob, parts->load, parts->count, sizeof *parts->load, error);
}

scr_status parts_load(sim_parts *parts, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_read_array(blob, parts->now, parts->count, sizeof *parts->now, "parts of the rig", error));
  return scr_blob_read_array(blob, parts->load, parts->count, sizeof *parts->load, "parts of the rig", error);
}
