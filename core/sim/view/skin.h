/** Skins: the surfaces of pieces that frames carry when the scene asks for them (`output.surfaces`). Whatever the method, they are made of
 *  the points it has just drawn, so nothing is kept between frames. */
#ifndef SCREE_SIM_SKIN_H
#define SCREE_SIM_SKIN_H

#include "sim/method.h"

/** Declares a changing mesh for every drawable of points with pieces, after all that the method declared.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status skin_declare(scr_sim *sim, scr_error *error);

/** Draws the skins, once the method has drawn its points. Pieces of fewer than SCR_SURFACE_LEAST points have none.
 *  @return SCR_OK, SCR_BAD_USAGE (points not drawn, too many cells), SCR_DIVERGED, SCR_NO_MEMORY */
scr_status skin_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);

#endif
