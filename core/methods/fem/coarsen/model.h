/** The body of a scene as a mesh of a given fineness, with what holds it and its modes. */
#ifndef SCREE_METHODS_FEM_COARSEN_MODEL_H
#define SCREE_METHODS_FEM_COARSEN_MODEL_H

#include "methods/fem/coarsen/modes.h"
#include "methods/fem/scene/options.h"

/** Starts zeroed. */
typedef struct fem_model {
  geo_hexes own;        /**< about the shape's origin, unturned */
  geo_hexes placed;     /**< where the scene puts it */
  fem_system system;    /**< of `placed` */
  unsigned char *fixed; /**< [3 nodes] components that grips hold */
  size_t rigid;         /**< fem_modes_rigid */
  size_t free_count;    /**< components that nothing holds */
  fem_modes modes;      /**< once found */
} fem_model;

/** Makes it of the scene's only specimen, divided as `block` says. @return SCR_OK, SCR_NO_MEMORY; on failure what fem_model_clear accepts
 *  */
scr_status fem_model_make(const scr_scene *scene, const fem_specimen *block, fem_law law, fem_formulation element, fem_model *model,
                          scr_error *error);
void fem_model_clear(fem_model *model);

#endif
