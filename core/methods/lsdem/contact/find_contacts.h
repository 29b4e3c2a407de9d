/** What the nodes of one direction find. */
#ifndef SCREE_LSDEM_CONTACT_FIND_CONTACTS_H
#define SCREE_LSDEM_CONTACT_FIND_CONTACTS_H

#include "methods/lsdem/state/state.h"

/** Fills the sums and modal forces in place `at` of those under way with what direction d finds, and what it remembers; breaks its bonds.
 *  Touches nothing else, so directions may be asked at once.
 *  @param at < LSDEM_AT_ONCE    @param dt s, over which friction's springs stretch    @return false: no memory */
bool lsdem_find_contacts(lsdem_state *state, size_t d, size_t at, double dt);

/** Where node k is in its grain's own axes, deformed, m. */
scr_vec3 lsdem_node_place(const lsdem_view *view, size_t k);

#endif
