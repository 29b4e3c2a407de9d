/* The matrix of a step: bonds by their ends, then spheres by their rows, so that threads never add to the same block.
 *
 *  With the 9 x 9 Hessian of a bond in (e, y_i, y_j), e = p_j - p_i and y = z / r, its blocks ij and ji hold all of what it adds to the
 *  diagonal blocks of both ends, but for the rotational corner:
 *    B = [ -ee, ..; B10, .. ]  adds  [ ee, -B10^T; -B10, ii/r^2 ]
 *  so a diagonal block is a sum over the row's own blocks and one corner per bond end that is kept aside. Rows add in the order of their
 *  columns: the bits don't depend on threads. */
#include <string.h>

#include "methods/bdem/contact/contact.h"
#include "methods/bdem/implicit/step_problem.h"

/* The corner (row, column) of a 6 x 6 block = scale a, or scale a^T. */
static inline void set_corner(double *block, int row, int column, const double *a, double scale, bool transposed)
{
  double *to = block + 18 * (ptrdiff_t)row + 3 * (ptrdiff_t)column;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) to[6 * r + c] = scale * (transposed ? a[3 * c + r] : a[3 * r + c]);
}

/* Blocks ij and ji of one bond, and the rotational corners of its ends. */
static void set_bond(const bdem_step_problem *p, size_t b, bdem_curvature curvature)
{
  const bdem_body *body = p->body;
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  double si = 1.0 / body->radius[i], sj = 1.0 / body->radius[j];
  double *ij = p->matrix.values + 36 * p->slots[b][2], *ji = p->matrix.values + 36 * p->slots[b][3];
  bdem_bond_hessian h;
  bdem_bond_hessian_of(&body->bonds[b], vec3_sub(body->position[j], body->position[i]), body->orientation[i], body->orientation[j],
                       curvature, &h);
  set_corner(ij, 0, 0, h.ee, -1.0, false);
  set_corner(ij, 0, 1, h.ej, -sj, false);
  set_corner(ij, 1, 0, h.ei, si, true);
  set_corner(ij, 1, 1, h.ij, si * sj, false);
  set_corner(ji, 0, 0, h.ee, -1.0, false);
  set_corner(ji, 1, 0, h.ej, -sj, true);
  set_corner(ji, 0, 1, h.ei, si, false);
  set_corner(ji, 1, 1, h.ij, si * sj, true);
  for (int k = 0; k < 9; ++k) {
    p->corners[b][0][k] = si * si * h.ii[k];
    p->corners[b][1][k] = sj * sj * h.jj[k];
  }
}

/* What one bond adds to the diagonal block of its end in this row. `block`: its own block of the row; `corner`: of that end. */
static inline void add_end(const double *block, const double *corner, double *diagonal)
{
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      diagonal[6 * r + c] -= block[6 * r + c];
      diagonal[6 * r + c + 3] -= block[6 * (c + 3) + r];
      diagonal[6 * (r + 3) + c] -= block[6 * (r + 3) + c];
      diagonal[6 * (r + 3) + c + 3] += corner[3 * r + c];
    }
}

static void set_diagonal(const bdem_step_problem *p, size_t row)
{
  const la_block_matrix *matrix = &p->matrix;
  double sum[36] = {0};
  for (size_t k = matrix->first[row]; k < matrix->first[row + 1]; ++k) {
    double *block = matrix->values + 36 * k;
    uint32_t b = p->bond_of[k];
    if (b != BDEM_NO_BOND)
      add_end(block, p->corners[b][p->body->ends[b][0] != row], sum);
    else
      memset(block, 0, 36 * sizeof *block);
  }
  memcpy(matrix->values + 36 * matrix->diagonal[row], sum, sizeof sum);
}

void bdem_step_bond_hessian(bdem_step_problem *p, bdem_curvature curvature)
{
  ptrdiff_t bonds = (ptrdiff_t)p->body->bond_count, rows = (ptrdiff_t)p->matrix.row_count;
  p->factored = false;
#pragma omp parallel num_threads(p->execution.threads)
  {
#pragma omp for schedule(static)
    for (ptrdiff_t b = 0; b < bonds; ++b) set_bond(p, (size_t)b, curvature);
#pragma omp for schedule(static)
    for (ptrdiff_t row = 0; row < rows; ++row) set_diagonal(p, (size_t)row);
  }
  if (p->body->contacts) bdem_contacts_add_hessian(p->body->contacts, p->body, &p->matrix);
  bdem_slides_add_hessian(p->origin.slides, p->origin.slide_count, &p->matrix);
}

void bdem_step_assemble(bdem_step_problem *p, bdem_curvature curvature)
{
  const bdem_body *body = p->body;
  bdem_step_bond_hessian(p, curvature);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double *block = p->matrix.values + 36 * p->matrix.diagonal[k], inertia = body->mass[k] * p->inverse_square;
    double turn = 1.6 * inertia * quat_dot(body->orientation[k], p->predicted_turn[k]);
    if (curvature != BDEM_CURVATURE_EXACT && turn < 0.0) turn = 0.0;
    for (int d = 0; d < 3; ++d) {
      block[7 * d] += inertia;
      block[7 * (d + 3)] += turn;
    }
  }
  bdem_step_hold(p);
}

static void hold_row(const bdem_step_problem *p, size_t row)
{
  const la_block_matrix *matrix = &p->matrix;
  for (size_t k = matrix->first[row]; k < matrix->first[row + 1]; ++k) {
    unsigned held_row = p->body->held[row], held_column = p->body->held[matrix->column[k]];
    if (!(held_row | held_column)) continue;
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c)
        if ((held_row >> r | held_column >> c) & 1) matrix->values[36 * k + (size_t)(6 * r + c)] = k == matrix->diagonal[row] && r == c;
  }
}

void bdem_step_hold(bdem_step_problem *p)
{
  ptrdiff_t rows = (ptrdiff_t)p->matrix.row_count;
#pragma omp parallel for schedule(static) num_threads(p->execution.threads)
  for (ptrdiff_t row = 0; row < rows; ++row) hold_row(p, (size_t)row);
}
