/** What nodes can't see: edges and faces of the surface against parts that bend towards them (rollers, balls, rims), and sharp edges of
 *  bodies against each other. */
#ifndef SCREE_METHODS_FEM_TOUCH_EDGES_H
#define SCREE_METHODS_FEM_TOUCH_EDGES_H

#include "methods/fem/dynamics/touch.h"

/** Adds, for each edge and each part, the point of the edge that is nearest to the part where that is nearer than both ends; for each face
 *  the nearest point where that is nearer than its edges; and sharp edges of bodies that cross. Planes meet nodes first: there are none of
 *  them. `space->edges` is there.
 *  @param touches appended to    @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_find_edges(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error);

/** Two straight edges. */
typedef struct fem_crossing {
  double share[2][2]; /**< of the ends of each where the lines are nearest; outside of 0 to 1 beyond an end */
  double normal[3];   /**< unit, across both; the sign is not decided */
  bool crossed;       /**< false: nearly parallel */
} fem_crossing;

/** Where two lines through a[0], a[1] and b[0], b[1] are nearest to each other, m. */
fem_crossing fem_cross_edges(const scr_vec3 a[2], const scr_vec3 b[2]);

#endif
