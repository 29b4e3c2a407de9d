/** Options of the method, and the curves it reports. */
#ifndef SCREE_PERIDEM_OPTIONS_H
#define SCREE_PERIDEM_OPTIONS_H

#include <stdbool.h>

#include "scene/scene.h"
#include "scree.h"

typedef enum pd_micromodulus { PD_CONSTANT, PD_CONIC } pd_micromodulus;
typedef enum pd_horizon_weight { PD_WEIGHT_NONE, PD_WEIGHT_PARTIAL_VOLUME } pd_horizon_weight;
typedef enum pd_wall_law { PD_WALL_EXACT, PD_WALL_LUMPED } pd_wall_law;
/** Where contact begins: at a body's surface, half a spacing outside of its nodes, or a contact radius away from its nodes (the paper); or,
 *  with the rig, at the faces of its shape, as stiff as the material between them and the nodes. */
typedef enum pd_contact_surface { PD_SURFACE_BODY, PD_SURFACE_NODES, PD_SURFACE_FACES } pd_contact_surface;
/** How damping and friction are stepped: an impulse that takes no more than there is, or a force by the step's old velocity (the paper). */
typedef enum pd_damping_step { PD_DAMPING_LIMITED, PD_DAMPING_EXPLICIT } pd_damping_step;
/** Friction of nodes on the rig: a spring that holds until it slips, or a force that only takes velocity away (the paper). */
typedef enum pd_friction_law { PD_FRICTION_SPRING, PD_FRICTION_VISCOUS } pd_friction_law;

/** How bodies answer to strain: by bonds alone, whose Poisson ratio is 1/4; or by bonds and the dilatation of their nodes, with any. */
typedef enum pd_elasticity { PD_BONDS, PD_STATE } pd_elasticity;
/** What is done about nodes near a surface, which have fewer bonds. */
typedef enum pd_surface_correction { PD_CORRECT_NONE, PD_CORRECT_VOLUME, PD_CORRECT_DIRECTION } pd_surface_correction;

/** How the rig loads: in time, with inertia; or through a row of equilibria, by adaptive dynamic relaxation (quasi_static.h). */
typedef enum pd_loading { PD_DYNAMIC, PD_QUASI_STATIC } pd_loading;

/** Filled from pd_params by the scene layer. */
typedef struct pd_options {
  double horizon;                  /**< m, NaN: 3 spacings of each specimen */
  double contact_radius;           /**< m, NaN: 1.6 times the largest spacing */
  double contact_stiffness_factor; /**< multiplies Kn */
  double damping_rate;             /**< 1/s, of every node's velocity */
  double contact_skin;             /**< of the contact radius: slack of the pair list */
  int micromodulus;                /**< pd_micromodulus */
  int horizon_weight;              /**< pd_horizon_weight */
  int wall_law;                    /**< pd_wall_law */
  int contact_surface;             /**< pd_contact_surface */
  int damping_step;                /**< pd_damping_step */
  int friction_law;                /**< pd_friction_law */
  int elasticity;                  /**< pd_elasticity */
  int surface_correction;          /**< pd_surface_correction */
  int loading;                     /**< pd_loading */
  int64_t load_steps;              /**< equilibria of a quasi-static run */
  int64_t relaxation_limit;        /**< iterations to an equilibrium at most */
  double relaxation_tolerance;     /**< forces out of balance over the loads, below which it is one */
  bool force_chains;               /**< lines of force in the pictures */
  bool contact_forces;             /**< vectors of force in the pictures */
  bool grain_table;                /**< rows of grains with every frame */
  bool piece_table;                /**< rows of pieces with every frame */
  bool self_contact;
  bool breakable;
  bool no_tension;
  bool allow_nu_mismatch;
  bool allow_initial_contact;
  bool allow_unstable_step;
} pd_options;

/** Where contact begins: as asked for, but at a body's surface where damping is explicit, whose bounds are known for the paper's laws
 *  alone. */
static inline pd_contact_surface pd_contact_begins(const pd_options *options)
{
  bool damped = options->contact_surface == PD_SURFACE_FACES && options->damping_step == PD_DAMPING_EXPLICIT;
  return damped ? PD_SURFACE_BODY : (pd_contact_surface)options->contact_surface;
}

enum { PD_PARAM_COUNT = 27, PD_CURVE_COUNT = 34 };

extern const scr_param pd_params[PD_PARAM_COUNT];
extern const scr_series pd_curves[PD_CURVE_COUNT]; /**< "<part>" stands for the name of each part of the rig */

/** What does the work of other methods' keys, and which keys count only while others have certain values: for warnings. */
extern const scr_substitute pd_substitutes[];
extern const scr_need pd_needs[];

#endif
