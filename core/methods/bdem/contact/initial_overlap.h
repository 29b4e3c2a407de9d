/** What overlaps at the start because packed spheres stick out of their body's surface: its distance then is the zero of its gap, for good.
 *  */
#ifndef SCREE_METHODS_BDEM_INITIAL_OVERLAP_H
#define SCREE_METHODS_BDEM_INITIAL_OVERLAP_H

#include "methods/bdem/bonds/fracture.h"
#include "methods/bdem/contact/contact.h"
#include "methods/bdem/state/model.h"

/** Share of its radius by which a packed sphere may stick out of its body's surface. */
#define BDEM_PROTRUSION 0.5

/** A sphere that overlapped a part at the start. */
typedef struct bdem_initial_touch {
  uint32_t part, sphere;
  double reach; /**< m, its distance then: from which on they push each other */
} bdem_initial_touch;

typedef struct bdem_initial_overlaps {
  bdem_pair_reach *pairs;      /**< [pair_count] sorted */
  bdem_initial_touch *touches; /**< [touch_count] by part, then sphere */
  size_t pair_count, touch_count, pair_capacity, touch_capacity;
  double deepest; /**< m, largest overlap at the start that counts as none */
} bdem_initial_overlaps;

/** Whether a specimen is a packing, whose surface is not that of its spheres. */
bool bdem_is_packed(const bdem_filling *filling, const scr_specimen *specimen);

/** Takes what listed contacts of packed bodies overlap at the start for the zero of their gaps: they start without force. */
scr_status bdem_initial_overlaps_find(const bdem_model *model, const bdem_body *body, bdem_contacts *contacts,
                                      bdem_initial_overlaps *initial, scr_error *error);
void bdem_initial_overlaps_clear(bdem_initial_overlaps *initial);

/** Distance from which on a pair, or a sphere and a part, push each other: where they were if they overlapped at the start, else `reach`;
 *  m. */
double bdem_initial_pair_reach(const bdem_initial_overlaps *initial, uint32_t i, uint32_t j, double reach);
double bdem_initial_touch_reach(const bdem_initial_overlaps *initial, uint32_t part, uint32_t sphere, double reach);

#endif
