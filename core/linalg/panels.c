/* Substitution by panels, see panels.h. */
#include "linalg/panels.h"

#include <stdbool.h>
#include <string.h>

#include "linalg/wide.h"

#define INLINE static inline __attribute__((always_inline))

enum { COLUMNS = 4, LANES = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Columns of a panel: rows 0 ... width - 1 are its triangle. */
typedef struct panel {
  size_t width, height;
  const SuiteSparse_long *row; /* [height] unknowns in the factor's order */
  const double *value;         /* [width][height] */
} panel;

static panel panel_of(const cholmod_factor *f, size_t s)
{
  const SuiteSparse_long *first = f->super, *rows = f->pi, *values = f->px, *row = f->s;
  const double *value = f->x;
  return (panel){.width = (size_t)(first[s + 1] - first[s]),
                 .height = (size_t)(rows[s + 1] - rows[s]),
                 .row = row + rows[s],
                 .value = value + values[s]};
}

size_t la_panels_work(const cholmod_factor *f)
{
  size_t most = 0;
  for (size_t s = 0; s < f->nsuper; s++) {
    size_t height = panel_of(f, s).height;
    most = height > most ? height : most;
  }
  return f->n + most;
}

/* ── down: L y = b ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* Columns c ... c + count - 1: solved, then taken out of the rows below. @param t [height] */
INLINE void substitute_down(const panel *p, size_t c, size_t count, double *t)
{
  const size_t height = p->height;
  const double *a = p->value + c * height;
  for (size_t k = 0; k < count; k++) {
    t[c + k] /= a[k * height + c + k];
    for (size_t r = k + 1; r < count; r++) t[c + r] -= a[k * height + c + r] * t[c + k];
  }
  size_t r = c + count;
  for (; r + LANES <= height; r += LANES) {
    lanes sum = *(const lanes *)(t + r);
    for (size_t k = 0; k < count; k++) sum -= *(const lanes *)(a + k * height + r) * t[c + k];
    *(lanes *)(t + r) = sum;
  }
  for (; r < height; r++)
    for (size_t k = 0; k < count; k++) t[r] -= a[k * height + r] * t[c + k];
}

/* @param y [n] of which `at` is the panel's first    @param t [height] */
WIDE static void go_down(const panel *p, double *restrict y, size_t at, double *restrict t)
{
  bool reached = false;
  for (size_t c = 0; c < p->width; c++) reached = reached || y[at + c] != 0;
  if (!reached) return;
  memcpy(t, y + at, p->width * sizeof *t);
  memset(t + p->width, 0, (p->height - p->width) * sizeof *t);
  size_t c = 0;
  for (; c + COLUMNS <= p->width; c += COLUMNS) substitute_down(p, c, COLUMNS, t);
  for (; c < p->width; c++) substitute_down(p, c, 1, t);
  memcpy(y + at, t, p->width * sizeof *t);
  for (size_t r = p->width; r < p->height; r++) y[p->row[r]] += t[r];
}

/* ── up: L^T x = y ──────────────────────────────────────────────────────────────────────────────────────────────── */

INLINE void substitute_up(const panel *p, size_t c, size_t count, double *t)
{
  const size_t height = p->height;
  const double *a = p->value + c * height;
  lanes sum[COLUMNS] = {{0}};
  double rest[COLUMNS] = {0};
  size_t r = c + count;
  for (; r + LANES <= height; r += LANES)
    for (size_t k = 0; k < count; k++) sum[k] += *(const lanes *)(a + k * height + r) * *(const lanes *)(t + r);
  for (; r < height; r++)
    for (size_t k = 0; k < count; k++) rest[k] += a[k * height + r] * t[r];
  for (size_t k = count; k-- > 0;) {
    double left = t[c + k] - ((sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]) + rest[k]);
    for (size_t m = k + 1; m < count; m++) left -= a[k * height + c + m] * t[c + m];
    t[c + k] = left / a[k * height + c + k];
  }
}

WIDE static void go_up(const panel *p, double *restrict x, size_t at, double *restrict t)
{
  memcpy(t, x + at, p->width * sizeof *t);
  for (size_t r = p->width; r < p->height; r++) t[r] = x[p->row[r]];
  size_t whole = p->width / COLUMNS * COLUMNS;
  for (size_t c = p->width; c-- > whole;) substitute_up(p, c, 1, t);
  for (size_t c = whole; c > 0; c -= COLUMNS) substitute_up(p, c - COLUMNS, COLUMNS, t);
  memcpy(x + at, t, p->width * sizeof *t);
}

void la_panels_solve(const cholmod_factor *f, const double *b, double *x, double *work)
{
  const SuiteSparse_long *order = f->Perm, *first = f->super;
  double *y = work, *t = work + f->n;
  for (size_t k = 0; k < f->n; k++) y[k] = b[order ? (size_t)order[k] : k];
  for (size_t s = 0; s < f->nsuper; s++) {
    const panel p = panel_of(f, s);
    go_down(&p, y, (size_t)first[s], t);
  }
  for (size_t s = f->nsuper; s-- > 0;) {
    const panel p = panel_of(f, s);
    go_up(&p, y, (size_t)first[s], t);
  }
  for (size_t k = 0; k < f->n; k++) x[order ? (size_t)order[k] : k] = y[k];
}
