/** Parts and separators from breadth-first levels. */
#include "linalg/block6/elimination.h"

#include "base/memory.h"

/* Groups while they are being found: a part has its number, separators follow from SEPARATOR on. */
#define SEPARATOR 0x80000000u
#define NONE UINT32_MAX

typedef struct level_walk {
  const la_block_graph *graph;
  uint32_t *queue;  /* [n] rows in the order of their levels */
  uint32_t *group;  /* [n] of a row; NONE: not met yet */
  size_t end;       /* rows queued */
  size_t limit;     /* rows of a part from which on a separator is looked for */
  size_t size, own; /* rows of the part being filled, and of those what belongs to the present component */
  uint32_t part, separators;
} level_walk;

/* Which group a level of `count` rows joins. A separator must be much smaller than the part that it ends. */
static uint32_t group_of_level(level_walk *w, size_t count)
{
  bool full = w->size + count > w->limit;
  if (full && w->own >= 4 * count) {
    ++w->part;
    w->size = w->own = 0;
    return SEPARATOR | w->separators++;
  }
  w->size += count;
  w->own += count;
  return w->part;
}

/* All levels of the component of `root`. Rows are marked when they are queued, so that each is queued once. */
static void walk_component(level_walk *w, uint32_t root)
{
  size_t begin = w->end;
  w->own = 0;
  if (w->size >= LA_ELIMINATION_SMALL) {
    ++w->part;
    w->size = 0;
  }
  w->group[root] = w->part;
  w->queue[w->end++] = root;
  while (begin < w->end) {
    size_t end = w->end;
    uint32_t group = group_of_level(w, end - begin);
    for (; begin < end; ++begin) {
      uint32_t row = w->queue[begin];
      w->group[row] = group;
      for (size_t k = w->graph->first[row]; k < w->graph->first[row + 1]; ++k) {
        uint32_t next = w->graph->column[k];
        if (w->group[next] != NONE) continue;
        w->group[next] = 0; /* the next level's group replaces it */
        w->queue[w->end++] = next;
      }
    }
  }
}

/* Rows by group, in the order of their numbers within it. */
static void sort_rows(la_elimination *order, const uint32_t *group)
{
  size_t *first = order->group_first;
  for (size_t row = 0; row < order->row_count; ++row) {
    size_t of = group[row] & SEPARATOR ? order->part_count + (group[row] & ~SEPARATOR) : group[row];
    order->position[row] = (uint32_t)of;
    ++first[of + 1];
  }
  for (size_t k = 0; k < order->group_count; ++k) first[k + 1] += first[k];
  for (size_t row = 0; row < order->row_count; ++row) {
    size_t of = order->position[row];
    order->position[row] = (uint32_t)first[of];
    order->row[first[of]++] = (uint32_t)row;
  }
  for (size_t k = order->group_count; k > 0; --k) first[k] = first[k - 1];
  first[0] = 0;
}

static scr_status fill(la_elimination *order, level_walk *w, scr_error *error)
{
  size_t n = order->row_count, share = n / LA_ELIMINATION_PARTS;
  w->limit = share > 2 * LA_ELIMINATION_SMALL ? share : 2 * (size_t)LA_ELIMINATION_SMALL;
  for (size_t row = 0; row < n; ++row) w->group[row] = NONE;
  for (size_t row = 0; row < n; ++row)
    if (w->group[row] == NONE) walk_component(w, (uint32_t)row);
  order->part_count = w->part + (w->size > 0);
  order->group_count = order->part_count + w->separators;
  order->group_first = mem_array(order->group_count + 1, sizeof *order->group_first);
  if (!order->group_first) return scr_fail_memory(error, "an order of elimination", order->group_count * sizeof *order->group_first);
  sort_rows(order, w->group);
  return SCR_OK;
}

scr_status la_elimination_take(la_elimination *order, const la_block_graph *graph, scr_error *error)
{
  size_t n = graph->row_count;
  la_elimination_clear(order);
  level_walk walk = {.graph = graph, .queue = mem_array(n, sizeof *walk.queue), .group = mem_array(n, sizeof *walk.group)};
  order->row_count = n;
  order->row = mem_array(n, sizeof *order->row);
  order->position = mem_array(n, sizeof *order->position);
  bool complete = walk.queue && walk.group && order->row && order->position;
  scr_status status = complete ? fill(order, &walk, error) : scr_fail_memory(error, "an order of elimination", 4 * n * sizeof *order->row);
  mem_free(walk.queue);
  mem_free(walk.group);
  if (status != SCR_OK) la_elimination_clear(order);
  return status;
}

void la_elimination_clear(la_elimination *order)
{
  mem_free(order->group_first);
  mem_free(order->row);
  mem_free(order->position);
  *order = (la_elimination){0};
}
