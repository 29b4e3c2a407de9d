/* Curves and pictures of a rig's parts. */
#include "sim/view/rig_view.h"

#include <stdio.h>
#include <string.h>

#include "sim/view/solid_view.h"

static const struct {
  const char *unit, *label;
} curve_texts[SCR_PART_CURVES] = {
    {"N", "force x"},      {"N", "force y"},    {"N", "force z"},    {"N m", "torque x"}, {"N m", "torque y"}, {"N m", "torque z"},
    {"m", "displacement"}, {"rad", "rotation"}, {"m/s", "velocity"}, {"m", "x"},          {"m", "y"},          {"m", "z"}};

scr_status rig_declare_curves(scr_sim *sim, scr_error *error)
{
  for (size_t p = 0; p < sim->parts.count; p++)
    for (int k = 0; k < SCR_PART_CURVES; k++) {
      const scr_part *part = &sim->parts.form[p];
      char name[64], label[96];
      if (!scr_part_has_curve(part, k)) continue;
      snprintf(name, sizeof name, "%s.%s", part->name, scr_part_curve_names[k]);
      snprintf(label, sizeof label, "%s, %s", part->label, curve_texts[k].label);
      SCR_TRY(scr_sim_declare_series(sim, name, curve_texts[k].unit, label, error));
    }
  if (!parts_fly(&sim->parts)) return SCR_OK;
  return scr_sim_declare_series(sim, SCR_PARTS_ENERGY, "J", "Energy of free parts: kinetic, and of their height", error);
}

void rig_observe(const scr_sim *sim, double *values)
{
  double per_time = 1 / sim->time_step;
  for (size_t p = 0; p < sim->parts.count; p++) {
    const scr_part *part = &sim->parts.form[p];
    const part_motion *now = &sim->parts.now[p];
    const part_load *load = &sim->parts.load[p];
    scr_vec3 force = vec3_add(load->force, vec3_scale(load->impulse, per_time));
    scr_vec3 torque = vec3_add(load->torque, vec3_scale(load->turning, per_time));
    scr_vec3 place = now->pose.position;
    double along = vec3_dot(vec3_sub(now->pose.position, part->start), part->axis) * part->sign + 0.0; /* 0, not -0, before it moves */
    double pressing = vec3_dot(now->velocity, part->axis) * part->sign;
    const double all[SCR_PART_CURVES] = {force.x, force.y,    force.z,  torque.x, torque.y, torque.z,
                                         along,   now->angle, pressing, place.x,  place.y,  place.z};
    for (int k = 0; k < SCR_PART_CURVES; k++)
      if (scr_part_has_curve(part, k)) *values++ = all[k];
  }
  if (parts_fly(&sim->parts)) *values = parts_energy(&sim->parts);
}

/* The part's own name: what follows the first full stop. */
static const char *short_name(const scr_part *part)
{
  const char *stop = strchr(part->name, '.');
  return stop ? stop + 1 : part->name;
}

static void add_position(scr_drawable *drawable)
{
  drawable->fields[drawable->field_count++] =
      (scr_field){.name = "position", .unit = "m", .components = 3, .encoding = SCR_ENCODING_FLOAT32};
}

/* Drawables of the rig and of the obstacles; and what of each they show. */
enum { RIG_FLAT, RIG_ROUND, OBSTACLES_FLAT, OBSTACLES_ROUND, GROUP_COUNT };

/* The drawable that a part is shown in; GROUP_COUNT: that of solids (solid_view.h). */
static int group_of(const scr_part *part)
{
  int flat = part->obstacle ? OBSTACLES_FLAT : RIG_FLAT;
  switch (part->kind) {
  case SCR_PART_PLANE:
  case SCR_PART_GRIP: return flat;
  case SCR_PART_CYLINDER:
  case SCR_PART_TROUGH: return flat + 1;
  case SCR_PART_SOLID: break;
  }
  return GROUP_COUNT;
}

/* Whether any part shown in a drawable turns: then all of it is drawn with an orientation. */
static bool group_turns(const sim_parts *parts, int group)
{
  for (size_t p = 0; p < parts->count; p++)
    if (parts->form[p].turns && group_of(&parts->form[p]) == group) return true;
  return false;
}

static void add_orientation(scr_drawable *drawable)
{
  drawable->fields[drawable->field_count++] =
      (scr_field){.name = "orientation", .unit = "rad", .components = 3, .encoding = SCR_ENCODING_FLOAT32};
}

static void add_plane(scr_drawable *drawable, const scr_part *part)
{
  scr_plane_shape *plane = &drawable->planes[drawable->element_count++];
  snprintf(plane->name, sizeof plane->name, "%s", short_name(part));
  plane->half_u = part->half_u;
  plane->half_v = part->half_v;
}

/* A direction across the part's axis, where a whole cylinder's mantle begins. */
static scr_vec3 across(const scr_part *part)
{
  scr_vec3 a = part->axis, off = vec3_sub(a, vec3_scale(part->along, vec3_dot(a, part->along)));
  if (vec3_length(off) < 0.1)
    off = fabs(part->along.x) < 0.9 ? vec3_cross(part->along, vec3(1, 0, 0)) : vec3_cross(part->along, vec3(0, 1, 0));
  return vec3_scale(off, 1 / vec3_length(off));
}

/* A trough shows its arc, whose middle, the part's `start`, lies against its normal from the axis. */
static void add_cylinder(scr_drawable *drawable, const scr_part *part)
{
  bool whole = part->kind == SCR_PART_CYLINDER;
  scr_cylinder_shape *shape = &drawable->cylinders[drawable->element_count++];
  snprintf(shape->name, sizeof shape->name, "%s", short_name(part));
  shape->half_axis = vec3_scale(part->along, part->half_length);
  shape->middle = whole ? across(part) : vec3_scale(part->normal, -1);
  shape->radius = part->radius;
  shape->half_arc = whole ? 3.14159265358979323846 : part->arc;
}

scr_status rig_declare_drawables(scr_sim *sim, scr_error *error)
{
  const sim_parts *parts = &sim->parts;
  scr_drawable groups[GROUP_COUNT] = {[RIG_FLAT] = {.kind = SCR_DRAW_PLANES},
                                      [RIG_ROUND] = {.kind = SCR_DRAW_CYLINDERS},
                                      [OBSTACLES_FLAT] = {.kind = SCR_DRAW_PLANES},
                                      [OBSTACLES_ROUND] = {.kind = SCR_DRAW_CYLINDERS}};
  for (size_t p = 0; p < parts->count; p++) {
    int group = group_of(&parts->form[p]);
    if (group == GROUP_COUNT) continue;
    if (groups[group].kind == SCR_DRAW_PLANES)
      add_plane(&groups[group], &parts->form[p]);
    else
      add_cylinder(&groups[group], &parts->form[p]);
  }
  for (int k = 0; k < GROUP_COUNT; k++) {
    if (groups[k].element_count == 0) continue;
    snprintf(groups[k].name, sizeof groups[k].name, "%s", k < OBSTACLES_FLAT ? scr_rig_names[sim->scene->rig.kind] : "obstacles");
    add_position(&groups[k]);
    if (group_turns(parts, k)) add_orientation(&groups[k]);
    SCR_TRY(scr_sim_declare_drawable(sim, &groups[k], error));
  }
  return solid_declare_drawable(sim, error);
}

scr_status rig_draw(const scr_sim *sim, scr_frame *frame, uint32_t first, scr_error *error)
{
  const sim_parts *parts = &sim->parts;
  for (int group = 0; group < GROUP_COUNT; group++) {
    double at[3][SCR_PART_LIMIT], turn[3][SCR_PART_LIMIT];
    size_t n = 0;
    for (size_t p = 0; p < parts->count; p++) {
      if (group_of(&parts->form[p]) != group) continue;
      scr_vec3 place = parts->now[p].pose.position, rotation = part_turned(&parts->form[p], &parts->now[p]);
      at[0][n] = place.x, at[1][n] = place.y, at[2][n] = place.z;
      turn[0][n] = rotation.x, turn[1][n] = rotation.y, turn[2][n++] = rotation.z;
    }
    if (n == 0) continue;
    SCR_TRY(scr_frame_field(frame, first, 0, at[0], at[1], at[2], error));
    if (group_turns(parts, group)) SCR_TRY(scr_frame_field(frame, first, 1, turn[0], turn[1], turn[2], error));
    first++;
  }
  return solid_draw(sim, frame, first, error);
}
