/** What a scene says of materials, their contacts and specimens for this method: its own structs, filled from the tables by the scene
 *  layer. */
#ifndef SCREE_PERIDEM_MATERIAL_PARAMS_H
#define SCREE_PERIDEM_MATERIAL_PARAMS_H

#include "scene/scene.h"

/** What has a strength of its own. */
typedef enum pd_weibull_scope { PD_WEIBULL_BOND, PD_WEIBULL_GRAIN } pd_weibull_scope;

typedef struct pd_material {
  double density;         /**< kg/m^3, > 0 */
  double bulk_modulus;    /**< Pa, > 0, or NaN when not given */
  double young_modulus;   /**< Pa, > 0, or NaN when not given */
  double poisson_ratio;   /**< -1 < nu < 0.5, or NaN when not given */
  double fracture_energy; /**< Gc, J/m^2, > 0, or NaN when not given (unbreakable) */
  double weibull_modulus; /**< of the scatter of critical stretches, 1 ... 1000, or NaN: none */
  int weibull_scope;      /**< pd_weibull_scope */
  int64_t weibull_seed;   /**< >= 0, or -1: the scene's seed */
} pd_material;

/** The contact between two materials, or a material and the rig. */
typedef struct pd_surface {
  double friction_coefficient; /**< >= 0 */
  double damping_ratio;        /**< 0 ... 2 */
} pd_surface;

/** What of the parallelogram that a crack's edges span is crack. */
typedef enum pd_crack_form { PD_CRACK_RECTANGLE, PD_CRACK_TRIANGLE, PD_CRACK_DISC } pd_crack_form;

typedef struct pd_specimen {
  double spacing;                                   /**< m, > 0: edge of the cells of the node lattice */
  scr_vec3 crack_corner, crack_along, crack_across; /**< m, in the grain's own axes before rotation; NaN: no crack */
  int crack_form;                                   /**< pd_crack_form */
} pd_specimen;

enum { PD_SURFACE_PARAMS = 2, PD_SPECIMEN_PARAMS = 5, PD_MATERIAL_PARAMS = 8 };

extern const scr_param pd_material_params[PD_MATERIAL_PARAMS];
extern const scr_param pd_surface_params[PD_SURFACE_PARAMS];
extern const scr_param pd_specimen_params[PD_SPECIMEN_PARAMS];

static inline const pd_material *pd_material_of(const scr_scene *scene, size_t index)
{
  return scr_scene_material(scene, index);
}

/** `a` or `b` may be scene->material_count for the rig. */
static inline const pd_surface *pd_surface_of(const scr_scene *scene, size_t a, size_t b)
{
  return scr_scene_surface(scene, a, b);
}

static inline const pd_specimen *pd_specimen_of(const scr_specimen *specimen)
{
  return specimen->values;
}

/** The specimen's spacing, m: scr_method_description.resolution. `specimen`: a pd_specimen. */
double pd_resolution(const void *specimen);

#endif
