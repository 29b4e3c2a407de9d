/* Rolling resistance: couples of at most b r_N each, b a length, against the turning of one body over the other and about the normal of
 * their contact.
 *
 *   |tau_T| <= b r_N,  tau_T = 0 or against (w_a - w_b)_T;     the same along the normal
 *
 * The normal impulse r_N is that of the step before, so that a contact comes into it when it is a step old; at rest nothing is lost by
 * that. Then the law is Coulomb's with a known load, and the solver's own: a contact whose normal row moves nothing but a block of its own,
 * which flies against it with the momentum r_N, so that the impulse there is r_N; its tangents are R times the relative spins, R the arm of
 * the body, and its friction is b / R. There are two of them: one for the two axes in the plane; one for the normal, whose other tangent
 * moves the block sideways, where nothing pushes it. */
#include <string.h>

#include "methods/rigid/state/state.h"

enum { D = 3, B = 6 };

/* Rows of the relative spin about the axes of a pair at the arm R: t1 and t2, or the normal alone. */
static void set_spin_rows(const rigid_contact *c, bool pivot, double scale, double *jacobian)
{
  scr_vec3 first = pivot ? c->touch.normal : c->t1, second = pivot ? vec3(0, 0, 0) : c->t2;
  const double t[2][3] = {{first.x, first.y, first.z}, {second.x, second.y, second.z}};
  memset(jacobian, 0, B * D * sizeof *jacobian);
  for (int k = 0; k < 3; k++)
    for (int row = 0; row < 2; row++) jacobian[(3 + k) * D + 1 + row] = scale * t[row][k];
}

/* The block that presses with an impulse of its own, and its row. */
static void set_press(rigid_problem *p, uint32_t block, bool pivot, double mass, double impulse, double *jacobian)
{
  double *m = p->mass + (size_t)block * B * B, *f = p->momentum + (size_t)block * B;
  memset(m, 0, B * B * sizeof *m);
  memset(f, 0, B * sizeof *f);
  memset(jacobian, 0, B * D * sizeof *jacobian);
  for (int k = 0; k < B; k++) m[k * B + k] = mass;
  f[0] = -impulse;
  jacobian[0] = 1;
  if (pivot) jacobian[1 * D + 2] = 1;
}

scr_vec3 rigid_other_spin(const rigid_state *s, const rigid_contact *c, double dt)
{
  if (c->touch.b < s->body_count) return s->spin[c->touch.b];
  return vec3_scale(s->displacement[c->touch.b - s->body_count].turn, 1 / dt);
}

static scr_vec3 driven_spin(const rigid_state *s, const rigid_contact *c, double dt)
{
  return c->touch.b < s->body_count ? vec3(0, 0, 0) : rigid_other_spin(s, c, dt);
}

/* A row of three: the press, body a, body b. */
static void add_couple(rigid_state *s, size_t contact, bool pivot, size_t block, double arm, double resistance, double dt)
{
  rigid_problem *p = &s->problem;
  const rigid_contact *c = &s->contacts[contact];
  size_t j = s->contact_count + p->rolling, entry = p->first[j];
  double press = p->impulse[contact * D];
  scr_vec3 driven = driven_spin(s, c, dt);
  p->rolling_of[p->rolling++] = (uint32_t)(2 * contact + pivot);
  p->block[entry] = (uint32_t)block;
  set_press(p, (uint32_t)block, pivot, s->bodies[c->touch.a].mass, press, p->jacobian + entry++ * B * D);
  p->block[entry] = c->touch.a;
  set_spin_rows(c, pivot, arm, p->jacobian + entry++ * B * D);
  if (c->touch.b < s->body_count) {
    p->block[entry] = c->touch.b;
    set_spin_rows(c, pivot, -arm, p->jacobian + entry++ * B * D);
  }
  p->first[j + 1] = entry;
  const double start[D] = {press, 0, 0}, about_plane[D] = {0, -arm * vec3_dot(driven, c->t1), -arm * vec3_dot(driven, c->t2)};
  const double about_normal[D] = {0, -arm * vec3_dot(driven, c->touch.normal), 0};
  memcpy(p->offset + j * D, pivot ? about_normal : about_plane, D * sizeof(double));
  memcpy(p->impulse + j * D, start, sizeof start);
  p->friction[j] = resistance / arm;
}

size_t rigid_add_rolling(rigid_state *s, size_t blocks, double dt)
{
  s->problem.rolling = 0;
  for (size_t i = 0; s->rolls && i < s->contact_count; i++) {
    const rigid_contact *c = &s->contacts[i];
    double resistance = rigid_law(s, c->touch.a, c->touch.b)->rolling_resistance;
    double arm = vec3_length(vec3_sub(c->touch.point, s->bodies[c->touch.a].centre));
    if (!(resistance > 0 && s->problem.impulse[i * D] > 0 && arm > 0)) continue;
    add_couple(s, i, false, blocks++, arm, resistance, dt);
    add_couple(s, i, true, blocks++, arm, resistance, dt);
  }
  return blocks;
}

void rigid_take_rolling(rigid_state *s)
{
  const rigid_problem *p = &s->problem;
  for (size_t k = 0; k < p->rolling; k++) {
    rigid_contact *c = &s->contacts[p->rolling_of[k] / 2];
    const double *r = p->impulse + (s->contact_count + k) * D;
    double arm = vec3_length(vec3_sub(c->touch.point, s->bodies[c->touch.a].centre));
    if (p->rolling_of[k] % 2) {
      c->couple[2] = arm * r[1];
    } else {
      c->couple[0] = arm * r[1];
      c->couple[1] = arm * r[2];
    }
  }
}

scr_vec3 rigid_couple(const rigid_contact *c)
{
  return vec3_along(vec3_add(vec3_scale(c->t1, c->couple[0]), vec3_scale(c->t2, c->couple[1])), c->touch.normal, c->couple[2]);
}
