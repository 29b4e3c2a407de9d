/* How long tiles and nodes are clear, in a byte each. */
#include "methods/lsdem/contact/clearance.h"

#include <string.h>

#include "base/memory.h"
#include "methods/lsdem/grain/template.h"

_Static_assert(LSDEM_TILE_NODES == 16, "a block has a byte for each node of a tile");

static size_t bytes_of(size_t tiles, size_t blocks)
{
  return sizeof(lsdem_clearance) + tiles + (tiles + 7) / 8 + blocks * LSDEM_TILE_NODES;
}

/* As many blocks as fill the last cache line of what is allocated. */
static lsdem_clearance *make(size_t tiles, size_t blocks)
{
  enum { LINE = 64 };
  size_t bytes = (bytes_of(tiles, blocks) + LINE - 1) / LINE * LINE;
  if (tiles > UINT32_MAX / 2) return NULL;
  lsdem_clearance *watch = mem_array(bytes, 1);
  if (watch) watch->tiles = (uint32_t)tiles, watch->block_capacity = (uint32_t)((bytes - bytes_of(tiles, 0)) / LSDEM_TILE_NODES);
  return watch;
}

lsdem_clearance *lsdem_clearance_create(size_t tiles)
{
  return make(tiles, 0);
}

void lsdem_clearance_advance(lsdem_clearance *watch, lsdem_clearance_now moment)
{
  uint64_t since = lsdem_clearance_since(watch, moment);
  if (since < 128) return;
  uint8_t *nodes = lsdem_clearance_block(watch, 0);
  size_t count = (size_t)watch->blocks * LSDEM_TILE_NODES;
  uint8_t step = since > 255 ? 255 : (uint8_t)since;
  for (size_t t = 0; t < watch->tiles; t++) watch->bytes[t] = watch->bytes[t] > step ? (uint8_t)(watch->bytes[t] - step) : 0;
  for (size_t k = 0; k < count; k++) nodes[k] = nodes[k] > step ? (uint8_t)(nodes[k] - step) : 0;
  watch->clear = watch->clear > step ? (uint8_t)(watch->clear - step) : 0;
  if (since < UINT64_MAX) watch->base += since;
}

/* The same in an allocation for so many blocks. */
static bool fit(lsdem_clearance **watch, size_t blocks)
{
  lsdem_clearance *old = *watch, *made = make(old->tiles, blocks);
  if (!made) return false;
  uint32_t capacity = made->block_capacity;
  memcpy(made, old, bytes_of(old->tiles, old->blocks));
  made->block_capacity = capacity;
  mem_free(old);
  *watch = made;
  return true;
}

bool lsdem_clearance_add(lsdem_clearance **watch, size_t t, size_t k)
{
  if ((*watch)->blocks == (*watch)->block_capacity && !fit(watch, (*watch)->blocks + 1)) return false;
  lsdem_clearance *w = *watch;
  uint8_t *block = lsdem_clearance_block(w, k);
  memmove(block + LSDEM_TILE_NODES, block, (w->blocks - k) * LSDEM_TILE_NODES);
  memset(block, 0, LSDEM_TILE_NODES);
  w->bytes[w->tiles + t / 8] |= (uint8_t)(1u << (t % 8));
  w->blocks++;
  return true;
}

void lsdem_clearance_drop(lsdem_clearance **watch, size_t t, size_t k)
{
  lsdem_clearance *w = *watch;
  uint8_t *block = lsdem_clearance_block(w, k);
  w->blocks--;
  memmove(block, block + LSDEM_TILE_NODES, (w->blocks - k) * LSDEM_TILE_NODES);
  w->bytes[w->tiles + t / 8] &= (uint8_t) ~(1u << (t % 8));
  if (w->block_capacity > 2 * (size_t)w->blocks + 8)
    (void)fit(watch, w->blocks + 2); /* where there is no memory it stays as wide as it is */
}
