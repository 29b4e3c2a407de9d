/** What surfaces press on each other by: at nodes, as rows of a table; at grains, as a colour. */
#ifndef SCREE_LSDEM_VIEW_TRACTION_H
#define SCREE_LSDEM_VIEW_TRACTION_H

#include "methods/lsdem/state/state.h"

/** Of each grain the largest pressure at a node in contact, of its own or of another's that lies in it; 0 without contact.
 *  @param largest [grain_count] Pa, out */
void lsdem_largest_pressures(const lsdem_state *state, double *largest);

/** The table `tractions`, where the options want it: a row for each node in contact, in the order of the directions; pressure times area
 *  are the forces. */
scr_status lsdem_declare_tractions(scr_sim *sim, scr_error *error);
scr_status lsdem_tabulate(scr_sim *sim, scr_error *error);

/** Bytes of its rows at one frame, about: as many nodes as lie within half a grid spacing of a plane, at eight contacts a grain. */
double lsdem_traction_bytes(const lsdem_state *state);

#endif
