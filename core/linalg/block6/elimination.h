/** The order in which an incomplete factorisation eliminates rows, such that threads can share the work out.
 *
 *  Rows are put in parts that no edge joins, and separators between them: parts are eliminated first, independently of each other, then
 *  the separators, independently too.
 *
 *      part 0   separator   part 1   | part 2: another connected component, or several small ones
 *      o--o--o-----s-----o--o--o--o  |  o--o--o   o--o
 *
 *  Breadth-first levels of a connected component have edges to the level before and the one after only, so one level separates what lies on
 *  both sides of it. Within a part and a separator rows keep their numbers' order: a chain that is numbered along itself has no fill. The
 *  order follows from the graph alone, never from the number of threads. */
#ifndef SCREE_LINALG_BLOCK6_ELIMINATION_H
#define SCREE_LINALG_BLOCK6_ELIMINATION_H

#include "linalg/block6/block_graph.h"

/** Starts zeroed. */
typedef struct la_elimination {
  size_t row_count;    /**< n */
  size_t part_count;   /**< groups 0 ... part_count - 1 are parts */
  size_t group_count;  /**< the others are separators */
  size_t *group_first; /**< [group_count + 1] position of a group's first row */
  uint32_t *row;       /**< [n] by position */
  uint32_t *position;  /**< [n] by row */
} la_elimination;

/** Parts have 1024 rows or more, but for the last and those that a separator ends early; bodies of up to 2048 rows have no separators. */
enum { LA_ELIMINATION_SMALL = 1024, LA_ELIMINATION_PARTS = 32 /* most in a large connected body */ };

/** Replaces `order` by that of `graph`. SCR_NO_MEMORY leaves it empty. */
scr_status la_elimination_take(la_elimination *order, const la_block_graph *graph, scr_error *error);

/** Frees and empties. */
void la_elimination_clear(la_elimination *order);

#endif
