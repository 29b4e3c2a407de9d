/** What a run of method rigid is likely to take, by what can be known of a scene before it runs. */
#ifndef SCREE_RIGID_COST_H
#define SCREE_RIGID_COST_H

#include "methods/rigid/scene/options.h"

/** What the checks found out of a scene. */
typedef struct rigid_findings {
  double bodies;      /**< of specimens */
  double balls;       /**< of them, single balls */
  double meshes;      /**< of them, those with a piece that is a mesh */
  double vectors;     /**< corners and normals of their hulls, and points of meshes */
  double shape_bytes; /**< of all shapes */
  double pictures;    /**< B, of their pictures in a recording */
  double thickness;   /**< m, least; INFINITY: no body yet */
  bool servo;         /**< a part presses by a force */
  bool stirred;       /**< a part is driven, or turned */
  double speed;       /**< m/s, of the fastest thing at t = 0, or of a part */
  double ball_depth;  /**< m, sum over the balls of their way along gravity from the origin */
  double ball_square; /**< m^2, sum over the balls of the squares of their mean diameters */
  double ball_volume; /**< m^3, sum over the balls, of mean size */
  double extent;      /**< m, of the smallest body that is no ball, from its middle to its farthest point; INFINITY: there is none */
  double height;      /**< m, way against gravity from the origin to the highest middle of those; -INFINITY: there is none */
  double depth;       /**< m, way along gravity from the origin to the lowest place of a body, an obstacle or a wall; -INFINITY: none */
} rigid_findings;

/** Share of a run in which balls in a box lie on its floor or on each other, 0.05 ... 1, and not fall: their mean fall is that from their
 *  mean height to that of a bed of 0.6 of solids, without what stands in the way. 1 where a part stirs them, where there is no box, no ball
 *  or no gravity. */
double rigid_resting_share(const scr_scene *scene, const rigid_findings *found);

/** Balls over as many as one layer of them on the floor of the box has (0.84 of it covered), 0.05 ... 1: 1 as for rigid_resting_share.
 *  Balls that do not lie on each other are a problem each of its own, solved at once. */
double rigid_covered_share(const scr_scene *scene, const rigid_findings *found);

/** Digits to which impulses of blocks have to be found, >= 1: those of the tolerance, and those by which the fastest thing is faster than
 *  what residuals are measured by (what gravity gives in a step of dt, s, and a thousandth of that speed). */
double rigid_digits(const scr_scene *scene, const rigid_findings *found, double dt);

/** Adds what takes the time of a run in so many steps, of the estimate's time step, to the estimate. */
void rigid_estimate_run(const scr_scene *scene, const rigid_findings *found, double steps, scr_estimate *estimate);

/** Adds what a recording takes: bodies, contacts, lines of force and rows of tables of a frame, pictures of shapes. */
void rigid_estimate_recording(const scr_scene *scene, const rigid_findings *found, scr_estimate *estimate);

#endif
