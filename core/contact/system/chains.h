/** Masses in chains: band matrices of blocks that are coupled in a row, as those of a fibre are.
 *
 *      A_k = L_k L_k'  for each chain k,    G_k = A_k^-1 between the blocks of the chain that contacts act on
 *
 *  An impulse on one block moves all blocks of its chain. G tells by how much, so that sweeps keep the velocities of touched blocks up to
 *  date by one product with some of its columns; chains whose G would be large are solved for instead, in a time that grows with their
 *  length. Source: the compliance of touched nodes, as the fibre codes of Daviet (2020, "Simple and scalable frictional contacts for thin
 *  nodal objects") keep the inverse of a strand by its contacts. */
#ifndef SCREE_CONTACT_CHAINS_H
#define SCREE_CONTACT_CHAINS_H

#include <stdint.h>

#include "base/error.h"
#include "linalg/band.h"
#include "linalg/sparse.h"

struct contact_problem;
struct contact_system;

typedef struct contact_chains {
  size_t count;
  size_t size;              /**< b, unknowns of a block */
  la_band *factor;          /**< [count] */
  double *rows;             /**< what the factors are cut out of */
  size_t *first_block;      /**< [count + 1] */
  uint32_t *chain_of;       /**< [block_count] */
  size_t *touched_first;    /**< [count + 1] */
  uint32_t *touched;        /**< blocks that contacts act on, ascending */
  uint32_t *place;          /**< [block_count] which of `touched` a block is; UINT32_MAX: none */
  size_t *compliance_first; /**< [count] where G_k begins; SIZE_MAX: it is solved for */
  double *compliance;       /**< G_k [b touched][b touched] by columns */
  double *solution;         /**< [longest chain] of solutions in sweeps */
} contact_chains;

/** Factorises the chains of a problem. @return SCR_OK; SCR_BAD_USAGE naming the block where a mass is not positive definite; SCR_NO_MEMORY
 */
scr_status contact_chains_create(const struct contact_problem *problem, unsigned threads, contact_chains *chains, scr_error *error);
void contact_chains_clear(contact_chains *chains);

/** x = M^-1 p.    x, p: [m], may be the same */
void contact_chains_accelerate(const contact_chains *chains, const double *p, double *x, unsigned threads);

/** G of all chains, and the diagonal blocks of W into system->diagonal. @return SCR_OK, SCR_NO_MEMORY */
scr_status contact_chains_respond(struct contact_system *system, scr_error *error);

/** v += M^-1 H_i' change, of touched blocks. @param v [touched][b] */
void contact_chains_push(const struct contact_system *system, size_t contact, const double *change, double *v);

/** M of a problem in chains as one sparse matrix. @return SCR_OK, SCR_NO_MEMORY */
scr_status contact_chains_matrix(const struct contact_problem *problem, la_sparse *mass, scr_error *error);

#endif
