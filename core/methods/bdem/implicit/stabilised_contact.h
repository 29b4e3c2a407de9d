/** Damped contacts inside a variational step, whose middle rule would let a body that rests on stiff contacts tremble for good.
 *
 *  The middle rule reflects what is stiff against a step: a body a distance x above its equilibrium is as far below it a step later, and a
 *  damper that acts on velocities after the step never sees it. With damping ratio zeta a contact in truth swings out within a few of its
 *  periods. So its force over a step is taken between the middle and the end of it,
 *
 *      N = k max(0, o_m + a (o_m - o_0)),   a = 1 - exp(-2 zeta sqrt(k / m) dt)
 *
 *  with the overlaps o_0 at the step's start and o_m in its middle, and m the mass that the contact accelerates: the middle rule where
 * steps resolve the contact or nothing damps it, the force at the step's end where they are long. It takes a k (o_1 - o_0)^2 / 2 out, never
 * less than nothing. The same force is that of a contact of stiffness k (1 + a) whose reach is shorter by a o_0 / (1 + a): so contacts are
 *  changed while a step is solved.
 *
 *  Source: contact forces taken at the end of a step against trembling: Kane, Repetto, Ortiz and Marsden (1999); Deuflhard, Krause and
 * Ertel (2008), "A contact-stabilized Newmark method". */
#ifndef SCREE_METHODS_BDEM_STABILISED_CONTACT_H
#define SCREE_METHODS_BDEM_STABILISED_CONTACT_H

#include "methods/bdem/contact/contact.h"

/** Changes all contacts with damping for a step of dt that begins at the body's state. Touches by facets stay as they are.
 *  @return SCR_OK, SCR_NO_MEMORY: nothing is changed */
scr_status bdem_contacts_stabilise(bdem_contacts *contacts, const bdem_body *body, double dt, scr_error *error);

/** Gives contacts their law back. @return what stabilising took out of a step that ended at the body's state, J */
double bdem_contacts_release(bdem_contacts *contacts, const bdem_body *body);

#endif
