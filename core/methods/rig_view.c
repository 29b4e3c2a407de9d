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

scr_status rig_declare_drawables(scr_sim *sim, const scr_part *parts, size_t count, scr_error *error)
{
  if (count == 0) return SCR_OK;
  scr_drawable drawable = {.kind = SCR_DRAW_PLANES, .element_count = (uint32_t)count};
  snprintf(drawable.name, sizeof drawable.name, "%s", scr_rig_names[sim->scene->rig.kind]);
  add_position(&drawable);
  for (size_t p = 0; p < count; p++) {
    scr_plane_shape *plane = &drawable.planes[p];
    snprintf(plane->name, sizeof plane->name, "%s", short_name(&parts[p]));
    plane->half_u = parts[p].half_u;
    plane->half_v = parts[p].half_v;
  }
  return scr_sim_declare_drawable(sim, &drawable, error);
}

scr_status rig_draw(scr_frame *frame, uint32_t first, const rig_reading *readings, size_t count, scr_error *error)
{
  if (count == 0) return SCR_OK;
  double x[SCR_PART_LIMIT], y[SCR_PART_LIMIT], z[SCR_PART_LIMIT];
  for (size_t p = 0; p < count; p++) x[p] = readings[p].position.x, y[p] = readings[p].position.y, z[p] = readings[p].position.z;
  return scr_frame_field(frame, first, 0, x, y, z, error);
}
