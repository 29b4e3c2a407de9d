/** The modes of a template: their fields by the set that was chosen, and what follows from them. */
#ifndef SCREE_LSDEM_GRAIN_MODES_OF_SHAPE_H
#define SCREE_LSDEM_GRAIN_MODES_OF_SHAPE_H

#include "methods/lsdem/grain/template.h"

/** Makes the modes of a template that has its nodes, mass and axes.
 *  @return SCR_OK; SCR_BAD_SCENE: modes that depend on each other, a stiffness that is not positive definite, a bad table; SCR_NO_MEMORY */
scr_status lsdem_modes_make(lsdem_template *grain, const lsdem_recipe *recipe, scr_error *error);

/** Points and weights that stand for the solid within a closed surface about the origin: eight Gauss points along each ray from the origin,
 *  at the middles of the edges of each triangle. Exact for polynomials of degree 2.
 *  @param inner share of the rays, from the origin on, that lies in a void; 0: none
 *  @param whole m^3, that the weights are to sum up to: the volume of the shape itself, where triangles only come near it
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status lsdem_quadrature_make(lsdem_quadrature *volume, const geo_mesh *surface, double inner, double whole, scr_error *error);
void lsdem_quadrature_clear(lsdem_quadrature *volume);

#endif
