/* Making and solving a contact problem. */
#include "methods/fem/dynamics/contact_problem.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "sim/fields.h"
#include "contact/contact.h"
#include "linalg/dense.h"
#include "methods/fem/dynamics/contact_newton.h"

enum {
  ENTRIES = 3 * FEM_TOUCH_NODES,
  FIRST_SWEEPS = 20, /* before Newton's method; twice as many where that fails, and so on */
  LAST_SWEEPS = 1280,
  NEWTON_STEPS = 60,
  NEWTON_PATIENCE = 2, /* steps that don't halve the residual */
  JUDGED = 10 /* sweeps between two looks at the residual */,
};
enum { MOST_UNKNOWNS = 6000, FACTORS = 120 };
static const double wanted = 1e-11, enough = 1e-9; /* of the relative residual: aimed at; above which sweeps go on to their limit */

/* What a contact pushes: unknowns and, for each direction, how much. */
typedef struct lever {
  size_t count;
  uint32_t unknown[ENTRIES];
  double share[ENTRIES][3];
} lever;

static lever lever_of(const fem_contact_problem *p, size_t k)
{
  const fem_touch *touch = &p->touches->item[k];
  lever l = {0};
  for (uint32_t i = 0; i < touch->node_count; i++)
    for (size_t x = 0; x < 3; x++) {
      size_t unknown = 3 * (size_t)touch->node[i] + x;
      bool moves = false;
      for (unsigned a = 0; a < p->directions; a++) {
        l.share[l.count][a] = touch->share[i] * touch->axis[a][x];
        moves = moves || l.share[l.count][a] != 0;
      }
      if (moves && !p->fixed[unknown]) l.unknown[l.count++] = (uint32_t)unknown;
    }
  return l;
}

static size_t size_of(const fem_contact_problem *p)
{
  return p->directions * p->touches->count;
}

void fem_contact_problem_clear(fem_contact_problem *p)
{
  mem_free(p->workspace);
  *p = (fem_contact_problem){0};
}

/* Adds all unknowns of the touches to C. */
static scr_status add_unknowns(const fem_contact_problem *p, fem_compliance *c, la_factor *factor, const scr_liveness *liveness,
                               scr_error *error)
{
  size_t count = 0;
  uint32_t *list = mem_array(ENTRIES * p->touches->count, sizeof *list);
  if (!list) return scr_fail_memory(error, "contacts' unknowns", ENTRIES * p->touches->count * sizeof *list);
  for (size_t k = 0; k < p->touches->count; k++) {
    lever l = lever_of(p, k);
    memcpy(list + count, l.unknown, l.count * sizeof *list);
    count += l.count;
  }
  if (c->count + count > MOST_UNKNOWNS) fem_compliance_forget(c); /* of what nothing touches any more */
  scr_status status = fem_compliance_add(c, factor, list, count, liveness, error);
  mem_free(list);
  return status;
}

/* Rows of contact k: first A_k^T C, over all unknowns of C, then times A; up to the diagonal, the rest is the same. @param all [count] */
static void fill_rows(fem_contact_problem *p, const fem_compliance *c, const lever *all, size_t k, double *row)
{
  size_t size = size_of(p);
  const lever own = all[k];
  for (unsigned a = 0; a < p->directions; a++) {
    memset(row, 0, c->count * sizeof *row);
    for (size_t e = 0; e < own.count; e++) {
      const double *from = c->value + (size_t)(c->place[own.unknown[e]] - 1) * c->stride;
      double share = own.share[e][a];
      for (size_t x = 0; x < c->count; x++) row[x] += share * from[x];
    }
    for (size_t j = 0; j <= k; j++) {
      const lever *other = &all[j];
      for (unsigned b = 0; b < p->directions; b++) {
        double sum = 0;
        for (size_t e = 0; e < other->count; e++) sum += other->share[e][b] * row[c->place[other->unknown[e]] - 1];
        p->w[(p->directions * k + a) * size + p->directions * j + b] = sum;
      }
    }
  }
}

scr_status fem_contact_problem_make(fem_contact_problem *p, const fem_touches *touches, const unsigned char *fixed, bool impact,
                                    fem_compliance *c, la_factor *factor, const scr_liveness *liveness, scr_error *error)
{
  p->touches = touches;
  p->fixed = fixed;
  p->directions = 1;
  for (size_t k = 0; k < touches->count && !impact; k++)
    if (touches->item[k].friction > 0) p->directions = 3;
  SCR_TRY(add_unknowns(p, c, factor, liveness, error));
  size_t size = size_of(p), needed = size * size + 3 * size + touches->count + c->count;
  SCR_TRY(mem_reserve(&p->workspace, &p->capacity, needed, sizeof *p->workspace, "a contact problem", error));
  p->w = p->workspace, p->q = p->w + size * size, p->force = p->q + size;
  p->relative = p->force + size, p->friction = p->relative + size;
  double *row = p->friction + touches->count;
  lever *all = mem_array(touches->count, sizeof *all);
  if (!all) return scr_fail_memory(error, "contacts' levers", touches->count * sizeof *all);
  for (size_t k = 0; k < touches->count; k++) {
    all[k] = lever_of(p, k);
    p->friction[k] = impact ? 0 : touches->item[k].friction;
  }
  for (size_t k = 0; k < touches->count; k++) fill_rows(p, c, all, k, row);
  mem_free(all);
  for (size_t r = 0; r < size; r++)
    for (size_t k = 0; k < r; k++) p->w[k * size + r] = p->w[r * size + k];
  return SCR_OK;
}

/* ── sweeps ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Largest natural map of a contact over the largest q. */
static double residual_of(fem_contact_problem *p)
{
  double worst = 0, most = 0;
  fem_contact_velocities(p);
  for (size_t k = 0; k < size_of(p); k++) most = fmax(most, fabs(p->q[k]));
  for (size_t i = 0; i < p->touches->count; i++) {
    double block[9] = {0}, scale = fem_contact_own_block(p, i, block);
    const double *f = p->force + p->directions * i, *u = p->relative + p->directions * i;
    double residual =
        p->directions == 3 ? cone_residual(3, p->friction[i], scale, u, f) : fabs(scale * f[0] - fmax(0, scale * f[0] - u[0]));
    if (!isfinite(residual)) return INFINITY;
    worst = fmax(worst, residual);
  }
  return most > 0 ? worst / most : 0;
}

/* One contact by itself, exactly, the others as they are. One that nothing can move has no force.
 * @param change receives that of its forces */
static void solve_alone(const fem_contact_problem *p, size_t i, double change[3])
{
  double u[3] = {0}, block[9] = {0};
  const double *f = p->force + p->directions * i;
  memcpy(u, p->relative + p->directions * i, p->directions * sizeof *u);
  if (!(fem_contact_own_block(p, i, block) > 0)) {
    for (size_t a = 0; a < p->directions; a++) change[a] = -f[a];
    return;
  }
  if (p->directions == 1) {
    change[0] = fmax(0, f[0] - u[0] / block[0]) - f[0];
    return;
  }
  double trial[3] = {f[0], f[1], f[2]};
  for (size_t a = 0; a < 3; a++) u[a] -= block[a] * f[0] + block[3 + a] * f[1] + block[6 + a] * f[2];
  const local_problem one = {3, p->friction[i], block, u};
  bool ok = local_solve(LOCAL_REVERSED_HYBRID, &one, trial, NULL);
  for (size_t a = 0; a < 3; a++) change[a] = (ok ? 1 : 0.5) * (trial[a] - f[a]);
}

/* One contact after the other; `relative` goes along. */
static void sweep(fem_contact_problem *p)
{
  for (size_t i = 0; i < p->touches->count; i++) {
    double change[3] = {0};
    solve_alone(p, i, change);
    fem_contact_push(p, i, change);
    for (size_t a = 0; a < p->directions; a++) p->force[p->directions * i + a] += change[a];
  }
}

/* Sweeps until the residual is small enough, or at most `limit` times.  @return the residual */
static double sweep_up_to(fem_contact_problem *p, unsigned limit)
{
  double left = residual_of(p);
  for (unsigned sweeps = 0; !(left <= wanted) && sweeps < limit; sweeps += JUDGED) {
    for (int k = 0; k < JUDGED; k++) sweep(p);
    left = residual_of(p);
  }
  return left;
}

/* ── Newton's method ────────────────────────────────────────────────────────────────────────────────────────────── */

/* Steps of Newton's method from where sweeps are, with a few sweeps after steps that make nothing better: they settle which contacts are
 * open. What is best stays. @return the residual through `left` */
static scr_status newton_from(fem_contact_problem *p, double *left, scr_error *error)
{
  size_t size = size_of(p);
  double *best = mem_array(size, sizeof *best);
  if (!best) return scr_fail_memory(error, "forces of contacts", size * sizeof *best);
  memcpy(best, p->force, size * sizeof *best);
  scr_status status = SCR_OK;
  for (unsigned steps = 0, in_vain = 0; steps < NEWTON_STEPS && in_vain < NEWTON_PATIENCE && !(*left <= wanted); steps++) {
    status = fem_contact_newton_step(p, error);
    if (status != SCR_OK) break;
    double now = residual_of(p);
    if (!(now < *left) && isfinite(now)) {
      for (int k = 0; k < JUDGED; k++) sweep(p);
      now = residual_of(p);
    }
    in_vain = now < 0.5 * *left ? 0 : in_vain + 1;
    if (now < *left)
      memcpy(best, p->force, size * sizeof *best), *left = now;
    else if (!isfinite(now))
      break;
  }
  memcpy(p->force, best, size * sizeof *best);
  mem_free(best);
  return status == SCR_DIVERGED ? SCR_OK : status;
}

/* ── the strong solvers ─────────────────────────────────────────────────────────────────────────────────────────── */

/* A problem of contact/ and what it borrows. */
typedef struct borrowed {
  contact_problem problem;
  uint32_t *number;               /* [C's count] 1 + number of the unknown here; 0: none */
  uint32_t *unknown;              /* [count] of C */
  size_t known, square, contacts; /* unknowns of C; that squared; contacts: lengths of the arrays */
  size_t count, entries;
  la_sparse mass;
  size_t *first;
  uint32_t *block;
  double *jacobian, *momentum, *offset, *friction, *impulse, *velocity, *relative;
} borrowed;

enum { FIELDS = 14 };
static const sim_field fields[FIELDS] = {
    FIELD_ARRAY("numbers of unknowns", borrowed, number, known, 0),
    FIELD_ARRAY("unknowns", borrowed, unknown, known, 0),
    FIELD_STARTS("columns of the mass", borrowed, mass.first, known, 0),
    FIELD_ARRAY("rows of the mass", borrowed, mass.row, square, 0),
    FIELD_ARRAY("the mass", borrowed, mass.value, square, 0),
    FIELD_ARRAY("momenta", borrowed, momentum, known, 0),
    FIELD_ARRAY("velocities", borrowed, velocity, known, 0),
    FIELD_STARTS("blocks of contacts", borrowed, first, contacts, 0),
    FIELD_ROWS("blocks", borrowed, block, contacts, ENTRIES, 0),
    FIELD_ROWS("Jacobians", borrowed, jacobian, contacts, 3 * ENTRIES, 0),
    FIELD_ARRAY("frictions", borrowed, friction, contacts, 0),
    FIELD_ROWS("offsets", borrowed, offset, contacts, 3, 0),
    FIELD_ROWS("impulses", borrowed, impulse, contacts, 3, 0),
    FIELD_ROWS("relative velocities", borrowed, relative, contacts, 3, 0),
};

/* The mass of what touches: C of these unknowns alone, turned around. */
static scr_status make_mass(borrowed *b, const fem_compliance *c, scr_error *error)
{
  size_t n = b->count;
  for (size_t k = 0; k < n; k++) {
    b->mass.first[k + 1] = (k + 1) * n;
    for (size_t r = 0; r < n; r++) {
      b->mass.row[k * n + r] = (uint32_t)r;
      b->mass.value[k * n + r] = fem_compliance_at(c, b->unknown[r], b->unknown[k]);
    }
  }
  b->mass.row_count = b->mass.column_count = n;
  return la_dense_positive_inverse(n, b->mass.value, error);
}

/* Contacts that something moves, with their levers. */
static void list_contacts(borrowed *b, const fem_contact_problem *p, const fem_compliance *c, unsigned d)
{
  for (size_t k = 0; k < p->touches->count; k++) {
    lever l = lever_of(p, k);
    for (size_t e = 0; e < l.count; e++) {
      uint32_t at = c->place[l.unknown[e]] - 1;
      if (b->number[at] == 0) b->unknown[b->count++] = l.unknown[e], b->number[at] = (uint32_t)b->count;
      b->block[b->entries] = b->number[at] - 1;
      for (unsigned a = 0; a < d; a++) b->jacobian[d * b->entries + a] = a < p->directions ? l.share[e][a] : 0;
      b->entries++;
    }
    b->first[k + 1] = b->entries;
    b->friction[k] = p->friction[k];
    for (unsigned a = 0; a < d; a++) {
      b->offset[d * k + a] = a < p->directions ? p->q[p->directions * k + a] : 0;
      b->impulse[d * k + a] = a < p->directions ? p->force[p->directions * k + a] : 0;
    }
  }
}

static scr_status borrow(borrowed *b, const fem_contact_problem *p, const fem_compliance *c, unsigned d, scr_error *error)
{
  b->known = c->count;
  b->square = c->count * c->count;
  b->contacts = p->touches->count;
  SCR_TRY(fields_allocate(fields, FIELDS, b, error));
  list_contacts(b, p, c, d);
  SCR_TRY(make_mass(b, c, error));
  b->problem = (contact_problem){.dimension = d,
                                 .contact_count = b->contacts,
                                 .block_size = 1,
                                 .block_count = b->count,
                                 .mass = &b->mass,
                                 .momentum = b->momentum,
                                 .first = b->first,
                                 .block = b->block,
                                 .jacobian = b->jacobian,
                                 .offset = b->offset,
                                 .friction = b->friction};
  return SCR_OK;
}

/* From the forces there are to better ones, by the solvers of contact/. What they can't do leaves them as they are. */
static scr_status solve_strongly(fem_contact_problem *p, const fem_compliance *c, scr_execution execution, double *left, scr_error *error)
{
  borrowed b = {0};
  unsigned d = p->directions == 3 ? 3 : 2;
  contact_options options = contact_options_default();
  contact_result result;
  options.solver = CONTACT_HYBRID;
  options.tolerance = wanted;
  options.execution = execution;
  options.factor_limit = FACTORS;
  scr_status status = borrow(&b, p, c, d, error);
  if (status == SCR_OK) status = contact_solve(&b.problem, &options, b.impulse, b.velocity, b.relative, &result, error);
  if (status == SCR_OK) {
    for (size_t k = 0; k < p->touches->count; k++) /* the two trade places, so that the better one can be kept */
      for (unsigned a = 0; a < p->directions; a++) {
        double was = p->force[p->directions * k + a];
        p->force[p->directions * k + a] = b.impulse[d * k + a];
        b.impulse[d * k + a] = was;
      }
    double now = residual_of(p);
    for (size_t k = 0; k < p->touches->count && !(now < *left); k++)
      for (unsigned a = 0; a < p->directions; a++) p->force[p->directions * k + a] = b.impulse[d * k + a];
    *left = fmin(*left, now);
  }
  fields_free(fields, FIELDS, &b);
  return status == SCR_NO_MEMORY ? status : SCR_OK;
}

scr_status fem_contact_problem_solve(fem_contact_problem *p, const fem_compliance *c, unsigned sweep_limit, scr_execution execution,
                                     double *residual, scr_error *error)
{
  for (unsigned sweeps = FIRST_SWEEPS; sweeps <= LAST_SWEEPS; sweeps *= 2) {
    *residual = sweep_up_to(p, sweeps < sweep_limit ? sweeps : sweep_limit);
    if (!(*residual <= wanted)) SCR_TRY(newton_from(p, residual, error));
    if (*residual <= wanted) return SCR_OK;
  }
  SCR_TRY(solve_strongly(p, c, execution, residual, error));
  if (!(*residual <= enough)) *residual = sweep_up_to(p, sweep_limit);
  return SCR_OK;
}
