/** The state of a peridem simulation, as step.c and the rest of the method know it: no array of nodes is here, those are the back end's
 *  (backend.h). Nodes are numbered grain after grain, each grain's in its body's order. */
#ifndef SCREE_PERIDEM_STATE_H
#define SCREE_PERIDEM_STATE_H

#include "base/execution.h"
#include "methods/peridem/body/body.h"
#include "methods/peridem/step/backend.h"
#include "sim/fields.h"
#include "sim/ledger.h"
#include "sim/pieces/breaks.h"
#include "sim/rig/grips.h"

/** What acts between two materials, or a material and the walls. */
typedef struct pd_law {
  double stiffness; /**< Kn, N/m^7 */
  double friction_coefficient, damping_ratio;
} pd_law;

/** What the method keeps of a part of the rig beside sim->parts. */
typedef struct pd_part {
  part_motion acted; /**< where it was in the last force pass, about which its load is; what neither holds nor turns moves after it */
  part_displacement displacement; /**< to there from the pass before, while a pass is under way */
  double damping;                 /**< N, explicit damping: the damping part of what the part does to nodes, along its axis */
  double friction;                /**< N, the friction part of the same */
  double damping_torque;          /**< N m, explicit damping: the same about its turning axis */
  double friction_torque;         /**< N m */
  double held_mass;               /**< kg, of the nodes a grip holds */
} pd_part;

struct pd_state {
  /* For the run: what any back end reads. */
  const scr_scene *scene;
  const pd_options *options;
  const pd_backend *backend; /**< what carries out the work on nodes; a test may put another one here after the state is made */
  scr_execution execution;
  size_t body_count, grain_count, node_count;
  pd_body *bodies;       /**< [body_count], one per specimen */
  double contact_radius; /**< Rc, m */
  bool explicit_damping; /**< by the old velocity, as the paper has it */
  size_t law_count;
  pd_law *laws;                    /**< [law_count] (material_count + 1)^2; index material_count is the walls */
  double time_step;                /**< s */
  table_log *log;                  /**< where bonds that break are noted; borrowed, NULL: nowhere */
  size_t fragment_table;           /**< number of the table "fragments" */
  size_t grain_table, piece_table; /**< numbers of the tables "grains", "pieces", where the options ask for them */
  size_t unbalanced_table;         /**< number of the table "unbalanced_steps" of quasi-static runs */
  double largest_load;             /**< N, sum of the rig's loads after any load step */
  double residual;                 /**< of the last load step */
  uint64_t iterations;             /**< of it */
  sim_contact_view contact_view;   /**< drawables of contacts, where options ask for them */

  /* What step.c keeps: a few numbers per part of the rig. */
  sim_parts *rig;                /**< the simulation's parts; borrowed */
  pd_part parts[SCR_PART_LIMIT]; /**< [rig->count] */
  sim_grips grips;               /**< nodes in grips */
  sim_ledger *ledger;            /**< the simulation's, where `rig` has gravity's work, too; borrowed */
  uint64_t broken_bonds;
  uint64_t step; /**< the one being made, from 1 */

  struct pd_host *host;     /**< the host back end's arrays (host/host.h), made by its `create`; another back end has its own */
  struct pd_device *device; /**< a device's (device/device_state.h), beside the host's; else NULL */
};

/** Arrays and saved numbers of the state; the back end has its own (state.c). */
enum { PD_FIELDS = 5 };
extern const sim_field pd_fields[PD_FIELDS];

/** Builds everything but time step and declared curves, on the back end that `execution` names. On failure the state is what
 *  pd_state_destroy accepts.
 *  @param parts of the scene, at t = 0    @param ledger empty; both must outlive the state */
scr_status pd_state_create(const scr_scene *scene, sim_parts *parts, sim_ledger *ledger, scr_execution execution,
                           const scr_liveness *liveness, pd_state **state, scr_error *error);
void pd_state_destroy(pd_state *state);

#endif
