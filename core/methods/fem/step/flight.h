/** Stages of a run that is loaded, released, flies and lands: which there are, and the hand-over between nodes and rigid flight. */
#ifndef SCREE_METHODS_FEM_FLIGHT_H
#define SCREE_METHODS_FEM_FLIGHT_H

#include "methods/fem/dynamics/spin.h"
#include "sim/method.h"

enum { FEM_STAGE_LOADING, FEM_STAGE_LAUNCH, FEM_STAGE_FLIGHT, FEM_STAGE_LANDING };

/** Whether the body flies as a rigid one, and how. */
typedef struct fem_flight {
  uint64_t flying; /**< 0 or 1 */
  uint64_t calm;   /**< steps in a row without contact and with little elastic energy */
  fem_spin spin;   /**< while it flies */
} fem_flight;

/** Declares the stages of a scene that has any, brings the bodies into static equilibrium where the scene says so, and enters the first.
 *  In create, once the solver is there. */
scr_status fem_begin_stages(scr_sim *sim, scr_error *error);

/** Flies the step that ends at `end`, s, if the body flies and meets nothing there. @param done receives whether it did; else nodes must
 *  make the step */
scr_status fem_fly(scr_sim *sim, double end, bool *done, scr_error *error);

/** After a step by nodes: hands over to rigid flight when it is time. */
scr_status fem_take_off(scr_sim *sim, scr_error *error);

#endif
