/** A contact problem of balls (contact/contact.h) as a pack (contact/balls/ball_pack.h), and its impulses back. */
#ifndef SCREE_SUPPORT_BALL_CASE_H
#define SCREE_SUPPORT_BALL_CASE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "contact/balls/ball_pack.h"
#include "contact/contact.h"

static inline void ball_case_cross(const double *a, const double *b, double *c)
{
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Row of H of a block: axis `row`, velocities or spins. */
static inline void ball_case_row(const contact_problem *p, size_t entry, int row, int spins, double *x)
{
  for (int k = 0; k < 3; k++) x[k] = p->jacobian[entry * 18 + (size_t)(3 * (k + 3 * spins) + row)];
}

/* Arm of a block along the normal, m: arm x t1 = spins of row 1, with arm = -l n on the side that counts as positive. */
static inline double ball_case_arm(const contact_problem *p, size_t i, size_t entry)
{
  double n[3], t[3], turned[3], spins[3];
  ball_case_row(p, p->first[i], 0, 0, n);
  ball_case_row(p, p->first[i], 1, 0, t);
  ball_case_cross(n, t, turned);
  ball_case_row(p, entry, 1, 1, spins);
  return -(turned[0] * spins[0] + turned[1] * spins[1] + turned[2] * spins[2]);
}

/* The ground is the last body; impulses are zero. Cleared by ball_pack_clear. */
static inline void ball_case_open(const contact_problem *p, ball_pack *pack)
{
  size_t ground = p->block_count;
  *pack = (ball_pack){0};
  assert_int_equal(ball_pack_reserve(pack, ground + 1, p->contact_count, 0, NULL), SCR_OK);
  pack->body_count = ground + 1;
  pack->contact_count = p->contact_count;
  for (size_t i = 0; i < ground; i++) {
    const double *m = p->mass_block + 36 * i, *f = p->momentum + 6 * i;
    pack->body[i] = (ball_body){.inverse_mass = 1 / m[0], .inverse_inertia = 1 / m[21]};
    for (int k = 0; k < 3; k++) pack->body[i].velocity[k] = f[k] / m[0], pack->body[i].spin[k] = f[3 + k] / m[21];
  }
  pack->body[ground] = (ball_body){0};
  for (size_t i = 0; i < p->contact_count; i++) {
    ball_contact *c = &pack->contact[i];
    size_t entry = p->first[i];
    bool two = p->first[i + 1] - entry > 1;
    *c = (ball_contact){.a = p->block[entry], .b = two ? p->block[entry + 1] : (uint32_t)ground, .friction = p->friction[i]};
    ball_case_row(p, entry, 0, 0, c->normal);
    c->arm_a = ball_case_arm(p, i, entry);
    if (two) c->arm_b = ball_case_arm(p, i, entry + 1);
    c->offset = p->offset[3 * i];
    assert_true(p->offset[3 * i + 1] == 0 && p->offset[3 * i + 2] == 0);
  }
}

/* Impulses in the contacts' own axes, [n][3]. */
static inline void ball_case_impulses(const contact_problem *p, const ball_pack *pack, double *impulse)
{
  for (size_t i = 0; i < p->contact_count; i++)
    for (int row = 0; row < 3; row++) {
      double axis[3];
      ball_case_row(p, p->first[i], row, 0, axis);
      const double *r = pack->contact[i].impulse;
      impulse[3 * i + (size_t)row] = axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2];
    }
}

#endif
