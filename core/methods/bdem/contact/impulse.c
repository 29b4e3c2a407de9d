/* What dissipates at contacts as impulses after a step: damping, and friction of rolling. Sliding friction is a force (friction.h).
 *
 * Pairs are coloured so that no two of a colour have a sphere in common, and go colour by colour; then the touches of one part after the
 * other. Those of one colour, or of one part, can go in any order, or at once on several threads: each sees the same velocities. A part
 * that moves freely is pushed by each, so its touches go one after the other.
 *
 * Each contact sees the velocities that the one before has left, and takes out at most what stops the relative motion, so nothing is ever
 * reversed and no time step is too long. An impulse J along t changes the relative velocity from u0 to u1 = u0 - J/m_eff and dissipates
 * J (u0 + u1)/2 exactly. */
#include "methods/bdem/body/boundary_faces.h"
#include "methods/bdem/contact/friction.h"
#include "methods/bdem/contact/impulse.h"
#include "methods/bdem/contact/press.h"

static const double pi = 3.14159265358979323846;

/* What the stage works on. */
typedef struct solve {
  const bdem_model *model;
  bdem_body *body;
  bdem_contacts *contacts;
  bdem_rig *rig;
  sim_ledger *ledger;
} solve;

/* One contact: which ends it has, and where. `part` is NULL for a pair; j is not used for a part. */
typedef struct contact_point {
  size_t i, j;
  const part_motion *part;
  size_t which;          /* part */
  scr_vec3 normal;       /* from i to j, or into the part */
  scr_vec3 arm_i, arm_j; /* m, from the centres to the point of contact */
  double force;          /* normal, N */
  double stiffness;      /* N/m */
  double share;          /* of the damping of its surfaces that is this contact's */
  double tangential;     /* stiffness across the normal, N/m */
  bool sticks;           /* friction holds it */
  const bdem_surface *law;
} contact_point;

/* Colours of pairs; those that find none left go one by one in the end. */
enum { COLOURS = 64, FEW_ACTIVE = 256 /* that go in the order of their list */ };

/* Held spheres take impulses as if they were infinitely heavy. */
static double inverse_mass(const bdem_body *body, size_t i)
{
  return body->held[i] ? 0.0 : 1.0 / body->mass[i];
}

static double inverse_inertia(const bdem_body *body, size_t i)
{
  return body->held[i] ? 0.0 : 2.5 / (body->mass[i] * body->radius[i] * body->radius[i]);
}

/* What a unit impulse along a unit vector at a lever changes the velocity there by, as the sphere turns, 1/kg. */
static double inverse_turning(const bdem_body *body, size_t i, scr_vec3 arm, scr_vec3 along)
{
  scr_vec3 lever = vec3_cross(arm, along);
  return vec3_dot(lever, lever) * inverse_inertia(body, i);
}

/* Velocity at the point of contact of i relative to j or the part. */
static scr_vec3 relative_velocity(const bdem_body *body, const contact_point *m)
{
  scr_vec3 of_i = vec3_add(body->velocity[m->i], vec3_cross(body->spin[m->i], m->arm_i));
  if (m->part) return vec3_sub(of_i, part_velocity_at(m->part, vec3_add(body->position[m->i], m->arm_i)));
  scr_vec3 of_j = vec3_add(body->velocity[m->j], vec3_cross(body->spin[m->j], m->arm_j));
  return vec3_sub(of_i, of_j);
}

/* Applies the impulse -p at i's point of contact and p at the other side; what a part takes is noted. */
static void push(const solve *s, const contact_point *m, scr_vec3 p, bdem_touch_effect *done)
{
  bdem_body *body = s->body;
  body->velocity[m->i] = vec3_sub(body->velocity[m->i], vec3_scale(p, inverse_mass(body, m->i)));
  body->spin[m->i] = vec3_sub(body->spin[m->i], vec3_scale(vec3_cross(m->arm_i, p), inverse_inertia(body, m->i)));
  if (m->part) {
    scr_vec3 arm = vec3_sub(vec3_add(body->position[m->i], m->arm_i), m->part->pose.position);
    done->impulse = vec3_add(done->impulse, p);
    done->turn = vec3_add(done->turn, vec3_cross(arm, p));
    if (s->contacts->rig[m->which].is_free) parts_hit(s->contacts->all, m->which, p, vec3_cross(arm, p));
    return;
  }
  body->velocity[m->j] = vec3_add(body->velocity[m->j], vec3_scale(p, inverse_mass(body, m->j)));
  body->spin[m->j] = vec3_add(body->spin[m->j], vec3_scale(vec3_cross(m->arm_j, p), inverse_inertia(body, m->j)));
}

/* Damping: c = 2 zeta sqrt(k m) acts on a velocity for dt, solved exactly: exp(-c dt/m) of it is left. `along`: a unit vector or zero;
 * `inverse`: of the mass that is accelerated along it. */
static void damp_along(const solve *s, const contact_point *m, scr_vec3 along, double inverse, double stiffness, double dt,
                       bdem_touch_effect *done)
{
  double speed = vec3_dot(relative_velocity(s->body, m), along);
  double left = speed * exp(-2.0 * m->law->damping_ratio * m->share * sqrt(stiffness * inverse) * dt), impulse = (speed - left) / inverse;
  done->damping += 0.5 * impulse * (speed + left);
  push(s, m, vec3_scale(along, impulse), done);
}

/* What the other side of the contact adds to the inverse of the mass that an impulse along a unit vector moves. */
static double other_side(const solve *s, const contact_point *m, scr_vec3 along)
{
  if (!m->part) return inverse_mass(s->body, m->j);
  return parts_inverse_mass(s->contacts->all, m->which, vec3_add(s->body->position[m->i], m->arm_i), along);
}

/* The approach; and what sticks, across the normal, where the spring of friction would swing for ever. */
static void damp(const solve *s, const contact_point *m, double dt, bdem_touch_effect *done)
{
  const bdem_body *body = s->body;
  if (!(m->law->damping_ratio > 0.0)) return;
  double inverse = inverse_mass(body, m->i) + other_side(s, m, m->normal);
  inverse += inverse_turning(body, m->i, m->arm_i, m->normal) + (m->part ? 0.0 : inverse_turning(body, m->j, m->arm_j, m->normal));
  damp_along(s, m, m->normal, inverse, m->stiffness, dt, done);
  if (!m->sticks) return;
  scr_vec3 u = relative_velocity(body, m);
  u = vec3_sub(u, vec3_scale(m->normal, vec3_dot(u, m->normal)));
  double speed = vec3_length(u);
  if (!(speed > 0.0)) return;
  u = vec3_scale(u, 1.0 / speed);
  inverse = inverse_mass(body, m->i) + other_side(s, m, u) + inverse_turning(body, m->i, m->arm_i, u);
  if (!m->part) inverse += inverse_turning(body, m->j, m->arm_j, u);
  damp_along(s, m, u, inverse, m->tangential, dt, done);
}

static void roll(const solve *s, const contact_point *m, double dt, bdem_touch_effect *done)
{
  bdem_body *body = s->body;
  if (!(s->model->options->rolling_friction > 0.0)) return;
  scr_vec3 w = m->part ? vec3_sub(body->spin[m->i], m->part->spin) : vec3_sub(body->spin[m->i], body->spin[m->j]);
  double speed = vec3_length(w), inverse = inverse_inertia(body, m->i) + (m->part ? 0.0 : inverse_inertia(body, m->j));
  double radius = m->part ? body->radius[m->i] : fmin(body->radius[m->i], body->radius[m->j]);
  if (!(speed > 0.0)) return;
  if (m->part) inverse += parts_inverse_inertia(s->contacts->all, m->which, vec3_scale(w, 1.0 / speed));
  double impulse = fmin(s->model->options->rolling_friction * m->force * radius * dt, speed / inverse);
  done->friction += 0.5 * impulse * (speed + speed - impulse * inverse);
  scr_vec3 turn = vec3_scale(w, impulse / speed);
  body->spin[m->i] = vec3_sub(body->spin[m->i], vec3_scale(turn, inverse_inertia(body, m->i)));
  if (!m->part) body->spin[m->j] = vec3_add(body->spin[m->j], vec3_scale(turn, inverse_inertia(body, m->j)));
  if (m->part) done->turn = vec3_add(done->turn, turn);
  if (m->part && s->contacts->rig[m->which].is_free) parts_hit(s->contacts->all, m->which, vec3(0, 0, 0), turn);
}

static void dissipate(const solve *s, const contact_point *m, double dt, bdem_touch_effect *done)
{
  if (s->body->held[m->i] && (m->part || s->body->held[m->j])) return;
  damp(s, m, dt, done);
  roll(s, m, dt, done);
}

/* ── pairs ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A face is damped as one contact, which it shares out to its pairs by the square root of their stiffness, whose mean over the width
 * is 3/2 of what it is right opposite over the number of pairs: together they damp as one would. */
static double pair_share(const bdem_pair *pair)
{
  double area = pair->face_i ? fmin(pair->face_i->area, pair->face_j->area) : 0.0;
  return pair->face_i ? fmin(1.0, 2.0 / 3.0 * sqrt(3.0 * area / (pi * pair->width * pair->width))) : 1.0;
}

static void pair_impulse(const solve *s, uint32_t k, double dt)
{
  const bdem_body *body = s->body;
  const bdem_pair *pair = &s->contacts->pairs[k];
  bdem_touch_effect done = {0};
  bdem_press press;
  contact_point m = {.i = pair->i,
                     .j = pair->j,
                     .tangential = pair->shear * pair->stiffness,
                     .sticks = pair->sticks,
                     .share = pair_share(pair),
                     .law = &s->contacts->laws[pair->law]};
  bool contact_ahead = bdem_pair_press(pair, body, &press);
  if (contact_ahead) {
    m.normal = press.normal;
    m.force = pair->stiffness * press.overlap;
    m.stiffness = press.stiffness;
    m.arm_i = press.arm_i;
    m.arm_j = press.arm_j;
    dissipate(s, &m, dt, &done);
  }
  s->contacts->rows.lost[k][0] = done.damping;
  s->contacts->rows.lost[k][1] = done.friction;
}

/* The pairs in contact, in the list's order. @return how many */
static size_t list_active(const bdem_contacts *contacts, const bdem_body *body)
{
  const bdem_contact_rows *rows = &contacts->rows;
  size_t count = 0;
  bdem_pairs_measure(contacts, body);
  for (size_t k = 0; k < contacts->pair_count; ++k)
    if (rows->overlap[k] > 0.0) rows->active[count++] = (uint32_t)k;
  return count;
}

/* The active pairs by colour, in the list's order within one. The first colour that neither sphere has met yet.
 *  @param end [COLOURS + 1] receives where each colour ends, the last being those without one */
static void colour_active(const bdem_contacts *contacts, size_t count, size_t end[COLOURS + 1])
{
  const bdem_contact_rows *rows = &contacts->rows;
  size_t begin = 0, next[COLOURS + 1] = {0};
  for (size_t a = 0; a < count; ++a) {
    const bdem_pair *pair = &contacts->pairs[rows->active[a]];
    uint64_t left = ~(rows->met[pair->i] | rows->met[pair->j]);
    unsigned colour = left ? (unsigned)__builtin_ctzll(left) : COLOURS;
    rows->colour[a] = (uint8_t)colour;
    ++next[colour];
    if (left) {
      rows->met[pair->i] |= (uint64_t)1 << colour;
      rows->met[pair->j] |= (uint64_t)1 << colour;
    }
  }
  for (size_t c = 0; c <= COLOURS; ++c) {
    size_t of = next[c];
    next[c] = begin;
    end[c] = begin += of;
  }
  for (size_t a = 0; a < count; ++a) {
    const bdem_pair *pair = &contacts->pairs[rows->active[a]];
    rows->sorted[next[rows->colour[a]]++] = rows->active[a];
    rows->met[pair->i] = rows->met[pair->j] = 0;
  }
}

static void pair_impulses(const solve *s, double dt)
{
  const bdem_contact_rows *rows = &s->contacts->rows;
  size_t count = list_active(s->contacts, s->body), end[COLOURS + 1];
  if (count <= FEW_ACTIVE) {
    for (size_t a = 0; a < count; ++a) pair_impulse(s, rows->active[a], dt);
  } else {
    colour_active(s->contacts, count, end);
#pragma omp parallel num_threads(s->model->execution.threads) if (bdem_contacts_are_many(s->contacts))
    for (size_t c = 0; c < COLOURS && (c == 0 || end[c - 1] < end[COLOURS - 1]); ++c) {
#pragma omp for schedule(static)
      for (size_t a = c ? end[c - 1] : 0; a < end[c]; ++a) pair_impulse(s, rows->sorted[a], dt);
    }
    for (size_t a = end[COLOURS - 1]; a < count; ++a) pair_impulse(s, rows->sorted[a], dt);
  }
  for (size_t a = 0; a < count; ++a) {
    s->ledger->damping += rows->lost[rows->active[a]][0];
    s->ledger->friction += rows->lost[rows->active[a]][1];
  }
}

/* ── touches ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void touch_impulse(const solve *s, size_t k, double dt)
{
  const bdem_contacts *contacts = s->contacts;
  const bdem_touch *touch = &contacts->touches[k];
  contact_point m = {.i = touch->sphere,
                     .part = &contacts->parts[touch->part],
                     .which = touch->part,
                     .tangential = touch->shear * touch->stiffness,
                     .sticks = touch->sticks,
                     .share = 1.0,
                     .law = &s->contacts->laws[touch->law]};
  bdem_press press;
  contacts->touch_effects[k] = (bdem_touch_effect){0};
  if (!bdem_touch_press(contacts, touch, s->body, &press)) return;
  m.normal = vec3_scale(press.normal, -1.0);
  m.force = touch->stiffness * press.overlap;
  m.stiffness = press.stiffness;
  m.arm_i = press.arm_i;
  dissipate(s, &m, dt, &contacts->touch_effects[k]);
}

/* What the part's touches did, in their order: a part takes an impulse as force over dt and does the work p . v + turn . w. */
static void book_touches(const solve *s, size_t part, double dt)
{
  const bdem_contacts *contacts = s->contacts;
  scr_vec3 impulse = vec3(0, 0, 0), turn = impulse;
  for (size_t k = contacts->touch_first[part]; k < contacts->touch_first[part + 1]; ++k) {
    const bdem_touch_effect *done = &contacts->touch_effects[k];
    impulse = vec3_add(impulse, done->impulse);
    turn = vec3_add(turn, done->turn);
    s->ledger->damping += done->damping;
    s->ledger->friction += done->friction;
  }
  part_load *load = &s->rig->load[part];
  bool is_free = contacts->rig[part].is_free; /* what it gains is its own energy */
  if (!is_free) s->ledger->rig -= vec3_dot(impulse, contacts->parts[part].velocity);
  if (contacts->rig[part].turns && !is_free) s->ledger->rig -= vec3_dot(turn, contacts->parts[part].spin);
  load->force = vec3_add(load->force, vec3_scale(impulse, 1.0 / dt));
  load->torque = vec3_add(load->torque, vec3_scale(turn, 1.0 / dt));
}

static bool dissipates(const solve *s)
{
  for (size_t k = 0; k < s->contacts->law_count; ++k)
    if (s->contacts->laws[k].damping_ratio > 0.0) return true;
  return s->model->options->rolling_friction > 0.0;
}

void bdem_contact_impulses(const bdem_model *model, bdem_body *body, bdem_contacts *contacts, bdem_rig *rig, sim_ledger *ledger, double dt)
{
  const solve stage = {model, body, contacts, rig, ledger}, *s = &stage;
  if (!dissipates(s)) return;
  pair_impulses(s, dt);
  for (size_t part = 0; part < contacts->part_count; ++part) {
#pragma omp parallel for schedule(static)                                                                                                  \
    num_threads(s->model->execution.threads) if (!contacts->rig[part].is_free && bdem_contacts_are_many(contacts))
    for (size_t k = contacts->touch_first[part]; k < contacts->touch_first[part + 1]; ++k) touch_impulse(s, k, dt);
    book_touches(s, part, dt);
  }
}
