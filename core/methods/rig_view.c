/* Curves and pictures of a rig's parts. */
#include "methods/rig_view.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *unit, *label;
} curve_texts[SCR_PART_CURVES] = {{"N", "force x"},    {"N", "force y"},    {"N", "force z"},     {"N m", "torque x"},
                                  {"N m", "torque y"}, {"N m", "torque z"}, {"m", "displacement"}};

scr_status rig_declare_curves(scr_sim *sim, const scr_part *parts, size_t count, scr_error *error)
{
  for (size_t p = 0; p < count; p++)
    for (int k = 0; k < SCR_PART_CURVES; k++) {
      char name[64], label[96];
      snprintf(name, sizeof name, "%s.%s", parts[p].name, scr_part_curve_names[k]);
      snprintf(label, sizeof label, "%s, %s", parts[p].label, curve_texts[k].label);
      SCR_TRY(scr_sim_declare_series(sim, name, curve_texts[k].unit, label, error));
    }
  return SCR_OK;
}

size_t rig_observe(const scr_part *parts, const rig_reading *readings, size_t count, double *values)
{
  size_t k = 0;
  for (size_t p = 0; p < count; p++) {
    const rig_reading *reading = &readings[p];
    const double six[6] = {reading->force.x, reading->force.y, reading->force.z, reading->torque.x, reading->torque.y, reading->torque.z};
    memcpy(values + k, six, sizeof six);
    values[k + 6] = vec3_dot(vec3_sub(reading->position, parts[p].start), parts[p].axis) * parts[p].sign;
    k += SCR_PART_CURVES;
  }
  return k;
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

static bool is_round(const scr_part *part)
{
  return part->kind == SCR_PART_CYLINDER || part->kind == SCR_PART_TROUGH;
}

static void add_plane(scr_drawable *drawable, const scr_part *part)
{
  scr_plane_shape *plane = &drawable->planes[drawable->element_count++];
  snprintf(plane->name, sizeof plane->name, "%s", short_name(part));
  plane->half_u = part->half_u;
  plane->half_v = part->half_v;
}

/* A trough shows its arc, whose middle, the part's `start`, lies against its normal from the axis. */
static void add_cylinder(scr_drawable *drawable, const scr_part *part)
{
  bool whole = part->kind == SCR_PART_CYLINDER;
  scr_cylinder_shape *shape = &drawable->cylinders[drawable->element_count++];
  snprintf(shape->name, sizeof shape->name, "%s", short_name(part));
  shape->half_axis = vec3_scale(part->along, part->half_length);
  shape->middle = whole ? part->axis : vec3_scale(part->normal, -1);
  shape->radius = part->radius;
  shape->half_arc = whole ? 3.14159265358979323846 : part->arc;
}

scr_status rig_declare_drawables(scr_sim *sim, const scr_part *parts, size_t count, scr_error *error)
{
  scr_drawable flat = {.kind = SCR_DRAW_PLANES}, round = {.kind = SCR_DRAW_CYLINDERS};
  scr_drawable *both[2] = {&flat, &round};
  for (size_t p = 0; p < count; p++) {
    if (is_round(&parts[p]))
      add_cylinder(&round, &parts[p]);
    else
      add_plane(&flat, &parts[p]);
  }
  for (int k = 0; k < 2; k++) {
    if (both[k]->element_count == 0) continue;
    snprintf(both[k]->name, sizeof both[k]->name, "%s", scr_rig_names[sim->scene->rig.kind]);
    add_position(both[k]);
    SCR_TRY(scr_sim_declare_drawable(sim, both[k], error));
  }
  return SCR_OK;
}

scr_status rig_draw(scr_frame *frame, uint32_t first, const scr_part *parts, const rig_reading *readings, size_t count, scr_error *error)
{
  for (int round = 0; round < 2; round++) {
    double x[SCR_PART_LIMIT], y[SCR_PART_LIMIT], z[SCR_PART_LIMIT];
    size_t n = 0;
    for (size_t p = 0; p < count; p++) {
      if (is_round(&parts[p]) != (round == 1)) continue;
      x[n] = readings[p].position.x, y[n] = readings[p].position.y, z[n++] = readings[p].position.z;
    }
    if (n > 0) SCR_TRY(scr_frame_field(frame, first++, 0, x, y, z, error));
  }
  return SCR_OK;
}
