/* Edges, stresses and strains of a box of six walls. */
#include "sim/rig/box.h"

#include <math.h>
#include <string.h>

/* Of a wall: the axis that it lies across. */
static int axis_of(const scr_part *wall)
{
  return fabs(wall->normal.x) > 0.5 ? 0 : fabs(wall->normal.y) > 0.5 ? 1 : 2;
}

bool sim_box_edges(const sim_parts *parts, double edge[3])
{
  memset(edge, 0, 3 * sizeof *edge);
  if (!parts->box) return false;
  for (size_t p = 0; p < SCR_WALL_COUNT; p++)
    edge[axis_of(&parts->form[p])] -= vec3_dot(parts->form[p].normal, parts->now[p].pose.position);
  return true;
}

double sim_box_face(const sim_parts *parts, size_t p)
{
  double edge[3];
  if (p >= SCR_WALL_COUNT || !sim_box_edges(parts, edge)) return NAN;
  int a = axis_of(&parts->form[p]);
  return edge[(a + 1) % 3] * edge[(a + 2) % 3];
}

double sim_box_zero(const sim_parts *parts)
{
  double zero = 0;
  for (size_t p = 0; parts->box && p < SCR_WALL_COUNT; p++) {
    const scr_program *program = parts->form[p].program;
    double end = 0;
    for (size_t i = 0; program && i < program->segment_count; i++) {
      end += program->segments[i].duration;
      if (program->segments[i].kind == SCR_SEGMENT_SERVO && isfinite(end)) zero = fmax(zero, end);
    }
  }
  return zero;
}

void sim_box_observe(const sim_parts *parts, const double zero[3], double *values)
{
  double edge[3], stress[3] = {0}, strain[3] = {0};
  memset(values, 0, SIM_BOX_VALUES * sizeof *values);
  if (!sim_box_edges(parts, edge)) return;
  for (size_t p = 0; p < SCR_WALL_COUNT; p++)
    stress[axis_of(&parts->form[p])] -= 0.5 * vec3_dot(parts->form[p].normal, parts->load[p].force) / sim_box_face(parts, p);
  for (int a = 0; a < 3; a++)
    if (zero[a] > 0) strain[a] = log(zero[a] / edge[a]);
  double mean = (stress[0] + stress[1] + stress[2]) / 3, deviator = stress[2] - 0.5 * (stress[0] + stress[1]);
  const double all[SIM_BOX_VALUES] = {stress[0], stress[1],
                                      stress[2], mean,
                                      deviator,  mean > 0 ? deviator / mean : 0,
                                      strain[0], strain[1],
                                      strain[2], strain[0] + strain[1] + strain[2]};
  memcpy(values, all, sizeof all);
}
