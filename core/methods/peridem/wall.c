/* The rig's parts (spec 3.4, walls): repulsion by the cap of the contact ball behind the surface, damping, friction; and the parts' motion. */
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

void pd_parts_move(pd_state *s, double time)
{
  for (size_t p = 0; p < s->part_count; p++) {
    s->parts[p].position = scr_part_position(&s->rig[p], time);
    s->parts[p].velocity = scr_part_velocity(&s->rig[p], time);
  }
}

static scr_vec3 at(const pd_vectors *v, size_t i)
{
  return vec3(v->x[i], v->y[i], v->z[i]);
}

static void add_at(pd_vectors *v, size_t i, scr_vec3 value)
{
  v->x[i] += value.x;
  v->y[i] += value.y;
  v->z[i] += value.z;
}

/* What one part does to one node at signed distance d < Rc: adds to the node's forces and to the block's sums. */
static void push_node(pd_state *s, size_t p, size_t i, scr_part_distance from, double *sums)
{
  const pd_part *part = &s->parts[p];
  const pd_body *body = &s->bodies[s->grains[s->grain_of[i]].body];
  const pd_law *law = &s->laws[body->material * (s->scene->material_count + 1) + s->scene->material_count];
  scr_vec3 n = from.normal, v = vec3_sub(at(&s->velocity, i), part->velocity);
  double vn = vec3_dot(v, n);
  v = vec3_sub(v, vec3_scale(n, vn)); /* what is left is tangential */
  double fn = body->node_volume * law->stiffness * pd_wall_repulsion((pd_wall_law)s->options->wall_law, s->contact_radius, from.distance);
  double cap = pd_cap_volume(s->contact_radius, fmax(from.distance, 0));
  double fd = body->node_volume * 2 * law->damping_ratio * sqrt(law->stiffness * body->density * cap) * vn;
  if (s->options->no_tension && fd > fn) fd = fn;
  double speed = vec3_length(v);
  double ft = speed > 0 ? fmin(law->friction_coefficient * fn, speed * body->node_mass / s->time_step) / speed : 0;
  scr_vec3 friction = vec3_scale(v, -ft), force = vec3_add(friction, vec3_scale(n, fn - fd));
  add_at(&s->friction, i, friction);
  add_at(&s->damping, i, vec3_scale(n, -fd));
  add_at(&s->force, i, force);
  scr_vec3 reaction = vec3_scale(force, -1), torque = vec3_cross(vec3_sub(at(&s->position, i), part->position), reaction);
  const double six[6] = {reaction.x, reaction.y, reaction.z, torque.x, torque.y, torque.z};
  for (int k = 0; k < 6; k++) sums[k] += six[k];
  sums[6] -= fd * vec3_dot(n, s->rig[p].axis);
  sums[7] += vec3_dot(friction, s->rig[p].axis);
}

void pd_wall_pass(pd_state *s)
{
#pragma omp parallel for schedule(static) num_threads(s->threads)
  for (size_t b = 0; b < s->block_count; b++) {
    double *sums = s->block_sums + b * PD_SUMS;
    memset(sums, 0, s->part_count * PD_PART_SUMS * sizeof *sums);
    size_t begin = b * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
    for (size_t p = 0; p < s->part_count; p++)
      for (size_t i = begin; i < end && s->rig[p].kind != SCR_PART_GRIP; i++) { /* a grip pushes nothing */
        scr_part_distance from;
        if (pd_node_near_part(s, p, s->parts[p].position, i, &from)) push_node(s, p, i, from, sums + p * PD_PART_SUMS);
      }
  }
  for (size_t p = 0; p < s->part_count; p++) {
    double total[PD_PART_SUMS] = {0};
    for (size_t b = 0; b < s->block_count; b++)
      for (size_t k = 0; k < PD_PART_SUMS; k++) total[k] += s->block_sums[b * PD_SUMS + p * PD_PART_SUMS + k];
    s->parts[p].force = vec3(total[0], total[1], total[2]);
    s->parts[p].torque = vec3(total[3], total[4], total[5]);
    s->parts[p].damping = total[6];
    s->parts[p].friction = total[7];
    s->parts[p].acted = s->parts[p].position;
  }
}

double pd_energy_wall(const pd_state *s)
{
  double total = 0;
  for (size_t p = 0; p < s->part_count; p++)
    for (size_t i = 0; i < s->node_count; i++) {
      scr_part_distance from;
      if (!pd_node_near_part(s, p, s->parts[p].acted, i, &from)) continue;
      const pd_body *body = &s->bodies[s->grains[s->grain_of[i]].body];
      const pd_law *law = &s->laws[body->material * (s->scene->material_count + 1) + s->scene->material_count];
      total += body->node_volume * law->stiffness * pd_wall_potential((pd_wall_law)s->options->wall_law, s->contact_radius, from.distance);
    }
  return total;
}
