/** What the files of this folder share. */
#ifndef SCREE_PERIDEM_RANKS_HALO_H
#define SCREE_PERIDEM_RANKS_HALO_H

#include "methods/peridem/host/ranks/ranks.h"

/** Adds a node behind those of rank r, the last that has any. */
scr_status pd_node_lists_add(pd_node_lists *lists, unsigned r, uint32_t node, scr_error *error);
/** Sends what the fields have of nodes to other ranks, and receives the same of theirs. */
void pd_ranks_pass(const pd_state *state, const pd_node_lists *send, const pd_node_lists *receive, const pd_node_field *field,
                   size_t count);

/** Processor time of a step, s. Bonds come first, by tiles or by rows; ranks wait for each other between these and all else. */
typedef struct pd_ranks_work {
  double *tile;  /**< [tile_count] of a tile's bonds */
  double *rows;  /**< [block_count] of a block's bonds that are worked on by rows */
  double *block; /**< [block_count] of all else that is done for a block's nodes */
} pd_ranks_work;

scr_status pd_ranks_work_create(const pd_state *state, pd_ranks_work *work, scr_error *error);
void pd_ranks_work_clear(pd_ranks_work *work);
/** What is known before there are contacts. */
void pd_ranks_estimate(const pd_state *state, pd_ranks_work *work);
/** What counts of bonds left and of near nodes say now; all ranks at once. @param work zeroed */
void pd_ranks_measure(const pd_state *state, pd_ranks_work *work);
/** Work of the rank with most bonds and of that with most of all else, which all wait for, over the mean. */
double pd_ranks_unevenness(const pd_state *state, const pd_ranks_work *work);
double pd_ranks_all_work(const pd_state *state, const pd_ranks_work *work);
/** Sets the owners of tiles and blocks, by work. */
void pd_ranks_choose(pd_state *state, const pd_ranks_work *work);
/** Sets all that follows from the owners: what is own, held, reached, and messages of tiles. No state of nodes moves. */
scr_status pd_ranks_follow(pd_state *state, scr_error *error);
/** Sends a grain's rows from one rank to another; both call it. */
void pd_ranks_pass_rows(scr_team *team, unsigned from, unsigned to, pd_bonds *rows);
/** Grains of a rank's blocks and tiles. @param holds [grain_count] set */
void pd_ranks_held(const pd_state *state, unsigned rank, unsigned char *holds);

#endif
