/** Checks of bodies against each other and against what holds them, before a run. */
#ifndef SCREE_METHODS_FEM_CHECK_BODIES_H
#define SCREE_METHODS_FEM_CHECK_BODIES_H

#include "geometry/hexes/hexes.h"
#include "methods/fem/scene/cost.h"
#include "scene/check/checker.h"
#include "scene/part.h"

/** Adds a problem for every pair of bodies that start in each other by more than a hundredth of an element: a node of one's surface, or the
 *  middle of one of its elements, inside the other, with none of its faces that near. Adds to `cost` the contacts that bodies may have with
 *  those within their size. All specimens must be sound meshes.  @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_check_overlaps(const scr_checker *c, fem_cost *cost);

/** Adds a problem at /options/loading, naming a free motion, where neither grips nor parts that it touches at the start hold a body for
 *  static loading (check_static.c).
 *  @param k, grain  specimen and number of its place    @param placed  the body in it    @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_check_held(const scr_checker *c, size_t k, size_t grain, const geo_hexes *placed, const scr_part *parts, size_t part_count);

#endif
