/** The contact solve: what dissipates at contacts, as impulses on velocities, one contact after the other (spec 3.6). */
#ifndef SCREE_METHODS_BDEM_IMPULSE_H
#define SCREE_METHODS_BDEM_IMPULSE_H

#include "methods/bdem/contact/grip.h"
#include "sim/ledger.h"

/** Damping of contacts, along the normal and of what sticks across it, and friction of rolling over `dt`. Changes the body's velocities and
 *  spins, adds what parts take to the rig's force and torque, and books what was dissipated. */
void bdem_contact_impulses(const bdem_model *model, bdem_body *body, bdem_contacts *contacts, bdem_rig *rig, sim_ledger *ledger, double dt);

#endif
