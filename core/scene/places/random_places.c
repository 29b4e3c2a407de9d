#include "scene/places/random_places.h"

#include <math.h>

#include "base/memory.h"

enum { TRIES = 20000 };

uint64_t random_places_seed(const scene_document *document, const scene_specimen *specimen)
{
  return (uint64_t)document->seed * 0x9E3779B97F4A7C15u + (uint64_t)(specimen - document->specimens) + 1;
}

/* SplitMix64 (Steele, Lea, Flood 2014), as a number in [0, 1). */
static double draw(uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Kept points in cells, as lists: head of a cell, next of a point. Cells are no smaller than the distance, and about as many as points. */
typedef struct cell_grid {
  double side;
  int64_t count[3];
  uint32_t *head, *next; /* number + 1; 0: none */
} cell_grid;

static void cell_of(const cell_grid *grid, scr_vec3 from_corner, int64_t cell[3])
{
  const double at[3] = {from_corner.x, from_corner.y, from_corner.z};
  for (int a = 0; a < 3; a++) {
    cell[a] = (int64_t)(at[a] / grid->side);
    if (cell[a] >= grid->count[a]) cell[a] = grid->count[a] - 1;
  }
}

static bool is_clear_of_placed(const cell_grid *grid, const scr_vec3 *kept, scr_vec3 point, const int64_t at[3], double distance)
{
  for (int64_t z = at[2] > 0 ? at[2] - 1 : 0; z <= at[2] + 1 && z < grid->count[2]; z++)
    for (int64_t y = at[1] > 0 ? at[1] - 1 : 0; y <= at[1] + 1 && y < grid->count[1]; y++)
      for (int64_t x = at[0] > 0 ? at[0] - 1 : 0; x <= at[0] + 1 && x < grid->count[0]; x++)
        for (uint32_t k = grid->head[(z * grid->count[1] + y) * grid->count[0] + x]; k; k = grid->next[k - 1])
          if (vec3_length(vec3_sub(kept[k - 1], point)) < distance) return false;
  return true;
}

static size_t fill(cell_grid *grid, const scene_placement *p, uint64_t state, scr_vec3 *kept)
{
  scr_vec3 edge = vec3_sub(p->maximum, p->minimum);
  for (size_t n = 0; n < (size_t)p->number; n++) {
    int64_t at[3];
    int tries = 0;
    do {
      if (tries++ == TRIES) return n;
      double x = draw(&state), y = draw(&state), z = draw(&state);
      scr_vec3 inside = vec3(x * edge.x, y * edge.y, z * edge.z);
      cell_of(grid, inside, at);
      kept[n] = vec3_add(p->minimum, inside);
    } while (!is_clear_of_placed(grid, kept, kept[n], at, p->distance));
    uint32_t *head = &grid->head[(at[2] * grid->count[1] + at[1]) * grid->count[0] + at[0]];
    grid->next[n] = *head;
    *head = (uint32_t)n + 1;
  }
  return (size_t)p->number;
}

scr_status random_places(const scene_placement *p, uint64_t seed, scr_vec3 *positions, size_t *placed)
{
  scr_vec3 edge = vec3_sub(p->maximum, p->minimum);
  double longest = fmax(edge.x, fmax(edge.y, edge.z));
  cell_grid grid = {.side = fmax(p->distance, longest / fmax(1, floor(cbrt((double)p->number))))};
  const double edges[3] = {edge.x, edge.y, edge.z};
  size_t cells = 1;
  for (int a = 0; a < 3; a++) {
    grid.count[a] = (int64_t)fmax(1, floor(edges[a] / grid.side)) + 1;
    cells *= (size_t)grid.count[a];
  }
  grid.head = mem_array(cells, sizeof *grid.head);
  grid.next = mem_array((size_t)p->number, sizeof *grid.next);
  bool memory = grid.head && grid.next;
  *placed = memory ? fill(&grid, p, seed, positions) : 0;
  mem_free(grid.head);
  mem_free(grid.next);
  return memory ? SCR_OK : SCR_NO_MEMORY;
}
