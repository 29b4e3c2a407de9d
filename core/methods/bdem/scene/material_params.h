/** What a scene says of materials, their contacts and specimens for this method: its own structs, filled from the tables by the scene
 *  layer. */
#ifndef SCREE_METHODS_BDEM_MATERIAL_PARAMS_H
#define SCREE_METHODS_BDEM_MATERIAL_PARAMS_H

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

/** How a solid is made of equal spheres. */
typedef enum bdem_packing { BDEM_PACKING_HEXAGONAL_CLOSE, BDEM_PACKING_BODY_CENTRED, BDEM_PACKING_RANDOM_CLOSE } bdem_packing;

typedef struct bdem_specimen {
  double spacing; /**< m, > 0: diameter of the spheres, of a weave's yarns */
  int packing;    /**< bdem_packing */
} bdem_specimen;

enum { BDEM_SURFACE_PARAMS = 2, BDEM_SPECIMEN_PARAMS = 2, BDEM_MATERIAL_PARAMS = 8 };

extern const scr_param bdem_material_params[BDEM_MATERIAL_PARAMS];
extern const scr_param bdem_surface_params[BDEM_SURFACE_PARAMS];
extern const scr_param bdem_specimen_params[BDEM_SPECIMEN_PARAMS];

static inline const bdem_material *bdem_material_of(const scr_scene *scene, size_t index)
{
  return scr_scene_material(scene, index);
}

/** Whether a specimen is a cloth of yarns, the one shape that is no solid to be filled. */
static inline bool bdem_is_weave(const scr_shape *shape)
{
  return shape->kind == SCR_SHAPE_WEAVE;
}

/** `a` or `b` may be scene->material_count for the rig. */
static inline const bdem_surface *bdem_surface_of(const scr_scene *scene, size_t a, size_t b)
{
  return scr_scene_surface(scene, a, b);
}

static inline const bdem_specimen *bdem_specimen_of(const scr_specimen *specimen)
{
  return specimen->values;
}

/** The specimen's spacing, m: scr_method_description.resolution. `specimen`: a bdem_specimen. */
double bdem_resolution(const void *specimen);

#endif
