/** Modes from a mode basis (geometry/basis/): fields that finite elements found, with their exact reduced mass and stiffness.
 *
 *  In use a field is trilinear on the grid of the template's level set, so that a place is looked up in a few nanoseconds; outside of the
 *  mesh it goes on by the gradient at the nearest place of its surface. At nodes it is the finite elements' own. Mass and stiffness are the
 *  basis', times the material's density and Young's modulus over those the basis was made with.
 *
 *  The energy is quadratic by that stiffness, or nonlinear by the basis' levels: the table of one mode's force, or a polynomial of all
 *  modes in use. Levels hold generalised forces, the derivatives of the grain's whole energy: those of all walls together, which the mode
 *  feels. */
#ifndef SCREE_LSDEM_GRAIN_MODE_BASIS_H
#define SCREE_LSDEM_GRAIN_MODE_BASIS_H

#include "methods/lsdem/grain/template.h"

/** Reads the basis of a recipe into a template that has its nodes, axes and level set: fields, mode_at_node, mode_at_tile, peaks and
 *  slopes.
 *  @return SCR_OK; SCR_BAD_SCENE: no basis, one of another shape (volume or centroid off by more than 5 %), fewer modes than asked for,
 *  another Poisson's ratio
 *          than the material's, no levels where the energy needs some; what geo_basis_read, lsdem_energy_take and lsdem_energy_fit say;
 *          SCR_NO_MEMORY */
scr_status lsdem_basis_modes(lsdem_template *grain, const lsdem_recipe *recipe, scr_error *error);

/** Sets mass and stiffness of the modes of such a template. */
void lsdem_basis_matrices(lsdem_template *grain);

#endif
