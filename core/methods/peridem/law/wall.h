/** The laws between a node and a part of the rig (spec 3.4, walls), and where contact begins. All of single numbers. */
#ifndef SCREE_PERIDEM_WALL_H
#define SCREE_PERIDEM_WALL_H

#include "methods/peridem/scene/options.h"

/** Distance from a part's surface at which a node of spacing `spacing` touches it, unless it starts nearer, m. */
double pd_rig_zero(const pd_options *options, double contact_radius, double spacing);
/** The same between two nodes of different bodies of these spacings. */
double pd_pair_zero(const pd_options *options, double contact_radius, double spacing_1, double spacing_2);
/** Distance within which nodes of two bodies can touch at all, m: up to Rc, or the mean of their spacings, or by faces.
 *  @param spacing m, the largest of all bodies    @param several whether there is more than one */
double pd_touch_radius(const pd_options *options, double contact_radius, double spacing, bool several);
/** The same by faces that are known, m: a width aside, and both depths along. @param deepest m, of all nodes below their faces */
double pd_face_touch_radius(double spacing, double deepest);
/** Stiffness of friction's spring of a node on the rig, N/m. */
double pd_friction_stiffness(double contact_stiffness, double node_volume, double contact_radius);
/** Stiffness of a surface node against the rig by contact_surface "faces", over its section and times its height, Pa: C (k + 4 G / 3), as
 *  of a layer of the material between the node and its face. C = 1.25 was found on cubes between platens; half a cell alone would have 2.
 *  */
double pd_face_modulus(double bulk_modulus, double shear_modulus);
/** Repulsion of one node from a plane by either law, per Kn V: lumped or exact; and its potential. `distance` may be negative. */
double pd_wall_repulsion(pd_wall_law law, double contact_radius, double distance);
double pd_wall_potential(pd_wall_law law, double contact_radius, double distance);
/** Volume of the part of the ball of radius Rc that lies behind a plane at distance 0 <= d <= Rc, m^3. */
double pd_cap_volume(double contact_radius, double distance);

#endif
