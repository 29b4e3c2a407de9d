/* What parts of the rig hold: how it moves with them, and what they feel. */
#include "methods/fibre/step/step.h"

static scr_vec3 target_of(const sim_parts *parts, int32_t holder, scr_vec3 start, scr_quat *turn)
{
  *turn = quat_identity();
  if (holder < 0) return start;
  const scr_part *form = &parts->form[holder];
  const part_motion *now = &parts->now[holder];
  if (form->kind == SCR_PART_GRIP) return grip_place(form, now, start, turn);
  *turn = now->pose.rotation;
  return vec3_add(now->pose.position, quat_rotate(*turn, vec3_sub(start, form->start)));
}

/* Angle that gives the director of a held edge, carried to where its nodes go, its target; on the branch next to the present one. */
static double held_angle(const fibre_state *s, const fibre *f, const sim_parts *parts, uint32_t edge)
{
  size_t i = f->first + edge, next = f->first + (edge + 1) % f->nodes;
  scr_quat turn;
  scr_vec3 a = target_of(parts, s->edge_holder[i], s->start[i], &turn), b = target_of(parts, s->edge_holder[i], s->start[next], &turn);
  scr_vec3 d = vec3_sub(b, a), tangent = vec3_scale(d, 1 / vec3_length(d)), wanted = quat_rotate(turn, s->start_director[i]);
  scr_vec3 carried = rod_transport(s->frames.director[i], s->frames.tangent[i], tangent);
  double angle = atan2(vec3_dot(vec3_cross(carried, wanted), tangent), vec3_dot(carried, wanted)),
         now = s->place[ROD_UNKNOWNS * i + ROD_TWIST];
  return angle + 2 * M_PI * round((now - angle) / (2 * M_PI));
}

static void follow(fibre_state *s, const fibre *f, const sim_parts *parts, double dt)
{
  for (uint32_t i = 0; i < f->nodes && f->is_held; i++) {
    size_t node = f->first + i, u = ROD_UNKNOWNS * node;
    if (s->node_holder[node] == FIBRE_LOOSE) continue;
    scr_quat turn;
    scr_vec3 to = target_of(parts, s->node_holder[node], s->start[node], &turn);
    const double at[3] = {to.x, to.y, to.z};
    for (size_t k = 0; k < 3; k++)
      if (s->held[u + k]) s->velocity[u + k] = (at[k] - s->place[u + k]) / dt;
    if (i < f->edges && s->edge_holder[node] != FIBRE_LOOSE && s->held[u + ROD_TWIST])
      s->velocity[u + ROD_TWIST] = (held_angle(s, f, parts, i) - s->place[u + ROD_TWIST]) / dt;
  }
}

void fibre_follow_holders(fibre_state *s, const sim_parts *parts, double dt)
{
  for (size_t k = 0; k < s->fibre_count; k++) follow(s, &s->fibres[k], parts, dt);
}

void fibre_load_parts(const fibre_state *s, sim_parts *parts)
{
  for (size_t p = 0; p < parts->count; p++) parts->load[p].force = parts->load[p].torque = vec3(0, 0, 0);
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    for (uint32_t i = 0; i < f->nodes && f->is_held; i++) {
      size_t node = f->first + i, u = ROD_UNKNOWNS * node;
      int32_t p = s->node_holder[node];
      if (p < 0 || parts->form[p].is_free) continue; /* joints load that (contact/joints.h) */
      scr_vec3 force =
          vec3(s->held[u] ? -s->reaction[u] : 0, s->held[u + 1] ? -s->reaction[u + 1] : 0, s->held[u + 2] ? -s->reaction[u + 2] : 0);
      scr_vec3 arm = vec3_sub(rod_position(s->place, (uint32_t)node), parts->now[p].pose.position), torque = vec3_cross(arm, force);
      if (s->edge_holder[node] == p) torque = vec3_add(torque, vec3_scale(s->frames.tangent[node], -s->reaction[u + ROD_TWIST]));
      parts->load[p].force = vec3_add(parts->load[p].force, force);
      parts->load[p].torque = vec3_add(parts->load[p].torque, torque);
    }
  }
}
