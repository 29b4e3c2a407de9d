/** Fracture: bonds above their strength break (spec 3.7), and each leaves a pair that may touch, and its energy in the ledger.
 *
 *  Marking and breaking are two calls, for a large step that would break bonds may be done again in another way instead. A broken bond
 *  leaves the sums at once. Its place in the list of bonds is closed up later, when somebody asks for the list (bdem_bonds_close): explicit
 *  steps don't, and in a body that shatters every one of them breaks bonds. */
#ifndef SCREE_METHODS_BDEM_FRACTURE_H
#define SCREE_METHODS_BDEM_FRACTURE_H

#include "methods/bdem/bonds/bond_batch.h"
#include "methods/bdem/state/model.h"
#include "methods/bdem/state/total.h"
#include "sim/ledger.h"
#include "sim/pieces/breaks.h"

/** Which bonds live, which are to break and which have. */
typedef struct bdem_fracture {
  uint32_t *live;          /**< [n] bonds of a sphere now */
  uint8_t *tabbed;         /**< [n] 1: its bonds never break, it began in a grip or within tab_length of one; NULL: none */
  uint32_t *marked;        /**< [marked_count] of [b]: bonds that are to break, ascending */
  bdem_pair_reach *broken; /**< [broken_count] sorted by their spheres */
  size_t marked_count, broken_count, broken_capacity;
  unsigned char *removed; /**< [b] 1: the bond at this place of the list is broken, and the place to be closed up */
  size_t removed_count;   /**< such places */
  table_log *log;         /**< where bonds that break are noted; borrowed, NULL: nowhere */
  break_entry *notes;     /**< [note_count] on the bonds marked last */
  size_t note_count, note_capacity;
  double noted; /**< s, latest time in the log of this step: a part that fails after breaking bonds is done in shorter ones */
} bdem_fracture;

/** Reach of (i, j) among pairs sorted by i, then j, m; `otherwise` where it is not listed. */
double bdem_reach_among(const bdem_pair_reach *pairs, size_t count, uint32_t i, uint32_t j, double otherwise);

/** When bonds that are marked would break. */
typedef struct bdem_moment {
  uint64_t step; /**< number of the step being made */
  double time;   /**< s */
} bdem_moment;

/** Lists in `marked` the bonds above their strength at the present positions, at which the last force pass must have been; with
 *  `worst_only` those within 1 % of the largest ratio of stress to strength, for which the list of bonds must be closed up. @return how
 *  many */
size_t bdem_mark_bonds(const bdem_model *model, const bdem_body *body, const bdem_batches *batches, bdem_fracture *fracture,
                       bdem_moment moment, bool worst_only);

/** Whether a sphere's velocity changed so much since `before`, [n], that its bonds may have been above their strength in between. */
bool bdem_velocity_jumped(const bdem_model *model, const bdem_body *body, const bdem_fracture *fracture, const scr_vec3 *before);

/** Breaks the marked bonds, books their energy and takes their force out of the sums, both as at the present positions. Their places in the
 *  list of bonds remain. @return SCR_OK, SCR_NO_MEMORY, or what the log says */
scr_status bdem_break_marked(const bdem_body *body, bdem_batches *batches, bdem_fracture *fracture, bdem_total *total, sim_ledger *ledger,
                             scr_error *error);

/** Closes up the list of bonds: body.ends, body.bonds and the batches' numbers are those of live bonds only. */
void bdem_bonds_close(bdem_body *body, bdem_batches *batches, bdem_fracture *fracture);

#endif
