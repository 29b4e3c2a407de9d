/** The state of a bdem simulation, by what lives how long:
 *
 *    model      what the scene says: the whole run, never written to
 *    body ...   what moves and breaks: the whole run; goes into checkpoints
 *    control    how long the next step may be: from step to step; goes into checkpoints
 *    step       of the step being made: made anew by each
 *    start      of the part of a step being made, which may be done again
 *    scratch    of the call being made
 *
 *  Spheres are numbered grain after grain, each grain's in its filling's order. Live bonds keep their order; a broken one is taken out, and
 *  its pair becomes a contact pair. Every sum runs in a fixed order: results don't depend on threads. */
#ifndef SCREE_METHODS_BDEM_STATE_H
#define SCREE_METHODS_BDEM_STATE_H

#include "base/execution.h"
#include "methods/bdem/bonds/fracture.h"
#include "methods/bdem/contact/contact_list.h"
#include "methods/bdem/contact/grip.h"
#include "methods/bdem/contact/initial_overlap.h"
#include "methods/bdem/device/bond_device.h"
#include "methods/bdem/implicit/solve.h"
#include "methods/bdem/state/model.h"
#include "sim/view/contact_view.h"

/** What the last steps say about the next. */
typedef struct bdem_control {
  uint64_t halvings; /**< the last implicit step was done in parts of dt / 2^halvings at the end */
  bool bursting;     /**< the last part was done by explicit steps and eventful: so is the next */
  bool fast;         /**< a sphere was so fast at the end of the last explicit step that the next may have to be cut by what it meets */
  double deepest;    /**< largest overlap of a contact so far over the smaller radius, looked for while fast and every eighth step */
} bdem_control;

/** What implicit parts took out of the motion since t = 0, J: what doubts are about. The ledger's `numerical` also holds what the works of
 * the rig, by the forces at the ends of steps, are too large by while its load grows. */
typedef struct bdem_losses {
  double motion;  /**< of implicit Euler: `numerical` without that */
  double impacts; /**< the most of it that impacts lost, or made */
} bdem_losses;

/** The step being made. */
typedef struct bdem_step_context {
  uint64_t number;        /**< from 1 */
  double end;             /**< s, of the part of it that is being made */
  bool finite;            /**< so was every sphere's state at the end of the last explicit part */
  double friction;        /**< J, dissipated by friction in the implicit part just solved */
  double contact_damping; /**< J, taken out by stabilised contacts in it */
  bdem_solver_counts solver;
} bdem_step_context;

typedef struct bdem_state {
  bdem_model model;
  bdem_body body;       /**< all spheres and the live bonds; body.contacts = &contacts, body.batches = &batches */
  bdem_batches batches; /**< the live bonds once more, for the force pass */
  bdem_device *device;  /**< that computes their forces, or NULL */
  bdem_total total;
  bdem_fracture fracture;
  bdem_contacts contacts;
  bdem_neighbour_list list;
  bdem_initial_overlaps initial;
  bdem_rig rig;
  sim_parts *parts;   /**< the simulation's: what moves and carries; borrowed */
  sim_ledger *ledger; /**< the simulation's; borrowed */
  bdem_losses losses;
  bdem_solver solver;
  bdem_control control;
  bdem_step_context step;
  bdem_start start;
  bdem_scratch scratch;
  bdem_listing listing;          /**< of the above: what the search for contact candidates reads and writes */
  sim_contact_view contact_view; /**< the drawable of contacts' forces, where options ask for it */
  size_t fragment_table;         /**< number of the table "fragments" */
  size_t tabbed_count;           /**< n, or 0 without tabs */
} bdem_state;

/** Every array, list and saved number of the state but those of body, batches, solver and contacts, which have tables of their own
 *  (state.c). */
enum { BDEM_FIELDS = 44 };
extern const sim_field bdem_fields[BDEM_FIELDS];

/** Builds everything but the time step and declared curves. On failure the state is what bdem_state_destroy accepts.
 *  @param parts of the scene, at t = 0    @param ledger empty, is begun; both must outlive the state */
scr_status bdem_state_create(const scr_scene *scene, sim_parts *parts, sim_ledger *ledger, scr_execution execution,
                             const scr_liveness *liveness, bdem_state **state, scr_error *error);
void bdem_state_destroy(bdem_state *state);

#endif
