/** The motion of a solid that nothing drives: velocity Verlet, and turns that keep the angular momentum.
 *
 *      flight_kick dt/2 -> flight_drift dt -> forces at the new place -> flight_arrive, flight_kick dt/2
 *
 *  Between two kicks the angular momentum is constant in space and the solid turns about its principal axes in turn, x y z y x (the
 *  symmetric splitting of Dullweber, Leimkuhler and McLachlan 1997, J. Chem. Phys. 107, 5840): exact in the momentum, of second order and
 *  without drift in the energy. */
#ifndef SCREE_SIM_FLIGHT_H
#define SCREE_SIM_FLIGHT_H

#include "scene/part.h"

/** A free part at one moment, and where the step under way takes it. */
typedef struct part_flight {
  double time;       /**< s, of all that follows up to `end` */
  scr_vec3 centre;   /**< m, of mass */
  scr_vec3 velocity; /**< m/s, of it */
  scr_vec3 momentum; /**< kg m^2/s, angular, about it */
  scr_quat rotation; /**< unit, from the attitude at t = 0 */
  double end;        /**< s, of the step under way; = time: none is */
  scr_pose arrival;  /**< centre and rotation at `end` */
} part_flight;

/** How it is placed and moves: pose and velocity of the part's position, which need not be the centre of mass. */
typedef struct flight_motion {
  scr_pose pose;
  scr_vec3 velocity; /**< m/s */
  scr_vec3 spin;     /**< rad/s */
} flight_motion;

/** At t = 0. */
part_flight flight_begin(const scr_part *form);
/** Forces for dt: N, N m about the part's position; and gravity, m/s^2. */
void flight_kick(const scr_part *form, part_flight *flight, scr_vec3 force, scr_vec3 torque, scr_vec3 gravity, double dt);
/** Chooses where it is at `end`, dt later, with the present momenta. */
void flight_drift(const scr_part *form, part_flight *flight, double dt, double end);
/** Takes it there. */
void flight_arrive(part_flight *flight);
/** At `time`, with the present momenta. */
flight_motion flight_at(const scr_part *form, const part_flight *flight, double time);
/** The spin that an angular momentum means in some attitude, rad/s. */
scr_vec3 flight_spin(const scr_part *form, scr_quat rotation, scr_vec3 momentum);
/** J */
double flight_kinetic(const scr_part *form, const part_flight *flight);

#endif
