/** What a scene says of materials for this method: its own struct, filled from the table by the scene layer. */
#ifndef SCREE_PERIDEM_MATTER_H
#define SCREE_PERIDEM_MATTER_H

#include "scene/scene.h"

typedef struct pd_material {
  double density;         /**< kg/m^3, > 0 */
  double bulk_modulus;    /**< Pa, > 0, or NaN when not given */
  double young_modulus;   /**< Pa, > 0, or NaN when not given */
  double poisson_ratio;   /**< -1 < nu < 0.5, or NaN when not given */
  double fracture_energy; /**< Gc, J/m^2, > 0, or NaN when not given (unbreakable) */
} pd_material;

enum { PD_MATERIAL_PARAMS = 5 };

extern const scr_param pd_material_params[PD_MATERIAL_PARAMS];

static inline const pd_material *pd_material_of(const scr_scene *scene, size_t index)
{
  return scr_scene_material(scene, index);
}

#endif
