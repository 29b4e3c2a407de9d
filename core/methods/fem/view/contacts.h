/** Contacts in pictures, where an option asks for them: forces as vectors (sim/view/contact_view.h), on the node, edge or face that
 * touches. Forces are the means over the last step. */
#ifndef SCREE_METHODS_FEM_CONTACTS_H
#define SCREE_METHODS_FEM_CONTACTS_H

#include "methods/fem/state/state.h"

scr_status fem_declare_contacts(scr_sim *sim, scr_error *error);
/** @param parts of the rig */
scr_status fem_draw_contacts(const fem_state *state, size_t parts, scr_frame *frame, scr_error *error);

/** Most bytes that they take in a frame, of so many nodes. */
void fem_estimate_contacts(const fem_options *options, double nodes, scr_estimate *estimate);

#endif
