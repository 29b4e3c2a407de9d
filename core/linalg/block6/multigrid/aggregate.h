/** Aggregates: groups of neighbouring rows that one row of a coarser matrix stands for. */
#ifndef SCREE_LINALG_BLOCK6_AGGREGATE_H
#define SCREE_LINALG_BLOCK6_AGGREGATE_H

#include "linalg/block6/block_graph.h"

/** The aggregate of a row without neighbours. */
#define LA_NO_AGGREGATE UINT32_MAX

/** Groups rows greedily, in their order: a row whose neighbours are all free takes them; a row left over joins the adjacent group it
 *  has most neighbours in. Every row with a neighbour is in exactly one aggregate. A function of the graph alone.
 *  Source: Vanek, Mandel, Brezina, Computing 56 (1996), algorithm 5.1.
 *  @param aggregate [n] receives numbers below the result, or LA_NO_AGGREGATE
 *  @return the number of aggregates */
size_t la_aggregate(const la_block_graph *graph, uint32_t *aggregate);

#endif
