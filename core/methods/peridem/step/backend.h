/** The seam between the physics of a step and what carries it out: everything that touches an array of nodes stands behind this table.
 *
 *      step.c        stages of a step in their order, parts of the rig, ledger        knows numbers, a few per part of the rig
 *      observe.c     curves and drawables                                             knows reduced values and gathered arrays
 *      ------------------------------------------ pd_backend ----------------------------------------------------------
 *      backend_host  loops over nodes on this machine's threads                       owns the arrays of nodes, bonds, contacts
 *
 *  A back end for another device gives the same table with arrays of its own: step.c, observe.c and checkpoint.c stay as they are. One call
 *  is one pass over all nodes, or over those that one grip holds; nothing is called per node.
 *
 *  Promises of every entry: SI units; the same bits for any number of threads, as sums run in a fixed order; what is "added to" starts from
 *  the value that is there, term by term in that order. Errors are those of memory, unless said otherwise; after one the run ends. An entry
 *  reads the scene, options, laws, bodies, time step, and the parts of the rig (rig->form, rig->now, parts[].acted and .way); it writes
 *  nothing of the state but its own arrays and what it is given to write. */
#ifndef SCREE_PERIDEM_BACKEND_H
#define SCREE_PERIDEM_BACKEND_H

#include "geometry/search/boxes.h"
#include "sim/pieces/fragments.h"
#include "sim/view/contact_view.h"

typedef struct pd_state pd_state;

/** What nodes do to a part of the rig in a force pass. */
typedef struct pd_part_sums {
  scr_vec3 force, torque;                 /**< N; N m about the part's position */
  double damping, friction;               /**< N, explicit damping: those parts of what it does to nodes, along its axis */
  double damping_torque, friction_torque; /**< N m, the same about its turning axis */
} pd_part_sums;

/** What the ledger needs of a kick, J. */
typedef struct pd_kick_sums {
  double damping, friction; /**< work of explicit damping and friction on the nodes, not above 0 but for rounding; else 0 */
  double gravity;           /**< its work */
  double kinetic;           /**< energy of motion after the kick */
} pd_kick_sums;

/** What limited damping takes. */
typedef struct pd_impulse_sums {
  double normal, sliding; /**< J, of dampers and of friction: only how they share the heat */
} pd_impulse_sums;

/** How far nodes are from equilibrium, and how they get there. Force: of all that acts, gravity included. */
typedef struct pd_balance {
  double unbalanced; /**< N, sum over the nodes of the magnitude of the force */
  double weight;     /**< N, of all nodes */
  double curvature;  /**< J: - increment . change of force, over the last increment */
  double inertia;    /**< J: increment . fictitious mass times increment */
  double gravity;    /**< J, its work over the last increment */
  double work;       /**< J, of all forces over the last increment, by the mean of those before and after it */
} pd_balance;

typedef enum pd_soundness {
  PD_VALID,
  PD_NOT_FINITE, /**< a node's position or velocity */
  PD_INSIDE,     /**< a node is more than two contact radii inside a part of the rig */
  PD_STRETCHED   /**< a bond that cannot break is stretched by more than 10 */
} pd_soundness;

/** Whether a state makes sense, and the first node that does not. */
typedef struct pd_verdict {
  pd_soundness soundness;
  size_t node, grain; /**< unless sound */
  size_t part;        /**< PD_INSIDE */
  double amount;      /**< PD_INSIDE: m, distance from the part, below 0; PD_STRETCHED: the stretch */
} pd_verdict;

/** How grains bear on each other and on the rig. Forces are those of repulsion and of friction's springs; dampers are left out. */
typedef struct pd_bearing {
  double coordination; /**< neighbours of a grain on average: grains, and parts of the rig, that it touches with a force */
  double stress[6];    /**< J: sums over the contacts of the force times what joins the middles of the two grains (a grain and the point
                            on the part), xx yy zz xy yz zx; over the volume the mean stress, pressure being positive */
  geo_box box;         /**< around all nodes */
} pd_bearing;

/** The shapes of pieces: the edges a >= b >= c of the box with a piece's second moments. Source: the ratios of Zingg (1935). */
typedef struct pd_forms {
  double mass;                 /**< kg, of all pieces but dust */
  double elongation, flatness; /**< kg: sums of mass times b / a and c / b */
  /** Called for each piece but dust, by grain; NULL: nobody asks. edges: a, b, c, m. Errors end the count */
  scr_status (*each)(void *user, size_t grain, size_t nodes, double mass, const double edges[3]);
  void *user;
  scr_status status; /**< of the last call of `each` */
} pd_forms;

/** What a grain bears. */
typedef struct pd_grain_stress {
  double stress[6];    /**< Pa, mean over its nodes' volume, pressure positive, xx yy zz xy yz zx */
  uint32_t neighbours; /**< grains and parts of the rig that it touches with a force */
  uint32_t pieces;     /**< joined by intact bonds */
} pd_grain_stress;

/** Arrays to draw: [node_count] each, in the order of nodes. They are the back end's, until its next call. */
typedef struct pd_picture {
  const double *x, *y, *z; /**< m */
  const double *damage;    /**< broken part of a node's bonds, 0 ... 1 */
  const double *speed;     /**< m/s */
  const double *pressure;  /**< Pa, a third of the trace of a node's stress (host/view/stress.h), positive where pressed */
  const double *von_mises; /**< Pa, of the same */
  const uint32_t *piece;   /**< number of a node's piece, over the whole scene */
  const uint32_t *grain;
} pd_picture;

typedef struct pd_backend {
  const char *name; /**< "host" */

  /** Allocates the arrays and places all grains as the scene says, grips' nodes found; sets `grips` and parts[].held_mass.
   *  Bodies, counts and laws are there. On failure the state is what `destroy` accepts. */
  scr_status (*create)(pd_state *state, scr_error *error);
  /** Frees the arrays; also after a failed `create`, or none. */
  void (*destroy)(pd_state *state);
  /** What the bond forces are computed with, such as "avx512". Static text. */
  const char *(*kernel)(const pd_state *state);
  /** The host's kernel whose bits those are, to the last one. NULL: the entry above is the host's. */
  const char *(*bits_of)(const pd_state *state);
  /** What an entry that returns no status has met since the state was made; asked at the end of every step. NULL: none can fail. */
  scr_status (*failure)(const pd_state *state, scr_error *error);

  /* A step, in this order. */

  /** Velocity of the nodes that part p holds, along what it rules over, m/s. Once before `predict`, again after `kick`. */
  void (*set_held_velocity)(pd_state *state, size_t p, scr_vec3 velocity);
  /** Positions one time step on, by velocities and accelerations. Explicit damping: the damping of the last pass becomes the old one.
   *  @param fracture J, added to: work of the last half step of bonds that broke in the last step, in the order in which they broke */
  void (*predict)(pd_state *state, double *fracture);
  /** Puts the nodes that part p holds at `path` (m) from where they began. */
  void (*move_held)(pd_state *state, size_t p, scr_vec3 path);
  /** Sets the force of every node to that of its bonds, at the present positions.
   *  @return number of nodes with a bond past the critical stretch */
  size_t (*bond_forces)(pd_state *state);
  /** Adds repulsion between nodes (and explicit damping and friction, by the velocities before the kick); makes the rows of candidates anew
   *  where a node has moved by half the skin. Sets explicit damping's arrays.
   *  @param heat J, added to, of slipping springs of friction between bodies */
  scr_status (*contact_forces)(pd_state *state, double *heat, scr_error *error);
  /** Adds the forces of the rig's parts and moves friction's springs. Not called without parts.
   *  @param sums [rig->count] set    @param heat J, added to, of slipping springs
   *  @param push J, added to, what the trapezoidal rule misses of the work of moving parts */
  scr_status (*rig_forces)(pd_state *state, pd_part_sums *sums, double *heat, double *push, scr_error *error);
  /** Adds the drag of `damping_rate`; explicit damping only. */
  void (*drag)(pd_state *state);
  /** Keeps the nodes that part p holds from accelerating. @param force, torque set: N, N m about the part's position, what they do to it */
  void (*hold)(pd_state *state, size_t p, scr_vec3 *force, scr_vec3 *torque);
  /** Removes every bond past its critical stretch, at the positions of the last `bond_forces`, which found some; notes each in state->log.
   *  @param fracture J, added to, node after node    @param broken added to, bonds    @return errors of the log too */
  scr_status (*break_bonds)(pd_state *state, double *fracture, uint64_t *broken, scr_error *error);
  /** Velocities at the end of the step, by the mean of old and new acceleration; the new one stays. */
  void (*kick)(pd_state *state, pd_kick_sums *sums);

  /* Limited damping, at the end of the step (dissipation.c). */

  /** @param count set: contacts that may take something: both views of every pair that touches, and nodes near the rig */
  scr_status (*count_dampers)(pd_state *state, size_t *count, scr_error *error);
  /** From the velocities: dampers of all contacts, and the share of each that leaves no node faster. Then the impulses on all nodes, kept
   *  apart. @param impulse, turning [rig->count] set: N s, N m s on the parts */
  void (*damp)(pd_state *state, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning);
  /** Takes from the impulses what part p's grip holds.
   *  @param impulse, turning added to: of the part    @param work J, added to, that the grip does on it */
  void (*absorb)(pd_state *state, size_t p, scr_vec3 *impulse, scr_vec3 *turning, double *work);
  /** The impulses change the velocities. @return gain of kinetic energy, J */
  double (*apply_impulses)(pd_state *state);

  /** Looks for what is not finite or deep inside the rig; with `bonds` also for bonds that stretch without end. */
  void (*inspect)(const pd_state *state, bool bonds, pd_verdict *verdict);

  /* Quasi-static loading, in place of predict, kick and damping (quasi_static.h). */

  /** Gives every node its fictitious mass, for contacts as they are. */
  void (*weigh)(pd_state *state);
  /** Moves all nodes by one increment, from the forces of the last pass.
   *  @param damping fictitious, 0 ... 2; the first increment of a relaxation has none before it: `first` */
  void (*relax)(pd_state *state, double damping, bool first);
  /** After a force pass. @param sums set */
  void (*measure_balance)(const pd_state *state, pd_balance *sums);
  /** Largest resultant of the forces on all nodes of one grain, gravity included, N. @param grain receives whose */
  double (*net_force)(const pd_state *state, size_t *grain);
  /** At the end: nodes rest. Forgets what bonds that broke still pulled. */
  void (*rest)(pd_state *state);

  /* Between steps. */

  /** Accelerations by the forces of the last pass: of t = 0. */
  void (*accelerate)(pd_state *state);
  /** What nodes, bonds and contacts hold. */
  void (*energies)(const pd_state *state, sim_energies *energies);
  /** Pieces of all grains by mass and form. @param summary as {.whole = M}, added to    @param forms zero but for `each`, added to */
  void (*count_pieces)(const pd_state *state, fragment_summary *summary, pd_forms *forms);
  /** Contacts of grains as the last force pass found them. */
  void (*measure_touching)(const pd_state *state, pd_bearing *bearing);
  /** The contacts by grain. @param contacts,count set; the array is the caller's, who frees it by mem_free, also after a failure */
  scr_status (*contacts)(const pd_state *state, sim_contact **contacts, size_t *count, scr_error *error);
  /** After count_pieces, at the same time. @param grains [grain_count] set */
  scr_status (*grain_stresses)(const pd_state *state, pd_grain_stress *grains, scr_error *error);
  scr_status (*gather)(const pd_state *state, pd_picture *picture, scr_error *error);

  /** All arrays that later bits depend on, in one form for every back end: a checkpoint of one can be read by another. Errors of `load`:
   *  SCR_BAD_FILE, where the blob is not of this scene; the state is good for `destroy` only then. */
  scr_status (*save)(const pd_state *state, scr_blob *blob, scr_error *error);
  scr_status (*load)(pd_state *state, scr_blob *blob, scr_error *error);
} pd_backend;

/** Loops over nodes on the state's number of threads. */
extern const pd_backend pd_backend_host;

#endif
