/* Rigs taken apart: which solids a rig consists of, where they stand and how they move. */
#include "scene/part.h"

#include <stdio.h>

const char *const scr_part_curve_names[SCR_PART_CURVES] = {"force_x",  "force_y",  "force_z",     "torque_x",
                                                           "torque_y", "torque_z", "displacement"};

const char *const scr_rig_names[SCR_RIG_COUNT] = {[SCR_RIG_NONE] = "none", [SCR_RIG_BOX] = "box"};

static scr_vec3 unit(int axis, double sign)
{
  return vec3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
}

/* Each wall's `start` is the middle of its face, so that torques are about it. */
static void add_wall(const scr_rig *rig, int wall, scr_part *part)
{
  const double low[3] = {rig->minimum.x, rig->minimum.y, rig->minimum.z}, high[3] = {rig->maximum.x, rig->maximum.y, rig->maximum.z};
  int axis = wall / 2;
  scr_vec3 middle = vec3_scale(vec3_add(rig->minimum, rig->maximum), 0.5), half = vec3_scale(vec3_sub(rig->maximum, rig->minimum), 0.5);
  double inward = wall % 2 ? -1 : 1, at = wall % 2 ? high[axis] : low[axis];
  *part = (scr_part){.kind = SCR_PART_PLANE,
                     .start = vec3(axis == 0 ? at : middle.x, axis == 1 ? at : middle.y, axis == 2 ? at : middle.z),
                     .normal = unit(axis, inward),
                     .half_u = axis == 0 ? vec3(0, half.y, 0) : vec3(half.x, 0, 0),
                     .half_v = axis == 2 ? vec3(0, half.y, 0) : vec3(0, 0, half.z),
                     .axis = unit(axis, 1),
                     .sign = inward,
                     .program = &rig->walls[wall]};
  snprintf(part->name, sizeof part->name, "wall.%s", scr_wall_names[wall]);
  snprintf(part->label, sizeof part->label, "Wall %s", scr_wall_names[wall]);
  snprintf(part->program_pointer, sizeof part->program_pointer, "/rig/walls/%s/program", scr_wall_names[wall]);
}

size_t scr_rig_parts(const scr_rig *rig, scr_part parts[static SCR_PART_LIMIT])
{
  switch (rig->kind) {
  case SCR_RIG_NONE:
  case SCR_RIG_COUNT: return 0;
  case SCR_RIG_BOX:
    for (int w = 0; w < SCR_WALL_COUNT; w++) add_wall(rig, w, &parts[w]);
    return SCR_WALL_COUNT;
  }
  return 0;
}

scr_vec3 scr_part_position(const scr_part *part, double time)
{
  if (!part->program) return part->start;
  return vec3_add(part->start, vec3_scale(part->axis, scr_program_displacement(part->program, time)));
}

scr_vec3 scr_part_velocity(const scr_part *part, double time)
{
  if (!part->program) return vec3(0, 0, 0);
  return vec3_scale(part->axis, scr_program_velocity(part->program, time));
}
