/** Which fibres may touch within a step: edges near edges, nodes and edges near parts of the rig, as they are when it begins.
 *
 *  A point of contact is a local minimum of distance along both fibres: at a node between two edges it counts once, for the edge that
 *  begins there, and
 *  only where the edge before it does not come nearer. */
#ifndef SCREE_FIBRE_DETECT_H
#define SCREE_FIBRE_DETECT_H

#include "base/execution.h"
#include "contact/warm_start.h"
#include "geometry/search/cells.h"
#include "sim/rig/parts.h"

struct fibre_state;

/** Where a fibre is touched. */
typedef struct fibre_point {
  uint32_t fibre, edge;
  double share; /**< 0 ... 1 along the edge */
} fibre_point;

enum { FIBRE_NO_PART = -1 };

/** Two surfaces that may meet in the step. */
typedef struct fibre_touch {
  fibre_point a, b;        /**< b means nothing where `part` is one */
  int32_t part;            /**< number of a part, or FIBRE_NO_PART: another fibre, or the same */
  double gap;              /**< m, < 0 where they overlap */
  scr_vec3 normal, t1, t2; /**< unit, right-handed; the normal from b to a */
  scr_vec3 place;          /**< m, on the surface of b */
  contact_key key;
} fibre_touch;

typedef struct fibre_touches {
  fibre_touch *touch;
  size_t count, capacity;
} fibre_touches;

enum { FIBRE_SEARCHES = 16 /* parts that a search is divided into, whatever the number of threads */ };

/** Memory of the search, and what it found. Starts zeroed. */
typedef struct fibre_detection {
  fibre_touch *touch; /**< [count] by key */
  size_t count, capacity;
  geo_cells cells;
  double *middle[3]; /**< [edges] m */
  uint32_t *owner;   /**< [edges] fibre of an edge */
  double *half;      /**< [edges] m, half its length */
  double *speed;     /**< [edges] m/s, of its faster node */
  size_t edges, edge_capacity[6];
  fibre_touches list[FIBRE_SEARCHES]; /**< what each part of the search found */
} fibre_detection;

/** Fills `touch`: all pairs whose gap may close in dt at the velocities there are, or is below the margin. Parts are where
 *  state->before has them.
 *  @param speed [parts] m/s, of their fastest point near fibres @return SCR_OK, SCR_NO_MEMORY, SCR_DIVERGED */
scr_status fibre_detect(struct fibre_state *state, const sim_parts *parts, const double *speed, double dt, scr_execution execution,
                        scr_error *error);
void fibre_detection_clear(fibre_detection *detection);

/** Two unit vectors that make a right-handed frame with a unit vector n, without a branch that a small turn could flip (Duff et al. 2017).
 */
void fibre_set_tangents(scr_vec3 n, scr_vec3 *t1, scr_vec3 *t2);

/** Place of a point of a fibre's middle line, m. */
scr_vec3 fibre_place_at(const struct fibre_state *state, const double *place, fibre_point point);

#endif
