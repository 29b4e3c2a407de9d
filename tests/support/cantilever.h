/** A cantilever of bonded spheres as a linear system: what one Newton iteration of an implicit step from rest solves. */
#ifndef SCREE_TESTS_SUPPORT_CANTILEVER_H
#define SCREE_TESTS_SUPPORT_CANTILEVER_H

#include "linalg/block6/block_matrix.h"

/** Unknowns of sphere k: its displacement and r times half its rotation vector, metres. */
typedef struct cantilever {
  la_block_matrix matrix;
  double *right;     /**< [n][6] weight of the free spheres along -z, N */
  double *modes;     /**< [n][36] row-major: columns are the six rigid motions, rows the unknowns; zero where held */
  size_t count;      /**< n spheres */
  size_t free_count; /**< not held */
} cantilever;

/** Hexagonal close packing of counts[0] x counts[1] x counts[2] spheres, 0.4 m long along x, E = 1e7 Pa, nu = 0.3, 1000 kg/m^3; the
 *  first sphere of every row is held.
 *  @param time_step s; INFINITY for a static solve. Multiply cantilever_stable_step for a number of stable steps.
 *  @return false for lack of memory */
bool cantilever_create(const size_t counts[3], double time_step, cantilever *c);
void cantilever_destroy(cantilever *c);

/** The stable explicit step of that packing, s: 2/sqrt(17.885 kn/m). */
double cantilever_stable_step(size_t length_count);

#endif
