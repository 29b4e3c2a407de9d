/* Free parts: their blocks and rows, where they meet other parts, and their way in a step. */
#include "methods/fibre/contact/bodies.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fibre/state/state.h"
#include "sim/rig/part_touch.h"

enum { D = 3, B = ROD_UNKNOWNS };
_Static_assert(FIBRE_BODY_UNKNOWNS == FIBRE_BODY_BLOCKS * B, "a body's blocks are of a fibre's size");

static bool has_piece(const scr_part *form)
{
  return form->kind == SCR_PART_SOLID || form->kind == SCR_PART_CYLINDER;
}

scr_status fibre_bodies_create(fibre_bodies *b, const sim_parts *parts, scr_error *error)
{
  size_t vectors = 0;
  b->count = 0;
  for (size_t p = 0; p < parts->count; p++) {
    b->of[p] = parts->form[p].is_free ? (int32_t)b->count : FIBRE_NO_BODY;
    if (parts->form[p].is_free) b->body[b->count++] = (fibre_body){.part = (uint32_t)p, .start = parts->flight[p]};
  }
  for (size_t p = 0; p < parts->count && b->count > 0; p++) {
    if (has_piece(&parts->form[p])) SCR_TRY(part_piece(&parts->form[p], &b->piece[p], error));
    vectors += geo_placed_vectors(&b->piece[p]);
  }
  return mem_allocate(&b->vectors, vectors + 1, sizeof *b->vectors, "pieces of parts", error);
}

void fibre_bodies_clear(fibre_bodies *b)
{
  for (size_t p = 0; p < SCR_PART_LIMIT; p++) geo_piece_clear(&b->piece[p]);
  mem_free(b->vectors);
  mem_free(b->near.items);
  mem_free(b->touch);
  *b = (fibre_bodies){0};
}

void fibre_bodies_begin(fibre_bodies *b, const sim_parts *parts)
{
  b->touch_count = 0;
  for (size_t k = 0; k < b->count; k++) {
    fibre_body *body = &b->body[k];
    body->start = parts->flight[body->part];
    body->centre = body->start.centre;
    body->impulse = body->turning = vec3(0, 0, 0);
    body->touches = false;
  }
}

double fibre_bodies_speed(const fibre_bodies *b)
{
  double most = 0;
  for (size_t k = 0; k < b->count; k++) most = fmax(most, vec3_length(b->body[k].start.velocity));
  return most;
}

/* ── other parts ────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Grips push nothing; two bodies meet once. */
static bool may_touch(const fibre_bodies *b, const fibre_body *body, const sim_parts *parts, size_t p)
{
  if (p == body->part || parts->form[p].kind == SCR_PART_GRIP) return false;
  return b->of[p] == FIBRE_NO_BODY || p > body->part;
}

static double speed_of_part(const fibre_state *s, const scr_part *form, size_t p, double dt)
{
  double extent = isfinite(form->extent) ? form->extent : 0;
  return (vec3_length(s->displacement[p].displacement) + vec3_length(s->displacement[p].turn) * extent) / dt;
}

static void place_pieces(fibre_state *s, const sim_parts *parts)
{
  fibre_bodies *b = &s->bodies;
  size_t used = 0;
  for (size_t p = 0; p < parts->count; p++) {
    const scr_pose *pose = &s->before[p].pose;
    if (has_piece(&parts->form[p])) used += geo_place(&b->piece[p], pose->position, pose->rotation, 1, b->vectors + used, &b->placed[p]);
  }
}

static scr_status find_one(fibre_state *s, const sim_parts *parts, size_t k, size_t p, double dt, scr_error *error)
{
  const uint64_t no_edge = 0xfffffffeu; /* is so far */
  fibre_bodies *b = &s->bodies;
  const fibre_body *body = &b->body[k];
  double speed = speed_of_part(s, &parts->form[body->part], body->part, dt) + speed_of_part(s, &parts->form[p], p, dt) +
                 vec3_length(parts->gravity) * dt;
  touch_sink sink = {.list = &b->near};
  b->near.count = 0;
  part_touch(&parts->form[p], &s->before[p].pose, &b->placed[p], &b->placed[body->part], s->margin + dt * speed, &sink);
  if (b->near.failed) return scr_fail_memory(error, "contacts", b->near.count * sizeof *b->near.items);
  SCR_TRY(mem_reserve(&b->touch, &b->touch_capacity, b->touch_count + b->near.count, sizeof *b->touch, "contacts", error));
  for (size_t i = 0; i < b->near.count; i++) {
    const geo_touch *near = &b->near.items[i];
    fibre_body_touch *t = &b->touch[b->touch_count++];
    *t = (fibre_body_touch){.body = (uint32_t)k, .part = (uint32_t)p, .gap = near->gap, .normal = near->normal, .place = near->point};
    fibre_set_tangents(t->normal, &t->t1, &t->t2);
    t->key = (contact_key){no_edge << 32 | (uint64_t)body->part << 16 | p, near->key};
  }
  return SCR_OK;
}

scr_status fibre_bodies_find(fibre_state *s, const sim_parts *parts, double dt, scr_error *error)
{
  s->bodies.touch_count = 0;
  if (s->bodies.count == 0) return SCR_OK;
  place_pieces(s, parts);
  for (size_t k = 0; k < s->bodies.count; k++)
    for (size_t p = 0; p < parts->count; p++)
      if (may_touch(&s->bodies, &s->bodies.body[k], parts, p)) SCR_TRY(find_one(s, parts, k, p, dt, error));
  return SCR_OK;
}

double fibre_bodies_overlap(const fibre_bodies *b, const sim_parts *parts, double *depth)
{
  double share = 0;
  for (size_t k = 0; k < b->touch_count; k++) {
    const fibre_body_touch *t = &b->touch[k];
    double extent = fmin(parts->form[b->body[t->body].part].extent, parts->form[t->part].extent);
    if (-t->gap > share * extent) share = -t->gap / extent, *depth = -t->gap;
  }
  return share;
}

/* ── blocks and rows ────────────────────────────────────────────────────────────────────────────────────────────── */

/* M in a band: the mass, and the moments of inertia in the middle of the step. */
static void fill_mass(fibre_body *body, const scr_part *form, double dt)
{
  la_band m = {FIBRE_BODY_UNKNOWNS, FIBRE_BODY_BAND, body->mass[0]}, f = {FIBRE_BODY_UNKNOWNS, FIBRE_BODY_BAND, body->factor[0]};
  body->attitude = quat_normalise(quat_multiply(body->start.rotation, form->mass.axes));
  body->spin = spin_free(form->mass.moments, body->attitude, body->start.momentum, dt);
  body->spin_now = body->spin.spin;
  memset(body->mass, 0, sizeof body->mass);
  for (size_t i = 0; i < B; i++) *la_band_at(&m, i, i) = form->mass.mass;
  *la_band_at(&m, B + D, B + D) = form->mass.moments.x;
  for (size_t i = 0; i < D; i++)
    for (size_t j = 0; j <= i; j++) *la_band_at(&m, B + i, B + j) = body->spin.inertia[i][j];
  memcpy(body->factor, body->mass, sizeof body->factor);
  (void)la_band_factor(&f); /* which is positive definite, as moments are */
}

void fibre_bodies_list(fibre_state *s, const sim_parts *parts, double dt)
{
  fibre_problem *problem = &s->problem;
  fibre_bodies *b = &s->bodies;
  for (size_t i = 0; i < s->detection.count; i++) {
    int32_t part = s->detection.touch[i].part;
    if (part != FIBRE_NO_PART && b->of[part] != FIBRE_NO_BODY) b->body[b->of[part]].touches = true;
  }
  for (size_t i = 0; i < b->touch_count; i++) {
    int32_t other = b->of[b->touch[i].part];
    b->body[b->touch[i].body].touches = true;
    if (other != FIBRE_NO_BODY) b->body[other].touches = true;
  }
  for (size_t k = 0; k < b->count; k++) {
    fibre_body *body = &b->body[k];
    if (!body->touches) continue;
    fill_mass(body, &parts->form[body->part], dt);
    body->push = vec3_scale(vec3_add(body->start.velocity, vec3_scale(parts->gravity, dt)), parts->form[body->part].mass.mass);
    body->block = problem->blocks;
    problem->factor[problem->chain_count] = (la_band){FIBRE_BODY_UNKNOWNS, FIBRE_BODY_BAND, body->factor[0]};
    problem->chain[problem->chain_count++] = (la_band){FIBRE_BODY_UNKNOWNS, FIBRE_BODY_BAND, body->mass[0]};
    problem->blocks += FIBRE_BODY_BLOCKS;
  }
}

static void add_block(fibre_problem *p, size_t at, size_t block, const scr_vec3 *axis, double sign)
{
  double *h = p->jacobian + at * B * D;
  memset(h, 0, B * D * sizeof *h);
  for (size_t row = 0; row < D; row++) h[row] = sign * axis[row].x, h[D + row] = sign * axis[row].y, h[2 * D + row] = sign * axis[row].z;
  p->block[at] = (uint32_t)block;
}

size_t fibre_body_add_rows(fibre_state *s, const fibre_body *body, scr_vec3 point, const scr_vec3 *axis, double sign, size_t at)
{
  scr_vec3 arm = vec3_sub(point, body->centre), turned[D];
  for (size_t row = 0; row < D; row++) turned[row] = vec3_cross(arm, axis[row]); /* (w x arm) . axis = w . (arm x axis) */
  add_block(&s->problem, at, body->block, axis, sign);
  add_block(&s->problem, at + 1, body->block + 1, turned, sign);
  return at + 2;
}

/* Coulomb friction of parts with each other: that of the first material with parts, as scenes have no other. */
static double friction_of_parts(const fibre_state *s)
{
  return ((const fibre_surface *)scr_scene_surface(s->scene, 0, (uint32_t)s->scene->material_count))->friction_coefficient;
}

/* Velocity over the step of the other part's surface, where it is not free. */
static scr_vec3 driven_at(const fibre_state *s, const fibre_body_touch *t, double dt)
{
  if (s->bodies.of[t->part] != FIBRE_NO_BODY) return vec3(0, 0, 0);
  return vec3_scale(part_displacement_at(&s->displacement[t->part], vec3_sub(t->place, s->before[t->part].pose.position)), 1 / dt);
}

size_t fibre_bodies_add_contacts(fibre_state *s, double dt, size_t entries)
{
  fibre_problem *p = &s->problem;
  for (size_t k = 0; k < s->bodies.touch_count; k++) {
    const fibre_body_touch *t = &s->bodies.touch[k];
    const scr_vec3 axis[D] = {t->normal, t->t1, t->t2}, driven = driven_at(s, t, dt);
    size_t i = s->detection.count + k;
    int32_t other = s->bodies.of[t->part];
    p->first[i] = entries;
    entries = fibre_body_add_rows(s, &s->bodies.body[t->body], t->place, axis, 1, entries);
    if (other != FIBRE_NO_BODY) entries = fibre_body_add_rows(s, &s->bodies.body[other], t->place, axis, -1, entries);
    for (size_t row = 0; row < D; row++) {
      p->offset[i * D + row] = (row == 0 ? fmax(t->gap, 0) / dt : 0) - vec3_dot(driven, axis[row]);
      double *a = p->axes + (i * D + row) * D;
      a[0] = axis[row].x, a[1] = axis[row].y, a[2] = axis[row].z;
    }
    p->friction[i] = friction_of_parts(s);
    p->hold[i] = 0; /* parts do not stick to each other */
    p->key[i] = t->key;
  }
  return entries;
}

/* ── solution ───────────────────────────────────────────────────────────────────────────────────────────────────── */

void fibre_bodies_set_momenta(fibre_state *s)
{
  for (size_t k = 0; k < s->bodies.count; k++) {
    const fibre_body *body = &s->bodies.body[k];
    if (!body->touches) continue;
    scr_vec3 w = body->spin.spin;
    const double(*i)[D] = body->spin.inertia;
    const double f[FIBRE_BODY_UNKNOWNS] = {body->push.x,
                                           body->push.y,
                                           body->push.z,
                                           0,
                                           i[0][0] * w.x + i[0][1] * w.y + i[0][2] * w.z,
                                           i[1][0] * w.x + i[1][1] * w.y + i[1][2] * w.z,
                                           i[2][0] * w.x + i[2][1] * w.y + i[2][2] * w.z,
                                           0};
    memcpy(s->problem.momentum + B * body->block, f, sizeof f);
  }
}

void fibre_bodies_take(fibre_state *s)
{
  for (size_t k = 0; k < s->bodies.count; k++) {
    fibre_body *body = &s->bodies.body[k];
    const double *w = s->problem.velocity + B * (body->block + 1);
    if (body->touches) body->spin_now = vec3(w[0], w[1], w[2]);
  }
}

scr_vec3 fibre_body_impulse(const fibre_state *s, size_t k)
{
  const fibre_body_touch *t = &s->bodies.touch[k];
  const double *r = s->problem.impulse + (s->detection.count + k) * D;
  return vec3_add(vec3_scale(t->normal, r[0]), vec3_add(vec3_scale(t->t1, r[1]), vec3_scale(t->t2, r[2])));
}

void fibre_body_push(fibre_body *body, scr_vec3 point, scr_vec3 impulse)
{
  body->impulse = vec3_add(body->impulse, impulse);
  body->turning = vec3_add(body->turning, vec3_cross(vec3_sub(point, body->centre), impulse));
}

static void load(const fibre_state *s, sim_parts *parts, size_t p, scr_vec3 point, scr_vec3 impulse)
{
  part_load *to = &parts->load[p];
  to->impulse = vec3_add(to->impulse, impulse);
  to->turning = vec3_add(to->turning, vec3_cross(vec3_sub(point, s->before[p].pose.position), impulse));
}

void fibre_bodies_book(fibre_state *s, sim_parts *parts, double dt)
{
  for (size_t k = 0; k < s->bodies.touch_count; k++) {
    const fibre_body_touch *t = &s->bodies.touch[k];
    const double *r = s->problem.impulse + (s->detection.count + k) * D;
    fibre_body *body = &s->bodies.body[t->body];
    int32_t other = s->bodies.of[t->part];
    scr_vec3 impulse = fibre_body_impulse(s, k);
    s->counts.penetration = fmax(s->counts.penetration, -t->gap);
    cone_state state = cone_state_of(D, s->problem.friction[s->detection.count + k], r, 1e-6);
    if (state == CONE_OPEN) continue;
    s->counts.contacts++, s->counts.sticking += state == CONE_STICKING, s->counts.sliding += state == CONE_SLIDING;
    const double *u = s->problem.relative + (s->detection.count + k) * D;
    double along = u[0] - fmax(t->gap, 0) / dt, slid = r[1] * u[1] + r[2] * u[2];
    s->ledger->friction -= fmin(slid, 0);
    s->ledger->impact -= r[0] * along + fmax(slid, 0);
    fibre_body_push(body, t->place, impulse);
    load(s, parts, body->part, t->place, impulse);
    load(s, parts, t->part, t->place, vec3_scale(impulse, -1));
    if (other != FIBRE_NO_BODY)
      fibre_body_push(&s->bodies.body[other], t->place, vec3_scale(impulse, -1));
    else
      s->ledger->rig += vec3_dot(impulse, driven_at(s, t, dt));
  }
}

/* ── the end of a step ──────────────────────────────────────────────────────────────────────────────────────────── */

/* Energy of turning, J. */
static double turning_energy(const scr_part *form, const part_flight *flight)
{
  return 0.5 * vec3_dot(flight->momentum, flight_spin(form, flight->rotation, flight->momentum));
}

/* Goes and turns at the velocities of the end. @return what that takes of the motion, J: m |v' - v|^2 / 2, and of turning what is missing,
 * which is the same of w less what the midpoint rule swings by */
static double take_along(const fibre_body *body, const scr_part *form, scr_vec3 gravity, double dt, double end, part_flight *flight)
{
  scr_vec3 change = vec3_add(vec3_scale(body->impulse, 1 / form->mass.mass), vec3_scale(gravity, dt)),
           spin = vec3_add(body->spin.spin, spin_change(form->mass.moments, body->attitude, &body->spin, body->turning, dt));
  *flight = body->start;
  flight->velocity = vec3_add(flight->velocity, change);
  flight->momentum = vec3_add(flight->momentum, body->turning);
  flight->time = flight->end = end;
  flight->centre = flight->arrival.position = vec3_along(flight->centre, flight->velocity, dt);
  flight->rotation = flight->arrival.rotation = spin_turned(body->start.rotation, spin, dt);
  return 0.5 * form->mass.mass * vec3_dot(change, change) + turning_energy(form, &body->start) + vec3_dot(body->turning, spin) -
         turning_energy(form, flight);
}

void fibre_bodies_end(fibre_state *s, sim_parts *parts, double end, double dt)
{
  const scr_vec3 none = vec3(0, 0, 0);
  for (size_t k = 0; k < s->bodies.count; k++) {
    const fibre_body *body = &s->bodies.body[k];
    const scr_part *form = &parts->form[body->part];
    part_flight *flight = &parts->flight[body->part];
    if (body->touches)
      s->ledger->numerical += take_along(body, form, parts->gravity, dt, end, flight);
    else {
      flight_arrive(flight);
      flight_kick(form, flight, none, none, parts->gravity, 0.5 * dt);
      s->ledger->numerical += turning_energy(form, &body->start) - turning_energy(form, flight);
    }
    parts->now[body->part] = parts_at(parts, body->part, end);
  }
}
