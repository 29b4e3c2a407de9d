/** What a scene says of materials and of their contacts for this method: its own structs, filled from the tables by the scene layer. */
#ifndef SCREE_METHODS_BDEM_MATTER_H
#define SCREE_METHODS_BDEM_MATTER_H

#include "scene/scene.h"

typedef struct bdem_material {
  double density;          /**< kg/m^3, > 0 */
  double bulk_modulus;     /**< Pa, > 0, or NaN when not given */
  double young_modulus;    /**< Pa, > 0, or NaN when not given */
  double poisson_ratio;    /**< -1 < nu < 0.5, or NaN when not given */
  double fracture_energy;  /**< Gc, J/m^2, > 0, or NaN when not given (unbreakable where strengths are made from it) */
  double tensile_strength; /**< Pa, > 0, or NaN when not given (unbreakable in tension) */
  double shear_strength;   /**< Pa, > 0, or NaN when not given (unbreakable in shear) */
  double bending_factor;   /**< 0 < f <= 1: bending and twisting stiffness of a bond over a solid rod's; yarns of fibres bend easily */
} bdem_material;

/** The contact between two materials, or a material and the rig. */
typedef struct bdem_surface {
  double friction_coefficient; /**< >= 0 */
  double damping_ratio;        /**< 0 ... 2 */
} bdem_surface;

enum { BDEM_SURFACE_PARAMS = 2, BDEM_MATERIAL_PARAMS = 8 };

extern const scr_param bdem_material_params[BDEM_MATERIAL_PARAMS];
extern const scr_param bdem_surface_params[BDEM_SURFACE_PARAMS];

static inline const bdem_material *bdem_material_of(const scr_scene *scene, size_t index)
{
  return scr_scene_material(scene, index);
}

/** `a` or `b` may be scene->material_count for the rig. */
static inline const bdem_surface *bdem_surface_of(const scr_scene *scene, size_t a, size_t b)
{
  return scr_scene_surface(scene, a, b);
}

#endif
