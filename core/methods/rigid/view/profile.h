/** The bed that the bodies of specimens form: the box around it, and how its porosity changes through it. */
#ifndef SCREE_RIGID_PROFILE_H
#define SCREE_RIGID_PROFILE_H

#include "methods/rigid/state/state.h"

/** The box around all bodies of specimens, m; empty where there is none. */
geo_box rigid_bed_box(const rigid_state *state);

/** Porosity of layers of equal thickness that fill the box around all bodies. Balls are cut exactly; other bodies by the planes through the
 *  surface that is drawn of them: exact for polyhedra and meshes, round sides as finely as they are drawn (a layer as thick as their
 *  radius: to 2.5 %). The whole volume of a body is its own, so that the mean of all layers is the curve `porosity`.
 *  @param axis      0, 1, 2: layers lie across x, y, z
 *  @param layers    1 ... RIGID_LAYER_LIMIT
 *  @param low       receives where the first layer begins, m along the axis
 *  @param thickness receives that of a layer, m
 *  @param porosity  [layers] receives 1 - solid volume over volume; below 0 where bodies overlap by more than there are voids */
void rigid_porosity(const rigid_state *state, int axis, size_t layers, double *low, double *thickness, double *porosity);

#endif
