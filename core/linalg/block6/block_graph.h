/** The graph of a block matrix: which rows its non-zero blocks couple, in both directions if the block of either is non-zero. Blocks of
 *  broken bonds and of held nodes are stored but zero; they are no edges. Solvers keep the graph beside what they derived from it (an
 *  ordering, aggregates) and derive again only when it changed, so that the same matrix always leads to the same bits, whatever was solved
 *  before. */
#ifndef SCREE_LINALG_BLOCK6_BLOCK_GRAPH_H
#define SCREE_LINALG_BLOCK6_BLOCK_GRAPH_H

#include "linalg/block6/block_matrix.h"

/** Starts zeroed. */
typedef struct la_block_graph {
  size_t row_count;  /**< n */
  size_t edge_count; /**< m: coupled pairs of rows, both directions counted */
  size_t *first;     /**< [n + 1] */
  uint32_t *column;  /**< [m] ascending within a row; never the row itself */
  size_t *slot;      /**< [m] where the block lies in the matrix */
} la_block_graph;

/** True if `graph` is the graph of `matrix`, with its blocks at the same slots. */
bool la_block_graph_matches(const la_block_graph *graph, const la_block_matrix *matrix);

/** Replaces `graph` by that of `matrix`. SCR_NO_MEMORY leaves it empty. */
scr_status la_block_graph_take(la_block_graph *graph, const la_block_matrix *matrix, scr_error *error);

/** Frees and empties. */
void la_block_graph_clear(la_block_graph *graph);

#endif
