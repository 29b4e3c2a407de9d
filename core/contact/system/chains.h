/** Masses in chains: band matrices of blocks that are coupled in a row, as those of a fibre are: A_k = L_k L_k' for each chain k. */
#ifndef SCREE_CONTACT_CHAINS_H
#define SCREE_CONTACT_CHAINS_H

#include <stdint.h>

#include "base/execution.h"
#include "base/error.h"
#include "linalg/band.h"
#include "linalg/sparse.h"

struct contact_problem;
struct contact_system;

typedef struct contact_chains {
  size_t count;
  size_t size;           /**< b, unknowns of a block */
  const la_band *factor; /**< [count] */
  la_band *own;          /**< [count] where the problem brings no factors, else NULL */
  double *rows;          /**< what those are cut out of */
  size_t *first_block;   /**< [count + 1] */
  uint32_t *chain_of;    /**< [block_count] */
} contact_chains;

/** Takes the factors of a problem's chains, or makes them. @return SCR_OK; SCR_BAD_USAGE naming the block where a mass is not positive
 *  definite; SCR_NO_MEMORY */
scr_status contact_chains_create(const struct contact_problem *problem, scr_execution execution, contact_chains *chains, scr_error *error);
void contact_chains_clear(contact_chains *chains);

/** x = M^-1 p.    x, p: [m], may be the same */
void contact_chains_accelerate(const contact_chains *chains, const double *p, double *x, scr_execution execution);

/** The diagonal blocks of W into system->diagonal: by the bands of the inverses, and by solutions for contacts whose blocks in a chain are
 *  not neighbours. @return SCR_OK, SCR_NO_MEMORY */
scr_status contact_chains_respond(struct contact_system *system, scr_error *error);

/** M of a problem in chains as one sparse matrix. @return SCR_OK, SCR_NO_MEMORY */
scr_status contact_chains_matrix(const struct contact_problem *problem, la_sparse *mass, scr_error *error);

#endif
