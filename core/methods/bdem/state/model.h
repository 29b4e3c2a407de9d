/** What a run is of: all that follows from its scene and stays as it is until the run ends. Every stage reads it, none writes it. */
#ifndef SCREE_METHODS_BDEM_MODEL_H
#define SCREE_METHODS_BDEM_MODEL_H

#include "base/execution.h"
#include "base/liveness.h"
#include "methods/bdem/body/boundary_faces.h"
#include "methods/bdem/bonds/substance.h"

/** One copy of a specimen. */
typedef struct bdem_grain {
  uint32_t specimen;
  size_t first, count; /**< its spheres */
} bdem_grain;

/** n spheres, b bonds at t = 0. */
typedef struct bdem_model {
  const scr_scene *scene;
  const bdem_options *options;
  scr_execution execution;
  const scr_liveness *liveness; /**< beaten by long work; borrowed, may be NULL */
  double time_step;             /**< s */
  double stable_step;           /**< T: smallest step bound, s */
  size_t specimen_count, sphere_count;
  bdem_substance *substances; /**< [specimen_count] */
  bdem_faces *faces;          /**< [specimen_count] empty unless the rig is met at faces */
  double facing_reach;        /**< m, farthest from which spheres below faces of two bodies press each other; 0: no two bodies have faces */
  size_t *specimen_first;     /**< [specimen_count + 1] first sphere of a specimen's grains */
  bdem_grain *grains;         /**< [grain_count] */
  size_t grain_count;
  double heaviest;           /**< mass of the heaviest grain, kg */
  size_t bond_capacity;      /**< b */
  uint32_t *grain_of;        /**< [n] */
  uint32_t *degree;          /**< [n] bonds of a sphere at t = 0 */
  uint32_t *partner_first;   /**< [n + 1] of a sphere's row in `partner` */
  uint32_t *partner;         /**< [b] far ends of the bonds that begin at a sphere at t = 0 */
  scr_vec3 *load;            /**< [n] weight, N */
  double weight_over_radius; /**< sum of |load| r, J */
  double mass;               /**< of all spheres, kg */
  double smallest_radius;    /**< of a sphere, m */
  double rounding;           /**< J, energy of bonds strained by 1e-10: less than that is rounding of positions, no motion */
} bdem_model;

/** The specimen of a sphere. */
static inline const bdem_substance *bdem_substance_of(const bdem_model *model, size_t sphere)
{
  return &model->substances[model->grains[model->grain_of[sphere]].specimen];
}

/** Whether i < j were joined at t = 0. */
static inline bool bdem_joined_at_start(const bdem_model *model, uint32_t i, uint32_t j)
{
  for (uint32_t k = model->partner_first[i]; k < model->partner_first[i + 1]; ++k)
    if (model->partner[k] == j) return true;
  return false;
}

/** Smallest or largest radius of a sphere of the scene, m. */
static inline double bdem_radius_extreme(const bdem_model *model, bool largest)
{
  double radius = model->substances[0].radius;
  for (size_t k = 1; k < model->scene->specimen_count; ++k)
    radius = largest ? fmax(radius, model->substances[k].radius) : fmin(radius, model->substances[k].radius);
  return radius;
}

/** Length of the scene's explicit steps, or of those in a burst at most, s. */
static inline double bdem_explicit_step_length(const bdem_model *model)
{
  return model->options->integrator == BDEM_INTEGRATOR_EXPLICIT ? model->time_step : model->scene->time.safety_factor * model->stable_step;
}

#endif
