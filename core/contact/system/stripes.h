/** An order of sweeps for contacts of chains: chains in stripes, so that threads may take stripes at the same time. Stripes are whole
 * levels of chains, by how many contacts they are away from the first one, so that contacts join neighbours at most.
 *
 *      phase 0     contacts within a stripe, each stripe by itself
 *      phase 1, 2  contacts between neighbours: stripes 0 and 1, 2 and 3, ...; then 1 and 2, 3 and 4, ...
 *
 *  The order does not depend on the number of threads. */
#ifndef SCREE_CONTACT_STRIPES_H
#define SCREE_CONTACT_STRIPES_H

#include "contact/system/system.h"

enum { CONTACT_STRIPES = 8, CONTACT_STRIPE_PHASES = 3 };

typedef struct contact_stripes {
  uint32_t *order;                         /**< [n] contacts */
  size_t first[2 * CONTACT_STRIPES];       /**< where items, stripes or pairs of them, begin in it */
  size_t phase[CONTACT_STRIPE_PHASES + 1]; /**< where phases begin among the items */
  unsigned phase_count;
} contact_stripes;

/** Few contacts make one stripe. @return SCR_OK, SCR_NO_MEMORY */
scr_status contact_stripes_create(const contact_system *s, contact_stripes *o, scr_error *error);
void contact_stripes_clear(contact_stripes *o);

#endif
