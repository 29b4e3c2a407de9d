/* Plane walls (spec 3.4): repulsion by the cap of the contact ball behind the plane, damping, friction; and the walls' motion. */
#include "methods/peridem/state.h"

#include <string.h>

double pd_cap_volume(double contact_radius, double distance)
{
  const double Rc = contact_radius, d = distance;
  return M_PI / 3 * (Rc - d) * (Rc - d) * (2 * Rc + d);
}

/* Behind the plane (d < 0) the force of d = 0 goes on. */
double pd_wall_repulsion(pd_wall_law law, double contact_radius, double distance)
{
  const double Rc = contact_radius, d = fmax(distance, 0), y = Rc - d;
  if (!(y > 0)) return 0;
  if (law == PD_WALL_EXACT) return M_PI * y * y * y * (Rc + 3 * d) / 12;
  double volume = pd_cap_volume(Rc, d), centroid = 3 * (Rc + d) * (Rc + d) / (4 * (2 * Rc + d));
  return (Rc - centroid) * volume;
}

/* Integral of the repulsion from d to Rc. With y = Rc - d: exact pi y^4 (2 Rc + 3 d) / 60; the lumped law's is a polynomial too. */
double pd_wall_potential(pd_wall_law law, double contact_radius, double distance)
{
  const double Rc = contact_radius, d = fmax(distance, 0), y = Rc - d;
  if (!(y > 0)) return 0;
  double beyond = distance < 0 ? -distance * pd_wall_repulsion(law, Rc, 0) : 0;
  if (law == PD_WALL_EXACT) return M_PI * y * y * y * y * (2 * Rc + 3 * d) / 60 + beyond;
  double y3 = y * y * y, volume_part = Rc / 3 * (Rc * y3 - y3 * y / 4),
         centroid_part = (4 * Rc * Rc * y3 / 3 - Rc * y3 * y + y3 * y * y / 5) / 4;
  return M_PI * (volume_part - centroid_part) + beyond;
}

void pd_walls_move(pd_state *s, double time)
{
  for (int w = 0; w < SCR_WALL_COUNT; w++) {
    const scr_program *program = &s->scene->rig.walls[w];
    s->walls[w].position = s->walls[w].start + scr_program_displacement(program, time);
    s->walls[w].velocity = scr_program_velocity(program, time);
  }
}

/* What one wall does to one node at signed distance d < Rc: adds to the node's forces and to the block's sums. */
static void push_node(pd_state *s, const pd_wall *wall, size_t i, double d, double *sums)
{
  const pd_body *body = &s->bodies[s->grains[s->grain_of[i]].body];
  const pd_law *law = &s->laws[body->material * (s->scene->material_count + 1) + s->scene->material_count];
  double v[3] = {s->velocity.x[i], s->velocity.y[i], s->velocity.z[i]}, force[3];
  v[wall->axis] -= wall->velocity;
  double vn = v[wall->axis] * wall->inward;
  v[wall->axis] = 0; /* what is left is tangential */
  double fn = body->node_volume * law->stiffness * pd_wall_repulsion((pd_wall_law)s->options->wall_law, s->contact_radius, d);
  double cap = pd_cap_volume(s->contact_radius, fmax(d, 0));
  double fd = body->node_volume * 2 * law->damping_ratio * sqrt(law->stiffness * body->density * cap) * vn;
  if (s->options->no_tension && fd > fn) fd = fn;
  double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  double ft = speed > 0 ? fmin(law->friction_coefficient * fn, speed * body->node_mass / s->time_step) / speed : 0;
  for (int a = 0; a < 3; a++) {
    force[a] = -ft * v[a];
    pd_axis(&s->friction, a)[i] -= ft * v[a];
  }
  force[wall->axis] += (fn - fd) * wall->inward;
  pd_axis(&s->damping, wall->axis)[i] -= fd * wall->inward;
  for (int a = 0; a < 3; a++) {
    pd_axis(&s->force, a)[i] += force[a];
    sums[a] -= force[a];
  }
  const scr_rig *rig = &s->scene->rig;
  scr_vec3 arm =
      vec3_sub(vec3(s->position.x[i], s->position.y[i], s->position.z[i]), vec3_scale(vec3_add(rig->minimum, rig->maximum), 0.5));
  if (wall->axis == 0) arm.x = s->position.x[i] - wall->position;
  if (wall->axis == 1) arm.y = s->position.y[i] - wall->position;
  if (wall->axis == 2) arm.z = s->position.z[i] - wall->position;
  scr_vec3 torque = vec3_cross(arm, vec3(-force[0], -force[1], -force[2]));
  sums[3] += torque.x;
  sums[4] += torque.y;
  sums[5] += torque.z;
  sums[6] -= fd * wall->inward;
}

void pd_wall_pass(pd_state *s)
{
#pragma omp parallel for schedule(static) num_threads(s->threads)
  for (size_t b = 0; b < s->block_count; b++) {
    double *sums = s->block_sums + b * PD_SUMS;
    memset(sums, 0, SCR_WALL_COUNT * 7 * sizeof *sums);
    size_t begin = b * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
    for (int w = 0; w < SCR_WALL_COUNT; w++) {
      const pd_wall *wall = &s->walls[w];
      const double *x = pd_axis(&s->position, wall->axis);
      for (size_t i = begin; i < end; i++) {
        double d = (x[i] - wall->position) * wall->inward;
        if (d < s->contact_radius) push_node(s, wall, i, d, sums + w * 7);
      }
    }
  }
  for (int w = 0; w < SCR_WALL_COUNT; w++) {
    double total[7] = {0};
    for (size_t b = 0; b < s->block_count; b++)
      for (int k = 0; k < 7; k++) total[k] += s->block_sums[b * PD_SUMS + (size_t)w * 7 + (size_t)k];
    memcpy(s->walls[w].force, total, sizeof s->walls[w].force);
    memcpy(s->walls[w].torque, total + 3, sizeof s->walls[w].torque);
    s->walls[w].damping = total[6];
    s->walls[w].acted = s->walls[w].position;
  }
}

double pd_energy_wall(const pd_state *s)
{
  if (!s->has_walls) return 0;
  double total = 0;
  for (int w = 0; w < SCR_WALL_COUNT; w++) {
    const pd_wall *wall = &s->walls[w];
    const double *x = pd_axis(&s->position, wall->axis);
    for (size_t i = 0; i < s->node_count; i++) {
      double d = (x[i] - wall->acted) * wall->inward;
      if (!(d < s->contact_radius)) continue;
      const pd_body *body = &s->bodies[s->grains[s->grain_of[i]].body];
      const pd_law *law = &s->laws[body->material * (s->scene->material_count + 1) + s->scene->material_count];
      total += body->node_volume * law->stiffness * pd_wall_potential((pd_wall_law)s->options->wall_law, s->contact_radius, d);
    }
  }
  return total;
}
