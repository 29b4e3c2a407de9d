/* Residual, sweeps and Newton's method of an island. */
#include "methods/fem/dynamics/contact_island.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/local/local.h"
#include "linalg/dense.h"
#include "linalg/wide.h"

enum {
  JUDGED = 10, /* sweeps between two looks at the residual */
  STEPS = 40,
  CUTS = 10,    /* halves of a careful step */
  PATIENCE = 10 /* whole steps that don't halve the residual */
};
static const double raised = 1e-10;   /* share of the diagonal */
static const double kept_ratio = 0.1; /* of what is missing after and before a step with an earlier factor, above which that is too old */
static const double careful_share = 0.01, least_share = 1e-13, most_share = 1e-3; /* the same of careful steps, of the residual */

/* u += column c of W, which is symmetric, times f. */
WIDE static void add_column(const double *restrict w, size_t size, double f, double *restrict u)
{
  for (size_t r = 0; r < size; r++) u[r] += w[r] * f;
}

/* The velocities after the forces of contact i changed by `change`, [directions]. */
static void push(fem_island *island, size_t i, const double *change)
{
  size_t d = island->directions, size = d * island->count;
  for (size_t a = 0; a < d; a++)
    if (change[a] != 0) add_column(island->w + (d * i + a) * size, size, change[a], island->relative);
}

void fem_island_velocities(fem_island *island)
{
  memcpy(island->relative, island->q, island->directions * island->count * sizeof *island->q);
  for (size_t i = 0; i < island->count; i++) push(island, i, island->force + island->directions * i);
}

void fem_island_scale(fem_island *island)
{
  size_t d = island->directions, size = d * island->count;
  for (size_t i = 0; i < island->count; i++) {
    double trace = 0;
    for (size_t a = 0; a < d; a++) trace += island->w[(d * i + a) * (size + 1)];
    island->scale[i] = trace / (double)d;
  }
}

double fem_island_residual(fem_island *island, double most)
{
  double worst = 0;
  fem_island_velocities(island);
  for (size_t i = 0; i < island->count; i++) {
    const double *f = island->force + island->directions * i, *u = island->relative + island->directions * i, s = island->scale[i];
    double residual = island->directions == 3 ? cone_residual(3, island->friction[i], s, u, f) : fabs(s * f[0] - fmax(0, s * f[0] - u[0]));
    if (!isfinite(residual)) return INFINITY;
    worst = fmax(worst, residual);
  }
  return most > 0 ? worst / most : 0;
}

/* One contact by itself, exactly, the others as they are. One that nothing can move has no force.
 * @param change receives that of its forces */
static void solve_alone(const fem_island *island, size_t i, double change[3])
{
  size_t d = island->directions, size = d * island->count;
  const double *f = island->force + d * i, *u = island->relative + d * i, *own = island->w + d * i * size + d * i;
  if (!(island->scale[i] > 0)) {
    for (size_t a = 0; a < d; a++) change[a] = -f[a];
    return;
  }
  if (d == 1) {
    change[0] = fmax(0, f[0] - u[0] / own[0]) - f[0];
    return;
  }
  double block[9], without[3], trial[3] = {f[0], f[1], f[2]};
  for (size_t a = 0; a < 3; a++)
    for (size_t b = 0; b < 3; b++) block[3 * b + a] = own[a * size + b];
  for (size_t a = 0; a < 3; a++) without[a] = u[a] - (block[a] * f[0] + block[3 + a] * f[1] + block[6 + a] * f[2]);
  const local_problem one = {3, island->friction[i], block, without};
  bool ok = local_solve(LOCAL_REVERSED_HYBRID, &one, trial, NULL);
  for (size_t a = 0; a < 3; a++) change[a] = (ok ? 1 : 0.5) * (trial[a] - f[a]);
}

/* One contact after the other; velocities go along. */
static void sweep(fem_island *island)
{
  island->sweeps++;
  for (size_t i = 0; i < island->count; i++) {
    double change[3] = {0};
    solve_alone(island, i, change);
    push(island, i, change);
    for (size_t a = 0; a < island->directions; a++) island->force[island->directions * i + a] += change[a];
  }
}

double fem_island_sweep(fem_island *island, double most, double wanted, unsigned limit)
{
  double left = fem_island_residual(island, most);
  for (unsigned sweeps = 0; !(left <= wanted) && sweeps < limit; sweeps += JUDGED) {
    for (int k = 0; k < JUDGED; k++) sweep(island);
    left = fem_island_residual(island, most);
  }
  return left;
}

/* ── Newton's method ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* A contact that is closed. */
typedef struct closed_contact {
  uint32_t contact;
  bool sliding;
  double slope[9];   /* D, row by row; of one direction its first entry */
  double missing[3]; /* -(s f - P), m/s */
} closed_contact;

/* What a step works on: rows are the directions of closed contacts, one contact after the other. */
typedef struct newton {
  fem_island *island;
  size_t count;
  bool sliding; /* one of them: else the equations are symmetric */
  closed_contact *closed;
  double *matrix, *step, *before; /* [rows][rows] by columns; [rows]; [size] velocities at the start */
} newton;

/* P and D of one contact with friction. @param y [3], y_n > 0    @return whether it slides */
static bool cut_to_cone(double friction, const double *y, double cut[3], double slope[9])
{
  double length = hypot(y[1], y[2]), most = friction * y[0];
  memcpy(cut, y, 3 * sizeof *cut);
  memset(slope, 0, 9 * sizeof *slope);
  slope[0] = slope[4] = slope[8] = 1;
  if (length < most) return false;
  const double t[2] = {length > 0 ? y[1] / length : 0, length > 0 ? y[2] / length : 0};
  double turn = length > 0 ? most / length : 0; /* by how much the cut turns with y */
  for (size_t a = 0; a < 2; a++) {
    cut[1 + a] = most * t[a];
    slope[3 * (1 + a)] = friction * t[a];
    for (size_t b = 0; b < 2; b++) slope[3 * (1 + a) + 1 + b] = turn * ((a == b) - t[a] * t[b]);
  }
  return true;
}

typedef enum contact_case { OPEN, STICKING, SLIDING } contact_case;

/* P - s f of contact i, and D; of one direction the first entries. */
static contact_case find_missing(const fem_island *island, size_t i, double missing[3], double slope[9])
{
  size_t d = island->directions;
  double y[3] = {0}, cut[3] = {0}, s = island->scale[i];
  bool sliding = false;
  for (size_t a = 0; a < d; a++) y[a] = s * island->force[d * i + a] - island->relative[d * i + a];
  bool closed = s > 0 && y[0] > 0;
  slope[0] = 1;
  if (closed) cut[0] = y[0];
  if (closed && d == 3) sliding = cut_to_cone(island->friction[i], y, cut, slope);
  for (size_t a = 0; a < d; a++) missing[a] = cut[a] - s * island->force[d * i + a];
  return !closed ? OPEN : sliding ? SLIDING : STICKING;
}

/* Lists what is closed, and takes the forces of all else. @return whether there were any */
static bool choose_cases(newton *n)
{
  fem_island *island = n->island;
  const size_t d = island->directions;
  bool taken = false;
  for (size_t i = 0; i < island->count; i++) {
    closed_contact *c = &n->closed[n->count];
    contact_case is = find_missing(island, i, c->missing, c->slope);
    n->sliding = n->sliding || is == SLIDING;
    c->contact = (uint32_t)i, c->sliding = is == SLIDING;
    if (is != OPEN) {
      n->count++;
      continue;
    }
    for (size_t a = 0; a < d; a++) taken = taken || island->force[d * i + a] != 0;
    memset(island->force + d * i, 0, d * sizeof *island->force);
  }
  return taken;
}

/* The right-hand side: velocities have changed by what opened. */
static void write_missing(newton *n)
{
  const fem_island *island = n->island;
  size_t d = island->directions;
  for (size_t at = 0; at < n->count; at++) {
    const closed_contact *c = &n->closed[at];
    for (size_t a = 0; a < d; a++) {
      n->step[d * at + a] = c->missing[a];
      for (size_t b = 0; b < d; b++) {
        size_t r = d * c->contact + b;
        n->step[d * at + a] -= c->slope[3 * a + b] * (island->relative[r] - n->before[r]);
      }
    }
  }
}

/* Columns of contact `from`, the so many-th that is closed: D W, and s (1 - D) on the diagonal. */
static void write_columns(newton *n, size_t from, double share)
{
  const fem_island *island = n->island;
  size_t d = island->directions, size = d * island->count, rows = d * n->count;
  for (size_t b = 0; b < d; b++) {
    const double *w = island->w + (d * n->closed[from].contact + b) * size;
    double *column = n->matrix + (d * from + b) * rows;
    for (size_t at = 0; at < n->count; at++) {
      const closed_contact *c = &n->closed[at];
      const double *own = w + d * c->contact;
      if (d == 1)
        column[at] = own[0];
      else
        for (size_t a = 0; a < 3; a++)
          column[3 * at + a] = c->slope[3 * a] * own[0] + c->slope[3 * a + 1] * own[1] + c->slope[3 * a + 2] * own[2];
    }
    double s = island->scale[n->closed[from].contact];
    for (size_t a = 0; a < d; a++) column[d * from + a] += s * ((a == b) * share + ((a == b) - n->closed[from].slope[3 * a + b]));
  }
}

static uint32_t case_of(const closed_contact *c)
{
  return 2 * c->contact + c->sliding;
}

/* Whether the factor there is is one of the same cases. */
static bool is_factor_kept(const newton *n)
{
  bool same = n->count > 0 && n->island->factored == n->count;
  for (size_t at = 0; same && at < n->count; at++) same = n->island->cases[at] == case_of(&n->closed[at]);
  return same;
}

static scr_status factorise(newton *n, double share, scr_error *error)
{
  fem_island *island = n->island;
  size_t rows = island->directions * n->count;
  scr_status status = SCR_DIVERGED;
  island->steps++;
  island->factored = 0;
  for (size_t at = 0; at < n->count; at++) write_columns(n, at, share);
  island->signs = n->sliding;
  if (!n->sliding) {
    status = la_dense_positive_factor(rows, n->matrix, NULL);
    island->signs = status == SCR_DIVERGED; /* W is singular but for its rounding */
    for (size_t at = 0; island->signs && at < n->count; at++) write_columns(n, at, share);
  }
  if (island->signs) status = la_dense_factor(rows, n->matrix, island->pivot, error);
  if (status != SCR_OK) return status;
  island->factored = n->count;
  for (size_t at = 0; at < n->count; at++) island->cases[at] = case_of(&n->closed[at]);
  return SCR_OK;
}

/* The change of the forces of what is closed, into n->step. */
static scr_status find_step(newton *n, double share, bool *kept, scr_error *error)
{
  fem_island *island = n->island;
  size_t rows = island->directions * n->count;
  write_missing(n);
  *kept = *kept && is_factor_kept(n);
  if (!*kept) SCR_TRY(factorise(n, share, error));
  return island->signs ? la_dense_solve(rows, n->matrix, island->pivot, n->step, error)
                       : la_dense_positive_solve(rows, n->matrix, n->step, error);
}

static void add_step(const newton *n)
{
  size_t d = n->island->directions;
  for (size_t at = 0; at < n->count; at++)
    for (size_t a = 0; a < d; a++) n->island->force[d * n->closed[at].contact + a] += n->step[d * at + a];
}

/* Sum of squares of s f - P. Takes velocities along. */
static double miss_of(fem_island *island)
{
  double sum = 0;
  fem_island_velocities(island);
  for (size_t i = 0; i < island->count; i++) {
    double missing[3], slope[9];
    (void)find_missing(island, i, missing, slope);
    for (size_t a = 0; a < island->directions; a++) sum += missing[a] * missing[a];
  }
  return sum;
}

/* Half the step, and half of that, as long as that misses by more than `most`. The forces of what opens go by the same part.
 * @param opened [size] forces before the step */
static void shorten(const newton *n, const double *before, double most)
{
  fem_island *island = n->island;
  size_t size = island->directions * island->count;
  for (int cut = 0; cut < CUTS && !(miss_of(island) <= most); cut++)
    for (size_t k = 0; k < size; k++) island->force[k] = 0.5 * (island->force[k] + before[k]);
}

/* One step from where velocities are those of the forces. @param former NULL: the whole step; else what the last two points missed by, the
 * older first: the step is made shorter until it misses by no more than the larger of them
 * @param kept  whether an earlier factor may serve; receives whether it did */
static scr_status make_step(fem_island *island, double share, double former[2], bool *kept, scr_error *error)
{
  size_t size = island->directions * island->count;
  newton n = {.island = island, .matrix = island->work, .step = island->work + size * size, .before = island->work + size * size + size};
  double *force = island->work + size * size + 3 * size;
  n.closed = mem_array(island->count, sizeof *n.closed);
  if (!n.closed) return scr_fail_memory(error, "closed contacts", island->count * sizeof *n.closed);
  if (former) {
    memcpy(force, island->force, size * sizeof *force);
    former[0] = former[1], former[1] = miss_of(island);
  }
  memcpy(n.before, island->relative, size * sizeof *n.before);
  if (choose_cases(&n)) fem_island_velocities(island);
  scr_status status = find_step(&n, share, kept, error);
  if (status == SCR_OK) add_step(&n);
  if (status == SCR_OK && former) shorten(&n, force, fmax(former[0], former[1]));
  mem_free(n.closed);
  return status;
}

scr_status fem_contact_newton_step(fem_island *island, double share, scr_error *error)
{
  bool kept = false;
  fem_island_velocities(island);
  return make_step(island, share, NULL, &kept, error);
}

scr_status fem_contact_newton(fem_island *island, double most, double wanted, bool careful, double *left, scr_error *error)
{
  size_t size = island->directions * island->count;
  double *best = island->work + size * size + 2 * size, now = fem_island_residual(island, most), former[2] = {0};
  scr_status status = SCR_OK;
  bool kept = !careful;
  memcpy(best, island->force, size * sizeof *best);
  *left = now;
  for (unsigned steps = 0, in_vain = 0; steps < STEPS && (careful || in_vain < PATIENCE) && !(*left <= wanted); steps++) {
    double share = careful ? fmin(most_share, fmax(least_share, careful_share * now)) : raised;
    double before = now;
    status = make_step(island, share, careful ? former : NULL, &kept, error);
    if (status != SCR_OK) break;
    now = fem_island_residual(island, most);
    kept = !careful && (!kept || now < kept_ratio * before);
    in_vain = now < 0.5 * *left ? 0 : in_vain + 1;
    if (now < *left)
      memcpy(best, island->force, size * sizeof *best), *left = now;
    else if (!isfinite(now))
      break;
  }
  if (careful) island->factored = 0; /* its diagonal was raised by more */
  memcpy(island->force, best, size * sizeof *best);
  return status == SCR_DIVERGED ? SCR_OK : status;
}
