/** Contacts: nodes, edges and faces of the surface near a part of the rig or an obstacle, nodes near faces of other bodies, edges near
 *  their edges.
 *
 *  What touches is a point of the surface (a site): a node, a point of an edge between two nodes or of a face among four.
 *
 *      gap_k > 0: apart.   Relative motion of contact k:  n.(sum_j a_j x_j - sum_i b_i x_i) and t1, t2 likewise, a the shares of the site's
 *      nodes, b of the face's or edge's;
 *                          against a part the shares are none and the part's own motion stands in
 *
 *  Directions (n, t1, t2) are right-handed and orthonormal; n points towards the site. Forces stand in the same order: normal, t1, t2, in
 *  N. */
#ifndef SCREE_METHODS_FEM_TOUCH_H
#define SCREE_METHODS_FEM_TOUCH_H

#include <stdbool.h>

#include "methods/fem/dynamics/edges.h"
#include "methods/fem/system/system.h"
#include "sim/rig/parts.h"

enum { FEM_TOUCH_NODES = 5, FEM_SITE_NODES = 4 };

typedef struct fem_touch {
  uint32_t site;                  /**< a node's number, or node count + an edge's, or node count + edge count + a face's (edges.h) */
  uint32_t other;                 /**< of an edge against an edge: the number of the other one; else 0 */
  uint32_t node[FEM_TOUCH_NODES]; /**< those of the site, then those of the face or edge it meets */
  double share[FEM_TOUCH_NODES];  /**< of the site's, > 0, then minus those of the others; 0 where unused */
  uint32_t node_count;            /**< against a part 1, 2, 4; a node against a face 5, an edge against an edge 4 */
  uint32_t partner;               /**< number of the part, or part count + number of the other body */
  double axis[3][3];              /**< n, t1, t2 */
  double gap;            /**< m, of the nodes as they are, to where the part will be at the end of the step; from fem_gap_zero on */
  double floor;          /**< m, <= 0: the smallest gap the step may end with; below 0 where it began inside a body */
  double friction;       /**< Coulomb's coefficient, >= 0 */
  scr_vec3 point;        /**< m */
  scr_vec3 velocity;     /**< m/s, of the part's surface there at the end of the step; 0 of faces */
  scr_vec3 displacement; /**< m, that the part's surface goes in the step there */
  double force[3];       /**< N, mean over the step, on the node */
  double impulse;        /**< N s along n, that took approaching velocity out at the end of the step */
} fem_touch;

/** A list of them, sorted by site, partner, other. Starts zeroed. */
typedef struct fem_touches {
  fem_touch *item;
  size_t count, capacity;
} fem_touches;

/** A site that starts inside a part: its place then is the zero of its gap, for good. Jaws whose opening is a little less than the body are
 *  meant so. */
typedef struct fem_overlap {
  uint32_t site, part;
  double gap; /**< m, < 0, at the start */
} fem_overlap;

/** A list of them, sorted by site, then part. Starts zeroed; item is freed by mem_free. */
typedef struct fem_overlaps {
  fem_overlap *item;
  size_t count, capacity;
} fem_overlaps;

/** What contacts are looked for among. */
typedef struct fem_contact_space {
  const fem_system *system;
  const geo_hexes_surface *surfaces; /**< [body_count] numbers of nodes counted in the system */
  const double *friction;            /**< [body_count][body_count + 1]: with each body's matter, then with the rig */
  double band;                       /**< m: what is farther apart is no candidate */
  bool bodies;                       /**< whether bodies meet each other */
  const fem_overlaps *overlaps;
  const fem_edges *edges; /**< of the surfaces; NULL: nodes alone touch parts, and no edges meet */
} fem_contact_space;

/** What a search goes by. */
typedef struct fem_touch_search {
  const double *displacement; /**< [node_count][3] m, where nodes are now */
  const double
      *before; /**< [node_count][3] m, where they were when the step began: what is inside another body then is not thrown out of it */
  const sim_parts *parts;
  const part_motion *start, *end; /**< of parts, in the step */
  const fem_touches *former; /**< sorted, or NULL: nodes that pushed a body keep it a little past its rim, so that rims neither let go nor
                                catch by turns */
  bool settled; /**< keep the former pairs of nodes and faces: where a node moves over a rim or from face to face within an iteration, the
                                       choice would never settle */
} fem_touch_search;

/** Lists the nodes, edges and faces of surfaces that are inside parts where bodies are at rest and parts now. The space has no overlaps
 *  yet.
 *  @param nowhere [node_count][3] zeros  @param overlaps zeroed    @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_find_overlaps(const fem_contact_space *space, const sim_parts *parts, const double *nowhere, fem_overlaps *overlaps,
                             scr_error *error);

/** Where the gap of a site and a part begins, m: 0, or what it was at the start where that is less. */
double fem_gap_zero(const fem_overlaps *overlaps, uint32_t site, uint32_t part);

/** Finds candidates of displaced bodies against parts as they will be. @param touches replaced */
scr_status fem_find_touches(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error);

/** A point of the surface: nodes of one body and their shares, > 0, 1 in sum. */
typedef struct fem_site {
  uint32_t number, count, node[FEM_SITE_NODES]; /**< count: 1, 2 or 4 */
  double share[FEM_SITE_NODES];
} fem_site;

/** Adds the contact of a site with part p where it is nearer than the band, or went into or through the part in this step. @param touches
 *  appended to */
scr_status fem_touch_part(const fem_contact_space *space, const fem_touch_search *search, size_t p, const fem_site *site,
                          fem_touches *touches, scr_error *error);

/** Whether a point goes into a part, or through it, within a step, so that the nearest side of the part at the end is not the one that it
 *  met: follows the straight displacement of the point as the part sees it.
 *  @param before, now m, at the start and the end of the step  @param fine m, > 0: what counts as touching  @param from receives normal and
 *  distance from the plane that the point met first, at the end of the step
 *  @return false: it meets nothing, or the nearest side at the end is the one it met */
bool fem_passes_through(const scr_part *form, const part_motion *start, const part_motion *end, scr_vec3 before, scr_vec3 now, double fine,
                        scr_part_distance *from);

/** Takes over the forces of the same site and partner. Both lists are sorted. */
void fem_inherit_forces(const fem_touches *from, fem_touches *to);

/** The first contact of a site and a partner in a sorted list; NULL: there is none. */
const fem_touch *fem_find_touch(const fem_touches *list, uint32_t site, uint32_t partner);

/** Orders: by site, partner, other. */
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

enum { FEM_LEVER_ENTRIES = 3 * FEM_TOUCH_NODES };

/** What a contact pushes: unknowns of the nodes that move and, for each of its directions, how much of its force each takes. */
typedef struct fem_lever {
  size_t count;                        /**< of unknowns */
  uint32_t unknown[FEM_LEVER_ENTRIES]; /**< [count] 3 node + component, none that is fixed */
  double share[FEM_LEVER_ENTRIES][3];  /**< [count][directions] */
} fem_lever;

/** @param fixed [3 n] unknowns that contacts don't move    @param directions 1: the normal alone; 3: tangents too */
fem_lever fem_lever_of(const fem_touch *touch, const unsigned char *fixed, unsigned directions);

#endif
