/* Newton's method on contacts. */
#include "methods/fem/dynamics/contact_newton.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/wide.h"

static const double proximal = 1e-9, least_reach = 0.01, opening = 1.05; /* over s; of the largest |q|; of the way until one opens */

typedef enum contact_case { OPEN, STICKING, SLIDING } contact_case;

/* What a step works on: rows are the directions of closed contacts, one contact after the other. */
typedef struct newton {
  fem_contact_problem *problem;
  size_t closed;         /* contacts */
  uint32_t *contact;     /* [closed] */
  unsigned char *state;  /* [contacts] contact_case */
  double *scale;         /* [contacts] s */
  double *matrix, *step; /* [rows][rows] by columns, [rows] */
} newton;

/* u += column c of W, which is symmetric, times f. */
WIDE static void add_column(const double *restrict w, size_t size, double f, double *restrict u)
{
  for (size_t r = 0; r < size; r++) u[r] += w[r] * f;
}

void fem_contact_push(fem_contact_problem *p, size_t i, const double *change)
{
  size_t d = p->directions, size = d * p->touches->count;
  for (size_t a = 0; a < d; a++)
    if (change[a] != 0) add_column(p->w + (d * i + a) * size, size, change[a], p->relative);
}

void fem_contact_velocities(fem_contact_problem *p)
{
  size_t d = p->directions;
  memcpy(p->relative, p->q, d * p->touches->count * sizeof *p->q);
  for (size_t i = 0; i < p->touches->count; i++) fem_contact_push(p, i, p->force + d * i);
}

double fem_contact_own_block(const fem_contact_problem *p, size_t i, double block[9])
{
  size_t d = p->directions, size = d * p->touches->count;
  double trace = 0;
  for (size_t a = 0; a < d; a++)
    for (size_t b = 0; b < d; b++) block[d * b + a] = p->w[(d * i + a) * size + d * i + b];
  for (size_t a = 0; a < d; a++) trace += block[(d + 1) * a];
  return trace / (double)d;
}

static contact_case case_of(const fem_contact_problem *p, size_t i, double scale)
{
  const double *f = p->force + p->directions * i, *u = p->relative + p->directions * i;
  double normal = scale * f[0] - u[0];
  if (!(scale > 0) || normal <= 0) return OPEN;
  if (p->directions == 1) return STICKING;
  return hypot(scale * f[1] - u[1], scale * f[2] - u[2]) <= p->friction[i] * normal ? STICKING : SLIDING;
}

/* Cases of all contacts; those that open have no force from then on. */
static void choose_cases(newton *n)
{
  fem_contact_problem *p = n->problem;
  fem_contact_velocities(p);
  for (size_t i = 0; i < p->touches->count; i++) {
    double block[9] = {0};
    n->scale[i] = fem_contact_own_block(p, i, block);
    n->state[i] = (unsigned char)case_of(p, i, n->scale[i]);
    if (n->state[i] != OPEN) n->contact[n->closed++] = (uint32_t)i;
  }
  for (size_t i = 0; i < p->touches->count; i++)
    if (n->state[i] == OPEN) memset(p->force + p->directions * i, 0, p->directions * sizeof *p->force);
  fem_contact_velocities(p);
}

/* Rows of contact i, the `at`-th that is closed, as if it stuck: W, and u = 0. */
static void write_sticking(newton *n, size_t at, const double *u)
{
  const fem_contact_problem *p = n->problem;
  size_t d = p->directions, size = d * p->touches->count, rows = d * n->closed, i = n->contact[at];
  for (size_t a = 0; a < d; a++) {
    const double *w = p->w + (d * i + a) * size;
    for (size_t k = 0; k < n->closed; k++)
      for (size_t b = 0; b < d; b++) n->matrix[(d * k + b) * rows + d * at + a] = w[d * n->contact[k] + b];
    n->matrix[(d * at + a) * (rows + 1)] += proximal * n->scale[i];
    n->step[d * at + a] = -u[a];
  }
}

/* Tangential rows of one that slides, from those as if it stuck: s f_t - mu s f_n t = 0, t turning with s f_t - u_t. */
static void write_sliding(newton *n, size_t at, const double *u)
{
  size_t rows = 3 * n->closed, i = n->contact[at];
  double s = n->scale[i], mu = n->problem->friction[i];
  const double *f = n->problem->force + 3 * i;
  double z[2] = {s * f[1] - u[1], s * f[2] - u[2]}, length = hypot(z[0], z[1]);
  if (!(length > 0)) return;
  const double t[2] = {z[0] / length, z[1] / length};
  double turn = fmin(1, fmax(0, mu * s * f[0] / length));
  const double side[2] = {-t[1], t[0]}; /* the only direction in which t changes */
  for (size_t c = 0; c < rows; c++) {
    double *column = n->matrix + c * rows + 3 * at;
    double across = side[0] * column[1] + side[1] * column[2];
    for (size_t a = 0; a < 2; a++) column[1 + a] = turn * side[a] * across;
  }
  for (size_t a = 0; a < 2; a++) {
    n->matrix[(3 * at) * rows + 3 * at + 1 + a] -= mu * s * t[a];
    for (size_t b = 0; b < 2; b++) n->matrix[(3 * at + 1 + b) * rows + 3 * at + 1 + a] += s * ((a == b) - turn * side[a] * side[b]);
    n->step[3 * at + 1 + a] = -s * (f[1 + a] - mu * f[0] * t[a]);
  }
}

/* Share of the step that can be gone until a contact that pushes would pull: contacts that share a force hand it over until one of them
 * opens. Steps that are no longer than forces and velocities are are gone whole: those only close in. */
static double share_of(const newton *n)
{
  const fem_contact_problem *p = n->problem;
  double share = 1, force = 0, velocity = 0, length = 0;
  size_t d = p->directions;
  for (size_t k = 0; k < d * p->touches->count; k++) {
    force = fmax(force, n->scale[k / d] * fabs(p->force[k]));
    velocity = fmax(velocity, fabs(p->q[k]));
  }
  for (size_t k = 0; k < d * n->closed; k++) length = fmax(length, n->scale[n->contact[k / d]] * fabs(n->step[k]));
  if (length <= fmax(force, least_reach * velocity)) return 1;
  for (size_t at = 0; at < n->closed; at++) {
    double now = p->force[d * n->contact[at]], change = n->step[d * at];
    if (now > 0 && now + change < 0) share = fmin(share, now / -change);
  }
  return share;
}

static scr_status solve_step(newton *n, scr_error *error)
{
  const fem_contact_problem *p = n->problem;
  size_t d = p->directions, rows = d * n->closed;
  for (size_t at = 0; at < n->closed; at++) {
    const double *u = p->relative + d * n->contact[at];
    write_sticking(n, at, u);
    if (n->state[n->contact[at]] == SLIDING) write_sliding(n, at, u);
  }
  SCR_TRY(la_dense_solve(rows, n->matrix, n->step, error));
  double share = share_of(n);
  for (size_t at = 0; at < n->closed; at++) {
    double *f = p->force + d * n->contact[at];
    bool opens = share < 1 && f[0] > 0 && f[0] + opening * share * n->step[d * at] <= 0;
    for (size_t a = 0; a < d; a++) f[a] = opens ? 0 : f[a] + share * n->step[d * at + a];
  }
  return SCR_OK;
}

scr_status fem_contact_newton_step(fem_contact_problem *p, scr_error *error)
{
  size_t contacts = p->touches->count;
  newton n = {.problem = p,
              .contact = mem_array(contacts, sizeof *n.contact),
              .state = mem_array(contacts, sizeof *n.state),
              .scale = mem_array(contacts, sizeof *n.scale)};
  scr_status status = SCR_NO_MEMORY;
  if (!n.contact || !n.state || !n.scale)
    (void)scr_fail_memory(error, "cases of contacts", contacts * sizeof *n.scale);
  else {
    choose_cases(&n);
    size_t rows = p->directions * n.closed;
    n.matrix = mem_array(rows * rows, sizeof *n.matrix);
    n.step = mem_array(rows, sizeof *n.step);
    status = n.matrix && n.step ? solve_step(&n, error) : scr_fail_memory(error, "equations of contacts", rows * rows * sizeof *n.matrix);
  }
  mem_free(n.contact);
  mem_free(n.state);
  mem_free(n.scale);
  mem_free(n.matrix);
  mem_free(n.step);
  return status;
}
