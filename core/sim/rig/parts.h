/** Parts during a run: where each part of the rig and each obstacle is, how it moves, and what the specimens do to it.
 *
 *      scene --parts_create--> sim->parts --pose, velocity, spin--> the method's force pass --force, torque--> sim->parts
 *
 *  The shell makes them before the method's create, saves and loads them, reports their curves and draws them. A method reads poses and
 *  twists, says to which time parts are to be moved (parts_move) and writes what acts on them; it has no other state of theirs.
 *
 *  A part drags along what rubs on it: its surface moves with v + w x r at r from its position (part_velocity_at). */
#ifndef SCREE_SIM_PARTS_H
#define SCREE_SIM_PARTS_H

#include "record/file/blob.h"
#include "scene/part.h"
#include "sim/rig/flight.h"

/** How a part is placed and moves at one moment. */
typedef struct part_motion {
  scr_pose pose;     /**< torques are about its position */
  double angle;      /**< rad, by which it has turned about its turning axis, whole turns counted */
  scr_vec3 velocity; /**< m/s, of its position */
  scr_vec3 spin;     /**< rad/s */
} part_motion;

/** What the specimens do to a part. Written by the method. A part's mean force over the last step is force + impulse / time step. */
typedef struct part_load {
  scr_vec3 force, torque;    /**< N, N m about the part's position, in the last force pass */
  scr_vec3 impulse, turning; /**< N s, N m s about it, of what acted as impulses in the last step; zero where `force` holds it already */
} part_load;

/** How specimens answer to a part that presses them: servos need to know. */
typedef struct part_response {
  double impedance; /**< Pa s/m, density times the speed of sound in a bar, the largest of the specimens */
  double stiffness; /**< N/m^3, of contacts over the area of a flat part that presses a specimen, at most */
  double bodies;    /**< N/m^3, of what lies behind the contacts, Young's modulus over thickness, at most, in steps that find the force and
                       what gives way together; 0: in other steps */
} part_response;

/** What a servo does in the step under way: the part goes at one velocity. */
typedef struct part_servo_motion {
  double time;     /**< s, from which on */
  double steered;  /**< m along the part's axis, that servos had moved it by then */
  double velocity; /**< m/s along it */
} part_servo_motion;

/** All parts of a run: the rig's, then the obstacles, in the order of their curves. */
typedef struct sim_parts {
  size_t count;
  bool box;                                       /**< the first SCR_WALL_COUNT are the walls of a box */
  scr_part form[SCR_PART_LIMIT];                  /**< [count] what they are: shapes, axes, programs */
  part_motion now[SCR_PART_LIMIT];                /**< [count] */
  part_load load[SCR_PART_LIMIT];                 /**< [count] */
  part_servo_motion servo_motion[SCR_PART_LIMIT]; /**< [count] */
  part_flight flight[SCR_PART_LIMIT];             /**< [count], of those that are free */
  scr_vec3 gravity;                               /**< m/s^2, on those that are free */
  part_response response;                         /**< see parts_tune */
  double section;                                 /**< m^2, of the specimens, about */
} sim_parts;

/** Takes a scene's rig apart, at t = 0. The rig must outlive the parts. */
void parts_create(sim_parts *parts, const scr_rig *rig);

/** Tells servos what they press on, in the method's create.
 *
 *  A servo without a gain gets 1 / (impedance A), A the part's area or the specimens' section: the part then yields as more of the specimen
 *  would, and waves are not reflected. As the force is that of the step before, gain stiffness A time_step must stay below 1; an automatic
 *  gain is at most half of that. In steps in which what lies behind the contacts gives way too, the stiffness is that of both in series. */
void parts_tune(sim_parts *parts, const scr_scene *scene, part_response response);

/** What a part's servo wants at `time`, for methods that let it yield within a step: force, N, along its loading direction, rise counted
 *  in; its gain, m/(N s), as the scene gives it (NaN: it does not); and its largest velocity, m/s (INFINITY: none).
 *  @return false: none is under way */
bool parts_servo(const sim_parts *parts, size_t p, double time, double *force, double *gain, double *most);

/** Problems of servos whose gain is above the bound: gain <= 1 / (stiffness A time_step). @return SCR_OK, SCR_NO_MEMORY */
scr_status parts_check_servos(const scr_scene *scene, double time_step, part_response response, scr_problems *problems);

/** Begins a step of dt that ends at `end`, s: servos choose their velocities by the present load. Asked again for a step that begins where
 *  the last began, it begins that one anew. */
void parts_begin(sim_parts *parts, double end, double dt);

/** Ends a step of dt, once forces of its end are in `load`, for the free parts: their velocities follow, and `now` has them. Between
 *  parts_begin and here they move at the velocity of the middle of the step. Nothing where there are none. */
void parts_end(sim_parts *parts, double dt);

/** A blow on a free part between steps: N s, and N m s about its position. `now` moves on as it leaves it. */
void parts_hit(sim_parts *parts, size_t p, scr_vec3 impulse, scr_vec3 turning);

/** By how much a unit impulse along `along` at `point`, m, changes a free part's velocity there along it, 1/kg; 0 of others. */
double parts_inverse_mass(const sim_parts *parts, size_t p, scr_vec3 point, scr_vec3 along);
/** By how much a unit angular impulse about `axis` changes its spin about it, 1/(kg m^2); 0 of others. */
double parts_inverse_inertia(const sim_parts *parts, size_t p, scr_vec3 axis);

/** Whether any part is free; their kinetic energy, J; and that less the work of gravity on them since t = 0, J. */
bool parts_fly(const sim_parts *parts);
double parts_kinetic(const sim_parts *parts);
double parts_energy(const sim_parts *parts);

/** Problems of free parts that are too light for explicit steps: stiffness A time_step^2 <= mass, A the part's section or the specimens'.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status parts_check_free(const scr_scene *scene, double time_step, part_response response, scr_problems *problems);

/** Moves all parts to where they are at `time`, s. */
void parts_move(sim_parts *parts, double time);
/** How part p is placed and moves at `time`; of what a servo moves, as far as the step under way tells. */
part_motion parts_at(const sim_parts *parts, size_t p, double time);

/** Velocity of a part's surface at `point`, m/s. */
static inline scr_vec3 part_velocity_at(const part_motion *motion, scr_vec3 point)
{
  if (motion->spin.x == 0 && motion->spin.y == 0 && motion->spin.z == 0) return motion->velocity;
  return vec3_add(motion->velocity, vec3_cross(motion->spin, vec3_sub(point, motion->pose.position)));
}

/** What carried a part from one place to another: a way, and a turn about where it is now. */
typedef struct part_displacement {
  scr_vec3 displacement; /**< m, of its position */
  scr_vec3 turn;         /**< rad, rotation vector */
} part_displacement;

/** From `before` to `after`, which lie less than half a turn apart where the part is free to turn about any axis. */
part_displacement part_displacement_between(const scr_part *form, const part_motion *before, const part_motion *after);

/** How far that carried a point of the surface at `arm`, m, from the part's position; to first order in the turn, so that force . way +
 *  torque . turn is the work of forces at their points. */
static inline scr_vec3 part_displacement_at(const part_displacement *displacement, scr_vec3 arm)
{
  if (displacement->turn.x == 0 && displacement->turn.y == 0 && displacement->turn.z == 0) return displacement->displacement;
  return vec3_add(displacement->displacement, vec3_cross(displacement->turn, arm));
}

/** Farthest that any point of a part's surface nearer to its position than `span`, m, can have gone between two moments, m. */
double part_travel(const scr_part *form, const part_motion *before, const part_motion *after, double span);

/** Rotation vector of a part's attitude since t = 0, rad; longer than a turn where a program turned it so far. */
static inline scr_vec3 part_turned(const scr_part *form, const part_motion *motion)
{
  if (form->is_free) return quat_log(motion->pose.rotation);
  return form->turn ? vec3_scale(form->turn_axis, motion->angle) : vec3(0, 0, 0);
}

/** All that a checkpoint needs of them. @return SCR_OK, SCR_NO_MEMORY; SCR_BAD_FILE: not of this scene */
scr_status parts_save(const sim_parts *parts, scr_blob *blob, scr_error *error);
scr_status parts_load(sim_parts *parts, scr_blob *blob, scr_error *error);

#endif
