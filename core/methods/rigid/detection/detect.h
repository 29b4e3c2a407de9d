/** All contacts of a step: bodies sorted by size into grids of cells, pairs of near ones, then their pieces.
 *
 *      level 0: the largest bodies    a body looks into the grids of its own level and of all coarser ones, so each pair is met once
 *      level 1: half as large, ...    and the cost per body does not grow with their number
 *
 *  Results come in the order of the bodies, whatever the number of threads. */
#ifndef SCREE_RIGID_DETECT_H
#define SCREE_RIGID_DETECT_H

#include "base/execution.h"
#include "geometry/search/cells.h"
#include "geometry/touch/touch.h"
#include "methods/rigid/shapes/shape.h"
#include "methods/rigid/motion/body.h"
#include "sim/rig/parts.h"

enum { DETECT_LEVELS = 16, DETECT_CHUNK = 256 };

/** What contacts are looked for between. Borrowed. */
typedef struct detect_scene {
  const rigid_shape *shapes;
  const rigid_body *bodies; /**< [body_count] those of specimens, then those of free parts */
  size_t body_count;
  size_t specimen_bodies; /**< bodies from here on are free parts, which do not touch parts */
  const sim_parts *parts;
  const geo_piece *part_pieces; /**< [parts->count] of solids that are not free */
  double margin;                /**< m, gaps below which contacts are taken along, besides what bodies go in the step */
  double time_step;             /**< s */
  scr_vec3 gravity;
  const double *part_speed; /**< [parts->count] m/s, of the fastest point of a part's surface near bodies, at most */
  double budget; /**< distances that may be looked at, about, for scenes that may be anything; one thread looks then; 0: as many as there
                    are */
} detect_scene;

/** Memory from step to step. Starts zeroed. */
typedef struct detection {
  touch_list touches;   /**< the contacts found */
  size_t *placed_first; /**< [body_count + 1] */
  geo_placed *placed;   /**< pieces in place, of bodies, then one for each part */
  scr_vec3 *vectors;    /**< corners and normals of all hulls */
  size_t vector_count;
  double *at[3];      /**< [body_count] centres, m */
  double *bound;      /**< [body_count] m, of a ball around a body and what it goes in a step */
  uint32_t *by_level; /**< [body_count] bodies, largest first level by level */
  size_t level_first[DETECT_LEVELS + 1];
  uint8_t *level; /**< [body_count] */
  geo_cells cells[DETECT_LEVELS];
  touch_list *chunks; /**< [chunk_count] contacts of each DETECT_CHUNK bodies */
  size_t chunk_count;
  bool exhausted; /**< the budget was used up, or the contacts were more than bodies that do not overlap can have: some are missing */
} detection;

/** Makes room for these bodies, whose shapes and scales stay. @return SCR_OK, SCR_NO_MEMORY */
scr_status detect_create(detection *d, const detect_scene *scene, scr_error *error);
void detect_clear(detection *d);

/** Finds the contacts. @return SCR_OK, SCR_NO_MEMORY, SCR_DIVERGED (a body is nowhere) */
scr_status detect_run(detection *d, const detect_scene *scene, scr_execution execution, scr_error *error);

#endif
