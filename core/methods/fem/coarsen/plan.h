/** Which meshes a coarsening tries: a list that the scene gives, or the fine mesh's divisions over 2, 3, 4, 6, 8, ... */
#ifndef SCREE_METHODS_FEM_COARSEN_PLAN_H
#define SCREE_METHODS_FEM_COARSEN_PLAN_H

#include "methods/fem/mesh/specimen.h"
#include "methods/fem/scene/options.h"

enum { FEM_PLAN_LIMIT = 16, FEM_PLAN_TEXT = 400 };

/** The meshes, from coarse to fine. */
typedef struct fem_plan {
  size_t count;
  fem_specimen mesh[FEM_PLAN_LIMIT]; /**< the specimen's keys with another spacing or other divisions */
  double hexes[FEM_PLAN_LIMIT];      /**< elements of each, rising */
} fem_plan;

/** Reads a list: "4x1x1" for the divisions of a box, or a spacing in m, separated by blanks or commas; "": made from the fine mesh.
 *  @return SCR_OK; SCR_BAD_SCENE naming the word: no such form, divisions of what is no box, as many elements as the fine mesh or more, too
 *  many meshes, or
 *          none that is coarser than a fine one of few elements */
scr_status fem_plan_make(const char *text, const scr_shape *shape, const fem_specimen *fine, fem_plan *plan, scr_error *error);

/** "4x1x1", or "spacing 0.01 m". @param text [48] is returned */
char *fem_plan_name(const fem_specimen *mesh, char text[48]);

#endif
