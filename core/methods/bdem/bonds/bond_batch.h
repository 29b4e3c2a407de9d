/** The forces of all bonds of a body, eight bonds at a time: the explicit integrator's hot loop.
 *
 *  Spheres are put in blocks of up to BATCH_BLOCK that are near each other (order of a space-filling curve). Every bond belongs to the
 *  end that comes first in this order. Within a block, eight spheres side by side form a chunk; batch k of a chunk holds the k-th bond
 *  of each of its eight spheres, lane by lane, so that the near ends of a batch are loaded once per chunk and summed on the spot:
 *
 *      chunk  sphere  0 1 2 3 4 5 6 7
 *      batch 0        x x x x x x x x     x: a bond of the sphere above
 *      batch 1        x x x x x x x .     .: an empty lane: a bond of the sphere with itself, which gives no force
 *      batch 2        x x x x . . . .     within a block the spheres with the most bonds come first, so that few lanes stay empty
 *
 *  Each block adds up the forces on its own spheres and, apart from them, on the spheres of later blocks that its bonds reach (its
 *  guests). As guests are always later, a block's spheres have all their parts once it has been evaluated after those before it: they are
 *  finished on the spot, while they are in the cache, and may even be moved, for no later block looks at them. With several threads,
 *  each takes a run of blocks; those that guests of an earlier run are in wait until all are evaluated. The parts of a sphere are added in
 *  the order of the blocks, which never depends on the number of threads, so neither do the results. A bond is removed by pointing its
 *  lane at its own sphere: no other data move.
 *
 *  Traffic per bond: 32 B direction and rest length, 4 B far end, up to 32 B stiffnesses and 24 B strengths (shared by batches
 *  that agree in them, as those of a regular packing do); per sphere 56 B of state, and a third to a half more of state and sums for the
 *  guests. */
#ifndef SCREE_METHODS_BDEM_BOND_BATCH_H
#define SCREE_METHODS_BDEM_BOND_BATCH_H

#include "base/execution.h"
#include "methods/bdem/body/body.h"

enum {
  BATCH_LANES = 8,
  BATCH_BLOCK = 512,
  BATCH_ROW = 8,    /**< doubles in a row of states or sums */
  BATCH_PIECES = 16 /**< runs of chunks in which a block is evaluated, one after the other */
};

/** Rest geometry of eight bonds, streamed. */
typedef struct batch_rest {
  double direction[3][BATCH_LANES]; /**< d0, from the near to the far end */
  double length[BATCH_LANES];       /**< l0, m */
} batch_rest;

/** Stiffnesses and strengths of eight bonds; shared by batches that agree in them but for rounding. From `tension` on they are zero for
 *  unbreakable bonds, which never look at them; the last two are looked at for bonds near their strength only. */
typedef struct batch_stiffness {
  double stretch[BATCH_LANES]; /**< kn, N/m */
  double shear[BATCH_LANES];   /**< kt, N m */
  double bend[BATCH_LANES];    /**< half the bending stiffness, N m */
  double excess[BATCH_LANES];  /**< half of what the twisting stiffness is above it, N m */
  double tension[BATCH_LANES]; /**< tensile stress over strength, per metre of extension */
  double sliding[BATCH_LANES]; /**< shear stress over strength, per newton of shear force */
  double turning[BATCH_LANES]; /**< the larger of `bending` and `torsion`, squared */
  double bending[BATCH_LANES]; /**< tensile stress over strength, per |u across d0| */
  double torsion[BATCH_LANES]; /**< shear stress over strength, per |u along d0| */
} batch_stiffness;

/** Rows of a block: its own spheres, padded to a multiple of eight, then its guests by place. */
typedef struct batch_block {
  size_t first_place;              /**< of its own spheres, see bdem_batches.sphere */
  size_t first_ghost;              /**< of its guests, see bdem_batches.guest */
  size_t first_chunk;              /**< its chunks are first_chunk ... that of the next block */
  size_t first_part;               /**< of its parts from earlier blocks, see bdem_batches.part */
  size_t earliest;                 /**< the first block that has guests in it; itself if none has */
  uint32_t own_count, ghost_count; /**< spheres */
} batch_block;

/** Guests of one block that are in one other block: a run of sums to be added there. */
typedef struct batch_part {
  uint32_t first_ghost, count;
} batch_part;

/** State of one sphere; one cache line. */
typedef struct batch_state {
  scr_vec3 position; /**< m */
  double unused;
  scr_quat orientation;
} batch_state;

/** Forces and torques on one sphere from the bonds of one block; one cache line. */
typedef struct batch_sum {
  scr_vec3 force, torque; /**< N, N m */
  double unused[2];
} batch_sum;

static_assert(sizeof(batch_state) == BATCH_ROW * sizeof(double) && sizeof(batch_sum) == sizeof(batch_state), "kernels go by doubles");

typedef struct bdem_batches bdem_batches;

/** Evaluates the bonds of the chunks `begin` ... `end` - 1 of block `index`: adds to the sums of its rows, whose state is given. The sets
 *  of instructions differ in the last bits only; which one is best is a property of the processor. */
typedef void (*batch_kernel)(const bdem_batches *, size_t index, size_t begin, size_t end, const batch_state *state, batch_sum *sum);
void batch_kernel_portable(const bdem_batches *t, size_t index, size_t begin, size_t end, const batch_state *state, batch_sum *sum);
void batch_kernel_avx2(const bdem_batches *t, size_t index, size_t begin, size_t end, const batch_state *state, batch_sum *sum);
void batch_kernel_avx512(const bdem_batches *t, size_t index, size_t begin, size_t end, const batch_state *state, batch_sum *sum);

/** What computes the sums of all spheres in place of the kernel, such as a device. @return [sphere_count] by place, valid until the next
 *  call; NULL where it failed, after which the kernel does */
typedef const batch_sum *(*batch_elsewhere)(void *where, const bdem_body *body);

/** Sets of instructions, the best last. */
typedef enum batch_set { BATCH_PORTABLE, BATCH_AVX2, BATCH_AVX512, BATCH_SET_COUNT } batch_set;

/** The kernel for a set; NULL where this processor or build lacks it. Tests and benchmarks put it into bdem_batches.kernel. */
batch_kernel batch_kernel_of(batch_set set);
batch_kernel batch_kernel_best(void);
/** "portable", "avx2" or "avx512". Static text. */
const char *batch_kernel_name(batch_kernel kernel);

/** Everything but the scratch, `ghost_sum` and `waiting_sum` is set when the batches are made; `far` also when bonds are removed. */
struct bdem_batches {
  size_t sphere_count, bond_count, block_count, chunk_count, batch_count, part_count;
  size_t ghost_count, waiting_count, row_count; /**< guests of all blocks; sphere_count, or 0 with one thread; threads times rows */
  scr_execution execution;                      /**< most that may be used */
  uint32_t *sphere;                             /**< [sphere_count] number in the body of the sphere at each place: block after block */
  uint32_t *ghost;                              /**< [guests] number in the body of every block's guests */
  uint32_t *ghost_row;                          /**< [guests] their rows in the blocks whose own they are */
  batch_block *block;                           /**< [block_count + 1] */
  size_t *first_batch;                          /**< [chunk_count + 1] */
  uint32_t (*far)[8];                           /**< [batch_count] BATCH_ROW times the row of the far end within the block */
  uint32_t *near;                               /**< [batch_count] row of lane 0's near end within the block */
  batch_rest *rest;                             /**< [batch_count] */
  uint32_t *stiffness_of;                       /**< [batch_count] index into stiffness */
  batch_stiffness *stiffness;                   /**< distinct ones */
  uint32_t *lane;                               /**< [bond_count] 8 batch + lane */
  uint32_t (*bond)[8];                          /**< [batch_count] the bond in each lane */
  uint8_t *strained; /**< [batch_count] lanes that may be above their strength, one bit each; set by an evaluation */
  bool breakable;
  batch_part *part;          /**< [part_count] parts of every block's sums in earlier ones, in their order */
  size_t rows;               /**< of the largest block */
  batch_state *state;        /**< [threads][rows] scratch */
  batch_sum *sum;            /**< [threads][rows] scratch */
  batch_sum *ghost_sum;      /**< [guests] */
  batch_sum *waiting_sum;    /**< [sphere_count] by place, of blocks that wait for others' guests; allocated for several threads only */
  batch_kernel kernel;       /**< batch_kernel_best() */
  batch_elsewhere elsewhere; /**< NULL: the kernel */
  void *where;               /**< for `elsewhere`; borrowed */
  scr_error failure;         /**< what `elsewhere` has met: the run is to end; its code is SCR_OK else */
  bool cut;                  /**< a bond was taken out; `elsewhere` clears it */
};

/** bdem_bond_force_of for one lane. */
bdem_bond_force batch_scalar_force(const batch_rest *rest, const batch_stiffness *k, int lane, const batch_state *near,
                                   const batch_state *far);

/** Sorts the body's bonds into batches. The body's spheres and bonds keep their numbers. The order of sums, and with it their last bits,
 *  comes from the positions and the bonds in this call: a run that resumes makes its batches from the same ones, then drops.
 *  @param section [bond_count] of every bond, read in this call only; NULL: nothing breaks and no stress is looked at
 *  @param execution with at least one thread: what the other functions use
 *  @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_USAGE for more than 2^29 spheres or bonds, or positions that are not finite;
 *          on failure `batches` is what bdem_batches_destroy accepts */
scr_status bdem_batches_create(const bdem_body *body, const bdem_section *const *section, scr_execution execution, bdem_batches *batches,
                               scr_error *error);
void bdem_batches_destroy(bdem_batches *batches);

/** Takes the bonds whose `gone`, [bond_count], is not zero out of all further sums and renumbers the others in their order, as a body's
 *  list is closed up. Empty lanes stay: create anew when many bonds are gone, to win their time back. */
void bdem_batches_drop(bdem_batches *batches, const unsigned char *gone);

/** Takes one bond out of all further sums; the others keep their numbers, and it its own, until bdem_batches_drop is told of it too. */
void bdem_batches_cut(bdem_batches *batches, size_t bond);

/** Numbers of the bonds that the last evaluation found within 1e-6 of their strength, above it, or turned too far to tell: all that may
 *  have to break. bdem_bond_stress_of has the last word.
 *  @param bonds [bond_count] receives them, in a fixed order      @return how many */
size_t bdem_batches_strained(const bdem_batches *batches, uint32_t *bonds);

/** What has failed elsewhere so far; the kernel has then computed the forces. */
static inline scr_status bdem_batches_failure(const bdem_batches *batches, scr_error *error)
{
  if (batches->failure.code != SCR_OK && error) *error = batches->failure;
  return batches->failure.code;
}

/** What is done with a block's own spheres once all bonds that act on them are summed. `sum` has a row for each, from first_place on.
 *  Several blocks may be finished at the same time, each once; nobody looks at their spheres any more, so these may move. */
typedef void (*batch_finish)(void *context, const bdem_batches *batches, size_t block, const batch_sum *sum);

/** Asks the cache for what batch_finish will use of these spheres (batch_fetch_array), while other bonds are computed. It changes nothing.
 *  */
typedef void (*batch_fetch)(const void *context, const uint32_t *sphere, size_t count);

/** Asks for the elements of one array, of `size` bytes each, with these indices, for writing. */
static inline void batch_fetch_array(const void *array, size_t size, const uint32_t *index, size_t count)
{
  const char *bytes = array;
  for (size_t k = 0; k < count; ++k) __builtin_prefetch(bytes + size * index[k], 1, 2);
}

/** Evaluates every bond in the body's present state and finishes every block. @param fetch NULL: nothing is asked for ahead of `finish` */
void bdem_batches_sweep(bdem_batches *batches, const bdem_body *body, batch_finish finish, batch_fetch fetch, void *context);

/** The bonds' forces and torques on every sphere, N and N m, [sphere_count] each, written. Each bond's are bdem_bond_force_of's to 1e-13 of
 *  its largest; the same bits for any number of threads. A bond whose ends coincide, which has no direction, gives no force. */
void bdem_batches_forces(bdem_batches *batches, const bdem_body *body, scr_vec3 *force, scr_vec3 *torque);

#endif
