/** What a run sums up as it goes: the works of the energy balance; and the sums over bonds and contacts that several stages share. */
#ifndef SCREE_METHODS_BDEM_LEDGER_H
#define SCREE_METHODS_BDEM_LEDGER_H

#include <stdbool.h>

#include "base/vec3.h"

/** Sums that the energy balance needs, J. Goes into checkpoints as it is. */
typedef struct bdem_ledger {
  double start;                                  /**< all energy at t = 0 */
  double largest;                                /**< the largest that it was with all work done, after any step so far */
  double parts;                                  /**< work of the rig's parts on the spheres */
  double gravity;                                /**< work of gravity */
  double damping, friction, fracture, numerical; /**< taken out */
  double impacts;                                /**< most that implicit parts took out of impacts; a part of `numerical` */
} bdem_ledger;

/** Sums over bonds and contacts. */
typedef struct bdem_total {
  scr_vec3 *force, *torque; /**< [n] of bonds and contacts at the present positions; N, N m */
  double elastic;           /**< energy of the bonds, J, where elastic_known: since it was summed nothing moved or broke */
  bool elastic_known;
} bdem_total;

#endif
