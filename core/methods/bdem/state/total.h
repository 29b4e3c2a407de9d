/** The sums over bonds and contacts that several stages share. */
#ifndef SCREE_METHODS_BDEM_TOTAL_H
#define SCREE_METHODS_BDEM_TOTAL_H

#include <stdbool.h>

#include "base/vec3.h"

/** Sums over bonds and contacts. */
typedef struct bdem_total {
  scr_vec3 *force, *torque; /**< [n] of bonds and contacts at the present positions; N, N m */
  double elastic;           /**< energy of the bonds, J, where elastic_known: since it was summed nothing moved or broke */
  bool elastic_known;
} bdem_total;

#endif
