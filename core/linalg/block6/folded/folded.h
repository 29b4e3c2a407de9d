/** Symmetric matrices of 6 x 6 blocks with the identity on their diagonal, for preconditioners: only the blocks above the diagonal are
 *  stored, and a product, in single precision, reads each once, for its row and, transposed, for its column. Entries are whole multiples of
 *  1/32767 of their block's largest: 76 bytes a block, for both halves together.
 *
 *  Rows are taken in chunks of FOLDED_CHUNK. The columns that a chunk reaches beyond its own rows are its guests; they are always later
 *  rows.
 *
 *      chunk 0  own rows | guests in chunk 1, 2 ...
 *      chunk 1             own rows | guests in chunk 2, 3 ...
 *
 *  A product has two phases, each parallel over the chunks: la_folded_evaluate sums up a chunk's blocks, what falls on guests apart; then,
 *  when all are done, la_folded_collect adds to a chunk's rows what earlier chunks have for them, in the order of those. The order of every
 *  sum follows from the pattern alone: the same bits for any number of threads, and for any processor, since vectors are only wider or
 *  narrower.
 *
 *  Vectors have FOLDED_ROW = 8 floats a row: six unknowns and two zeros, one vector register. */
#ifndef SCREE_LINALG_BLOCK6_FOLDED_H
#define SCREE_LINALG_BLOCK6_FOLDED_H

#include <assert.h>

#include "base/execution.h"
#include "linalg/block6/block_graph.h"

enum { FOLDED_CHUNK = 512, FOLDED_ROW = 8 };

/** 6 x 6 numbers, row-major: entry times scale. Rows are read eight entries at a time, the last one with the scale's bytes, which meet
 *  zeros. */
typedef struct la_rounded_block {
  int16_t entry[LA_BLOCK_SIZE];
  float scale; /**< the block's largest entry over 32767; 0 for a block of zeros */
} la_rounded_block;

static_assert(sizeof(la_rounded_block) == 76, "kernels read the last row together with the scale");

/** Rounds a block; one with numbers that are not finite becomes zero. */
void la_round_block(const double *block, la_rounded_block *rounded);

/** Guests of one chunk that are rows of one later chunk. */
typedef struct la_folded_part {
  size_t first_ghost;
  uint32_t count;
} la_folded_part;

/** Starts zeroed. */
typedef struct la_folded {
  size_t row_count, block_count, chunk_count;
  size_t *first;            /**< [row_count + 1] blocks above the diagonal of each row */
  uint32_t *local;          /**< [block_count] the column's row within the chunk: own rows, then guests */
  size_t *first_ghost;      /**< [chunk_count + 1] */
  uint32_t *ghost;          /**< rows, ascending within a chunk */
  size_t *first_part;       /**< [chunk_count + 1] of what earlier chunks have for a chunk */
  la_folded_part *part;     /**< in the order of the chunks that they come from */
  la_rounded_block *values; /**< [block_count] */
  float *ghost_sum;         /**< [guests][8] */
  size_t local_rows;        /**< of the largest chunk */
  float *scratch;           /**< [threads][2][local_rows][8] */
  scr_execution execution;  /**< most that may evaluate at a time */
} la_folded;

/** The pattern of a graph, values zero. SCR_NO_MEMORY leaves it to be cleared. */
scr_status la_folded_create(la_folded *folded, const la_block_graph *graph, scr_execution execution, scr_error *error);
void la_folded_clear(la_folded *folded);
size_t la_folded_bytes(const la_folded *folded);

/** First phase of y = A x for a chunk. @param x,y [row_count][8] @param thread its number, below the threads: whose scratch to use */
void la_folded_evaluate(const la_folded *folded, size_t chunk, const float *x, float *y, unsigned thread);
/** Second phase. Columns 6 and 7 of y are of no meaning. */
void la_folded_collect(const la_folded *folded, size_t chunk, float *y);

/** The loops over blocks, made for several sets of instructions that give the same bits. */
typedef struct la_single_kernels {
  /** y[row] += sum over the row's blocks of B x[local], y[local] += B^T x[row], for rows 0 ... count - 1; `first` counts from `values`. */
  void (*fold)(const la_rounded_block *values, const size_t *first, const uint32_t *local, size_t count, const float *x, float *y);
  /** y[row] += sum over k = first[row] ... of B_k x[column[k]] */
  void (*gather)(const la_rounded_block *values, const size_t *first, const uint32_t *column, size_t begin, size_t end, const float *x,
                 float *y);
  /** y[row] = sum over t = first[row] ... of B_t^T x[from[t]]; zeros in columns 6 and 7 */
  void (*gather_transposed)(const la_rounded_block *values, const size_t *first, const uint32_t *from, size_t begin, size_t end,
                            const float *x, float *y);
} la_single_kernels;

extern const la_single_kernels la_single_portable, la_single_avx2;

/** The fastest on this processor. */
const la_single_kernels *la_single_best(void);

#endif
