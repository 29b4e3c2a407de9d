/** What only this method can check of a scene, its time step, and its cost. */
#ifndef SCREE_LSDEM_SCENE_CHECK_H
#define SCREE_LSDEM_SCENE_CHECK_H

#include "methods/lsdem/state/state.h"

/** scr_method_description.check. */
scr_status lsdem_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);

/** How grains answer to parts, for servos. */
part_response lsdem_part_response(const scr_scene *scene);

/** Largest stable steps, s. */
typedef struct lsdem_limits {
  double rigid;  /**< 2/omega of a grain on its contacts, by moving and turning */
  double modal;  /**< 2/omega of its modes with a contact pressing on them; INFINITY without modes */
  double alone;  /**< 2/omega of its modes by themselves; INFINITY without modes */
  double travel; /**< in which what moves fastest goes a tenth of a grid spacing; INFINITY where all rests */
} lsdem_limits;

/** What anything moves by at most at the start, grains as they begin and parts by their programs, m/s. */
double lsdem_fastest(const lsdem_state *state);

/** How far anything may go in a step so that contacts see it, m: half the smallest grid spacing, or 0.15 of the thinnest part: what is not
 *  yet 0.4 of it deep, where a run fails, is then not past its middle by more than the tenth within which it fails as well. */
double lsdem_step_travel(const lsdem_state *state);

/** Of a state that has its grains. @return SCR_OK, SCR_NO_MEMORY, SCR_DIVERGED: masses of modes that are not positive definite */
scr_status lsdem_step_limits(const lsdem_state *state, lsdem_limits *limits, scr_error *error);

#endif
