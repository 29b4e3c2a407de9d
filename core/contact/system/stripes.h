/** An order of sweeps for contacts of chains: chains in stripes by their numbers, so that threads may take stripes at the same time.
 *
 *      phase 0     contacts within a stripe, each stripe by itself
 *      phase 1, 2  contacts between neighbours: stripes 0 and 1, 2 and 3, ...; then 1 and 2, 3 and 4, ...
 *      phase 3     all others, one after the other
 *
 *  Fibres that follow on each other are neighbours in space as a rule. The order does not depend on the number of threads. */
#ifndef SCREE_CONTACT_STRIPES_H
#define SCREE_CONTACT_STRIPES_H

#include "contact/system/system.h"

enum { CONTACT_STRIPES = 8, CONTACT_STRIPE_PHASES = 4 };

typedef struct contact_stripes {
  uint32_t *order;                         /**< [n] contacts */
  size_t first[2 * CONTACT_STRIPES + 1];   /**< where items, stripes or pairs of them, begin in it */
  size_t phase[CONTACT_STRIPE_PHASES + 1]; /**< where phases begin among the items */
  unsigned phase_count;
} contact_stripes;

/** Few contacts make one stripe.    @param first  [chains + 1] rising from 0: chains have as many contacts; stripes share these evenly
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status contact_stripes_create(const contact_system *s, const size_t *first, contact_stripes *o, scr_error *error);
void contact_stripes_clear(contact_stripes *o);

#endif
