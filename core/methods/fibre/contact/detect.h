/** Which fibres may touch within a step: edges near edges, nodes and edges near parts of the rig, as they are when it begins.
 *
 *  A point of contact is a local minimum of distance along both fibres: at a node between two edges it counts once, for the edge that
 *  begins there, and only where the edge before it does not come nearer.
 *
 *  Where fibres at a small angle are nearest runs along them, many radii in a step: what the contacts of its beginning keep apart may
 *  overlap beside them at its end. Such places are contacts too, found when the end is known (fibre_detect_sinking). */
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
  double gap;              /**< m, < 0 where they overlap; by how much they may come nearer along the normal */
  scr_vec3 normal, t1, t2; /**< unit, right-handed; the normal from b to a */
  scr_vec3 place;          /**< m, on the surface of b */
  contact_key key;
} fibre_touch;

typedef struct fibre_touches {
  fibre_touch *touch;
  size_t count, capacity;
  uint32_t (*pair)[2]; /**< edges whose surfaces the step may bring together, touching or not */
  size_t pair_count, pair_capacity;
} fibre_touches;

enum { FIBRE_SEARCHES = 16 /* parts that a search is divided into, whatever the number of threads */ };

/** Memory of the search, and what it found. Starts zeroed. */
typedef struct fibre_detection {
  fibre_touch *touch; /**< [count] those from the start of the step by key, then what was added */
  size_t count, capacity, sorted;
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

/** Overlap that a step may make, over the lesser contact radius. */
#define FIBRE_SINK 0.02

/** Adds to `touch`, behind what is there, points of fibres that take part and overlap by more than FIBRE_SINK at the end of the step,
 *  where they are not held apart there already. Their normal is that of the end: points that are apart along any direction are no nearer
 *  than that. Such a contact lets them come to half of FIBRE_SINK, or as near as they were when the step began, there or beside it: it
 * gives no energy.
 *  @param end  places as the step would end, of all unknowns; state->base_place has those of the beginning
 *  @param left  m, by what contacts that there are may be wrong    @param round  how often before in this step, for keys    @return SCR_OK,
 * SCR_NO_MEMORY */
scr_status fibre_detect_sinking(struct fibre_state *state, const double *end, double left, uint64_t round, scr_execution execution,
                                scr_error *error);

enum { FIBRE_BESIDE = 18 /* at most two on each pair of edges */ };

/** Contacts of fibres from the start of the step on the edges of a key, or on edges next to these, those on the same edges first.
 *  @param found  receives their numbers    @return how many */
int fibre_touches_beside(const struct fibre_state *state, contact_key key, size_t found[FIBRE_BESIDE]);
void fibre_detection_clear(fibre_detection *detection);

/** Two unit vectors that make a right-handed frame with a unit vector n, without a branch that a small turn could flip (Duff et al. 2017).
 */
void fibre_set_tangents(scr_vec3 n, scr_vec3 *t1, scr_vec3 *t2);

/** Place of a point of a fibre's middle line, m. */
scr_vec3 fibre_place_at(const struct fibre_state *state, const double *place, fibre_point point);

#endif
