/** Bonds of one grain, in compressed rows, and its template.
 *
 *      row of node i:  other[first[i]] ... other[first[i] + count[i] - 1]      intact bonds, ascending node numbers
 *                      (up to first[i + 1]: room left behind by broken ones)
 *
 *  Both directions of a bond are stored, so a node's force is a gather and one thread writes it: no atomics, and results
 *  that don't depend on the number of threads. Per direction 12 bytes stream through a force pass: the far node (4) and
 *  1 / L (8); 8 more when bonds are weighted. Where neighbours are alike forces come from a form with a byte or two a bond instead
 *  (host/bonds/bond_runs.h). Grains of one specimen share its rows until their first bond breaks. */
#ifndef SCREE_PERIDEM_BONDS_H
#define SCREE_PERIDEM_BONDS_H

#include <stdint.h>

#include "base/error.h"
#include "base/vec3.h"

enum { PD_SPARE_SLOTS = 8 }; /**< behind the last slot, zero: kernels read whole vectors */

typedef struct pd_bonds {
  size_t node_count;      /**< n */
  size_t slot_count;      /**< m, both directions counted, broken or not */
  uint32_t *first;        /**< [n + 1] row starts */
  uint32_t *count;        /**< [n] intact bonds of a row */
  uint32_t *other;        /**< [m] node at the far end, numbered within the grain */
  double *inverse_length; /**< [m] 1 / L, 1/m */
  double *weight;         /**< [m] c(L) w over c, or NULL when all are 1 */
} pd_bonds;

/** A number whose last bits depend on the order of a sum, to 2^-40 of `unit`: equal surroundings have equal bonds, which bond_runs.h relies
 *  on. */
static inline double pd_rounded(double value, double unit)
{
  const double steps = 1099511627776.0; /* 2^40 */
  return nearbyint(value / unit * steps) / steps * unit;
}

/** Allocates zeroed rows. */
scr_status pd_bonds_allocate(pd_bonds *bonds, size_t node_count, size_t slot_count, bool weighted, scr_error *error);
scr_status pd_bonds_copy(pd_bonds *copy, const pd_bonds *bonds, scr_error *error);
void pd_bonds_clear(pd_bonds *bonds);

/** Bytes of rows for these numbers. */
double pd_bonds_bytes(double node_count, double slot_count, bool weighted);

/** Takes slot `slot` out of row `node`, keeping the order of the rest. */
void pd_bonds_remove(pd_bonds *bonds, uint32_t node, uint32_t slot);

#endif
