/** What impulses do to the touched blocks of chains: G_k = A_k^-1 between the blocks of chain k that contacts act on.
 *
 *  An impulse on one block moves all blocks of its chain. G tells by how much, so that sweeps keep the velocities of touched blocks up to
 *  date by one product with some of its columns; chains whose G would be large are solved for instead, in a time that grows with their
 *  length. Source: Daviet 2020, "Simple and scalable frictional contacts for thin nodal objects", which keeps the inverse of a strand by
 * its contacts. */
#ifndef SCREE_CONTACT_COMPLIANCE_H
#define SCREE_CONTACT_COMPLIANCE_H

#include "contact/system/system.h"

typedef struct chain_compliance {
  const contact_system *system; /**< borrowed */
  size_t *touched_first;        /**< [chains + 1] */
  uint32_t *touched;            /**< blocks that contacts act on, ascending */
  uint32_t *place;              /**< [block_count] which of `touched` a block is; UINT32_MAX: none */
  size_t *first;                /**< [chains] where G_k begins; SIZE_MAX: it is solved for */
  double *g;                    /**< G_k [b touched][b touched] by columns */
  double *solution;             /**< [longest chain] of chains that are solved for */
  bool solves;                  /**< some chains are */
} chain_compliance;

/** @param widest  unknowns of a chain's touched blocks beyond which it is solved for; 0: CHAIN_COMPLIANCE_WIDEST    @return SCR_OK,
 *  SCR_NO_MEMORY */
scr_status chain_compliance_create(const contact_system *s, size_t widest, chain_compliance *o, scr_error *error);
void chain_compliance_clear(chain_compliance *o);

enum { CHAIN_COMPLIANCE_WIDEST = 1024 };

/** v += M^-1 H_i' change, of touched blocks of contact i. One thread at a time where chains are solved for. @param v [touched][b] */
void chain_compliance_push(const chain_compliance *o, size_t i, const double *change, double *v);

#endif
