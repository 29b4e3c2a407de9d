/** Parts: the moving pieces that every rig is made of, and the obstacles beside it. A method knows parts, not rigs, so a new rig works with
 *  every method.
 *
 *      rig, obstacles --scr_rig_parts--> parts --scr_part_distance_posed--> forces
 *
 *  A part is a solid that pushes what comes near it, given by its signed distance; or a grip that holds what lay in it at the start. What
 *  is here is how it is at t = 0 and what drives it; where it is during a run is in sim/rig/parts.h. A run reports its force, torque,
 *  displacement and rotation as curves NAME.force_x ... NAME.rotation. */
#ifndef SCREE_SCENE_PART_H
#define SCREE_SCENE_PART_H

#include "geometry/mesh/mesh.h"
#include "geometry/search/boxes.h"
#include "geometry/solid.h"
#include "scene/mass.h"
#include "scene/scene.h"

typedef enum scr_part_kind {
  SCR_PART_PLANE,    /**< everything behind a plane */
  SCR_PART_CYLINDER, /**< a roller with flat ends */
  SCR_PART_TROUGH,   /**< a jaw hollowed out to an arc of a cylinder; it has no end along its axis */
  SCR_PART_GRIP,     /**< everything behind a plane at the start, held or moved */
  SCR_PART_SOLID     /**< a box, a ball, a mesh: whatever `solid` is */
} scr_part_kind;

typedef struct scr_part {
  char name[48];            /**< "wall.z_max": begins the names of its curves */
  char label[48];           /**< "Wall z_max": begins their labels */
  char pointer[40];         /**< JSON Pointer to where its place is given: "/rig", "/obstacles/2" */
  char program_pointer[40]; /**< JSON Pointer to what says how it moves: its program, or `free`; "" when it never moves */
  scr_part_kind kind;
  bool obstacle;              /**< one of the scene's obstacles, not of the rig */
  bool slide;                 /**< grip: motion across the axis is free */
  bool steers;                /**< its program has servo segments: where it goes depends on the run */
  bool is_free;               /**< nothing drives it: forces on it and gravity move it (sim/rig/flight.h) */
  bool turns;                 /**< it can turn */
  bool pivots;                /**< turning carries its surface elsewhere: so it is not with a ball, or with a rod that turns about itself */
  scr_vec3 start;             /**< m, at t = 0: middle of a plane's or a grip's face, of a cylinder, of a trough's bottom line */
  scr_vec3 normal;            /**< unit, plane, grip and trough: out of the solid, towards the specimens */
  scr_vec3 half_u, half_v;    /**< m, plane and grip: half edges of the rectangle shown in pictures; they have no end themselves */
  scr_vec3 along;             /**< unit, cylinder and trough: their axis */
  double radius, half_length; /**< m, cylinder and trough, radius of a ball; the half length of a trough is for pictures */
  double arc;                 /**< rad, half of a trough's arc, at most pi / 2 */
  geo_placed_solid solid;     /**< cylinder and solid, at t = 0 */
  geo_box box;                /**< m, solid: around it, relative to `start` */
  const geo_mesh *surface;    /**< the scene's, of a solid bounded by a mesh; else NULL */
  double extent;              /**< m, from `start` to the farthest point of its surface; INFINITY: plane, trough, grip */
  scr_vec3 axis;              /**< unit, direction of motion: velocities of the program are along it */
  double sign;                /**< +1 or -1: the displacement curve is sign times the displacement along the axis, > 0 when it loads */
  const scr_program *program; /**< of the rig it was made from; NULL: never moves */
  const scr_program *turn;    /**< how it turns about `turn_axis` through its position; NULL: never turns */
  scr_vec3 turn_axis;         /**< unit; of a grip its `axis` */
  const scr_flight *flight;   /**< of one that is free: the scene's; else NULL */
  scr_mass mass;              /**< of one that is free */
  double initial_speed;       /**< m/s, of the fastest point of one that is free, at t = 0; else 0 */
} scr_part;

/** Where a part is. */
typedef struct scr_pose {
  scr_vec3 position; /**< m, of its `start` */
  scr_quat rotation; /**< unit, from its attitude at t = 0 */
} scr_pose;

/** Most parts a scene has: those of its rig, and obstacles. */
enum { SCR_RIG_PART_LIMIT = 8, SCR_PART_LIMIT = SCR_RIG_PART_LIMIT + SCR_OBSTACLE_LIMIT };

/** Signed distance of a point from a part, and which way is out. */
typedef struct scr_part_distance {
  double distance; /**< m, < 0 inside the solid */
  scr_vec3 normal; /**< unit, the distance's gradient: the direction in which the part pushes */
} scr_part_distance;

/** The parts of a rig, then the obstacles, in the order of their curves. Programs stay the rig's, which must outlive the parts.
 *  @return how many; 0 for a scene without rig and obstacles */
size_t scr_rig_parts(const scr_rig *rig, scr_part parts[static SCR_PART_LIMIT]);

/** Area of a part's rectangle at the start, m^2; INFINITY: it has none. */
double scr_part_area(const scr_part *part);

/** Whether a run may report the pressure on a part: a flat one of the rig. */
bool scr_part_has_pressure(const scr_part *part);

/** Where a part's `start` is at time t, m, and its velocity, m/s. */
scr_vec3 scr_part_position(const scr_part *part, double time);
scr_vec3 scr_part_velocity(const scr_part *part, double time);

/** Largest speed of a part's surface up to `duration`, m/s, no farther than `span` from its position, m (INFINITY: all of it); without its
 *  turning where that has no end, and without what servos and forces do. */
double scr_part_peak_speed(const scr_part *part, double duration, double span);

/** How far a part has turned about its axis at time t, rad, and its angular velocity, rad/s. */
double scr_part_angle(const scr_part *part, double time);
double scr_part_angular_velocity(const scr_part *part, double time);

/** Its pose at time t. */
scr_pose scr_part_pose(const scr_part *part, double time);

/** scr_part_distance_at for what is no plane. */
scr_part_distance scr_part_distance_curved(const scr_part *part, scr_vec3 position, scr_vec3 point);

/** Distance of a point from the part while its start is at `position`, unturned; INFINITY from a grip, which pushes nothing. */
static inline scr_part_distance scr_part_distance_at(const scr_part *part, scr_vec3 position, scr_vec3 point)
{
  if (part->kind != SCR_PART_PLANE) return scr_part_distance_curved(part, position, point);
  return (scr_part_distance){vec3_dot(vec3_sub(point, position), part->normal), part->normal};
}

/** A point, m, as seen by a part that has not turned. */
static inline scr_vec3 scr_part_unturned(const scr_pose *pose, scr_vec3 point)
{
  return vec3_add(pose->position, quat_rotate(quat_conjugate(pose->rotation), vec3_sub(point, pose->position)));
}

/** scr_part_distance_at in any pose. */
static inline scr_part_distance scr_part_distance_posed(const scr_part *part, const scr_pose *pose, scr_vec3 point)
{
  if (!part->pivots) return scr_part_distance_at(part, pose->position, point);
  scr_part_distance from = scr_part_distance_at(part, pose->position, scr_part_unturned(pose, point));
  from.normal = quat_rotate(pose->rotation, from.normal);
  return from;
}

/** Whether a point is surely farther than `reach` from the surface of a part that has not turned, told with little work: most nodes of a
 *  specimen are. */
static inline bool scr_part_is_far(const scr_part *part, scr_vec3 position, scr_vec3 point, double reach)
{
  if (part->kind != SCR_PART_CYLINDER && part->kind != SCR_PART_SOLID) return false;
  scr_vec3 from = vec3_sub(point, position);
  if (part->kind == SCR_PART_SOLID) return !geo_box_near(&(geo_box){from, from}, &part->box, reach);
  double lengthwise = vec3_dot(from, part->along), limit = part->radius + reach;
  return vec3_dot(from, from) - lengthwise * lengthwise > limit * limit * (1 + 1e-9);
}

/** Distance of a point from a part of kind SCR_PART_SOLID: of a mesh only where its surface is nearer than `reach`. @return false where not
 *  */
bool scr_part_solid_within(const scr_part *part, scr_vec3 position, scr_vec3 point, double reach, scr_part_distance *from);

/** Distance of a point from a part where it is less than `reach`, with less work than scr_part_distance_at. What is deeper inside a mesh
 *  than `depth`, >= reach, counts as far. @return false where it is not; `from` then means nothing */
static inline bool scr_part_distance_within(const scr_part *part, scr_vec3 position, scr_vec3 point, double reach, double depth,
                                            scr_part_distance *from)
{
  if (scr_part_is_far(part, position, point, reach)) return false;
  if (part->kind == SCR_PART_SOLID) return scr_part_solid_within(part, position, point, depth, from) && from->distance < reach;
  *from = scr_part_distance_at(part, position, point);
  return from->distance < reach;
}

/** scr_part_is_far and scr_part_distance_within in any pose. */
static inline bool scr_part_is_far_posed(const scr_part *part, const scr_pose *pose, scr_vec3 point, double reach)
{
  if (!part->pivots) return scr_part_is_far(part, pose->position, point, reach);
  scr_vec3 from = vec3_sub(point, pose->position);
  double limit = part->extent + reach;
  return vec3_dot(from, from) > limit * limit || scr_part_is_far(part, pose->position, scr_part_unturned(pose, point), reach);
}
static inline bool scr_part_distance_within_posed(const scr_part *part, const scr_pose *pose, scr_vec3 point, double reach, double depth,
                                                  scr_part_distance *from)
{
  if (!part->pivots) return scr_part_distance_within(part, pose->position, point, reach, depth, from);
  if (scr_part_is_far_posed(part, pose, point, reach)) return false;
  if (!scr_part_distance_within(part, pose->position, scr_part_unturned(pose, point), reach, depth, from)) return false;
  from->normal = quat_rotate(pose->rotation, from->normal);
  return true;
}

/** Whether a grip holds what is at `point` at the start; false for other parts. */
bool scr_part_holds(const scr_part *part, scr_vec3 point);

/** Whether any part pushes: all but grips do. */
bool scr_rig_pushes(const scr_rig *rig);

/** The curves to plot when the scene names none and the method's own plot is of another rig: force over displacement of the part that
 *  moves, of the rig or else the first obstacle; torque over rotation of a grip that only turns. @return false when there is none */
bool scr_rig_plot(const scr_rig *rig, scr_plot *plot);

/** The curves of each part: NAME.force_x, force_y, force_z, torque_x, torque_y, torque_z, displacement; rotation only of one that turns
 *  about an axis, velocity only of one that a servo moves; x, y, z, of its position, only of one that moves freely. */
enum { SCR_CURVE_ROTATION = 7, SCR_CURVE_VELOCITY, SCR_CURVE_X, SCR_CURVE_Y, SCR_CURVE_Z, SCR_PART_CURVES };
extern const char *const scr_part_curve_names[SCR_PART_CURVES];

/** Whether a part has curve k of them. */
static inline bool scr_part_has_curve(const scr_part *part, int k)
{
  if (k >= SCR_CURVE_X) return part->is_free;
  return k == SCR_CURVE_ROTATION ? part->turns && !part->is_free : k != SCR_CURVE_VELOCITY || part->steers;
}

/** Curve of the energy of all parts that move freely, J: kinetic, less the work that gravity has done on them. Only where there are any. */
#define SCR_PARTS_ENERGY "energy.parts"

/** The curves of pressure on flat parts, which scenes ask for: NAME.pressure, NAME.pressure_average, Pa. */
#define SCR_CURVE_PRESSURE "pressure"
#define SCR_CURVE_PRESSURE_AVERAGE "pressure_average"

/** Stands for every part's name in the curves that a method lists. */
#define SCR_PART_MARK "<part>"

/** The first entries of every method's curves: what the specimens do to a part and how it moves, of the parts and in the order that the
 *  shell asks for. */
#define SCR_PART_SERIES                                                                                                                    \
  {SCR_PART_MARK ".force_x", "N", "Force of the specimens on the part, x"},                                                                \
      {SCR_PART_MARK ".force_y", "N", "Force of the specimens on the part, y"},                                                            \
      {SCR_PART_MARK ".force_z", "N", "Force of the specimens on the part, z"},                                                            \
      {SCR_PART_MARK ".torque_x", "N m", "Torque on the part about its position, x"},                                                      \
      {SCR_PART_MARK ".torque_y", "N m", "Torque on the part about its position, y"},                                                      \
      {SCR_PART_MARK ".torque_z", "N m", "Torque on the part about its position, z"},                                                      \
      {SCR_PART_MARK ".displacement", "m", "Displacement of the part, positive when it loads"},                                            \
      {SCR_PART_MARK ".rotation", "rad", "Angle by which the part has turned about its axis; only of parts that turn"},                    \
  {                                                                                                                                        \
    SCR_PART_MARK ".velocity", "m/s", "Velocity of the part, positive when it loads; only of parts that a servo moves"                     \
  }

/** The next entries, of methods that let parts move freely. */
#define SCR_FREE_PART_SERIES                                                                                                               \
  {SCR_PART_MARK ".x", "m", "Position of the part, x; only of parts that move freely"},                                                    \
      {SCR_PART_MARK ".y", "m", "Position of the part, y; only of parts that move freely"},                                                \
  {                                                                                                                                        \
    SCR_PART_MARK ".z", "m", "Position of the part, z; only of parts that move freely"                                                     \
  }

#endif
