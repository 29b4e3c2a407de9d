/* Cells with sand, in the order in which sweeps take them: by blocks, in a block by the parity of their places, so that neighbours do
 * not wait for each
 * other. Blocks have colours: those of one colour have no node in common, and may be worked on at once. */
#include <string.h>

#include "base/memory.h"
#include "geometry/grid/grid_parts.h"
#include "methods/granular/step/stages.h"

/* The domain's side wraps around: its last nodes are its first, where sand is near those. */
static uint32_t wrapped(const granular_state *s, uint32_t node)
{
  int64_t at[3];
  bool moved = false;
  geo_grid_place(&s->grid, node, at);
  for (int a = 0; a < 2; a++)
    if (s->periodic[a] && at[a] == (int64_t)s->domain.cells[a]) at[a] = 0, moved = true;
  if (!moved) return node;
  uint32_t first = geo_grid_at(&s->grid, at[0], at[1], at[2]);
  return first == GEO_GRID_NONE ? node : first;
}

/* Along an axis even, odd, and the last of an odd number of blocks with cells that go around. */
static uint32_t colour_of(const granular_state *s, uint32_t block)
{
  uint32_t at = s->grid.block[block], colour = 0, weight = 1;
  for (int a = 0; a < 3; a++) {
    uint32_t count = s->grid.blocks[a], place = at % count;
    bool last = s->periodic[a] && place > 0 && place == (s->domain.cells[a] - 1) / grid_side(&s->grid, a) && place % 2 == 0;
    colour += weight * (last ? 2 : place % 2);
    weight *= 3;
    at /= count;
  }
  return colour;
}

static scr_status colour_blocks(granular_state *s, scr_error *error)
{
  size_t blocks = s->grid.block_count;
  if (!mem_grow(&s->colour_first, &s->colour_first_capacity, GRANULAR_COLOURS + 1, sizeof *s->colour_first) ||
      !mem_grow(&s->colour_block, &s->colour_block_capacity, blocks + 1, sizeof *s->colour_block) ||
      !mem_grow(&s->colour_cells, &s->colour_cells_capacity, blocks + 1, sizeof *s->colour_cells))
    return scr_fail_memory(error, "colours", blocks * sizeof *s->colour_block);
  memset(s->colour_first, 0, (GRANULAR_COLOURS + 1) * sizeof *s->colour_first);
  for (uint32_t b = 0; b < blocks; b++) s->colour_first[colour_of(s, b) + 1]++;
  for (int c = 0; c < GRANULAR_COLOURS; c++) s->colour_first[c + 1] += s->colour_first[c];
  uint32_t next[GRANULAR_COLOURS];
  memcpy(next, s->colour_first, sizeof next);
  for (uint32_t b = 0; b < blocks; b++) s->colour_block[next[colour_of(s, b)]++] = b;
  s->colour_cells[0] = 0;
  for (uint32_t k = 0; k < blocks; k++) {
    uint32_t b = s->colour_block[k];
    s->colour_cells[k + 1] = s->colour_cells[k] + s->block_first[b + 1] - s->block_first[b];
  }
  return SCR_OK;
}

uint32_t granular_first_of_share(const granular_state *s, int colour, unsigned part, unsigned parts)
{
  const uint32_t first = s->colour_first[colour], last = s->colour_first[colour + 1], before = s->colour_cells[first];
  const uint32_t wanted = before + (uint32_t)((uint64_t)(s->colour_cells[last] - before) * part / parts);
  uint32_t low = first, high = last; /* the first block with so many cells before it */
  if (part == 0 || part == parts) return part == 0 ? first : last;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (s->colour_cells[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool has_sand(const granular_state *s, uint32_t place)
{
  return s->grid.first[place + 1] > s->grid.first[place];
}

/* Places of a block in the order of its cells: parity by parity. */
static void order_places(const granular_state *s, uint8_t order[GEO_GRID_BLOCK])
{
  const uint32_t side = grid_side(&s->grid, 0);
  for (uint32_t parity = 0; parity < s->grid.corner_count; parity++)
    for (uint32_t within = 0; within < GEO_GRID_BLOCK; within++) {
      uint32_t x = within % side, y = within / side % side, z = within / side / side;
      if (((x & 1) | (y & 1) << 1 | (z & 1) << 2) == parity) *order++ = (uint8_t)within;
    }
}

/* A cell's nodes are those of the block's halo around it. */
static void list_block(granular_state *s, uint32_t block, const uint8_t order[GEO_GRID_BLOCK])
{
  const uint32_t side = grid_side(&s->grid, 0), row = side + 1, *halo = s->halo + (size_t)block * (size_t)granular_halo(s->d);
  size_t next = s->block_first[block];
  for (uint32_t k = 0; k < GEO_GRID_BLOCK; k++) {
    uint32_t within = order[k], place = block * GEO_GRID_BLOCK + within;
    if (!has_sand(s, place)) continue;
    const uint32_t *near = halo + within % side + row * (within / side % side + row * (within / side / side));
    for (uint32_t n = 0; n < s->grid.corner_count; n++) s->cells[next].node[n] = near[(n & 1) + row * ((n >> 1 & 1) + row * (n >> 2))];
    s->extra[next++] = (granular_extra){.place = place};
  }
}

/* Nodes of a block and of its far faces. */
static void list_halo(granular_state *s, uint32_t block)
{
  const uint32_t side = grid_side(&s->grid, 0), none = (uint32_t)s->grid.cell_count, deep = s->d == 2 ? 0 : side;
  const bool around = s->periodic[0] || s->periodic[1];
  uint32_t *to = s->halo + (size_t)block * (size_t)granular_halo(s->d);
  for (uint32_t z = 0; z <= deep; z++)
    for (uint32_t y = 0; y <= side; y++)
      for (uint32_t x = 0; x <= side; x++) {
        uint32_t over = (x == side) + 3 * (y == side) + 9 * (s->d == 3 && z == side), owner = s->grid.near[block][13 + over];
        const uint32_t within[3] = {x & (side - 1), y & (side - 1), z & (side - 1)};
        uint32_t node = owner == GEO_GRID_NONE ? none : owner * GEO_GRID_BLOCK + grid_within(&s->grid, within);
        *to++ = node == none || !around ? node : wrapped(s, node);
      }
}

scr_status granular_list_cells(granular_state *s, scr_execution execution, scr_error *error)
{
  size_t blocks = s->grid.block_count, corners = s->grid.corner_count, places = s->grid.cell_count, count = 0;
  if (!mem_grow(&s->block_first, &s->block_first_capacity, blocks + 1, sizeof *s->block_first))
    return scr_fail_memory(error, "blocks", blocks * sizeof *s->block_first);
  for (size_t b = 0; b < blocks; b++) {
    s->block_first[b] = (uint32_t)count;
    for (uint32_t k = 0; k < GEO_GRID_BLOCK; k++) count += has_sand(s, (uint32_t)b * GEO_GRID_BLOCK + k);
  }
  s->block_first[blocks] = (uint32_t)count;
  s->cell_count = count;
  if (!mem_grow(&s->cells, &s->cell_capacity, count + 1, sizeof *s->cells) ||
      !mem_grow(&s->extra, &s->extra_capacity, count + 1, sizeof *s->extra) ||
      !mem_grow(&s->corners, &s->corner_capacity, (count + 1) * corners * GRANULAR_SUMS, sizeof *s->corners) ||
      !mem_grow(&s->nodes, &s->node_capacity, places + 1, sizeof *s->nodes) ||
      !mem_grow(&s->halo, &s->halo_capacity, blocks * (size_t)granular_halo(s->d) + 1, sizeof *s->halo) ||
      !mem_grow(&s->sums, &s->sum_capacity, (places + 1) * GRANULAR_SUMS, sizeof *s->sums))
    return scr_fail_memory(error, "cells", count * sizeof *s->cells);
  SCR_TRY(colour_blocks(s, error));
  uint8_t order[GEO_GRID_BLOCK];
  order_places(s, order);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (uint32_t b = 0; b < (uint32_t)blocks; b++) list_halo(s, b), list_block(s, b, order);
  s->nodes[places] = (granular_node){.inverse_mass = 0};
  return SCR_OK;
}
