/** The state of a peridem simulation, and the stages of a step. A test can call any stage by itself.
 *
 *  Nodes are numbered grain after grain, each grain's in its body's order. Arrays are [node_count] unless said otherwise. Every force is
 *  gathered by the node it acts on, in a fixed order, and every sum over nodes runs over fixed blocks: results don't depend on threads. */
#ifndef SCREE_PERIDEM_STATE_H
#define SCREE_PERIDEM_STATE_H

#include "geometry/near_list.h"
#include "sim/breaks.h"
#include "methods/peridem/body.h"
#include "sim/parts.h"

enum { PD_BLOCK = 512 }; /**< nodes per block of a deterministic sum */

/** High bit of a contact entry: an intact bond joins the pair, so it is passed over. */
#define PD_BONDED 0x80000000u

/** Three components of one quantity. */
typedef struct pd_vectors {
  double *x, *y, *z;
} pd_vectors;

typedef struct pd_grain {
  uint32_t body;         /**< index of its template */
  size_t first;          /**< its first node */
  const pd_bonds *bonds; /**< the template's rows, or `own` */
  pd_bonds own;          /**< its own rows, made when its first bond breaks */
  scr_vec3 centre;       /**< m, at t = 0 */
} pd_grain;

/** What acts between two materials, or a material and the walls. */
typedef struct pd_law {
  double stiffness; /**< Kn, N/m^7 */
  double friction_coefficient, damping_ratio;
} pd_law;

/** What the method keeps of a part of the rig beside sim->parts. */
typedef struct pd_part {
  part_motion acted;      /**< where it was in the last force pass, about which its load is; what neither holds nor turns moves after it */
  part_way way;           /**< to there from the pass before, while a pass is under way */
  double damping;         /**< N, explicit damping: the damping part of what the part does to nodes, along its axis */
  double friction;        /**< N, the friction part of the same */
  double damping_torque;  /**< N m, explicit damping: the same about its turning axis */
  double friction_torque; /**< N m */
  double held_mass;       /**< kg, of the nodes a grip holds */
} pd_part;

/** Sums that the energy balance needs, J. */
typedef struct pd_ledger {
  double start;                       /**< energy at t = 0: of motion, and of contacts that are there from the start */
  double external;                    /**< work of the rig and of gravity */
  double damping, friction, fracture; /**< dissipated */
  double largest; /**< the largest energy so far, of those that are known in every step: what the balance compares with */
} pd_ledger;

/** A node nearer to a part of the rig than half its spacing (or Rc), and the spring by which friction holds it. */
typedef struct pd_rig_contact {
  uint32_t part, node;
  double zero;                          /**< m, distance from the part at which the two touch */
  double distance;                      /**< m, in the last force pass */
  scr_vec3 normal;                      /**< unit, out of the part */
  double force;                         /**< N, repulsion, 0 when they don't touch */
  double potential;                     /**< J, of the repulsion */
  scr_vec3 spring;                      /**< m, tangential displacement that friction holds */
  double normal_damper, sliding_damper; /**< kg/s, while damping is worked out */
} pd_rig_contact;

/** Those of the nodes of one block, by part, then by node; and what they were one step before. */
typedef struct pd_rig_block {
  pd_rig_contact *now, *before;
  size_t count, capacity, before_count, before_capacity;
} pd_rig_block;

/** A pair in contact as limited damping sees it, from one of its ends. */
typedef struct pd_damped_pair {
  uint32_t other;
  double toward[3];                     /**< unit, to the other node */
  double normal_damper, sliding_damper; /**< kg/s */
} pd_damped_pair;

/** A bond that broke in the last step. It pulled in that step's force, half of which still acts in the next: the ledger books that work. */
typedef struct pd_torn_bond {
  uint32_t near, far; /**< nodes */
  double force[3];    /**< N, on `near` */
} pd_torn_bond;

typedef struct pd_state pd_state;

/** Bond forces on nodes [begin, end) of one grain, added to nothing: sets `force`. Returns the number of rows in which a bond is
 *  stretched past the critical stretch; `torn[i - begin]` tells which. */
typedef size_t (*pd_row_kernel)(const pd_state *state, const pd_grain *grain, size_t begin, size_t end, unsigned char *torn);

struct pd_state {
  const scr_scene *scene;
  const pd_options *options;
  unsigned threads;
  size_t body_count, grain_count, node_count, block_count;
  pd_body *bodies;                        /**< [body_count], one per specimen */
  pd_grain *grains;                       /**< [grain_count] */
  uint32_t *grain_of;                     /**< grain of a node */
  pd_vectors reference;                   /**< X, m */
  pd_vectors moved;                       /**< u, m */
  pd_vectors position;                    /**< x = X + u, m */
  pd_vectors velocity;                    /**< v, m/s */
  pd_vectors acceleration;                /**< a, m/s^2 */
  pd_vectors force;                       /**< F, N, all forces but gravity */
  pd_vectors damping;                     /**< explicit damping: the damping part of F, N; limited: impulses on the nodes, N s */
  pd_vectors friction;                    /**< explicit damping: the friction part of F, N */
  pd_vectors last_damping, last_friction; /**< the same, one step before, while a step is under way; allocated for explicit damping only */
  unsigned char *torn;                    /**< a bond of this node exceeded the critical stretch in this step */
  double contact_radius;                  /**< Rc, m */
  bool explicit_damping;                  /**< by the old velocity, as the paper has it */
  pd_law *laws;                           /**< [(material_count + 1)^2]; index material_count is the walls */
  sim_parts *rig;                         /**< the simulation's parts; borrowed */
  pd_part parts[SCR_PART_LIMIT];          /**< [rig->count] */
  uint32_t *held;                         /**< [held_count] nodes in grips, by part, then by number; NULL when there are none */
  size_t held_first[SCR_PART_LIMIT + 1];  /**< part p holds held[held_first[p]] ... held[held_first[p + 1] - 1] */
  size_t held_count;
  pd_rig_block *rig_blocks; /**< [block_count] */
  double *block_sums;       /**< [block_count][PD_SUMS] scratch */
  pd_ledger ledger;
  uint64_t broken_bonds;
  table_log *log;           /**< where bonds that break are noted; borrowed, NULL: nowhere */
  uint64_t step;            /**< the one being made, from 1 */
  pd_torn_bond *torn_bonds; /**< [torn_bond_count] of the last step */
  size_t torn_bond_count, torn_bond_capacity;
  pd_row_kernel row_kernel;

  geo_near_list near; /**< candidates nearer than Rc + skin, PD_BONDED where a bond still joins them */

  /* Limited damping: the pairs that touch, found by the contact pass. */
  uint32_t *met_count; /**< [node_count] of a node's row */
  uint32_t *pair_met;  /**< a row's first met_count entries: the other node */
  size_t met_capacity;
  size_t *damped_first; /**< [node_count + 1] rows of `damped` */
  pd_damped_pair *damped;
  size_t damped_capacity;
  double *share; /**< [node_count] part of the dampers' impulses that leaves a node no faster */

  uint32_t *piece;       /**< scratch: piece of each node within its grain */
  double *scratch[3];    /**< node scratch for drawing */
  size_t fragment_table; /**< number of the table "fragments" */
  double time_step;      /**< s; friction needs it */
};

enum {
  PD_PART_SUMS = 10,
  PD_SUM_DAMPING = SCR_PART_LIMIT * PD_PART_SUMS,
  PD_SUM_FRICTION,
  PD_SUM_GRAVITY,
  PD_SUM_SLIP,
  PD_SUM_PUSH,
  PD_SUM_KINETIC,
  PD_SUMS
}; /**< per part: force 3, torque 3, damping, friction, their torques; then work of damping, friction, gravity, heat of slipping springs,
    what the trapezoidal rule misses of the work of moving parts, kinetic energy */

/** Builds everything but time step and declared curves. On failure the state is what pd_state_destroy accepts.
 *  @param parts of the scene, at t = 0; they must outlive the state */
scr_status pd_state_create(const scr_scene *scene, sim_parts *parts, unsigned threads, const scr_pulse *pulse, pd_state **state,
                           scr_error *error);
void pd_state_destroy(pd_state *state);

/** Contact radius of a scene: the option's, or 1.6 times the largest spacing. */
double pd_contact_radius(const scr_scene *scene);

/** Smallest of the step bounds of section 3.5 (bonds of the bodies, contact; explicit damping by walls and between nodes) and the name of the
 *  one that rules. Limited damping needs none. */
double pd_step_bound(const scr_scene *scene, double bond_bound, const char **rule);

/** How the scene's specimens answer to servos. */
part_response pd_part_response(const scr_scene *scene);

/** The fastest row kernel this processor runs. */
pd_row_kernel pd_row_kernel_best(void);
/** "portable", "avx2" or "avx512". Static text. */
const char *pd_row_kernel_name(pd_row_kernel kernel);
/** The kernel without vector instructions beyond the compiler's baseline. */
pd_row_kernel pd_row_kernel_portable(void);

/** Sets force to the bond forces at the present positions, marks torn nodes. Returns how many nodes are torn. */
size_t pd_bond_pass(pd_state *state);
/** Removes every bond stretched past its critical stretch; must follow pd_bond_pass at the same positions. */
scr_status pd_break_bonds(pd_state *state, scr_error *error);
/** Adds contact forces between nodes (3.2, 3.3), making a new pair list when needed. */
scr_status pd_contact_pass(pd_state *state, scr_error *error);
/** Whether the contact rows must be made anew: none yet, or some node has moved by half the skin. */
bool pd_contact_list_is_old(const pd_state *state);
/** Makes the contact rows: from the present positions, or again from those the last list was made from (after loading a checkpoint). */
scr_status pd_contact_list(pd_state *state, bool from_listed, scr_error *error);
/** Adds the forces of the rig's parts (3.4, walls) and sets the parts' force, torque and damping sums. */
scr_status pd_rig_pass(pd_state *state, scr_error *error);
/** Distance from a part's surface at which a node of spacing `spacing` touches it, unless it starts nearer, m. */
double pd_rig_zero(const pd_options *options, double contact_radius, double spacing);
/** The same between two nodes of different bodies of these spacings. */
double pd_pair_zero(const pd_options *options, double contact_radius, double spacing_1, double spacing_2);
/** Stiffness of friction's spring of a node on the rig, N/m. */
double pd_friction_stiffness(double contact_stiffness, double node_volume, double contact_radius);
/** Takes limited damping and friction from the velocities, as the last force pass found the contacts, and books what they take. */
scr_status pd_dissipate(pd_state *state, scr_error *error);
/** Finds the nodes that grips hold, from their reference positions. */
scr_status pd_grips_create(pd_state *state, scr_error *error);
/** Sets the velocity of the nodes that part p holds. */
void pd_grips_set_velocity(pd_state *state, size_t p, scr_vec3 velocity);
/** Before prediction: gives held nodes the velocity that leads to where they are due one step after `time`. */
void pd_grips_aim(pd_state *state, double time);
/** After prediction: puts grips and what they hold, and parts that turn, exactly where they are due at `time`. */
void pd_grips_place(pd_state *state, double time);
/** After all other forces: keeps held nodes from accelerating and sets the grips' force and torque. */
void pd_grip_pass(pd_state *state);
/** Takes from the impulses in `damping` what grips hold, and adds it to the grips' impulses. @return work that the grips do on it, J */
double pd_grips_absorb(pd_state *state);
/** Explicit damping: adds that of `damping_rate` to all nodes' forces. */
void pd_drag_pass(pd_state *state);
/** Repulsion of one node from a plane by either law, per Kn V: lumped or exact; and its potential. `distance` may be negative. */
double pd_wall_repulsion(pd_wall_law law, double contact_radius, double distance);
double pd_wall_potential(pd_wall_law law, double contact_radius, double distance);
/** Volume of the part of the ball of radius Rc that lies behind a plane at distance 0 <= d <= Rc, m^3. */
double pd_cap_volume(double contact_radius, double distance);

/** All forces at the present positions and velocities, then the breaking of torn bonds. */
scr_status pd_force_pass(pd_state *state, scr_error *error);
/** One velocity-Verlet step from time t to t + dt. */
scr_status pd_advance(pd_state *state, double time, uint64_t step, scr_error *error);

/** Energies now, J. */
double pd_energy_kinetic(const pd_state *state);
double pd_energy_elastic(const pd_state *state);
double pd_energy_contact(const pd_state *state);
double pd_energy_wall(const pd_state *state);

/** Intact bond between nodes i and j of one grain (global numbers). */
bool pd_bonded(const pd_grain *grain, size_t i, size_t j);

scr_status pd_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);
scr_status pd_declare(scr_sim *sim, scr_error *error);
void pd_observe(const scr_sim *sim, double *values);
/** Adds the fragments' rows to their table. */
scr_status pd_tabulate(scr_sim *sim, scr_error *error);
scr_status pd_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);
scr_status pd_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
scr_status pd_load(scr_sim *sim, scr_blob *blob, scr_error *error);

/** Component `axis` of a triple of arrays. */
static inline double *pd_axis(const pd_vectors *v, int axis)
{
  return axis == 0 ? v->x : axis == 1 ? v->y : v->z;
}

/** Distance of node i from part p where it is now. No node gets three contact radii behind a surface, the run ends there.
 *  @return false where it is not less than `reach`; `from` then means nothing */
static inline bool pd_node_near_part(const pd_state *state, size_t p, size_t i, double reach, scr_part_distance *from)
{
  scr_vec3 node = vec3(state->position.x[i], state->position.y[i], state->position.z[i]);
  return scr_part_distance_within_posed(&state->rig->form[p], &state->rig->now[p].pose, node, reach, reach + 3 * state->contact_radius,
                                        from);
}

/** Velocity of part p's surface where node i is, m/s. */
static inline scr_vec3 pd_part_velocity(const pd_state *state, size_t p, size_t i)
{
  return part_velocity_at(&state->rig->now[p], vec3(state->position.x[i], state->position.y[i], state->position.z[i]));
}

#endif
