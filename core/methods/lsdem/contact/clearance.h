/** How long the tiles and nodes of a slave are surely clear of a master: until the two have gone so far, see lsdem_approach. Only time
 *  depends on it, never a result: what is told is never longer than it is.
 *
 *      base, 64 bits   clear   [tile 0][tile 1] ... [tile n - 1]   a bit for each tile   [node 0 ... 15 of the first tile that has its bit
 *      set][of the second]... ticks           one byte each, ticks after base             has it a block?       one byte each, ticks after
 *      base
 *
 *  A tick is 1/LSDEM_TICKS of the slave's grid spacing. Bytes reach 255 ticks beyond the base; as the two go on, the base follows and all
 *  bytes count down by as much, exactly. */
#ifndef SCREE_LSDEM_CONTACT_CLEARANCE_H
#define SCREE_LSDEM_CONTACT_CLEARANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Ticks of a grid spacing. */
enum { LSDEM_TICKS = 64 };

typedef struct lsdem_clearance {
  uint64_t base;                          /**< ticks */
  uint32_t tiles, blocks, block_capacity; /**< tiles of the slave; blocks of nodes, and room for such */
  uint8_t clear;                          /**< ticks after base: all tiles are clear so long */
  uint8_t bytes[];                        /**< see above */
} lsdem_clearance;

/** The moment, as a watch sees it. */
typedef struct lsdem_clearance_now {
  double gone; /**< m */
  double tick; /**< m, > 0 */
} lsdem_clearance_now;

/** Nothing known of any tile. @return NULL: no memory; then nothing is remembered, which costs time alone. Freed with mem_free. */
lsdem_clearance *lsdem_clearance_create(size_t tiles);

/** Brings the base near the moment, so that bytes can tell what comes. */
void lsdem_clearance_advance(lsdem_clearance *watch, lsdem_clearance_now moment);

/** Ticks from the base to the moment: what is clear for more of them is clear. 0 before the base, which the moment may be, as it counts how
 *  far modes reach now. */
static inline uint64_t lsdem_clearance_since(const lsdem_clearance *watch, lsdem_clearance_now moment)
{
  double ticks = moment.gone / moment.tick;
  if (!(ticks < 1e15)) return UINT64_MAX; /* beyond what is counted: nothing is clear */
  uint64_t now = (uint64_t)ticks;
  return now > watch->base ? now - watch->base : 0;
}

/** The byte that says: clear from the moment on for a way of `clear`, m. */
static inline uint8_t lsdem_clearance_byte(const lsdem_clearance *watch, lsdem_clearance_now moment, double clear)
{
  double ticks = (moment.gone + clear) / moment.tick - 1e-5 - (double)watch->base; /* something is left for rounding */
  return !(ticks >= 1) ? 0 : ticks >= 255 ? 255 : (uint8_t)ticks;
}

/** Whether tile t has a block. */
static inline bool lsdem_clearance_has(const lsdem_clearance *watch, size_t t)
{
  return watch->bytes[watch->tiles + t / 8] >> (t % 8) & 1;
}

/** Block number k: a byte for each node of its tile. */
static inline uint8_t *lsdem_clearance_block(lsdem_clearance *watch, size_t k)
{
  enum { NODES = 16 };
  return watch->bytes + watch->tiles + (watch->tiles + 7) / 8 + k * NODES;
}

/** Gives tile t a block, number k, in which nothing is known. May move the watch. @param k blocks that tiles before t have    @return
 *  false: no memory, and none was given */
bool lsdem_clearance_add(lsdem_clearance **watch, size_t t, size_t k);

/** Takes it from the tile. */
void lsdem_clearance_drop(lsdem_clearance **watch, size_t t, size_t k);

#endif
