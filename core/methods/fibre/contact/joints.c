/* Joints of fibres' ends with free bodies. */
#include "methods/fibre/contact/joints.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fibre/state/state.h"

enum { D = 3, B = ROD_UNKNOWNS };

bool fibre_is_joined(const fibre_state *s, size_t node)
{
  int32_t holder = s->node_holder[node];
  return holder >= 0 && s->bodies.of[holder] != FIBRE_NO_BODY;
}

/* ── which there are ────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status add(fibre_state *s, const sim_parts *parts, const fibre_joint *joint, scr_error *error)
{
  fibre_joints *j = &s->joints;
  uint32_t part = s->bodies.body[joint->body].part;
  SCR_TRY(mem_reserve(&j->joint, &j->capacity, j->count + 1, sizeof *j->joint, "joints of fibres", error));
  fibre_joint *added = &j->joint[j->count++];
  *added = *joint;
  added->arm = vec3_sub(rod_position(s->place, (uint32_t)joint->node), parts->flight[part].centre);
  return SCR_OK;
}

/* @param end the fibre's own last node there    @param far, edge  of its clamp; far = end: it has none */
static scr_status add_end(fibre_state *s, const sim_parts *parts, uint32_t number, size_t end, size_t far, size_t edge, scr_error *error)
{
  if (!fibre_is_joined(s, end)) return SCR_OK;
  fibre_joint joint = {.fibre = number, .body = (uint32_t)s->bodies.of[s->node_holder[end]], .node = end, .edge = edge};
  SCR_TRY(add(s, parts, &joint, error));
  if (far == end) return SCR_OK;
  joint.turning = true, joint.node = far;
  joint.along = s->frames.tangent[edge], joint.director = s->start_director[edge];
  joint.length = s->fibres[number].radius;
  return add(s, parts, &joint, error);
}

scr_status fibre_joints_create(fibre_state *s, const sim_parts *parts, scr_error *error)
{
  for (size_t k = 0; k < s->fibre_count && s->bodies.count > 0; k++) {
    const fibre *f = &s->fibres[k];
    size_t first = (size_t)f->first + f->begin, last = (size_t)f->first + f->end - 1;
    if (f->ring) continue;
    SCR_TRY(add_end(s, parts, (uint32_t)k, first, f->first, f->first, error));
    SCR_TRY(add_end(s, parts, (uint32_t)k, last, (size_t)f->first + f->nodes - 1, last, error));
  }
  return SCR_OK;
}

void fibre_joints_clear(fibre_joints *j)
{
  mem_free(j->joint);
  *j = (fibre_joints){0};
}

void fibre_joints_begin(fibre_state *s, double dt)
{
  s->joints.dt = dt;
  for (size_t k = 0; k < s->joints.count; k++) {
    fibre_joint *joint = &s->joints.joint[k];
    fibre_body *body = &s->bodies.body[joint->body];
    scr_vec3 place = vec3_add(body->centre, quat_rotate(body->start.rotation, joint->arm));
    s->touched[joint->fibre] = body->touches = true;
    joint->off = vec3_sub(rod_position(s->place, (uint32_t)joint->node), place);
    joint->angle = s->place[B * joint->edge + ROD_TWIST];
  }
}

/* ── rows ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The arm that dt w x it is what a point of the body goes in the step: for a turn by theta the mean of both ends over (theta / 2) / tan
 * (theta / 2). */
static scr_vec3 middle_arm(const fibre_body *body, scr_quat after, scr_vec3 own, double dt)
{
  double half = 0.5 * dt * vec3_length(body->spin_now), factor = half > 1e-4 ? tan(half) / half : 1 + half * half / 3;
  return vec3_scale(vec3_add(quat_rotate(body->start.rotation, own), quat_rotate(after, own)), 0.5 * factor);
}

/* Angle of the clamp's edge that gives its first director what the body has it turned to, on the branch next to the present one. */
static double wanted_angle(const fibre_state *s, const fibre_joint *joint, scr_quat after)
{
  scr_vec3 tangent = quat_rotate(after, joint->along), wanted = quat_rotate(after, joint->director);
  scr_vec3 carried = rod_transport(s->frames.director[joint->edge], s->frames.tangent[joint->edge], tangent);
  double angle = atan2(vec3_dot(vec3_cross(carried, wanted), tangent), vec3_dot(carried, wanted)),
         now = s->place[B * joint->edge + ROD_TWIST];
  return angle + 2 * M_PI * round((now - angle) / (2 * M_PI));
}

static double *entry(fibre_problem *p, size_t at, size_t block)
{
  double *h = p->jacobian + at * B * D;
  memset(h, 0, B * D * sizeof *h);
  p->block[at] = (uint32_t)block;
  return h;
}

static void add_place(double *h, const scr_vec3 *axis, size_t rows)
{
  for (size_t row = 0; row < rows; row++) h[row] = axis[row].x, h[D + row] = axis[row].y, h[2 * D + row] = axis[row].z;
}

/* The rows of a clamp's edge: across it for its far node, and its turning. */
static size_t add_turning(fibre_state *s, fibre_joint *joint, const fibre_body *body, scr_quat after, size_t at, double *offset)
{
  fibre_problem *p = &s->problem;
  scr_vec3 along = joint->axis[2], then = quat_rotate(after, joint->along);
  scr_vec3 about = vec3_scale(vec3_add(along, then), joint->length / (1 + vec3_dot(along, then)));
  double *h = entry(p, at++, p->block_of[joint->node]);
  add_place(h, joint->axis, 2);
  if (joint->edge != joint->node) h = entry(p, at++, p->block_of[joint->edge]);
  h[ROD_TWIST * D + 2] = joint->length;
  h = entry(p, at++, body->block);
  const scr_vec3 across[2] = {vec3_scale(joint->axis[0], -1), vec3_scale(joint->axis[1], -1)};
  add_place(h, across, 2);
  h = entry(p, at++, body->block + 1);
  const scr_vec3 turned[D] = {vec3_cross(across[0], vec3_scale(joint->middle, -1)), vec3_cross(across[1], vec3_scale(joint->middle, -1)),
                              vec3_scale(about, -1)};
  add_place(h, turned, D);
  joint->about = about;
  offset[2] = vec3_dot(about, body->spin_now) - joint->length * (wanted_angle(s, joint, after) - joint->angle) / s->joints.dt;
  return at;
}

static size_t write_rows(fibre_state *s, size_t k, size_t i, size_t at)
{
  fibre_problem *p = &s->problem;
  fibre_joint *joint = &s->joints.joint[k];
  const fibre_body *body = &s->bodies.body[joint->body];
  scr_quat after = spin_turned(body->start.rotation, body->spin_now, s->joints.dt);
  double *offset = p->offset + i * D;
  joint->middle = middle_arm(body, after, joint->arm, s->joints.dt);
  joint->axis[0] = vec3(1, 0, 0), joint->axis[1] = vec3(0, 1, 0), joint->axis[2] = vec3(0, 0, 1);
  if (joint->turning) {
    joint->axis[2] = quat_rotate(body->start.rotation, joint->along);
    fibre_set_tangents(joint->axis[2], &joint->axis[0], &joint->axis[1]);
  }
  for (size_t row = 0; row < D; row++) offset[row] = vec3_dot(joint->off, joint->axis[row]) / s->joints.dt;
  if (joint->turning) return add_turning(s, joint, body, after, at, offset);
  add_place(entry(p, at++, p->block_of[joint->node]), joint->axis, D);
  return fibre_body_add_rows(s, body, vec3_add(body->centre, joint->middle), joint->axis, -1, at);
}

size_t fibre_joints_add_contacts(fibre_state *s, size_t first, size_t entries)
{
  const uint64_t no_edge = 0xfffffffdu; /* is so far, nor touch of bodies */
  fibre_problem *p = &s->problem;
  for (size_t k = 0, i = first; k < s->joints.count; k++, i++) {
    const fibre_joint *joint = &s->joints.joint[k];
    p->first[i] = entries;
    entries = write_rows(s, k, i, entries);
    for (size_t row = 0; row < D; row++) {
      double *a = p->axes + (i * D + row) * D;
      a[0] = joint->axis[row].x, a[1] = joint->axis[row].y, a[2] = joint->axis[row].z;
    }
    p->friction[i] = -1;
    p->hold[i] = 0;
    p->key[i] = (contact_key){no_edge << 32 | joint->fibre, joint->node};
  }
  return entries;
}

void fibre_joints_follow(fibre_state *s)
{
  size_t first = s->problem.count - s->joints.count;
  for (size_t k = 0; k < s->joints.count; k++) (void)write_rows(s, k, first + k, s->problem.first[first + k]);
}

/* ── what they come to ──────────────────────────────────────────────────────────────────────────────────────────── */

void fibre_joints_book(fibre_state *s, sim_parts *parts)
{
  const fibre_problem *p = &s->problem;
  size_t first = p->count - s->joints.count;
  for (size_t k = 0; k < s->joints.count; k++) {
    const fibre_joint *joint = &s->joints.joint[k];
    fibre_body *body = &s->bodies.body[joint->body];
    part_load *load = &parts->load[body->part];
    size_t i = (first + k) * D;
    const double *r = p->impulse + i;
    scr_vec3 impulse = vec3(0, 0, 0), couple = joint->turning ? vec3_scale(joint->about, r[2]) : impulse;
    for (int row = 0; row < (joint->turning ? 2 : D); row++) impulse = vec3_add(impulse, vec3_scale(joint->axis[row], r[row]));
    scr_vec3 point = vec3_add(body->centre, joint->middle), arm = vec3_sub(point, s->before[body->part].pose.position);
    fibre_body_push(body, point, vec3_scale(impulse, -1));
    body->turning = vec3_sub(body->turning, couple);
    load->impulse = vec3_sub(load->impulse, impulse);
    load->turning = vec3_sub(load->turning, vec3_add(couple, vec3_cross(arm, impulse)));
    for (size_t row = 0; row < D; row++) s->ledger->numerical -= r[row] * (p->relative[i + row] - p->offset[i + row]);
  }
}
