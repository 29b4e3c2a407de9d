/** Positions and velocities of nodes on the host. Parameters and promises: the entries of pd_backend that are named alike. */
#ifndef SCREE_PERIDEM_MOTION_H
#define SCREE_PERIDEM_MOTION_H

#include "methods/peridem/host/host.h"

void pd_predict(pd_state *state, double *fracture);
/** Parts of pd_predict, for other back ends: explicit damping of the last pass becomes the old one; the work of bonds that broke in the
 *  last step. */
void pd_begin_damping(pd_state *state);
void pd_book_torn_bonds(pd_state *state, double *fracture);
/** pd_backend.drag: adds to the forces and to their damping part. */
void pd_drag_pass(pd_state *state);
void pd_kick(pd_state *state, pd_kick_sums *sums);
/** What pd_kick does to the nodes begin ... end - 1 of one block, and what it adds up: work of damping and of friction, of gravity, and the
 *  energy of motion, J; execution_terms. So a bench can add them up in another way. @param user address of the state's pointer */
enum { PD_KICK_SUMS = 4 };
void pd_kick_terms(const void *user, size_t begin, size_t end, double *sums);
void pd_accelerate(pd_state *state);
/** J, grain after grain. */
double pd_energy_kinetic(const pd_state *state);

#endif
