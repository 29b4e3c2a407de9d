/** How the parts of a rig and the specimens lie to each other at the start: how far a part has to go until it meets a specimen, how far its
 *  program takes it, and with what force a specimen pressed between two flat parts must answer. By shapes alone, so the same under every
 *  method. */
#ifndef SCREE_SCENE_REACH_H
#define SCREE_SCENE_REACH_H

#include "scene/part.h"

/** Half extents, m, of the box along the axes around a specimen's turned shape: of its own box, turned, which is never too small. */
scr_vec3 scene_half_extents(const scr_scene *scene, size_t index);

/** Farthest that a program takes a part in the direction in which it loads, up to `duration`, m, >= 0; servo segments stand still. */
double scene_travel(const scr_part *part, double duration);

/** How far a part of the rig has to go in the direction in which it loads before it can meet a specimen, where all lie at t = 0, m; at
 *  most 0 where it can touch one already, INFINITY where none lies in its way. By the boxes around specimens: never more than the true
 *  distance, and that itself for what lies flat. NaN for obstacles and grips, for which that is no question.
 *  @param specimen  receives which one is the nearest; may be NULL */
double scene_gap(const scr_scene *scene, const scr_part *part, size_t *specimen);

/** The same with where it is. */
typedef struct scene_distance {
  double gap;        /**< m, as scene_gap says it */
  size_t specimen;   /**< the nearest; 0 where `gap` is not finite */
  scr_vec3 from, to; /**< m, its ends on the part and on the box around the specimen; where `gap` is finite */
} scene_distance;
scene_distance scene_nearest(const scr_scene *scene, const scr_part *part);

/** How far a part has to be moved, m, so that a specimen lies before its middle: the shortest such displacement, across its way, and back
 *  along it where the specimen lies behind it. False where there is no specimen, or `scene_nearest` knows no gap of such a part.
 *  @param specimen  receives which one */
bool scene_needed_displacement(const scr_scene *scene, const scr_part *part, scr_vec3 *displacement, size_t *specimen);

/** A number of a material, by the key that methods share: NaN where the scene's method has no such key, or the scene gives none; flags as 1
 *  and 0. */
double scene_material_number(const scr_scene *scene, uint32_t material, const char *key);

/** The same of a specimen. */
double scene_specimen_number(const scr_scene *scene, size_t specimen, const char *key);

/** Whether a vector lies along a unit direction, either way: the sine of the angle between is rounding. */
static inline bool vec3_is_along(scr_vec3 a, scr_vec3 direction)
{
  const double aligned = 1e-6;
  return vec3_length(vec3_cross(a, direction)) < aligned;
}

/** A body pressed between two flat parts that face each other. */
typedef struct scene_press {
  size_t against; /**< the part that faces the pressing one */
  double slack;   /**< m, by which the opening is wider than the body at the start; < 0: narrower */
  double height;  /**< m, of the body along the direction of loading */
  double modulus; /**< Pa, Young's */
  double section; /**< m^2, of a body that lies on a flat face, else 0 */
  double line;    /**< m, length of a cylinder that lies on its side, else 0 */
  double radius;  /**< m, of a ball, else 0 */
} scene_press;

/** Whether the only body of a scene lies between part p and one that faces it so that its elastic answer is known: a box on a face, a
 *  cylinder on an end or on its side, a ball; at rest at the start, without obstacles or gravity across, of a material with a modulus. */
bool scene_pressed(const scr_scene *scene, const scr_part *parts, size_t count, size_t p, scene_press *press);

/** Force, N, of the elastic body when the two faces have come `closure` > 0 nearer than it is high: E A / height x closure on flat faces;
 *  a ball between two planes by Hertz, 4/3 E sqrt(radius) (closure / 2)^1.5; a cylinder on its side E line closure / 5 (Johnson, Contact
 *  Mechanics, section 5.6: the logarithm makes it 0.16 to 0.25). Poisson's ratio is left out: it is a scale, for a comparison by a
 *  factor. */
double scene_press_force(const scene_press *press, double closure);

#endif
