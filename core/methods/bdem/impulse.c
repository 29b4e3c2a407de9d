/* What dissipates at contacts, as impulses after a step: damping of the normal velocity, sliding and rolling friction.
 *
 * Each contact sees the velocities that the one before has left, and takes out at most what stops the relative motion, so nothing is ever
 * reversed and no time step is too long. An impulse J along t changes the relative velocity from u0 to u1 = u0 - J/m_eff and dissipates
 * J (u0 + u1)/2 exactly. */
#include "methods/bdem/state.h"

/* One contact: which ends it has, and where. `part` is NULL for a pair; j is not used for a part. */
typedef struct meeting {
  size_t i, j;
  const bdem_part *part;
  size_t number;
  scr_vec3 normal;     /* from i to j, or into the part */
  double arm_i, arm_j; /* m, from the centres to the point of contact, along the normal */
  double force;        /* normal, N */
  double stiffness;    /* N/m */
  const scr_contact_law *law;
} meeting;

/* Held spheres take impulses as if they were infinitely heavy. */
static double inverse_mass(const bdem_body *body, size_t i)
{
  return body->held[i] ? 0.0 : 1.0 / body->mass[i];
}

static double inverse_inertia(const bdem_body *body, size_t i)
{
  return body->held[i] ? 0.0 : 2.5 / (body->mass[i] * body->radius[i] * body->radius[i]);
}

/* Velocity at the point of contact of i relative to j or the part. */
static scr_vec3 relative_velocity(const bdem_body *body, const meeting *m)
{
  scr_vec3 of_i = vec3_add(body->velocity[m->i], vec3_cross(body->spin[m->i], vec3_scale(m->normal, m->arm_i)));
  if (m->part) return vec3_sub(of_i, m->part->velocity);
  scr_vec3 of_j = vec3_add(body->velocity[m->j], vec3_cross(body->spin[m->j], vec3_scale(m->normal, -m->arm_j)));
  return vec3_sub(of_i, of_j);
}

/* Applies the impulse -p at i's point of contact and p at the other side; a part takes it as force over dt and does the work p . v. */
static void push(bdem_state *s, const meeting *m, scr_vec3 p, double dt)
{
  bdem_body *body = &s->body;
  body->velocity[m->i] = vec3_sub(body->velocity[m->i], vec3_scale(p, inverse_mass(body, m->i)));
  body->spin[m->i] = vec3_sub(body->spin[m->i], vec3_scale(vec3_cross(vec3_scale(m->normal, m->arm_i), p), inverse_inertia(body, m->i)));
  if (m->part) {
    scr_vec3 arm = vec3_sub(vec3_add(body->position[m->i], vec3_scale(m->normal, m->arm_i)), m->part->position);
    s->ledger.parts -= vec3_dot(p, m->part->velocity);
    s->part_force[m->number] = vec3_add(s->part_force[m->number], vec3_scale(p, 1.0 / dt));
    s->part_torque[m->number] = vec3_add(s->part_torque[m->number], vec3_scale(vec3_cross(arm, p), 1.0 / dt));
    return;
  }
  body->velocity[m->j] = vec3_add(body->velocity[m->j], vec3_scale(p, inverse_mass(body, m->j)));
  body->spin[m->j] = vec3_sub(body->spin[m->j], vec3_scale(vec3_cross(vec3_scale(m->normal, m->arm_j), p), inverse_inertia(body, m->j)));
}

/* Damping: c = 2 zeta sqrt(k m) acts on the normal velocity for dt, solved exactly: exp(-c dt/m) of it is left. */
static void damp(bdem_state *s, const meeting *m, double dt)
{
  const bdem_body *body = &s->body;
  if (!(m->law->damping_ratio > 0.0)) return;
  double mass = 1.0 / (inverse_mass(body, m->i) + (m->part ? 0.0 : inverse_mass(body, m->j)));
  double speed = vec3_dot(relative_velocity(body, m), m->normal);
  double left = speed * exp(-2.0 * m->law->damping_ratio * sqrt(m->stiffness / mass) * dt), impulse = mass * (speed - left);
  s->ledger.damping += 0.5 * impulse * (speed + left);
  push(s, m, vec3_scale(m->normal, impulse), dt);
}

static void slide(bdem_state *s, const meeting *m, double dt)
{
  const bdem_body *body = &s->body;
  scr_vec3 u = relative_velocity(body, m);
  u = vec3_sub(u, vec3_scale(m->normal, vec3_dot(u, m->normal)));
  double speed = vec3_length(u);
  if (!(m->law->friction_coefficient > 0.0) || !(speed > 0.0)) return;
  double inverse = inverse_mass(body, m->i) + m->arm_i * m->arm_i * inverse_inertia(body, m->i);
  if (!m->part) inverse += inverse_mass(body, m->j) + m->arm_j * m->arm_j * inverse_inertia(body, m->j);
  double impulse = fmin(m->law->friction_coefficient * m->force * dt, speed / inverse);
  s->ledger.friction += 0.5 * impulse * (speed + speed - impulse * inverse);
  push(s, m, vec3_scale(u, impulse / speed), dt);
}

static void roll(bdem_state *s, const meeting *m, double dt)
{
  bdem_body *body = &s->body;
  if (!(s->options->rolling_friction > 0.0)) return;
  scr_vec3 w = m->part ? body->spin[m->i] : vec3_sub(body->spin[m->i], body->spin[m->j]);
  double speed = vec3_length(w), inverse = inverse_inertia(body, m->i) + (m->part ? 0.0 : inverse_inertia(body, m->j));
  double radius = m->part ? body->radius[m->i] : fmin(body->radius[m->i], body->radius[m->j]);
  if (!(speed > 0.0)) return;
  double impulse = fmin(s->options->rolling_friction * m->force * radius * dt, speed / inverse);
  s->ledger.friction += 0.5 * impulse * (speed + speed - impulse * inverse);
  scr_vec3 turn = vec3_scale(w, impulse / speed);
  body->spin[m->i] = vec3_sub(body->spin[m->i], vec3_scale(turn, inverse_inertia(body, m->i)));
  if (!m->part) body->spin[m->j] = vec3_add(body->spin[m->j], vec3_scale(turn, inverse_inertia(body, m->j)));
  if (m->part) s->part_torque[m->number] = vec3_add(s->part_torque[m->number], vec3_scale(turn, 1.0 / dt));
}

static void dissipate(bdem_state *s, const meeting *m, double dt)
{
  if (s->body.held[m->i] && (m->part || s->body.held[m->j])) return;
  damp(s, m, dt);
  slide(s, m, dt);
  roll(s, m, dt);
}

void bdem_contact_impulses(bdem_state *s, double dt)
{
  const bdem_contacts *contacts = &s->contacts;
  const bdem_body *body = &s->body;
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    meeting m = {.i = pair->i, .j = pair->j, .stiffness = pair->stiffness, .law = &s->scene->contact_pairs[pair->law]};
    double overlap = bdem_pair_overlap(pair, body, &m.normal);
    if (!(overlap > 0.0)) continue;
    double share = (pair->reach - overlap) / (body->radius[pair->i] + body->radius[pair->j]);
    m.force = pair->stiffness * overlap;
    m.arm_i = body->radius[pair->i] * share;
    m.arm_j = body->radius[pair->j] * share;
    dissipate(s, &m, dt);
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    meeting m = {.i = touch->sphere,
                 .part = &contacts->parts[touch->part],
                 .number = touch->part,
                 .stiffness = touch->stiffness,
                 .law = &s->scene->contact_pairs[touch->law]};
    double overlap = bdem_touch_overlap(contacts, touch, body, &m.normal);
    if (!(overlap > 0.0)) continue;
    m.normal = vec3_scale(m.normal, -1.0);
    m.force = touch->stiffness * overlap;
    m.arm_i = body->radius[touch->sphere] - overlap;
    dissipate(s, &m, dt);
  }
}
