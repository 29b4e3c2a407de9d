/** What of the hierarchy follows from graphs alone: aggregates, the patterns of P, A P and P^T A P, and the arrays for their values. */
#include "base/memory.h"
#include "linalg/block6/multigrid/multigrid_level.h"

/* Distinct numbers collected one by one; `seen[k]` holds the last row that met k, plus one. */
typedef struct collector {
  size_t *seen;
  uint32_t *list;
  size_t count, capacity;
  bool failed;
} collector;

static void collect(collector *c, size_t begin, uint32_t number, size_t row)
{
  if (c->seen[number] == row + 1) return;
  void *list = c->list;
  if (c->count == c->capacity && !mem_grow(&list, &c->capacity, c->count + 1, sizeof *c->list)) {
    c->failed = true;
    return;
  }
  c->list = list;
  c->seen[number] = row + 1;
  size_t at = c->count++;
  for (; at > begin && c->list[at - 1] > number; --at) c->list[at] = c->list[at - 1];
  c->list[at] = number;
}

/* Moves what was collected, if anything, into rows, with room for values. */
static bool keep(collector *c, la_block_rows *rows)
{
  if (c->failed || !c->list) return false;
  rows->column = c->list;
  c->list = NULL;
  rows->values = mem_array(c->count, LA_BLOCK_SIZE * sizeof *rows->values);
  return rows->values != NULL;
}

static bool begin(collector *c, size_t numbers, size_t rows, la_block_rows *out)
{
  *c = (collector){.seen = mem_array(numbers, sizeof *c->seen)};
  out->first = mem_array(rows + 1, sizeof *out->first);
  return c->seen && out->first;
}

static void end(collector *c)
{
  mem_free(c->seen);
  mem_free(c->list);
}

/* Row i of P: the aggregates of i and its neighbours. */
static bool smoothed_pattern(la_level *fine)
{
  const la_block_graph *graph = &fine->graph;
  collector c;
  bool done = begin(&c, fine->coarse_count, graph->row_count, &fine->smoothed);
  for (size_t row = 0; done && row < graph->row_count; ++row) {
    size_t start = c.count;
    if (fine->aggregate[row] != LA_NO_AGGREGATE) collect(&c, start, fine->aggregate[row], row);
    for (size_t edge = graph->first[row]; edge < graph->first[row + 1]; ++edge)
      collect(&c, start, fine->aggregate[graph->column[edge]], row);
    fine->smoothed.first[row + 1] = c.count;
  }
  done = done && keep(&c, &fine->smoothed);
  end(&c);
  return done;
}

/* Row i of A P: the columns of P in the rows of i and its neighbours. */
static bool product_pattern(la_level *fine)
{
  const la_block_graph *graph = &fine->graph;
  const la_block_rows *p = &fine->smoothed;
  collector c;
  bool done = begin(&c, fine->coarse_count, graph->row_count, &fine->product);
  for (size_t row = 0; done && row < graph->row_count; ++row) {
    size_t start = c.count;
    for (size_t k = p->first[row]; k < p->first[row + 1]; ++k) collect(&c, start, p->column[k], row);
    for (size_t edge = graph->first[row]; edge < graph->first[row + 1]; ++edge) {
      size_t other = graph->column[edge];
      for (size_t k = p->first[other]; k < p->first[other + 1]; ++k) collect(&c, start, p->column[k], row);
    }
    fine->product.first[row + 1] = c.count;
  }
  done = done && keep(&c, &fine->product);
  end(&c);
  return done;
}

/* Counts, then places: the blocks of P by columns, and the rows of each aggregate. */
static bool transpose(la_level *fine)
{
  size_t n = fine->graph.row_count, c = fine->coarse_count, blocks = fine->smoothed.first[n];
  fine->transposed = mem_array(c + 2, sizeof *fine->transposed);
  fine->fine_row = mem_array(blocks, sizeof *fine->fine_row);
  fine->fine_slot = mem_array(blocks, sizeof *fine->fine_slot);
  fine->member_first = mem_array(c + 2, sizeof *fine->member_first);
  fine->member = mem_array(n, sizeof *fine->member);
  if (!fine->transposed || !fine->fine_row || !fine->fine_slot || !fine->member_first || !fine->member) return false;
  /* Entry k + 2 counts column k; summed up, entry k + 1 is where column k begins, and serves as the place of its next block until it
   * has arrived at the end of k, which is where k + 1 begins. */
  size_t *place = fine->transposed + 1, *seat = fine->member_first + 1;
  for (size_t k = 0; k < blocks; ++k) fine->transposed[fine->smoothed.column[k] + 2] += 1;
  for (size_t row = 0; row < n; ++row)
    if (fine->aggregate[row] != LA_NO_AGGREGATE) fine->member_first[fine->aggregate[row] + 2] += 1;
  for (size_t k = 2; k < c + 2; ++k) {
    fine->transposed[k] += fine->transposed[k - 1];
    fine->member_first[k] += fine->member_first[k - 1];
  }
  for (size_t row = 0; row < n; ++row) {
    for (size_t k = fine->smoothed.first[row]; k < fine->smoothed.first[row + 1]; ++k) {
      size_t at = place[fine->smoothed.column[k]]++;
      fine->fine_row[at] = (uint32_t)row;
      fine->fine_slot[at] = k;
    }
    if (fine->aggregate[row] != LA_NO_AGGREGATE) fine->member[seat[fine->aggregate[row]]++] = (uint32_t)row;
  }
  return true;
}

/* The matrix of the coarser level: row I couples to every column of A P in the rows where P has a block in column I. */
static bool coarse_pattern(const la_level *fine, la_level *coarse)
{
  la_block_rows rows = {0};
  collector c;
  bool done = begin(&c, fine->coarse_count, fine->coarse_count, &rows);
  for (size_t row = 0; done && row < fine->coarse_count; ++row) {
    size_t start = c.count;
    collect(&c, start, (uint32_t)row, row);
    for (size_t t = fine->transposed[row]; t < fine->transposed[row + 1]; ++t) {
      size_t i = fine->fine_row[t];
      for (size_t k = fine->product.first[i]; k < fine->product.first[i + 1]; ++k) collect(&c, start, fine->product.column[k], row);
    }
    rows.first[row + 1] = c.count;
  }
  size_t block_count = c.count;
  done = done && keep(&c, &rows);
  end(&c);
  coarse->own = (la_block_matrix){.row_count = fine->coarse_count,
                                  .block_count = block_count,
                                  .first = rows.first,
                                  .column = rows.column,
                                  .diagonal = mem_array(fine->coarse_count, sizeof(size_t)),
                                  .values = rows.values};
  coarse->matrix = &coarse->own;
  done = done && coarse->own.diagonal;
  for (size_t row = 0; done && row < fine->coarse_count; ++row)
    coarse->own.diagonal[row] = la_block_matrix_slot(&coarse->own, (uint32_t)row, (uint32_t)row);
  return done;
}

/* All off-diagonal blocks of the coarser matrix as edges. */
static bool coarse_graph(la_level *coarse)
{
  const la_block_matrix *matrix = &coarse->own;
  la_block_graph *graph = &coarse->graph;
  size_t n = matrix->row_count, edges = matrix->block_count - n;
  *graph = (la_block_graph){.row_count = n,
                            .first = mem_array(n + 1, sizeof *graph->first),
                            .column = mem_array(edges, sizeof *graph->column),
                            .slot = mem_array(edges, sizeof *graph->slot)};
  if (!graph->first || !graph->column || !graph->slot) return false;
  for (size_t row = 0; row < n; ++row) {
    for (size_t k = matrix->first[row]; k < matrix->first[row + 1]; ++k) {
      if (k == matrix->diagonal[row]) continue;
      graph->column[graph->edge_count] = matrix->column[k];
      graph->slot[graph->edge_count++] = k;
    }
    graph->first[row + 1] = graph->edge_count;
  }
  return true;
}

scr_status la_level_coarsen(la_level *fine, la_level *coarse, scr_error *error)
{
  size_t n = fine->graph.row_count;
  if (fine->graph.edge_count == 0) return SCR_OK;
  fine->aggregate = mem_array(n, sizeof *fine->aggregate);
  bool done = fine->aggregate != NULL;
  if (done) {
    fine->coarse_count = la_aggregate(&fine->graph, fine->aggregate);
    if (5 * fine->coarse_count > 4 * n) {
      fine->coarse_count = 0;
      return SCR_OK;
    }
    fine->tentative = mem_array(n, LA_BLOCK_SIZE * sizeof *fine->tentative);
    done = fine->tentative && smoothed_pattern(fine) && product_pattern(fine) && transpose(fine) && coarse_pattern(fine, coarse) &&
           coarse_graph(coarse);
  }
  if (done) fine->prolongator = mem_array(fine->smoothed.first[n], sizeof *fine->prolongator);
  if (done) fine->restrictor = mem_array(fine->smoothed.first[n], sizeof *fine->restrictor);
  if (done && fine->prolongator && fine->restrictor) return SCR_OK;
  return scr_fail_memory(error, "a multigrid level", fine->graph.edge_count * LA_BLOCK_SIZE * sizeof(double));
}

scr_status la_level_allocate(la_level *level, scr_execution execution, scr_error *error)
{
  size_t n = level->graph.row_count;
  level->modes = mem_array(n, LA_BLOCK_SIZE * sizeof *level->modes);
  level->factors = mem_array(n, LA_BLOCK_SIZE * sizeof *level->factors);
  level->x = mem_array(n, FOLDED_ROW * sizeof *level->x);
  level->right = mem_array(n, FOLDED_ROW * sizeof *level->right);
  level->scratch = mem_array(n, FOLDED_ROW * sizeof *level->scratch);
  level->direction = mem_array(n, FOLDED_ROW * sizeof *level->direction);
  if (level->modes && level->factors && level->x && level->right && level->scratch && level->direction)
    return la_folded_create(&level->folded, &level->graph, execution, error);
  return scr_fail_memory(error, "a multigrid level", 5 * n * LA_BLOCK_SIZE * sizeof(float));
}

void la_level_clear(la_level *level)
{
  void *arrays[] = {level->modes,          level->factors,         level->aggregate,
                    level->member_first,   level->member,          level->tentative,
                    level->smoothed.first, level->smoothed.column, level->smoothed.values,
                    level->product.first,  level->product.column,  level->product.values,
                    level->transposed,     level->fine_row,        level->fine_slot,
                    level->prolongator,    level->restrictor,      level->x,
                    level->right,          level->scratch,         level->direction};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) mem_free(arrays[k]);
  la_block_matrix_destroy(&level->own);
  la_block_graph_clear(&level->graph);
  la_folded_clear(&level->folded);
  *level = (la_level){0};
}

size_t la_level_bytes(const la_level *level)
{
  size_t n = level->graph.row_count, edges = level->graph.edge_count, c = level->coarse_count;
  size_t p = c ? level->smoothed.first[n] : 0, ap = c ? level->product.first[n] : 0, own = level->own.block_count;
  size_t block = LA_BLOCK_SIZE * sizeof(double);
  return n * (2 * block + 4 * FOLDED_ROW * sizeof(float) + 8) + edges * 12 +
         la_folded_bytes(&level->folded) /* modes, factors, vectors, graph, A~ */
         + (c ? n * (block + 24) + c * 16 : 0) + p * (block + 2 * sizeof(la_rounded_block) + 16) + ap * (block + 4) + own * (block + 4);
}
