/** What overlaps at the start because packed spheres stick out of their body's surface: its distance then is the zero of its gap, for good.
 *  */
#ifndef SCREE_METHODS_BDEM_INITIAL_OVERLAP_H
#define SCREE_METHODS_BDEM_INITIAL_OVERLAP_H

#include "methods/bdem/bonds/fracture.h"
#include "methods/bdem/contact/contact.h"
#include "methods/bdem/state/model.h"

/** Share of its radius by which a packed sphere may stick out of its body's surface. */
#define BDEM_PROTRUSION 0.5

typedef struct bdem_initial_overlaps {
  bdem_pair_reach *pairs;   /**< [pair_count] sorted, with their distances then (bdem_reach_among) */
  bdem_pair_reach *touches; /**< [touch_count] the same of parts and spheres */
  size_t pair_count, touch_count, pair_capacity, touch_capacity;
  double deepest; /**< m, largest overlap at the start that counts as none */
} bdem_initial_overlaps;

/** Whether a specimen is a packing, whose surface is not that of its spheres. */
bool bdem_is_packed(const bdem_filling *filling, const scr_specimen *specimen);

/** Takes what listed contacts of packed bodies overlap at the start for the zero of their gaps: they start without force. */
scr_status bdem_initial_overlaps_find(const bdem_model *model, const bdem_body *body, bdem_contacts *contacts,
                                      bdem_initial_overlaps *initial, scr_error *error);
void bdem_initial_overlaps_clear(bdem_initial_overlaps *initial);

#endif
