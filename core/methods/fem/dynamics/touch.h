/** Contacts: nodes of the surface near a part of the rig or an obstacle, and near faces of other bodies.
 *
 *      gap_k > 0: apart.   Relative motion of contact k:  n.(x_a - sum_i b_i x_i) and t1, t2 likewise, b the shares of a face's four nodes;
 *                          against a part the shares are none and the part's own motion stands in
 *
 *  Directions (n, t1, t2) are right-handed and orthonormal; n points towards the node. Forces stand in the same order: normal, t1, t2, in N. */
#ifndef SCREE_METHODS_FEM_TOUCH_H
#define SCREE_METHODS_FEM_TOUCH_H

#include <stdbool.h>

#include "methods/fem/system/system.h"
#include "sim/rig/parts.h"

enum { FEM_TOUCH_NODES = 5 };

typedef struct fem_touch {
  uint32_t node[FEM_TOUCH_NODES]; /**< the node, then those of the face */
  double share[FEM_TOUCH_NODES];  /**< 1, then minus the shares; 0 where unused */
  uint32_t node_count;            /**< 1 against a part, 5 against a face */
  uint32_t partner;               /**< number of the part, or part count + number of the other body */
  double axis[3][3];              /**< n, t1, t2 */
  double gap;                     /**< m, of the nodes as they are, to where the part will be at the end of the step; from fem_gap_zero on */
  double floor;                   /**< m, <= 0: the smallest gap the step may end with; below 0 where it began inside a body */
  double friction;                /**< Coulomb's coefficient, >= 0 */
  scr_vec3 point;                 /**< m */
  scr_vec3 velocity;              /**< m/s, of the part's surface there at the end of the step; 0 of faces */
  scr_vec3 way;                   /**< m, that the part's surface goes in the step there */
  double force[3];                /**< N, mean over the step, on the node */
  double impulse;                 /**< N s along n, that took approaching velocity out at the end of the step */
} fem_touch;

/** A list of them, sorted by node, then partner. Starts zeroed. */
typedef struct fem_touches {
  fem_touch *item;
  size_t count, capacity;
} fem_touches;

/** A node that starts inside a part: its place then is the zero of its gap, for good. Jaws whose opening is a little less than the body are meant so. */
typedef struct fem_overlap {
  uint32_t node, part;
  double gap; /**< m, < 0, at the start */
} fem_overlap;

/** A list of them, sorted by node, then part. Starts zeroed; item is freed by mem_free. */
typedef struct fem_overlaps {
  fem_overlap *item;
  size_t count, capacity;
} fem_overlaps;

/** What contacts are looked for among. */
typedef struct fem_contact_space {
  const fem_system *system;
  const fem_surface *surfaces; /**< [body_count] numbers of nodes counted in the system */
  const double *friction;      /**< [body_count][body_count + 1]: with each body's matter, then with the rig */
  double band;                 /**< m: what is farther apart is no candidate */
  bool bodies;                 /**< whether bodies meet each other */
  const fem_overlaps *overlaps;
} fem_contact_space;

/** What a search goes by. */
typedef struct fem_touch_search {
  const double *displacement; /**< [node_count][3] m, where nodes are now */
  const double
      *before; /**< [node_count][3] m, where they were when the step began: what is inside another body then is not thrown out of it */
  const sim_parts *parts;
  const part_motion *start, *end; /**< of parts, in the step */
  const fem_touches *
      former; /**< sorted, or NULL: nodes that pushed a body keep it a little past its rim, so that rims neither let go nor catch by turns */
  bool settled; /**< keep the former pairs of nodes and faces: where a node moves over a rim or from face to face within an iteration, the
                                       choice would never settle */
} fem_touch_search;

/** Lists the nodes of surfaces that are inside parts where bodies are at rest and parts now.  @param overlaps zeroed    @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_find_overlaps(const fem_contact_space *space, const sim_parts *parts, fem_overlaps *overlaps, scr_error *error);

/** Where the gap of a node and a part begins, m: 0, or what it was at the start where that is less. */
double fem_gap_zero(const fem_overlaps *overlaps, uint32_t node, uint32_t part);

/** Finds candidates at displaced nodes against parts as they will be. @param touches replaced */
scr_status fem_find_touches(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error);

/** Takes over the forces of the same node and partner. Both lists are sorted. */
void fem_inherit_forces(const fem_touches *from, fem_touches *to);

/** The contact of a node and a partner in a sorted list; NULL: there is none. */
const fem_touch *fem_find_touch(const fem_touches *list, uint32_t node, uint32_t partner);

/** Orders: by node, then partner. */
int fem_touch_order(const void *left, const void *right);

/** Sum over the touch's nodes of share times axis k . x.  @param x [node_count][3] */
static inline double fem_touch_along(const fem_touch *touch, int k, const double *x)
{
  double sum = 0;
  for (uint32_t i = 0; i < touch->node_count; i++) {
    const double *at = x + 3 * (size_t)touch->node[i];
    sum += touch->share[i] * (touch->axis[k][0] * at[0] + touch->axis[k][1] * at[1] + touch->axis[k][2] * at[2]);
  }
  return sum;
}

/** Adds `size` times direction k to x. */
static inline void fem_touch_spread(const fem_touch *touch, int k, double size, double *x)
{
  for (uint32_t i = 0; i < touch->node_count; i++)
    for (int j = 0; j < 3; j++) x[3 * (size_t)touch->node[i] + (size_t)j] += touch->share[i] * size * touch->axis[k][j];
}

/** Fills t1 and t2 of an n: the same for the same n, and turning with it as far as that can be. */
void fem_touch_tangents(fem_touch *touch);

#endif
