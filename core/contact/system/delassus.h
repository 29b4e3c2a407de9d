/** Delassus operator W = H M^-1 H': how impulses change relative velocities, u = W r + q. Sparse d x d blocks, one row of blocks per
 *  contact.
 *
 *      row i:  first[i] .. first[i + 1]  ->  column[k], block[k]     sorted by column; every row has its diagonal block
 *
 *  With it the problem's order of work: contacts that share no block have the same colour and do not see each other. */
#ifndef SCREE_CONTACT_DELASSUS_H
#define SCREE_CONTACT_DELASSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contact/system/stripes.h"
#include "contact/system/system.h"

typedef struct delassus {
  unsigned dimension;    /**< d: 2, 3 or 6 */
  size_t contact_count;  /**< n */
  size_t block_count;    /**< stored blocks */
  size_t *first;         /**< [n + 1] */
  uint32_t *column;      /**< [block_count] */
  double *block;         /**< [block_count][d][d] 1/kg, column-major, and one number that may be read behind them */
  size_t *diagonal;      /**< [n] index of each row's diagonal block */
  size_t *begin;         /**< [n] first block of each row once rows are sorted, else NULL */
  double *scale;         /**< [n] trace of the diagonal block over d, 1/kg, > 0: what makes an impulse a velocity */
  uint32_t colour_count; /**< at most n; 0: there is another order */
  size_t *colour_first;  /**< [colour_count + 1] */
  uint32_t *order;       /**< [n] contacts by colour, ascending within each */
} delassus;

/** Builds from scalar rows in compressed form (n d rows), as files have them.
 *  @param first [rows + 1], rising from 0    @param column [first[rows]] < rows, any order, none twice in a row    @param value likewise
 *  @return SCR_OK; SCR_BAD_FILE when sizes do not fit, an entry is not finite, W is not symmetric to 1e-8 of its largest entry, or a
 *  diagonal
 *          block has no positive trace (names the contact); SCR_NO_MEMORY */
scr_status delassus_from_rows(unsigned dimension, size_t rows, const size_t *first, const uint32_t *column, const double *value,
                              delassus *w, scr_error *error);
/** Builds H M^-1 H' of a problem. @return SCR_OK, SCR_NO_MEMORY */
scr_status delassus_from_system(const contact_system *system, delassus *w, scr_error *error);
/** Contacts by chain, and what they do to each other by it. */
typedef struct delassus_parts {
  size_t chain_count;
  size_t *first;  /**< [chain_count + 1] */
  uint32_t *list; /**< contacts that act on a chain, ascending */
  size_t *begin;  /**< [chain_count + 1] where W_k begins, in blocks */
  double *block;  /**< W_k [count][count][d][d]: row, column, then column-major */
} delassus_parts;

/** W of a mass in chains, and what of it holds in the next solve (contact.h). */
struct contact_chain_memory {
  delassus_parts parts;
  delassus w;              /**< contact_count 0: none; without colours */
  contact_stripes stripes; /**< the order of its rows */
};

/** Builds W of a mass in chains, symmetric to the last bit and its rows sorted, where sweeps read less of it than of the chains'
 *  compliances, contacts act on few blocks and it is not larger than 576 MiB in space; else memory->w is left empty. What chains that
 *  are the same do, and the order of rows where the same contacts act on the same chains, is taken from the solve before. Threads
 *  change no bit.    @param last  nothing is kept for a next solve    @return SCR_OK; SCR_NO_MEMORY, then nothing is in the memory */
scr_status delassus_from_chains(const contact_system *system, contact_chain_memory *memory, bool last, scr_error *error);
void delassus_clear(delassus *w);

/* The parts of building one, for those who fill it themselves: room for block_count blocks, `first` being there; then, blocks filled, the
 * rest. */
scr_status delassus_allocate(delassus *w, scr_error *error);
scr_status delassus_complete(delassus *w, scr_error *error);

/** Lays the rows out in the order in which sweeps visit them, so that memory is read as it lies: `begin` tells where a row is then, the row
 *  of contact i being first[i + 1] - first[i] blocks long. Only for those who read rows through `begin`. @return SCR_OK, SCR_NO_MEMORY
 *  (nothing is changed) */
scr_status delassus_sort_rows(delassus *w, scr_error *error);

/** The same for rows whose columns are there, their blocks not yet, in an order that is given: `begin`, and where diagonal blocks will be.
 *  @param order [n]    @return SCR_OK, SCR_NO_MEMORY */
scr_status delassus_lay_out(delassus *w, const uint32_t *order, scr_error *error);

/** velocity += row i of W r.    @param own  with the diagonal block    @param impulse [n d]    @param velocity [d] */
void delassus_add_row(const delassus *w, size_t i, bool own, const double *impulse, double *velocity);

/** u = W r + q.    all [n d]; u may not be r */
void delassus_velocity(const delassus *w, scr_execution execution, const double *impulse, const double *free_velocity, double *velocity);

#endif
