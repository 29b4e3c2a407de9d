/** Graphs of block matrices. */
#include "linalg/block6/block_graph.h"

#include "base/memory.h"

static bool is_zero(const double *block)
{
  for (int k = 0; k < LA_BLOCK_SIZE; ++k)
    if (block[k] != 0.0) return false;
  return true;
}

/* A sum that vanishes in one triangle may leave rounding in the other: edges go both ways if either block is non-zero. */
static bool is_edge(const la_block_matrix *matrix, size_t row, size_t slot)
{
  if (slot == matrix->diagonal[row]) return false;
  if (!is_zero(matrix->values + LA_BLOCK_SIZE * slot)) return true;
  return !is_zero(matrix->values + LA_BLOCK_SIZE * la_block_matrix_slot(matrix, matrix->column[slot], (uint32_t)row));
}

bool la_block_graph_matches(const la_block_graph *graph, const la_block_matrix *matrix)
{
  if (!graph->first || graph->row_count != matrix->row_count) return false;
  size_t edge = 0;
  for (size_t row = 0; row < matrix->row_count; ++row) {
    for (size_t slot = matrix->first[row]; slot < matrix->first[row + 1]; ++slot) {
      if (!is_edge(matrix, row, slot)) continue;
      if (edge == graph->first[row + 1] || graph->slot[edge] != slot || graph->column[edge] != matrix->column[slot]) return false;
      ++edge;
    }
    if (edge != graph->first[row + 1]) return false;
  }
  return true;
}

scr_status la_block_graph_take(la_block_graph *graph, const la_block_matrix *matrix, scr_error *error)
{
  size_t capacity = matrix->block_count;
  la_block_graph_clear(graph);
  graph->first = mem_array(matrix->row_count + 1, sizeof *graph->first);
  graph->column = mem_array(capacity, sizeof *graph->column);
  graph->slot = mem_array(capacity, sizeof *graph->slot);
  if (!graph->first || !graph->column || !graph->slot) {
    la_block_graph_clear(graph);
    return scr_fail_memory(error, "the graph of a block matrix", capacity * (sizeof *graph->column + sizeof *graph->slot));
  }
  graph->row_count = matrix->row_count;
  for (size_t row = 0; row < matrix->row_count; ++row) {
    for (size_t slot = matrix->first[row]; slot < matrix->first[row + 1]; ++slot) {
      if (!is_edge(matrix, row, slot)) continue;
      graph->column[graph->edge_count] = matrix->column[slot];
      graph->slot[graph->edge_count++] = slot;
    }
    graph->first[row + 1] = graph->edge_count;
  }
  return SCR_OK;
}

void la_block_graph_clear(la_block_graph *graph)
{
  mem_free(graph->first);
  mem_free(graph->column);
  mem_free(graph->slot);
  *graph = (la_block_graph){0};
}
