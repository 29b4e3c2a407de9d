/** A mass that is one sparse matrix, taken apart into chains where it falls into some: problems of fibres that were read from files. */
#ifndef SCREE_CONTACT_CHAIN_MASS_H
#define SCREE_CONTACT_CHAIN_MASS_H

#include "base/error.h"
#include "linalg/band.h"
#include "linalg/sparse.h"

typedef struct chain_mass {
  size_t count;   /**< 0 where the matrix does not fall into chains */
  la_band *chain; /**< [count] */
  double *rows;   /**< what they are cut out of */
} chain_mass;

/** Chains are unknowns that follow on each other, whole blocks of them, which nothing couples to what comes before or behind.
 *  @param mass  square, both triangles    @param block  unknowns of a block    @param widest  band of a chain, at most LA_BAND_WIDTH_MAX
 *  @return SCR_OK, also where there are no chains; SCR_NO_MEMORY */
scr_status chain_mass_from(const la_sparse *mass, size_t block, size_t widest, chain_mass *chains, scr_error *error);
void chain_mass_clear(chain_mass *chains);

#endif
