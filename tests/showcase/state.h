/** showcase: a made-up method that uses everything a method can.
 *
 *  Bobs hang on threads from the places of the specimens, are drawn aside (stage `pull`) and let go (stage `swing`). Where a bob turns back
 *  it loses a drop in a husk; both fall, and dry up. A fan, a part that turns, drags the bobs along; a press, a part under load, dents a
 *  membrane. Nothing here is meant to be of use, but everything is physics that can be checked: the period of a pendulum, what a servo
 *  holds, the balance of energy.
 *
 *     theta'' = -(g / L) sin theta - drag theta' + c (u_fan . t / L - theta')        t: the bob's direction of motion, L: the thread's
 *     length
 *
 *  Read in this order: options.c (what a scene may say), motion.c (the physics), view.c (what is shown), checkpoint.c, showcase.c (the
 *  table that the rest of Scree calls). core/methods/README.md walks through it. */
#ifndef SCREE_TESTS_SHOWCASE_STATE_H
#define SCREE_TESTS_SHOWCASE_STATE_H

#include "sim/fields.h"
#include "sim/method.h"

/** Keys of a material. */
typedef struct showcase_material {
  double density;   /**< kg/m^3 */
  double drag_rate; /**< 1/s, of the air */
} showcase_material;

/** Keys of a surface law, of a material with the rig. */
typedef struct showcase_surface {
  double fan_coupling; /**< 1/s, c: how strongly what turns drags a bob along */
} showcase_surface;

/** Keys of a specimen: each of its places is where a thread begins. */
typedef struct showcase_specimen {
  double thread_length; /**< m, of the first */
  double length_step;   /**< m, by which each next thread is longer */
  double start_angle;   /**< rad, to which bobs are drawn aside, about y */
  double softness;      /**< 1, amplitude of the bob's mode per tension over weight */
} showcase_specimen;

/** The options of the method. */
typedef struct showcase_options {
  double pull_time;          /**< s, of the stage `pull` */
  double drop_life;          /**< s, after which a drop has dried up */
  double step_fraction;      /**< 1, largest step over sqrt(L / g) of the shortest thread */
  scr_vec3 membrane_centre;  /**< m */
  double membrane_radius;    /**< m */
  double membrane_stiffness; /**< N/m */
} showcase_options;

/** One pendulum. */
typedef struct showcase_bob {
  uint32_t specimen;
  scr_vec3 pivot;      /**< m */
  double length, mass; /**< m, kg */
  double angle, speed; /**< rad, rad/s */
} showcase_bob;

/** What falls off a bob that turns back. */
typedef struct showcase_drop {
  uint32_t id;         /**< 0, 1, 2, ... in the order of falling off */
  double born, radius; /**< s, m at birth */
  scr_vec3 from;       /**< m, where it fell off */
} showcase_drop;

enum { SHOWCASE_STAGE_PULL, SHOWCASE_STAGE_SWING };

typedef struct showcase_state {
  const scr_scene *scene;
  const showcase_options *options;
  showcase_bob *bobs;
  size_t bob_count;
  showcase_drop *drops; /**< [drop_count], oldest first */
  size_t drop_count, drop_capacity;
  uint32_t drops_so_far; /**< >= drop_count */
  sim_ledger *ledger;    /**< the simulation's; borrowed. damping: taken out by the air; friction: lost between fan and bobs; rig: work of
                            pull, fan and press */
  double dent;           /**< m, of the membrane's middle, > 0 downwards */
  size_t turns_table;
  uint32_t bobs_drawn, threads_drawn, drops_drawn, husks_drawn, membrane_drawn; /**< ids of the drawables */
  double *buffer;                                                               /**< [buffer_capacity] for drawing */
  size_t buffer_capacity;
} showcase_state;

/** The tables of parameters (options.c). */
enum { SHOWCASE_PARAMS = 6, SHOWCASE_MATERIAL_PARAMS = 2, SHOWCASE_SURFACE_PARAMS = 1, SHOWCASE_SPECIMEN_PARAMS = 4 };
extern const scr_param showcase_params[SHOWCASE_PARAMS], showcase_material_params[SHOWCASE_MATERIAL_PARAMS];
extern const scr_param showcase_surface_params[SHOWCASE_SURFACE_PARAMS], showcase_specimen_params[SHOWCASE_SPECIMEN_PARAMS];

/** Checks what only the method can, and what a run will cost. */
scr_status showcase_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);

/** Places the bobs at rest, and begins the ledger (motion.c). */
scr_status showcase_place(showcase_state *state, const sim_parts *parts, scr_error *error);
/** One step, no further than to `sim->next_output`. */
scr_status showcase_advance(scr_sim *sim, scr_error *error);
/** Where a bob is, m; which way it moves, unit; what pulls at its thread, N. */
scr_vec3 showcase_bob_position(const showcase_bob *bob);
scr_vec3 showcase_bob_direction(const showcase_bob *bob);
double showcase_bob_tension(const showcase_state *state, const showcase_bob *bob);
/** Where a drop is at a time, m, and its radius then, m. */
scr_vec3 showcase_drop_position(const showcase_state *state, const showcase_drop *drop, double time);
double showcase_drop_radius(const showcase_state *state, const showcase_drop *drop, double time);
/** Energies now, J. */
double showcase_kinetic(const showcase_state *state);
double showcase_potential(const showcase_state *state);

/** Declares curves, tables, stages and drawables; values; pictures (view.c). */
enum { SHOWCASE_CURVES = 10 };
extern const scr_series showcase_curves[SHOWCASE_CURVES];
scr_status showcase_declare(scr_sim *sim, scr_error *error);
void showcase_observe(const scr_sim *sim, double *values);
/** What bobs and membrane hold. */
void showcase_energies(const scr_sim *sim, sim_energies *now);
scr_status showcase_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);

/** The state's arrays, and what of it checkpoints hold (checkpoint.c). */
enum { SHOWCASE_FIELDS = 4 };
extern const sim_field showcase_fields[SHOWCASE_FIELDS];
scr_status showcase_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
scr_status showcase_load(scr_sim *sim, scr_blob *blob, scr_error *error);

extern const scr_method scr_method_showcase;

#endif
