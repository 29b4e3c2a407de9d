/** Where bodies lie at the start, for a method's check of a scene: near each other, inside each other, in grips. What counts as too near,
 *  and what is said of it, is the method's.
 *
 *      start_cloud per specimen --start_judge_pairs--> pairs of bodies whose boxes are near --start_gap, start_depth--> the method's
 *      sentence */
#ifndef SCREE_SIM_START_H
#define SCREE_SIM_START_H

#include "geometry/search/boxes.h"
#include "scene/part.h"
#include "scene/scene.h"

/** The points (nodes, centres of spheres, vertices) of each copy of a specimen, relative to its place, turned as it is; borrowed. */
typedef struct start_cloud {
  size_t count;
  const double *x, *y, *z; /**< m, of the first point */
  size_t stride;           /**< doubles from one point to the next: 1 of arrays by component, 3 of an array of scr_vec3 */
  geo_box box;             /**< around them */
} start_cloud;

/** One copy of a specimen. */
typedef struct start_body {
  size_t specimen, number; /**< number among the specimen's, from 0 */
  scr_vec3 place;          /**< m */
} start_body;

/** Judges two bodies whose boxes are near, the second of a later specimen or number. @return whether it added a problem or a warning */
typedef bool (*start_judge)(void *method, const start_body *a, const start_body *b);

/** Most pairs that are reported: one wrong length may put thousands into each other. */
enum { START_REPORTS = 10 };

/** Calls `judge` for all pairs of bodies whose boxes are nearer than `reach`, m, until START_REPORTS were reported; in no promised order.
 *  @param clouds [specimen_count], none empty    @return SCR_OK, SCR_NO_MEMORY */
scr_status start_judge_pairs(const scr_scene *scene, const start_cloud *clouds, double reach, start_judge judge, void *method);

/** Least distance between points of two bodies, m, looking only at points of `a` that are at most `reach` from the box of `b`; INFINITY:
 *  none is. */
double start_gap(const start_cloud *clouds, const start_body *a, const start_body *b, double reach);

/** How deep points of one body lie in the shape of another at most, m; <= 0: none lies in it. Looks at those at most `margin`, m, from its
 *  box alone. */
double start_depth(const scr_scene *scene, const start_cloud *clouds, const start_body *of, const start_body *in, double margin);

/** Points that a grip holds at the start. */
size_t start_count_held(const scr_scene *scene, const start_cloud *clouds, const scr_part *grip);

/** Adds the problem of a grip that holds nothing. @param point what bodies are made of, "node" */
scr_status start_refuse_empty_grip(const scr_part *grip, const char *point, scr_problems *problems);

#endif
