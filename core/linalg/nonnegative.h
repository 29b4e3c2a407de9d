/** Dense least squares whose unknowns obey inequalities. By columns: entry (r, c) of m rows is a[c m + r].
 *
 *  Both return SCR_OK; SCR_BAD_USAGE for entries that are not finite; SCR_DIVERGED when no end is reached; SCR_NO_MEMORY.
 *  Source: Lawson and Hanson 1974, Solving Least Squares Problems, chapter 23. */
#ifndef SCREE_LINALG_NONNEGATIVE_H
#define SCREE_LINALG_NONNEGATIVE_H

#include <stddef.h>

#include "base/error.h"

/** min |E u - f|, u >= 0: unknowns become positive one by one, the one that helps most first, and those that turn negative go back to zero.
 *  @param e [columns][rows]    @param f [rows]    @param u [columns] out */
scr_status la_nonnegative_least_squares(size_t rows, size_t columns, const double *e, const double *f, double *u, scr_error *error);

/** min |R x - d|, g_k . x >= 0 for every k: the point R x nearest to d in a cone. With B = G R^-1 it is d + B^T u, where u >= 0 makes that
 *  smallest (Moreau 1962). x = 0 obeys, so there always is one.
 *  @param r [n][n] by columns, upper triangle, no zero on its diagonal    @param d [n]    @param g [count][n], one condition after the
 *  other, none all zero    @param x [n] out */
scr_status la_cone_least_squares(size_t n, const double *r, const double *d, size_t count, const double *g, double *x, scr_error *error);

#endif
