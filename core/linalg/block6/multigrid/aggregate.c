/** Greedy aggregation. */
#include "linalg/block6/multigrid/aggregate.h"

/* Aggregates of the second pass carry this bit until it is over, so that rows join groups around a centre only. */
static const uint32_t joined = 0x80000000u;

static bool neighbours_are_free(const la_block_graph *graph, size_t row, const uint32_t *aggregate)
{
  for (size_t edge = graph->first[row]; edge < graph->first[row + 1]; ++edge)
    if (aggregate[graph->column[edge]] != LA_NO_AGGREGATE) return false;
  return graph->first[row] < graph->first[row + 1];
}

/* The adjacent aggregate met most often; of equals the one met first. */
static uint32_t busiest_neighbour(const la_block_graph *graph, size_t row, const uint32_t *aggregate)
{
  uint32_t best = LA_NO_AGGREGATE;
  size_t best_count = 0;
  for (size_t edge = graph->first[row]; edge < graph->first[row + 1]; ++edge) {
    uint32_t candidate = aggregate[graph->column[edge]];
    size_t count = 0;
    if (candidate & joined) continue; /* LA_NO_AGGREGATE has that bit too */
    for (size_t other = graph->first[row]; other < graph->first[row + 1]; ++other) count += aggregate[graph->column[other]] == candidate;
    if (count <= best_count) continue;
    best = candidate;
    best_count = count;
  }
  return best;
}

size_t la_aggregate(const la_block_graph *graph, uint32_t *aggregate)
{
  uint32_t count = 0;
  for (size_t row = 0; row < graph->row_count; ++row) aggregate[row] = LA_NO_AGGREGATE;
  for (size_t row = 0; row < graph->row_count; ++row) {
    if (aggregate[row] != LA_NO_AGGREGATE || !neighbours_are_free(graph, row, aggregate)) continue;
    aggregate[row] = count;
    for (size_t edge = graph->first[row]; edge < graph->first[row + 1]; ++edge) aggregate[graph->column[edge]] = count;
    ++count;
  }
  for (size_t row = 0; row < graph->row_count; ++row) {
    if (aggregate[row] != LA_NO_AGGREGATE) continue;
    uint32_t host = busiest_neighbour(graph, row, aggregate);
    if (host != LA_NO_AGGREGATE) aggregate[row] = host | joined;
  }
  for (size_t row = 0; row < graph->row_count; ++row)
    if (aggregate[row] != LA_NO_AGGREGATE) aggregate[row] &= ~joined;
  return count;
}
