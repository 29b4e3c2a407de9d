/** Contacts in pictures, where options ask for them: lines of force, and forces as vectors (sim/view/contact_view.h). */
#ifndef SCREE_LSDEM_CONTACTS_H
#define SCREE_LSDEM_CONTACTS_H

#include "methods/lsdem/state/state.h"

scr_status lsdem_declare_contacts(scr_sim *sim, scr_error *error);
scr_status lsdem_draw_contacts(const lsdem_state *state, scr_frame *frame, scr_error *error);

#endif
