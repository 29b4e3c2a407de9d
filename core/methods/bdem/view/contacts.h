/** Contacts in pictures, where an option asks for them: forces as vectors (sim/view/contact_view.h), those of spheres with spheres and
 * parts. */
#ifndef SCREE_METHODS_BDEM_VIEW_CONTACTS_H
#define SCREE_METHODS_BDEM_VIEW_CONTACTS_H

#include "methods/bdem/state/state.h"

scr_status bdem_declare_contacts(scr_sim *sim, bdem_state *state, scr_error *error);
scr_status bdem_draw_contacts(const bdem_state *state, scr_frame *frame, scr_error *error);

#endif
