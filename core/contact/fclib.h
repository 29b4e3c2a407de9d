/** Frictional contact problems in FCLIB's HDF5 files: the collection's exchange format, here its dual form `fclib_local` with `solution`.
 *
 *      fclib_local/spacedim (1) int                       d, 2 or 3
 *      fclib_local/W/{m, n, nz (1) int; p, i int; x real} nz = -2: compressed rows, -1: compressed columns, >= 0: that many triplets
 *      fclib_local/vectors/{q [n d], mu [n]}              m/s, 1
 *      solution/{u [n d], r [n d]}                        optional
 *
 *  Component order: normal, first tangent, second tangent. A W with p all zero and m n entries is stored densely, as old files have it. */
#ifndef SCREE_CONTACT_FCLIB_H
#define SCREE_CONTACT_FCLIB_H

#include "contact/gauss_seidel.h"

/** A problem read from a file; owns everything. */
typedef struct fclib_problem {
  delassus w;
  double *free_velocity;      /**< q [n d] m/s */
  double *friction;           /**< mu [n] */
  double *velocity, *impulse; /**< solution [n d]; NULL when the file has none */
} fclib_problem;

/** @return SCR_OK; SCR_BAD_FILE naming the dataset, what it holds and what it should; SCR_NO_MEMORY */
scr_status fclib_read(const char *path, fclib_problem *problem, scr_error *error);
void fclib_clear(fclib_problem *problem);

/** What FCLIB's own residual gives, sqrt(sum |r - proj(r - u~)|^2) / (1 + |q|): not scaled, so it depends on units.
 *  @param as_coded with the square root taken twice in the denominator, 1 + sqrt(|q|), as the library has it */
double fclib_merit(const contact_problem *problem, const double *impulse, bool as_coded, double *velocity);

#endif
