/** Explicit steps: symplectic Euler, which is leapfrog with velocities half a step behind the positions. */
#ifndef SCREE_METHODS_BDEM_EXPLICIT_H
#define SCREE_METHODS_BDEM_EXPLICIT_H

#include "methods/bdem/bonds/bond_batch.h"

/** Largest eigenvalue of M^-1 K of an infinite hexagonal close packing (body-centred: 2/3 of it), in units of kn/m, physical
 *  calibration: 20/(1 + nu) + 2.5. Steps below 2/sqrt(it kn/m) are stable; a finite body is slightly more forgiving. */
static inline double bdem_close_packing_eigenvalue(double poisson_ratio)
{
  return 20.0 / (1.0 + poisson_ratio) + 2.5;
}

/** Orientations of up to BDEM_TURNS spheres side by side, to be turned together: several at a time in vector registers. */
enum { BDEM_TURNS = 64 };
typedef struct bdem_turns {
  double rotation[3][BDEM_TURNS];    /**< rotation vectors, rad */
  double orientation[4][BDEM_TURNS]; /**< unit quaternions: x, y, z, w */
} bdem_turns;

static inline void bdem_turns_set(bdem_turns *turns, size_t k, scr_vec3 rotation, scr_quat q)
{
  turns->rotation[0][k] = rotation.x, turns->rotation[1][k] = rotation.y, turns->rotation[2][k] = rotation.z;
  turns->orientation[0][k] = q.x, turns->orientation[1][k] = q.y, turns->orientation[2][k] = q.z, turns->orientation[3][k] = q.w;
}

static inline scr_quat bdem_turns_get(const bdem_turns *turns, size_t k)
{
  return quat(turns->orientation[0][k], turns->orientation[1][k], turns->orientation[2][k], turns->orientation[3][k]);
}

/** q = normalise(exp(rotation) q) for the first `count` of them; the same bits on every processor. The rest is overwritten. */
void bdem_turns_do(bdem_turns *turns, size_t count);

#endif
