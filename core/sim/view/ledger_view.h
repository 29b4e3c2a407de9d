/** Curves of the energy ledger, which the shell adds to every method's that keeps one. */
#ifndef SCREE_SIM_LEDGER_VIEW_H
#define SCREE_SIM_LEDGER_VIEW_H

#include "sim/method.h"

/** The ledger's entry of that curve, LEDGER_ENTRIES: none. */
ledger_entry ledger_entry_of(const char *curve);

/** Declares the ledger's curves that the method's table of curves has, in its order; before the method's create. What is dissipated is
 *  declared so, but for what the method says may fall. Nothing for methods without a ledger. */
scr_status ledger_declare_curves(scr_sim *sim, scr_error *error);

/** Their values, in the same order: [sim->ledger_series]. */
void ledger_observe(const scr_sim *sim, double *values);

#endif
