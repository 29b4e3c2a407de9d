/** Where a scene lays fibres, in the own axes of their specimen: straight, as a ring or a helix, along the curve that it says, or along the
 *  polylines of a file or of a pattern, each of which is a fibre at every place of the specimen.
 *
 *      specimen --fibre_layout_open--> how many fibres, lengths, nodes at even distances along each */
#ifndef SCREE_FIBRE_LAYOUT_H
#define SCREE_FIBRE_LAYOUT_H

#include "geometry/lines/lines.h"
#include "methods/fibre/scene/options.h"

/** Starts zeroed; emptied by fibre_layout_close. */
typedef struct fibre_layout {
  const fibre_specimen *block;
  double length;   /**< m, of the shape */
  geo_lines lines; /**< m; none where the form is a formula */
} fibre_layout;

/** Reads what the specimen says. @return SCR_OK; SCR_BAD_SCENE with what is wrong; SCR_NO_MEMORY. `layout` is empty then. */
scr_status fibre_layout_open(const scr_scene *scene, size_t specimen, fibre_layout *layout, scr_error *error);
void fibre_layout_close(fibre_layout *layout);

/** Fibres at every place of the specimen, >= 1. */
size_t fibre_layout_count(const fibre_layout *layout);

/** Length of one, m, > 0. */
double fibre_layout_length(const fibre_layout *layout, size_t fibre);

/** Node k of 0 ... edges of one, m: at even distances along the curve, and on it. */
scr_vec3 fibre_layout_node(const fibre_layout *layout, size_t fibre, uint32_t k);

/** Direction in which one begins: that of its first edge, of a helix that of its curve. */
scr_vec3 fibre_layout_start(const fibre_layout *layout, size_t fibre);

/** Two edges of one fibre whose surfaces overlap. */
typedef struct fibre_crossing {
  uint32_t a, b;   /**< edges, a < b */
  double distance; /**< m, between their middle lines */
  scr_vec3 at;     /**< m, on the first */
} fibre_crossing;

/** Finds the first pair of edges of one fibre that are nearer than two radii, and farther than pi radii along it (nearer along it no bend
 *  that is as wide as the fibre is thick brings them together). @param radius m, of contact
 *  @return SCR_OK with *found; SCR_NO_MEMORY */
scr_status fibre_layout_crossing(const fibre_layout *layout, size_t fibre, double radius, fibre_crossing *crossing, bool *found,
                                 scr_error *error);

#endif
