/** What the two precisions of sweeps have in common: the table of their functions, and what these read and write. Both are one text,
 *  sweep_body.h. */
#ifndef SCREE_GRANULAR_SWEEP_KERNEL_H
#define SCREE_GRANULAR_SWEEP_KERNEL_H

#include "methods/granular/state/state.h"

enum {
  SWEEP_LANE_BYTES = 32, /**< of a value of a batch's cells together */
  SWEEP_BATCHES = 16     /**< most of a block */
};

/** Blocks are named by their places in colour_block. Numbers are over powers of two, so that single ones neither run over nor under:
 *  lengths over `length`, masses over `mass`, times are in seconds. */
typedef struct sweep_view {
  int d;
  bool lone;              /**< cells one by one */
  bool cohesive;          /**< batches have the impulses of cohesion */
  unsigned char *batches; /**< [batch][width][SWEEP_LANE_BYTES] */
  uint8_t *batch;         /**< [batch] its number in a full block */
  const uint32_t *first;  /**< [block_count + 1] first batch of a block */
  const uint32_t *block;  /**< [block_count] its number */
  const uint32_t *halo;   /**< [block_count][granular_halo(d)] nodes of a block, by its number */
  void *nodes;            /**< [none + 1][4] velocity in m/s, 1/mass */
  uint32_t block_count;
  uint32_t none;                                  /**< the node that stands for those without sand */
  double mass, length;                            /**< kg, m */
  size_t corner[SWEEP_BATCHES][GEO_GRID_CORNERS]; /**< of a batch's first cell, in the patch */
} sweep_view;

typedef struct sweep_kernel {
  size_t real; /**< bytes of a number */
  /** Sets `corner`. */
  void (*begin)(sweep_view *view);
  /** Bytes of a batch. */
  size_t (*batch_bytes)(const sweep_view *view);
  /** Which batches of a block, by its number, have sand, as bits. */
  uint32_t (*batches_with_sand)(const granular_state *state, uint32_t block);
  /** Makes the batches of a block; lanes without sand have a gap that stays open. */
  void (*fill)(const granular_state *state, const sweep_view *view, uint32_t at);
  /** Impulses of the last sweep to the block's cells. */
  void (*empty)(granular_state *state, const sweep_view *view, uint32_t at);
  /** A block's part of a sweep. @return what granular_sweep_cells has by block */
  double (*relax)(const sweep_view *view, uint32_t at, bool back, double share);
  /** Of a block, as granular_measure_cells has them. @param found [3] changed */
  void (*measure)(const sweep_view *view, uint32_t at, double share, double *found);
  /** Nodes begin ... end - 1 of the state to those of sweeps. */
  void (*take_nodes)(const granular_state *state, const sweep_view *view, size_t begin, size_t end);
  /** now + share (now - last), then last becomes what now was. */
  void (*extrapolate)(void *now, void *last, size_t begin, size_t end, double share);
} sweep_kernel;

extern const sweep_kernel sweep_kernel_single, sweep_kernel_double;

#endif
