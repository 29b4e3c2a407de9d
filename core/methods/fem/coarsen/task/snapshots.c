/* Snapshots: the scene run by the method fem within the coarsening, its displacements kept at even times. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/coarsen/task/task.h"
#include "methods/fem/state/state.h"
#include "sim/sim.h"

scr_status coarsening_begin_motion(coarsening_state *s, scr_execution execution, scr_error *error)
{
  size_t count = (size_t)s->options->snapshots;
  if (count == 0) return SCR_OK;
  s->snapshots = mem_array(count * s->fine.system.node_count, 3 * sizeof *s->snapshots);
  if (!s->snapshots) return scr_fail_memory(error, "snapshots", count * s->fine.system.node_count * 24);
  SCR_TRY(coarsening_make_scene(s, fem_specimen_of(s->scene, 0), 1, &s->motion_scene, error));
  return scr_sim_create(s->motion_scene, execution.threads, &s->motion, error);
}

void coarsening_end_motion(coarsening_state *s)
{
  scr_sim_destroy(s->motion);
  s->motion = NULL;
  coarsening_free_scene(s->motion_scene);
  s->motion_scene = NULL;
}

/* Displacements of a body that is free as if it had neither moved nor turned: R^T (x - t) - (X - t0). */
static void take_rigid(const fem_state *fem, double *u)
{
  fem_rigid rigid = fem_rigid_motion(&fem->system, &fem->frames, 0, fem->motion.displacement, fem->motion.velocity);
  scr_quat back = quat_conjugate(rigid.rotation);
  scr_vec3 rest = fem->frames.body[0].centre;
  for (size_t n = 0; n < fem->system.node_count; n++) {
    const double *x = fem->system.rest + 3 * n, *d = fem->motion.displacement + 3 * n;
    scr_vec3 arm = quat_rotate(back, vec3_sub(vec3(x[0] + d[0], x[1] + d[1], x[2] + d[2]), rigid.centre));
    u[3 * n] = arm.x - (x[0] - rest.x), u[3 * n + 1] = arm.y - (x[1] - rest.y), u[3 * n + 2] = arm.z - (x[2] - rest.z);
  }
}

scr_status coarsening_take_snapshot(coarsening_state *s, size_t number, scr_error *error)
{
  double until = s->scene->time.duration * (double)(number + 1) / (double)s->options->snapshots;
  while (scr_sim_time(s->motion) < until - 0.5 * scr_sim_time_step(s->motion)) SCR_TRY(scr_sim_step(s->motion, error));
  const fem_state *fem = s->motion->state;
  double *u = s->snapshots + number * 3 * s->fine.system.node_count;
  if (s->fine.rigid > 0)
    take_rigid(fem, u);
  else
    memcpy(u, fem->motion.displacement, 3 * s->fine.system.node_count * sizeof *u);
  return SCR_OK;
}
