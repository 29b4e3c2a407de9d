/* What contacts, springs and held nodes press the parts of the rig with. */
#include "methods/fem/state/state.h"

/* Adds a force on a node to what its partner feels. */
static void load_part(sim_parts *parts, size_t p, scr_vec3 point, scr_vec3 force, scr_vec3 impulse)
{
  scr_vec3 arm = vec3_sub(point, parts->now[p].pose.position);
  part_load *load = &parts->load[p];
  load->force = vec3_sub(load->force, force);
  load->torque = vec3_sub(load->torque, vec3_cross(arm, force));
  load->impulse = vec3_sub(load->impulse, impulse);
  load->turning = vec3_sub(load->turning, vec3_cross(arm, impulse));
}

static scr_vec3 node_at(const fem_state *s, size_t n)
{
  const double *x = s->system.rest + 3 * n, *u = s->motion.displacement + 3 * n;
  return vec3(x[0] + u[0], x[1] + u[1], x[2] + u[2]);
}

void fem_load_parts(const fem_state *s, sim_parts *parts)
{
  for (size_t p = 0; p < parts->count; p++) parts->load[p] = (part_load){0};
  for (size_t k = 0; k < s->solver.touches.count; k++) {
    const fem_touch *touch = &s->solver.touches.item[k];
    if (touch->partner >= parts->count) continue;
    double f[3] = {0};
    for (int i = 0; i < 3; i++)
      for (int a = 0; a < 3; a++) f[i] += touch->force[a] * touch->axis[a][i];
    scr_vec3 impulse = vec3(touch->impulse * touch->axis[0][0], touch->impulse * touch->axis[0][1], touch->impulse * touch->axis[0][2]);
    load_part(parts, touch->partner, touch->point, vec3(f[0], f[1], f[2]), impulse);
  }
  for (size_t n = 0; n < s->system.node_count && s->hold.count; n++) {
    const unsigned char *fixed = s->hold.fixed + 3 * n;
    const double *r = s->solver.reaction + 3 * n;
    if (fixed[0] || fixed[1] || fixed[2]) load_part(parts, s->hold.part[n], node_at(s, n), vec3(r[0], r[1], r[2]), vec3(0, 0, 0));
  }
}
