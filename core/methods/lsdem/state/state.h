/** The state of a run.
 *
 *      grains: pose, momenta, amplitudes --pose of the moment--> views --nodes against level sets--> sums per direction --> forces
 *
 *  What lives for the run is at the top, what a force pass leaves below. */
#ifndef SCREE_LSDEM_STATE_H
#define SCREE_LSDEM_STATE_H

#include "base/execution.h"
#include "methods/lsdem/contact/directions.h"
#include "methods/lsdem/contact/follow.h"
#include "methods/lsdem/contact/law.h"
#include "methods/lsdem/grain/template.h"
#include "methods/lsdem/scene/options.h"
#include "sim/fields.h"
#include "sim/method.h"
#include "sim/view/contact_view.h"

/** One grain. Vectors are the world's unless they say otherwise. */
typedef struct lsdem_grain {
  uint32_t shape; /**< its template */
  uint32_t specimen, material;
  uint32_t first;                          /**< of its amplitudes in lsdem_state.amplitude and the like */
  scr_vec3 position;                       /**< m, of the centroid */
  scr_vec3 velocity;                       /**< m/s */
  scr_quat rotation;                       /**< own axes to the world's */
  scr_vec3 angular;                        /**< kg m^2/s, angular momentum about the centroid */
  scr_vec3 force, torque;                  /**< N, N m about the centroid, of the last force pass, without gravity */
  scr_vec3 dashpot_force, dashpot_torque;  /**< N, N m, the part of them that contacts' dashpots have */
  double travel, turned, bent, most_moved; /**< see lsdem_view */
} lsdem_grain;

/** What contacts' dashpots pull a part by at a force pass. */
typedef struct lsdem_pull {
  scr_vec3 force, torque; /**< N, N m about the part's position */
} lsdem_pull;

typedef struct lsdem_state {
  const scr_scene *scene;
  const lsdem_options *options;
  sim_parts *parts;
  scr_execution execution;
  double time_step; /**< s */
  double travel;    /**< m, that nothing may go in a step: lsdem_step_travel; longer steps are divided */
  size_t law_count;
  lsdem_law *laws; /**< [law_count] (materials + 1)^2, row-major; the last of each is the rig */
  size_t template_count;
  lsdem_template *templates; /**< [template_count] those of each specimen's variants follow each other */
  size_t grain_count;
  lsdem_grain *grains;                    /**< [grain_count] */
  size_t amplitude_count;                 /**< of all grains */
  double *amplitude, *rate, *modal_force; /**< [amplitude_count] m, m/s, N of contacts */
  double *modal_dashpot;                  /**< [amplitude_count] N, the part of modal_force that contacts' dashpots have */
  double volume;                          /**< m^3, of all grains */
  double box_zero[3];                     /**< m, edges of the rig's box when its strains began to count; 0: not yet */
  sim_ledger *ledger;                     /**< the simulation's, where `rig` has gravity's work, too; borrowed */
  lsdem_view *views;                      /**< [grain_count] */
  size_t unbent_count, followed_count;    /**< grain_count, or 0 */
  lsdem_unbent *unbent;                   /**< [unbent_count] of grains whose modes are affine; NULL where no grain has modes */
  lsdem_followed *followed;               /**< [followed_count] own level sets; NULL where no grain keeps one */
  lsdem_directions near;                  /**< which nodes are asked about what, with the history of friction */
  bool glued;                             /**< bonds were made, if there are any to be */
  size_t bond_count, bond_capacity;
  lsdem_bond *bonds;                     /**< [bond_count] sorted by slave, master, node; broken ones too */
  size_t pairs_touching, parts_touching; /**< at the last force pass */
  double contact_energy, bond_energy;    /**< J, stored in contacts and in bonds then */
  double fabric[6]; /**< 1, then, as sim/fabric.h has it: the sum over contacts of the mean products of the normals of each, by the areas of
                       its nodes */
  uint32_t *piece;  /**< [grain_count] scratch: pieces of bonded grains */
  uint32_t *touching;            /**< [grain_count] contacts of each grain then */
  double *stiffness;             /**< [grain_count] N/m, of all contacts of each then */
  double deepest;                /**< m, largest overlap then */
  double steepest;               /**< 1, largest bound of |grad u| of a grain with a mode basis, so far */
  double undivided;              /**< 1, largest travel of a step, divided as far as it may be, over what contacts can follow, so far */
  double fastest;                /**< 1, largest time step over the stable one so far, see lsdem_step_ratio */
  double deepest_share;          /**< 1, largest overlap so far over the radius of a ball of the smaller grain's volume */
  size_t traction_table;         /**< its number among the run's tables */
  sim_contact_view contact_view; /**< drawables of contacts, where options ask for them */
  double *buffer;                /**< for pictures */
  size_t buffer_capacity;
  double thickness[SCR_PART_LIMIT];      /**< m, of each part, see lsdem_part_thickness */
  double part_travelled[SCR_PART_LIMIT]; /**< m, how far the surface of each part has gone in all where grains are */
  part_motion before[SCR_PART_LIMIT];    /**< how parts were placed at the pass before */
  part_load load_before[SCR_PART_LIMIT];
  lsdem_pull dashpot[SCR_PART_LIMIT];        /**< [parts] at the last force pass */
  lsdem_pull dashpot_before[SCR_PART_LIMIT]; /**< [parts] at the one before */
} lsdem_state;

/** Every array, list and saved number of the state but those of `near`, which saves what is in contact itself (state.c). */
enum { LSDEM_FIELDS = 27 };
extern const sim_field lsdem_fields[LSDEM_FIELDS];

/** Writes into all grains which specimen, template, material and amplitudes are theirs. @return whether they had these before */
bool lsdem_identify_grains(lsdem_state *state);

/** Makes a state without grains, with room for its templates, all empty but for their specimens; then the grains of templates that were
 *  made, moving as their specimens say. `parts` and `ledger` must outlive the state. On failure *state holds what lsdem_state_destroy
 *  accepts. */
scr_status lsdem_state_begin(const scr_scene *scene, sim_parts *parts, sim_ledger *ledger, scr_execution execution, lsdem_state **state,
                             scr_error *error);
scr_status lsdem_state_make_template(lsdem_state *state, size_t number, scr_error *error);
scr_status lsdem_state_populate(lsdem_state *state, scr_error *error);
/** All of it: begin, templates, populate. */
scr_status lsdem_state_create(const scr_scene *scene, sim_parts *parts, sim_ledger *ledger, scr_execution execution,
                              const scr_liveness *liveness, lsdem_state **state, scr_error *error);
void lsdem_state_destroy(lsdem_state *state);

/** Most modes that a grain has. */
size_t lsdem_most_modes(const lsdem_state *state);

/** Sets the laws of contacts of all pairs of materials. */
void lsdem_make_laws(lsdem_state *state);
/** The longest damping_time, s, of contacts that grains of a material have with any other or the rig, and of their bonds. */
double lsdem_damping_time(const scr_scene *scene, size_t material);
/** What dashpots leave of the stable step 2/w: they act by the velocities of half a step before, so that a motion of w^2 = `whole`, of
 * which contacts with a damping time, s, make `contacts`, both 1/s^2, is stable up to (2/w) (sqrt(1 + zeta^2) - zeta), zeta = damping_time
 * contacts/(2 w).
 *  @return above 0, at most 1    Source: Belytschko et al. 2014, Nonlinear finite elements, section 6.2.4. */
double lsdem_dashpot_factor(double damping_time, double contacts, double whole);
/** Sets what contacts' laws say at `time`, s: only their friction may change. */
void lsdem_laws_at(lsdem_state *state, double time);

/** The law between a grain and a master, another one or part `master` - grain_count, with the stiffness that is automatic. */
lsdem_law lsdem_law_between(const lsdem_state *state, size_t grain, size_t master);

/** Whether a grain's inertia follows its modes. */
bool lsdem_has_full_inertia(const lsdem_state *state, const lsdem_template *shape);
/** Angular velocity, rad/s, in the grain's own axes. */
scr_vec3 lsdem_spin(const lsdem_state *state, const lsdem_grain *grain);

/** What specimen number k asks of its templates. */
lsdem_recipe lsdem_recipe_of(const scr_scene *scene, size_t k, size_t variant);
/** How many templates specimen number k needs. */
size_t lsdem_variants_of(const scr_scene *scene, size_t k);

/** Energies now, J. */
double lsdem_kinetic(const lsdem_state *state);
double lsdem_modal_kinetic(const lsdem_state *state);
double lsdem_elastic(const lsdem_state *state);
/** The elastic energy by kinds of modes: what couples two modes is shared evenly, so that the sum is lsdem_elastic. @param energy
 *  [LSDEM_MODE_SORTS] J, out */
void lsdem_elastic_by_sort(const lsdem_state *state, double *energy);

#endif
