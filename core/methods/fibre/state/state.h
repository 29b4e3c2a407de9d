/** The state of a run of method fibre.
 *
 *      fibres: places, velocities, frames --what holds ends, loads of the moment--> a step of each fibre by itself --> reactions, energies
 *
 *  All nodes of all fibres stand one after the other; what belongs to an edge stands with the node where it begins. A clamped end has
 *  one more edge,
 *  outside of the fibre and without mass, that what holds it carries along: the fibre then begins at that edge's far node, in its
 *  direction. */
#ifndef SCREE_FIBRE_STATE_H
#define SCREE_FIBRE_STATE_H

#include "contact/contact.h"
#include "methods/fibre/contact/bodies.h"
#include "methods/fibre/contact/detect.h"
#include "methods/fibre/contact/joints.h"
#include "methods/fibre/helix/helix.h"
#include "methods/fibre/rod/rod.h"
#include "methods/fibre/scene/layout.h"
#include "methods/fibre/scene/options.h"
#include "sim/fields.h"
#include "sim/method.h"
#include "sim/rig/grips.h"
#include "sim/view/contact_view.h"

/** Which part holds a node or an edge: FIBRE_LOOSE, FIBRE_STILL or a part's number. */
enum { FIBRE_LOOSE = -1, FIBRE_STILL = -2 };

/** One fibre. */
typedef struct fibre {
  uint32_t first, nodes, edges; /**< its nodes among all; edges = nodes of a ring, else nodes - 1 */
  uint32_t begin, end;          /**< nodes of the fibre itself: begin ... end - 1; others belong to what holds it */
  uint32_t specimen, material;
  uint32_t layout;      /**< which of the fibres that its specimen lays at a place */
  uint32_t elements;    /**< of a super-helix; 0: it is a rod */
  size_t first_element; /**< among those of all */
  bool ring;
  bool is_held;                            /**< something holds nodes of it */
  double stretching, bending[2], twisting; /**< N, N m^2 */
  double radius;                           /**< m, first half axis of its section */
  double contact_radius;                   /**< m */
  double length;                           /**< m, unloaded */
  double mass;                             /**< kg */
  double mass_damping, stiffness_damping;  /**< 1/s, s */
  size_t band;                             /**< where its rows begin among all rows of bands */
} fibre;

/** What a step did to one fibre. */
typedef struct fibre_report {
  rod_energies energy;                    /**< J, at its end */
  double kinetic;                         /**< J, at its end */
  double damping, numerical, held, loads; /**< J: taken out by dampers and by the step, given by what holds it, by gravity and end forces */
  uint32_t iterations;
  double residual;          /**< 1, of what is not solved */
  bool solved, first_order; /**< first_order: order 2 was given up */
  bool lost;                /**< it is nowhere any more */
} fibre_report;

/** What steps came to. */
typedef struct fibre_counts {
  uint64_t unsolved, first_order;       /**< steps of fibres so far */
  uint64_t iterations;                  /**< of the last step, of the fibre that took most */
  double worst_residual;                /**< 1, of unsolved steps */
  uint64_t contacts, sticking, sliding; /**< of the last step */
  uint64_t unsolved_contacts;           /**< steps so far */
  double penetration, residual;         /**< m, 1, of the last step */
  double worst_contact;                 /**< 1, of unsolved contacts */
  double deepest;                       /**< overlap over the contact radius, so far */
  double deepest_body;                  /**< overlap of bodies over their extent, so far */
} fibre_counts;

/** How far the linearisations of a fibre that touches others have come in a step. */
typedef struct fibre_linearised {
  double moved;  /**< m/s, largest change of its velocities since it was linearised last, turning counted at a radius */
  double before; /**< m/s, the same of the linearisation before that; infinite: there was none */
  bool stale;    /**< it is to be linearised anew */
  bool fresh;    /**< it was, for the linear system at hand */
} fibre_linearised;

/** Where the time of steps in which fibres touch goes, s of all threads together, since the state was made; for benches: nothing depends on
 * it. */
typedef struct fibre_times {
  double search, linearise, contacts;
  uint64_t linearisations, iterations; /**< rounds of these; sweeps and iterations of contact solvers */
  uint64_t linearised, touching;       /**< fibres that were linearised, of how many that take part, in all rounds */
} fibre_times;

/** Arrays of the contact problem of a step, with room from step to step (contact/problem.c). */
typedef struct fibre_problem {
  size_t capacity, block_capacity; /**< of contacts; of blocks */
  uint32_t *block_of;         /**< [node_count] block of a node, of super-helices their first one; UINT32_MAX: its fibre touches nothing */
  uint32_t *node_of;          /**< [node_blocks]; block i of a super-helix counts as its node i */
  size_t node_blocks, blocks; /**< of fibres; of these, and behind them of bodies */
  la_band *chain;             /**< [fibre_count + bodies] linear systems of fibres that touch, in state.system; masses of bodies that do */
  la_band *factor;            /**< [fibre_count + bodies] and their factors, in state.matrix */
  bool *same;                 /**< [fibre_count + bodies] chains that are as in the solve before */
  bool fresh;                 /**< nothing of the step has been solved yet */
  size_t chain_count;
  contact_chain_memory *memory;        /**< from solve to solve */
  double *momentum, *velocity;         /**< [blocks][4] */
  size_t *first;                       /**< [n + 1] */
  uint32_t *block;                     /**< [4 n] */
  double *jacobian;                    /**< [4 n][4][3] by columns */
  double *offset, *impulse, *relative; /**< [n][3] */
  double *friction;                    /**< [n] */
  double *hold;                        /**< [n] N s, that adhesion pulls with in the step; impulses above are without it */
  double *axes;                        /**< [n][3][3] */
  contact_key *key;                    /**< [n] */
  size_t entries;                      /**< of a contact at most */
  size_t *moves_first;                 /**< [fibre_count] where a super-helix begins in moves */
  double *moves;                       /**< how its points move with its strains (helix_linear) */
  double *drift;                       /**< [unknown_count] m/s, rad/s, of points of super-helices (helix_linear) */
  double *pressed;                     /**< [unknown_count] N, N m, of contacts on them */
  size_t count; /**< contacts: those of detection.touch, from which what nothing can move was left out before, then of
                   bodies.touch, then joints */
} fibre_problem;

typedef struct fibre_state {
  const scr_scene *scene;
  const fibre_options *options;
  size_t fibre_count, node_count, unknown_count, band_count, element_count;
  fibre *fibres; /**< [fibre_count] */
  /* what holds for the run */
  double *rest, *span;                /**< [node_count] m */
  double (*natural)[3];               /**< [node_count] */
  double *mass;                       /**< [unknown_count] kg, kg m^2 */
  double *load;                       /**< [unknown_count] N: gravity, and end forces of the moment */
  int32_t *node_holder, *edge_holder; /**< [node_count] */
  bool *held;                         /**< [unknown_count] */
  helix_strain *natural_strain;       /**< [element_count] */
  scr_vec3 *start;                    /**< [node_count] m, of held nodes, at t = 0 */
  scr_vec3 *start_director;           /**< [node_count] unit, first material director of held edges, at t = 0 */
  /* what changes */
  double *place, *velocity; /**< [unknown_count] m, rad; m/s, rad/s */
  rod_frames frames;        /**< [node_count] each */
  double *reaction;         /**< [unknown_count] N, N m: of what holds a fibre, on it, in the last step */
  fibre_counts counts;
  fibre_times times;
  double *node_force;                 /**< [node_count] N, of contacts on a node in the last step, sum of their sizes */
  warm_start warm;                    /**< impulses of the last step */
  helix_strain *strain, *strain_rate; /**< [element_count] of super-helices, and their rates over the last step, 1/(m s) */
  double *tension;                    /**< [node_count] N, of the edges of super-helices, in the last step */
  /* for a step */
  fibre_report *reports;                                                                                  /**< [fibre_count] */
  double *base_place, *base_velocity, *trial_place, *trial_velocity, *gradient, *change, *product, *best; /**< [unknown_count] */
  rod_frames trial, best_frames;                                                                          /**< [node_count] each */
  double *pull;                                                                                           /**< [node_count] N */
  double *matrix, *damper;                                                                                /**< [band_count] */
  helix_strain *strain_before, *rate_before; /**< [element_count]; rate_before: before the last solution */
  double *kept, *kept_velocity; /**< [unknown_count] what a step of order 2 began from; of fibres that touch, what they were linearised
                                   about last */
  rod_frames kept_frames;       /**< [node_count] each */
  double *system, *rhs;         /**< [band_count], [unknown_count] of steps in which fibres touch */
  uint32_t *edge_ids;           /**< [node_count] */
  bool *touched;                /**< [fibre_count] */
  fibre_linearised *linearised; /**< [fibre_count] of those */
  fibre_detection detection;
  fibre_bodies bodies;
  fibre_joints joints;
  fibre_problem problem;
  part_motion before[SCR_PART_LIMIT];             /**< parts as the step began */
  part_displacement displacement[SCR_PART_LIMIT]; /**< of parts over the step */
  double margin, adhesion_range;                  /**< m */
  sim_ledger *ledger;                             /**< the simulation's; borrowed */
  uint32_t drawn;                                 /**< id of the threads */
  double drawn_radius;                            /**< m, least */
  sim_contact_view contact_view;                  /**< the drawable of contacts' forces, where options ask for it */
  double *buffer;                                 /**< for pictures */
  size_t buffer_capacity;
} fibre_state;

/** Energy that a step of order 2 may gain, over that of its motion, and that is taken back; of more it is made anew with order 1. */
#define FIBRE_GAIN 1e-2
/** Gain over all energies of a fibre that is rounding. */
#define FIBRE_ROUNDING 1e-13

enum { FIBRE_FIELDS = 55 };
extern const sim_field fibre_fields[FIBRE_FIELDS];

/** Fibres of a scene at rest or as specimens move, frames, what holds them (state.c, place.c). On failure what fibre_state_destroy
 * accepts. */
scr_status fibre_state_create(const scr_scene *scene, const sim_parts *parts, sim_ledger *ledger, fibre_state **state, scr_error *error);
void fibre_state_destroy(fibre_state *state);

/** How many nodes a fibre of a specimen has, those of clamps included. */
uint32_t fibre_node_count(const fibre_specimen *block);

/** Gaps up to which contacts take part, m, and up to which adhesion holds. */
double fibre_margin(const scr_scene *scene);
double fibre_adhesion_range(const scr_scene *scene);

/** Places and lays all fibres, fills what their materials say (place.c). @param layouts [specimen_count] */
void fibre_place_all(fibre_state *state, const fibre_layout *layouts, const sim_parts *parts);

/** A fibre as a rod, and frames that belong to it. */
rod fibre_rod(const fibre_state *state, const fibre *f);
rod_frames fibre_frames(const rod_frames *all, const fibre *f);

/** A super-helix, without the node that its clamp has; the frame of its root, where what holds it has it now. */
helix fibre_helix(const fibre_state *state, const fibre *f);
helix_frame fibre_root(const fibre_state *state, const fibre *f);

/** Curvatures and twist of a vertex that bends, integrated over its span, and what they are without loads. */
void fibre_strain(const fibre_state *state, const fibre *f, uint32_t vertex, double strain[3], double natural[3]);

/** Tension of an edge, N. */
double fibre_tension(const fibre_state *state, const fibre *f, uint32_t edge);

/** Elastic energies of a fibre as it is. */
rod_energies fibre_energy(const fibre_state *state, const fibre *f);

/** Blocks of a super-helix in the contact problem, four rates of strains each, and its unknowns there. */
static inline size_t fibre_helix_blocks(const fibre *f)
{
  return (HELIX_STRAINS * (size_t)f->elements + ROD_UNKNOWNS - 1) / ROD_UNKNOWNS;
}
static inline size_t fibre_helix_stride(const fibre *f)
{
  return ROD_UNKNOWNS * fibre_helix_blocks(f);
}

/** Entries of the matrix of a step of a fibre with so many nodes or elements. */
size_t fibre_matrix_entries(uint32_t nodes, bool ring, uint32_t elements);

/** Strains of a super-helix as a scene lays it, its points and frames (place_helix.c). Its clamp's edge is where it stays. */
void fibre_place_helix(fibre_state *state, const fibre *f);

/** Loads of the moment: weight and end forces (rods.c). */
void fibre_set_loads(fibre_state *state, double time);

/** First material director of an edge, unit. */
scr_vec3 fibre_director(const fibre_state *state, const fibre *f, uint32_t edge);

/** Makes the reports of fibres by what they are now, as a step leaves them: behind create and load. */
void fibre_measure(fibre_state *state);

/** Energies of all fibres, by the reports of the last step. */
rod_energies fibre_elastic(const fibre_state *state);
double fibre_kinetic(const fibre_state *state);

scr_status fibre_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
scr_status fibre_load(scr_sim *sim, scr_blob *blob, scr_error *error);

#endif
