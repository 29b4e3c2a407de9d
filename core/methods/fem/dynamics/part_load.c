/* What contacts and held nodes press the parts of the rig with. */
#include "methods/fem/dynamics/solver.h"

/* Adds a share of a force on a node, and an impulse on it, to what its partner feels. */
static void load_part(const sim_parts *parts, size_t p, scr_vec3 point, scr_vec3 force, scr_vec3 impulse, part_load *loads)
{
  scr_vec3 arm = vec3_sub(point, parts->now[p].pose.position);
  part_load *load = &loads[p];
  load->force = vec3_sub(load->force, force);
  load->torque = vec3_sub(load->torque, vec3_cross(arm, force));
  load->impulse = vec3_sub(load->impulse, impulse);
  load->turning = vec3_sub(load->turning, vec3_cross(arm, impulse));
}

static scr_vec3 node_at(const fem_solver *s, size_t n)
{
  const double *x = s->system->rest + 3 * n, *u = s->motion->displacement + 3 * n;
  return vec3(x[0] + u[0], x[1] + u[1], x[2] + u[2]);
}

double fem_add_part_loads(const fem_solver *s, const sim_parts *parts, double share, part_load *load)
{
  double normal = 0;
  for (size_t k = 0; k < s->touches.count; k++) {
    const fem_touch *touch = &s->touches.item[k];
    normal += share * touch->force[0];
    if (touch->partner >= parts->count) continue;
    double f[3] = {0};
    for (int i = 0; i < 3; i++)
      for (int a = 0; a < 3; a++) f[i] += share * touch->force[a] * touch->axis[a][i];
    scr_vec3 impulse = vec3(touch->impulse * touch->axis[0][0], touch->impulse * touch->axis[0][1], touch->impulse * touch->axis[0][2]);
    load_part(parts, touch->partner, touch->point, vec3(f[0], f[1], f[2]), impulse, load);
  }
  for (size_t n = 0; n < s->system->node_count && s->hold->count; n++) {
    const unsigned char *fixed = s->hold->fixed + 3 * n;
    const double *r = s->reaction + 3 * n;
    if (fixed[0] || fixed[1] || fixed[2])
      load_part(parts, s->hold->part[n], node_at(s, n), vec3(share * r[0], share * r[1], share * r[2]), vec3(0, 0, 0), load);
  }
  return normal;
}
