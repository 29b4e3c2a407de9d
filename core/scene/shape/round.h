/** What shapes of balls and rods share. Private to core/scene/shape. */
#ifndef SCREE_SCENE_SHAPE_ROUND_H
#define SCREE_SCENE_SHAPE_ROUND_H

#include "scene/places/reach.h"
#include "scene/problem.h"
#include "scene/shape/keys.h"

/** Outlines that are packed lie a little outside of round surfaces: this many times their radius. */
#define OUTLINE_OF_ROUND 1.003

/** Functions of scr_shape_form, of balls and hollow balls. */
double ball_reach(const scr_shape *shape);
scr_vec3 ball_half_extents(const scr_shape *shape, double resolution);
scr_status ball_shell(const scr_shape *shape, double spacing, geo_mesh *mesh, scr_error *error);
double ball_area(const scr_shape *shape);
double ball_distance(const scr_shape *shape, scr_vec3 point);
scr_status ball_pieces(const scr_shape *shape, geo_piece *pieces, scr_error *error);
scr_status ball_picture(const scr_shape *shape, geo_mesh *mesh, scr_error *error);
scr_status ball_outline(const scr_shape *shape, geo_mesh *mesh, scr_error *error);

/** Radius and half the length of a rod's ends, m: of pieces of a compound, at most. */
double rod_extent(const scr_shape *shape);

#endif
