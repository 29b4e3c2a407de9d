/* Nodes near the rig, with room to move: rows of candidates are made anew before a node has moved by half the skin, so that since then two
 * places of a node are at most a skin apart; parts may move by half of it besides. */
#include "methods/peridem/device/rig_watch.h"

#include "base/memory.h"

scr_status pd_rig_watch_create(pd_state *s, scr_error *error)
{
  return mem_allocate(&s->device->watch.node, s->node_count, sizeof *s->device->watch.node, "the nodes near the rig", error);
}

void pd_rig_watch_clear(pd_device *d)
{
  mem_free(d->watch.node);
}

static double skin_of(const pd_state *s)
{
  return s->options->contact_skin * s->contact_radius;
}

/* How far a part has moved at most against nodes that were within `far` of its position: |dx - dp| + angle |x - p|, m. */
static double motion_of(const scr_pose *was, const scr_pose *now, double far)
{
  scr_quat turn = quat_multiply(quat_conjugate(was->rotation), now->rotation);
  double half = fmin(1, vec3_length(vec3(turn.x, turn.y, turn.z)));
  return vec3_length(vec3_sub(now->position, was->position)) + 2.01 * asin(half) * far;
}

static bool is_good(const pd_state *s)
{
  const pd_rig_watched *w = &s->device->watch;
  bool good = w->is_known;
  for (size_t p = 0; p < s->rig->count && good; p++) good = motion_of(&w->pose[p], &s->rig->now[p].pose, w->far[p]) <= 0.5 * skin_of(s);
  return good;
}

/* Whether node i may come near a part before the list is made anew. */
static bool may_touch(const pd_state *s, size_t i)
{
  scr_part_distance from;
  double reach = s->bodies[s->host->grains[s->host->grain_of[i]].body].rig_zero + 1.5 * skin_of(s) * (1 + 1e-9);
  for (size_t p = 0; p < s->rig->count; p++)
    if (s->rig->form[p].kind != SCR_PART_GRIP && pd_node_near_part(s, p, i, reach, &from)) return true;
  return false;
}

/* Distance of the farthest node from part p's position, with a skin, m. */
static double farthest(const pd_state *s, size_t p)
{
  const pd_vectors *x = &s->host->position;
  double square = 0;
  for (size_t i = 0; i < s->node_count; i++) {
    scr_vec3 arm = vec3_sub(vec3(x->x[i], x->y[i], x->z[i]), s->rig->now[p].pose.position);
    square = fmax(square, vec3_dot(arm, arm));
  }
  return sqrt(square) + skin_of(s);
}

bool pd_rig_watch(pd_state *s)
{
  pd_rig_watched *w = &s->device->watch;
  if (is_good(s)) return true;
  if (!pd_to_host(s, PD_OF_POSITION)) return false;
  w->count = 0;
  for (size_t i = 0; i < s->node_count; i++)
    if (may_touch(s, i)) w->node[w->count++] = (uint32_t)i;
  for (size_t p = 0; p < s->rig->count; p++) {
    w->pose[p] = s->rig->now[p].pose;
    w->far[p] = farthest(s, p);
  }
  w->is_known = true;
  return true;
}
