/** The host's hot loops, one table per set of instructions: chosen once when the arrays are made, called with plain arrays.
 *
 *  The tables of AVX-512 and AVX2, and that of any processor whose baseline has fused multiply-add, give the same bits: all go eight lanes
 *  at a time, in the same order, with the same fused operations, and roots begin from the same integer estimate, not from an instruction
 *  that differs between makers. Without fused operations `portable` differs by rounding. */
#ifndef SCREE_PERIDEM_KERNELS_H
#define SCREE_PERIDEM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "methods/peridem/body/bonds.h"

enum {
  PD_LANES = 8,        /**< of every kernel, whatever the width of its registers; arrays of positions have as many spare doubles */
  PD_SPARE_ENTRIES = 8 /**< behind the last entry of a run, of classes that there are: classes are fetched so many ahead */
};

/** Bond forces on the rows [begin, end) of one body: F_i = k sum_j w (1/L - 1/r) d, both directions of every bond stored. */
typedef struct pd_row_task {
  const pd_bonds *bonds;     /**< arrays of slots may be read PD_LANES beyond their end */
  const double *position[3]; /**< of the body's node 0, m */
  double *force[3];          /**< of the body's node 0, N; set */
  double stiffness;          /**< k, N */
  double limit;              /**< 1 + critical stretch, or less */
  unsigned char *torn;       /**< of the body's node 0; set to 1 where a bond's r / L is beyond the limit, else left */
  size_t begin, end;
} pd_row_task;

/** What bonds of one length and weight have in common. */
typedef struct pd_bond_class {
  double limit;      /**< (1 + critical stretch)^2 L^2 or less, m^2 */
  double weight;     /**< w */
  double per_length; /**< w / L, 1/m */
  double unused;
} pd_bond_class;

/** What the bonds of an entry have where they have one length, but weights of their own, as beside the surfaces of a corrected body. */
typedef struct pd_lane_class {
  double limit;            /**< as pd_bond_class */
  double inverse_length;   /**< 1/L, 1/m */
  double weight[PD_LANES]; /**< w of each lane, 0 without a bond */
} pd_lane_class;

/** Eight bonds or fewer: lane c joins element near + c with element far + c. */
typedef struct pd_run_entry {
  uint32_t far;
  uint32_t kind; /**< class << 8 | lanes that hold an intact bond */
} pd_run_entry;

/** Bond forces of the vectors [begin, end) of runs (bond_runs.h). Each bond is seen once and acts on both its ends. */
typedef struct pd_run_task {
  const uint32_t *near;  /**< first element of a vector's near ends */
  const uint32_t *first; /**< a vector's entries are first[v] ... first[v + 1] - 1 */
  const pd_run_entry *entry;
  const pd_bond_class *kind;      /**< the classes, or NULL: */
  const pd_lane_class *lane_kind; /**< those with a weight for each lane */
  bool whole;                     /**< with lane_kind: no bond has been broken */
  const double *position[3];      /**< m, of element `from` */
  double *force[3];               /**< sums of w (1/L - 1/r) d, of element `from`; added to */
  size_t from;
  size_t begin, end;
  /** Called where a bond's r^2 is beyond the limit of its class. @param lanes a bit for each */
  void (*torn)(const struct pd_run_task *task, size_t vector, const pd_run_entry *entry, unsigned lanes);
  void *user; /**< of `torn` */
} pd_run_task;

typedef struct pd_kernels {
  const char *name;                        /**< "avx512", "avx2", "portable" */
  size_t (*rows)(const pd_row_task *task); /**< @return number of rows with a bond beyond the limit */
  /** @return sum of w s^2 L over the rows, m: four times their energy over k */
  double (*energy)(const pd_row_task *task);
  void (*runs)(const pd_run_task *task);
  /** Picks those of `count` elements that are nearer to `at` than about the radius: none that is nearer is left out, those farther by more
   *  than a rounding are.
   *  @param other element numbers; with the high bit set they are passed over; PD_LANES - 1 beyond the last are read    @param position
   *  arrays that they index, m
   *  @param chosen [count + PD_LANES] receives element numbers, in their order    @return how many */
  size_t (*within)(const uint32_t *other, size_t count, const double *const position[3], const double at[3], double radius,
                   uint32_t *chosen);
  /** Picks the elements [begin, end) that are nearer to a plane than about `reach`, as `within` does.
   *  @param normal unit, to the side where distances count positive    @param offset m, of the plane along it
   *  @param chosen [end - begin + PD_LANES] receives element numbers, ascending    @return how many */
  size_t (*below)(const double *const position[3], size_t begin, size_t end, const double normal[3], double offset, double reach,
                  uint32_t *chosen);
} pd_kernels;

extern const pd_kernels pd_kernels_portable;
#if defined(__x86_64__)
extern const pd_kernels pd_kernels_avx2, pd_kernels_avx512;
#endif

/** The fastest that this processor runs. */
const pd_kernels *pd_kernels_best(void);
/** That of a name, or NULL where there is none or this processor can't run it. */
const pd_kernels *pd_kernels_named(const char *name);

#endif
