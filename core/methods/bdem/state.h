/** The state of a bdem simulation, and the stages of a step. A test can call any stage by itself.
 *
 *  Spheres are numbered grain after grain, each grain's in its filling's order. Live bonds keep their order; a broken one is taken out, and
 *  its pair becomes a contact pair. Its place in the list of bonds is closed up later, when somebody asks for the list (bdem_bonds_close):
 *  explicit steps don't, and in a body that shatters every one of them breaks bonds. Every sum runs in a fixed order: results don't depend on threads. */
#ifndef SCREE_METHODS_BDEM_STATE_H
#define SCREE_METHODS_BDEM_STATE_H

#include "geometry/cells.h"
#include "methods/bdem/bonds/bond_batch.h"
#include "methods/bdem/calibration/calibration.h"
#include "methods/bdem/contact/contact.h"
#include "methods/bdem/body/filling.h"
#include "methods/bdem/matter.h"
#include "methods/bdem/options.h"
#include "methods/bdem/implicit/variational.h"
#include "sim/method.h"

/** What a specimen's spheres have in common. */
typedef struct bdem_substance {
  uint32_t material;          /**< index in the scene */
  double young_modulus;       /**< E of the bonds, Pa */
  double poisson_ratio;       /**< of the bonds */
  double radius, mass;        /**< of a sphere, m, kg */
  double flexion;             /**< bending and twisting stiffness of bonds over a solid rod's: the material's bending_factor */
  double step_bound;          /**< T of its bonds and contacts, s */
  bdem_section section;       /**< of its bonds */
  bdem_calibrated calibrated; /**< how its bonds were found; its bonds are those above */
  double jolt;                /**< m/s, change of a sphere's velocity in one step that may have hidden a break; INFINITY when unbreakable */
} bdem_substance;

typedef struct bdem_grain {
  uint32_t specimen;
  size_t first, count; /**< its spheres */
} bdem_grain;

/** A pair whose bond broke. */
typedef struct bdem_broken {
  uint32_t i, j; /**< i < j */
  double reach;  /**< m, from which on they push each other: length when the bond broke, at most r_i + r_j */
} bdem_broken;

/** A sphere that overlapped a part at the start: it sticks out of its body's surface, see seat.c. */
typedef struct bdem_seat {
  uint32_t part, sphere;
  double reach; /**< m, its distance then: from which on they push each other */
} bdem_seat;

/** A sphere that a grip holds. Which components: bdem_body.held. */
typedef struct bdem_gripped {
  uint32_t sphere, part;
  scr_vec3 start; /**< m, at t = 0 */
} bdem_gripped;

/** Sums that the energy balance needs, J. */
typedef struct bdem_ledger {
  double start;                                  /**< all energy at t = 0 */
  double largest;                                /**< the largest that it was with all work done, after any step so far */
  double parts;                                  /**< work of the rig's parts on the spheres */
  double gravity;                                /**< work of gravity */
  double damping, friction, fracture, numerical; /**< taken out */
  double impacts;                                /**< most that implicit parts took out of impacts; a part of `numerical` */
} bdem_ledger;

/** An implicit step is done in parts of its 2^-24th at the least. */
enum { BDEM_HALVINGS_LIMIT = 24 };

/** What the last step's solver did; zero in explicit runs. */
typedef struct bdem_effort {
  uint64_t newton_iterations, cg_iterations, line_search_steps, substeps;
  double residual;
} bdem_effort;

typedef struct bdem_state {
  const scr_scene *scene;
  const bdem_options *options;
  unsigned threads;
  const scr_pulse *pulse;     /**< beaten by long work; borrowed, may be NULL */
  double time_step;           /**< s */
  double stable_step;         /**< T: smallest step bound, s */
  bdem_substance *substances; /**< [specimen_count] */
  size_t *specimen_first;     /**< [specimen_count + 1] first sphere of a specimen's grains */
  bdem_grain *grains;         /**< [grain_count] */
  size_t grain_count;
  bdem_body body;       /**< all spheres and the live bonds; body.contacts = &contacts */
  size_t bond_capacity; /**< bonds at t = 0 */
  bdem_batches batches; /**< the live bonds once more, for the force pass */
  uint32_t *marked;     /**< [marked_count] of [bond_capacity]: bonds that are to break, ascending */
  size_t marked_count;
  uint32_t *grain_of;        /**< [n] */
  uint32_t *degree, *live;   /**< [n] bonds of a sphere at t = 0 and now */
  uint32_t *partner_first;   /**< [n + 1] of a sphere's row in `partner` */
  uint32_t *partner;         /**< [bond_capacity] far ends of the bonds that begin at a sphere at t = 0 */
  scr_vec3 *force, *torque;  /**< [n] of bonds and contacts at the present positions; N, N m */
  scr_vec3 *load;            /**< [n] weight, N */
  double weight_over_radius; /**< sum of |load| r, J */
  double mass;               /**< of all spheres, kg */
  double rounding;           /**< J, energy of bonds strained by 1e-10: less than that is rounding of positions, no motion */
  bool finite;               /**< so was every sphere's state at the end of the last explicit step */
  bool fast;                 /**< a sphere was so fast then that the next step may have to be cut by what it meets */
  double deepest; /**< largest overlap of a contact so far over the smaller radius, looked for while fast and every eighth step */
  bdem_ledger ledger;
  bdem_effort effort;
  double rubbed;  /**< J, dissipated by friction in the implicit part just solved */
  double elastic; /**< energy of the bonds, J, where elastic_known: since the last implicit part nothing moved or broke */
  bool elastic_known;
  double solver_seconds; /**< processor time of the last step's solver; measured, so no part of a checkpoint */
  bdem_broken *broken;   /**< [broken_count] sorted by their spheres */
  size_t broken_count, broken_capacity;
  bdem_broken *seated; /**< [seated_count] pairs that overlapped at the start, sorted */
  bdem_seat *seats;    /**< [seat_count] by part, then sphere */
  size_t seated_count, seat_count, seated_capacity, seat_capacity;
  double deepest_seat; /**< m, largest overlap at the start that counts as none */
  break_log *log;      /**< where bonds that break are noted; borrowed, NULL: nowhere */
  uint64_t step;       /**< the one being made, from 1 */
  double clock;        /**< s, end of the part of a step being made */
  double noted;        /**< s, latest time in the log of this step: a part that fails after breaking bonds is done in shorter ones */
  scr_break *notes;    /**< [note_count] on the bonds marked last */
  size_t note_count, note_capacity;

  bdem_contacts contacts;
  scr_vec3 part_listed[SCR_PART_LIMIT];                             /**< m, where the parts were when the candidates were listed */
  scr_vec3 part_force[SCR_PART_LIMIT], part_torque[SCR_PART_LIMIT]; /**< on the parts, at the end of the last step; N, N m */
  double *listed[3];                                                /**< [n] positions when the candidates were listed, by component */
  bdem_gripped *gripped;                                            /**< [gripped_count] by part, then sphere */
  size_t gripped_count;
  uint8_t *tabbed;  /**< [n] 1: its bonds never break, it began in a grip or within tab_length of one; NULL: none */
  double list_skin; /**< m, slack of that list */
  bool list_stale;  /**< bonds broke since: add to it before the step ends */
  uint8_t *exposed; /**< [n] 1: not shielded by neighbours, so among those searched for candidates */
  uint32_t *fresh;  /**< [fresh_count] spheres exposed since the list was made */
  size_t fresh_count;
  geo_cells cells;
  uint32_t *all_spheres; /**< 0, 1, 2, ... */

  bdem_implicit *newton;         /**< of the present bonds and candidates; NULL: make a new one */
  bdem_variational *variational; /**< the same for the variational integrator */
  uint64_t halvings;             /**< the last implicit step was done in parts of dt / 2^halvings at the end */
  bool bursting;                 /**< the last part was done by explicit steps and eventful: so is the next */
  bool solver_stale;             /**< bonds or candidates changed since it was made or kept: see bdem_solver_follow */
  scr_vec3 *kept_vectors[3];     /**< [n] position, velocity, spin before a part that may be done again */
  scr_quat *kept_turns;          /**< [n] */
  unsigned char *torn;           /**< [bond_capacity] 1: the bond at this place of the list is broken, and the place to be closed up */
  size_t torn_count;             /**< such places */
  uint32_t *piece;               /**< [n] scratch */
  size_t fragment_table;         /**< number of the table "fragments" */
  double heaviest;               /**< mass of the heaviest grain at t = 0, kg */
  double *scratch[6];            /**< [n] scratch for drawing */
} bdem_state;

/** Modulus of the bonds: Young's modulus as given, or the one at which the packing has the bulk modulus (spec 4.15). NaN: neither given. */
double bdem_bond_modulus(const bdem_material *material, int packing);
/** Poisson's ratio of the bonds: as given, else 0.3. */
double bdem_bond_poisson_ratio(const bdem_material *material);

/** Fills a zeroed filling with specimen k of a scene; its spheres weigh what the option sphere_mass says. */
scr_status bdem_specimen_fill(const scr_scene *scene, size_t k, bdem_filling *filling, scr_error *error);

/** Strength at which pulling every bond across a plane to it takes the fracture energy Gc per area, Pa; see strength.c. `packing`: scr_packing. */
double bdem_cutting_strength(int packing, double young_modulus, double fracture_energy, double radius);
/** Strength at which an edge crack across a pull grows at K = sqrt(E Gc), E of the body, Pa; see strength.c.
 *  @param pull unit, in the packing's axes; zero: the mean over x, y, z    @param young_modulus of the bonds */
double bdem_energy_strength(int packing, scr_vec3 pull, double young_modulus, double fracture_energy, double radius);
/** Strengths of a specimen's bonds as the option `strength` says, Pa; INFINITY: unbreakable. `pull`, `young_modulus`: as above. */
void bdem_bond_strengths(const bdem_options *options, const bdem_material *material, int packing, scr_vec3 pull, double young_modulus,
                         double radius, double *tensile, double *shear);
/** The bonds of specimen k: as its material says, or such that the body becomes what its material says (option constants_of).
 *  @param strengths whether to find these too; without, they are left at INFINITY when a virtual test is made */
scr_status bdem_specimen_bonds(const scr_scene *scene, size_t k, const bdem_filling *filling, bool strengths, bdem_calibrated *bonds,
                               scr_error *error);

/** Constants of one specimen; material constants must have been checked. `mass`: of one sphere. */
bdem_substance bdem_substance_make(const scr_scene *scene, const scr_specimen *specimen, double mass, const bdem_constants *bonds);

/** The stable explicit step T: the smallest bound of a specimen, and of contacts between two, s. @param substances [specimen_count] */
double bdem_stable_step(const scr_scene *scene, const bdem_substance *substances);

/** Contact stiffness between two specimens, or of one and the rig (NULL), N/m: factor times the larger E times the larger r. */
double bdem_contact_stiffness(const bdem_options *options, const bdem_substance *a, const bdem_substance *b);

/** Builds everything but the time step and declared curves. On failure the state is what bdem_state_destroy accepts. */
scr_status bdem_state_create(const scr_scene *scene, unsigned threads, const scr_pulse *pulse, bdem_state **state, scr_error *error);
void bdem_state_destroy(bdem_state *state);

/** The specimen of a sphere. */
static inline const bdem_substance *bdem_substance_of(const bdem_state *state, size_t sphere)
{
  return &state->substances[state->grains[state->grain_of[sphere]].specimen];
}

/** Share of its radius by which a packed sphere may stick out of its body's surface. */
#define BDEM_PROTRUSION 0.5
/** Whether a specimen is a packing, whose surface is not that of its spheres. */
bool bdem_is_packed(const bdem_filling *filling, const scr_specimen *specimen);
/** Takes what listed contacts of packed bodies overlap at the start for the zero of their gaps: they start without force. */
scr_status bdem_seats_create(bdem_state *state, scr_error *error);
/** Distance from which on a pair, or a sphere and a part, push each other that were seated at the start; else `reach`. */
double bdem_seated_pair_reach(const bdem_state *state, uint32_t i, uint32_t j, double reach);
double bdem_seated_touch_reach(const bdem_state *state, uint32_t part, uint32_t sphere, double reach);

/** Lists the contact candidates nearer than the touching distance plus `skin`: at the present positions, or again at those of the last
 *  list (after loading a checkpoint). */
scr_status bdem_contact_list(bdem_state *state, double skin, bool from_listed, scr_error *error);
/** How far a sphere or part has moved at most since the candidates were listed, m. */
double bdem_moved_since_listed(const bdem_state *state);
/** The same without the spheres that no grip holds. */
double bdem_rig_moved_since_listed(const bdem_state *state);
/** Makes sure that the list holds every pair that can touch while nothing moves further than `travel` from here. */
scr_status bdem_contact_update(bdem_state *state, double travel, scr_error *error);
/** The same when bdem_moved_since_listed is known already. */
scr_status bdem_contact_follow(bdem_state *state, double moved, double travel, scr_error *error);

/** Damping of contacts, along the normal and of what sticks across it, and friction of rolling over `dt`, as impulses on velocities, one contact after the other (spec 3.6).
 *  Books what they dissipate. */
void bdem_contact_impulses(bdem_state *state, double dt);

/** The rig's parts to where their programs put them at `time`. */
void bdem_parts_move(bdem_state *state, double time);

/** Notes how far parts have gone from where they were, for friction. */
void bdem_parts_note_way(bdem_state *state, const bdem_part *before);

/** Finds the spheres that grips hold at the start and marks what they may not do in the body's `held`; and those under tabs. */
scr_status bdem_grips_create(bdem_state *state, scr_error *error);
/** Whether part p of the rig is a grip: its load is its spheres', and its work is booked with theirs. */
bool bdem_is_grip(const bdem_state *state, size_t p);
/** Gripped spheres to where the parts are now. */
void bdem_grips_place(bdem_state *state);
/** Velocities of gripped spheres: their parts' now, or with `from` those that lead from there to the parts' places within dt. */
void bdem_grips_set_velocity(bdem_state *state, const bdem_part *from, double dt);
/** Adds what the gripped spheres feel to their parts' force and torque; must follow bdem_force_pass. */
void bdem_grips_load(bdem_state *state);
/** Kinetic energy of gripped spheres in the components that grips rule, J. */
double bdem_grips_kinetic(const bdem_state *state);
/** Work of the inertia of gripped spheres over an implicit part, whose start was kept: sum of m (v - v_kept) . v + I (w - w_kept) . w, J. */
double bdem_grips_inertia_work(const bdem_state *state);

/** First part of an explicit step: half a step's acceleration by the last forces and the weight, whose work it books, then the way of the
 *  whole step. Leaves `force` zero. @return how far a sphere is at most from where the contact candidates were listed, m */
double bdem_leap(bdem_state *state, double dt);
/** Second part: force and torque at the new positions on top of `force`, which bdem_leap left zero, the loads on the rig, and the acceleration over
 *  dt. @return whether all spheres' state is finite */
bool bdem_force_and_kick(bdem_state *state, double dt);

/** Force and torque of bonds and contacts on every sphere at the present positions, and the loads on the rig. */
void bdem_force_pass(bdem_state *state);

/** Lists in `marked` the bonds above their strength at the present positions, at which the last force pass must have been; with
 *  `worst_only` those within 1 % of the largest ratio of stress to strength, for which the list of bonds must be closed up. @return how many */
size_t bdem_mark_bonds(bdem_state *state, bool worst_only);
/** Whether a sphere's velocity changed so much since `before`, [n], that its bonds may have been above their strength in between. */
bool bdem_jolted(const bdem_state *state, const scr_vec3 *before);

/** Length of the scene's explicit steps, or of those in a burst at most, s. */
double bdem_explicit_step_length(const bdem_state *state);
/** Smallest or largest radius of a sphere of the scene, m. */
double bdem_radius_extreme(const bdem_state *state, bool largest);
/** Way in one step below which nothing can pass anything, m: a quarter of the smallest radius, a half relative to what comes towards it. */
double bdem_slow_way(const bdem_state *state);
/** Whether a way in one step is longer than candidates are searched for. */
bool bdem_out_of_reach(const bdem_state *state, double way);
/** Furthest that a sphere or part goes in dt up to `end`, by its velocity and weight, or its program; m. */
double bdem_expected_travel(const bdem_state *state, double dt, double end);
/** The same of parts alone. */
double bdem_parts_travel(const bdem_state *state, double dt, double end);
/** Whether a sphere would go further in dt than half the smaller radius relative to something that it meets on its way up to `end`, by its present
 *  velocity: the step must be cut. Always when it goes further than contacts are searched for. May make a new list of candidates. */
scr_status bdem_look_ahead(bdem_state *state, double dt, double end, bool *meets, scr_error *error);
/** The same of an implicit part that was solved, by the ways gone since it was kept. */
scr_status bdem_way_missed(bdem_state *state, const bdem_part *parts_before, double dt, bool *anything, scr_error *error);
/** After an explicit step of dt, before its impulses: SCR_DIVERGED when spheres passed through each other or through a part. */
scr_status bdem_check_passed(const bdem_state *state, const bdem_part *parts_before, double dt, scr_error *error);
/** Largest overlap of a pair over the smaller radius. */
double bdem_deepest_pair(const bdem_state *state);
/** Most of the energy that contacts of an implicit part that was solved took or gave, J: half their impulse times the speed of approach or
 *  parting at its start, which is all the energy of a body that the impulse stops. */
double bdem_impact_energy(const bdem_state *state, const bdem_part *parts_before, double dt);

/** Breaks the marked bonds, books their energy and takes their force out of the sums, both as at the present positions. Their places in the
 *  list of bonds remain. */
scr_status bdem_break_marked(bdem_state *state, scr_error *error);
/** Closes up the list of bonds: body.ends, body.bonds and the batches' numbers are those of live bonds only. */
void bdem_bonds_close(bdem_state *state);

/** Forgets the solver, which was made for other bonds or candidates. */
void bdem_solver_drop(bdem_state *state);
/** Closes up the list of bonds; after a change of bonds or candidates, drops the solver unless its matrix holds what they join now. Before the
 *  solver's next step, and at the end of the scene's step, so that a resumed run asks at the same moments. */
scr_status bdem_solver_follow(bdem_state *state, scr_error *error);
/** Advances the spheres by one implicit or variational step of dt from `time` on, moves the rig's parts to its end and adds to `effort`.
 *  SCR_DIVERGED: the spheres are as they were. */
scr_status bdem_solver_step(bdem_state *state, double time, double dt, scr_error *error);

/** One step by the scene's integrator. `time`: at its start, s; `step`: its number, from 1: it ends at step * time_step. */
scr_status bdem_advance(bdem_state *state, double time, uint64_t step, scr_error *error);

/** Raises the doubts that the step just made gives reason for: doubts.c. */
void bdem_raise_doubts(scr_sim *sim);

/** Kinetic energy, J. */
double bdem_energy_kinetic(const bdem_state *state);

/** Adds to the scene's warnings what is unusual about it and can run all the same (spec 8).
 *  @param fillings,bonds [specimen_count]    @param stable_step T, s */
void bdem_warn(const scr_scene *scene, const bdem_filling *fillings, const bdem_calibrated *bonds, double stable_step, double time_step);
/** Fills in memory_bytes and run_seconds of an estimate whose counts and time step are known: cost.c. @param fillings [specimen_count] */
void bdem_price(const scr_scene *scene, const bdem_filling *fillings, double stable_step, scr_estimate *estimate);
scr_status bdem_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);
scr_status bdem_declare(scr_sim *sim, scr_error *error);
void bdem_observe(const scr_sim *sim, double *values);
/** Adds the fragments' rows to their table. */
scr_status bdem_tabulate(scr_sim *sim, scr_error *error);
scr_status bdem_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);
scr_status bdem_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
scr_status bdem_load(scr_sim *sim, scr_blob *blob, scr_error *error);

#endif
