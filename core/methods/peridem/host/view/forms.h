/** Forms of pieces from their second moments. */
#ifndef SCREE_PERIDEM_FORMS_H
#define SCREE_PERIDEM_FORMS_H

#include "methods/peridem/host/host.h"

/** Adds one piece, unless it is dust: a single node of a body that has more. Each node counts as a cube of its spacing, so of a block of
 *  nodes the edges are its own.
 *  @param nodes [count] numbers of its nodes within the grain, or NULL: all of them */
void pd_forms_add(const pd_state *state, size_t grain, const uint32_t *nodes, size_t count, pd_forms *forms);

/** Adds the pieces of a broken grain. @param piece [n] their numbers from 0, in the order of their first nodes
 *  @param order,start [n], [n + 1] scratch */
void pd_forms_add_grain(const pd_state *state, size_t grain, const uint32_t *piece, uint32_t *order, uint32_t *start, pd_forms *forms);

#endif
