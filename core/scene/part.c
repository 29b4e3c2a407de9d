/* Rigs and obstacles taken apart: which solids they consist of, where they stand and how they move. */
#include "scene/part.h"

#include <stdio.h>

#include "scene/mesh_source.h"

const char *const scr_part_curve_names[SCR_PART_CURVES] = {"force_x",      "force_y",  "force_z",  "torque_x", "torque_y", "torque_z",
                                                           "displacement", "rotation", "velocity", "x",        "y",        "z"};

const char *const scr_rig_names[SCR_RIG_COUNT] = {
    [SCR_RIG_NONE] = "none",           [SCR_RIG_BOX] = "box",         [SCR_RIG_THREE_POINT_BEND] = "three_point_bend",
    [SCR_RIG_BRAZILIAN] = "brazilian", [SCR_RIG_PLATENS] = "platens", [SCR_RIG_GRIPS] = "grips"};

static scr_vec3 unit(int axis, double sign)
{
  return vec3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
}

/* Each wall's `start` is the middle of its face, so that torques are about it. */
static void add_wall(const scr_rig *rig, int wall, scr_part *part)
{
  const double low[3] = {rig->minimum.x, rig->minimum.y, rig->minimum.z}, high[3] = {rig->maximum.x, rig->maximum.y, rig->maximum.z};
  int axis = wall / 2;
  scr_vec3 middle = vec3_scale(vec3_add(rig->minimum, rig->maximum), 0.5), half = vec3_scale(vec3_sub(rig->maximum, rig->minimum), 0.5);
  double inward = wall % 2 ? -1 : 1, at = wall % 2 ? high[axis] : low[axis];
  *part = (scr_part){.kind = SCR_PART_PLANE,
                     .start = vec3(axis == 0 ? at : middle.x, axis == 1 ? at : middle.y, axis == 2 ? at : middle.z),
                     .normal = unit(axis, inward),
                     .half_u = axis == 0 ? vec3(0, half.y, 0) : vec3(half.x, 0, 0),
                     .half_v = axis == 2 ? vec3(0, half.y, 0) : vec3(0, 0, half.z),
                     .axis = unit(axis, 1),
                     .sign = inward,
                     .program = &rig->walls[wall]};
  snprintf(part->name, sizeof part->name, "wall.%s", scr_wall_names[wall]);
  snprintf(part->label, sizeof part->label, "Wall %s", scr_wall_names[wall]);
  snprintf(part->program_pointer, sizeof part->program_pointer, "/rig/walls/%s/program", scr_wall_names[wall]);
}

static void name_part(scr_part *part, const char *name, const char *label)
{
  snprintf(part->name, sizeof part->name, "%s", name);
  snprintf(part->label, sizeof part->label, "%s", label);
}

static void drive(const scr_rig *rig, scr_part *part)
{
  part->program = &rig->load;
  snprintf(part->program_pointer, sizeof part->program_pointer, "/rig/program");
}

/* A roller along y whose lowest (side 1) or topmost (side -1) line is at `line`. */
static void add_roller(const scr_rig *rig, scr_vec3 line, double radius, double side, scr_part *part)
{
  scr_vec3 along = unit(1, 1), middle = vec3(line.x, line.y, line.z + side * radius);
  *part = (scr_part){.kind = SCR_PART_CYLINDER,
                     .start = middle,
                     .along = along,
                     .radius = radius,
                     .half_length = 0.5 * rig->roller_length,
                     .axis = unit(2, 1),
                     .sign = -side};
  part->solid = (geo_placed_solid){.kind = GEO_PLACED_CYLINDER,
                                   .position = middle,
                                   .rotation = geo_rotation_to_axis(along),
                                   .radius = radius,
                                   .half_height = part->half_length};
}

static size_t bend_parts(const scr_rig *rig, scr_part *parts)
{
  scr_vec3 p = rig->position;
  add_roller(rig, vec3(p.x - 0.5 * rig->span, p.y, p.z), rig->support_radius, -1, &parts[0]);
  add_roller(rig, vec3(p.x + 0.5 * rig->span, p.y, p.z), rig->support_radius, -1, &parts[1]);
  add_roller(rig, vec3(p.x, p.y, p.z + rig->opening), rig->load_radius, 1, &parts[2]);
  name_part(&parts[0], "roller.left", "Left roller");
  name_part(&parts[1], "roller.right", "Right roller");
  name_part(&parts[2], "roller.load", "Loading roller");
  drive(rig, &parts[2]);
  return 3;
}

/* The face of a jaw or platen that looks up (side 1) or down (side -1). */
static scr_part face(const scr_rig *rig, double side)
{
  scr_vec3 p = rig->position;
  return (scr_part){.kind = SCR_PART_PLANE,
                    .start = vec3(p.x, p.y, p.z - 0.5 * side * rig->opening),
                    .normal = unit(2, side),
                    .half_u = unit(0, 0.5 * rig->width),
                    .half_v = unit(1, 0.5 * rig->width),
                    .axis = unit(2, 1),
                    .sign = side};
}

static size_t pressing_parts(const scr_rig *rig, scr_part *parts)
{
  bool jaws = rig->kind == SCR_RIG_BRAZILIAN;
  parts[0] = face(rig, 1);
  parts[1] = face(rig, -1);
  for (int p = 0; p < 2 && jaws && rig->jaw == SCR_JAW_CURVED; p++) {
    parts[p].kind = SCR_PART_TROUGH;
    parts[p].along = unit(1, 1);
    parts[p].radius = rig->jaw_radius;
    parts[p].half_length = 0.5 * rig->width;
    parts[p].arc = rig->jaw_arc_deg * (3.14159265358979323846 / 180);
  }
  name_part(&parts[0], jaws ? "jaw.bottom" : "platen.bottom", jaws ? "Lower jaw" : "Lower platen");
  name_part(&parts[1], jaws ? "jaw.top" : "platen.top", jaws ? "Upper jaw" : "Upper platen");
  drive(rig, &parts[1]);
  return 2;
}

static size_t grip_parts(const scr_rig *rig, scr_part *parts)
{
  const double middle[3] = {rig->position.x, rig->position.y, rig->position.z}, ends[2] = {rig->low_end, rig->high_start};
  for (int p = 0; p < (isnan(rig->high_start) ? 1 : 2); p++) {
    double at[3] = {middle[0], middle[1], middle[2]};
    at[rig->axis] = ends[p];
    parts[p] = (scr_part){.kind = SCR_PART_GRIP,
                          .start = vec3(at[0], at[1], at[2]),
                          .normal = unit(rig->axis, p ? -1 : 1),
                          .half_u = unit((rig->axis + 1) % 3, 0.5 * rig->width),
                          .half_v = unit((rig->axis + 2) % 3, 0.5 * rig->width),
                          .axis = unit(rig->axis, 1),
                          .sign = 1,
                          .slide = rig->slide};
  }
  name_part(&parts[0], "grip.low", "Low grip");
  if (isnan(rig->high_start)) return 1;
  name_part(&parts[1], "grip.high", "High grip");
  drive(rig, &parts[1]);
  parts[1].turn_axis = parts[1].axis;
  parts[1].turns = rig->turn.segment_count > 0;
  if (parts[1].turns) parts[1].turn = &rig->turn;
  return 2;
}

/* The box around a turned solid, relative to its position: of its own box's corners, turned, with a little to spare for rounding. */
static geo_box box_around(geo_box own, scr_quat rotation)
{
  geo_box around = geo_box_empty();
  for (int corner = 0; corner < 8; corner++) {
    scr_vec3 p = vec3(corner & 1 ? own.high.x : own.low.x, corner & 2 ? own.high.y : own.low.y, corner & 4 ? own.high.z : own.low.z);
    p = quat_rotate(rotation, p);
    around = geo_box_join(around, (geo_box){p, p});
  }
  scr_vec3 spare = vec3_scale(vec3_sub(around.high, around.low), 1e-12);
  return (geo_box){vec3_sub(around.low, spare), vec3_add(around.high, spare)};
}

/* A mesh that is not sound has none: then only the part's name matters. */
static void set_mesh(const scr_obstacle *obstacle, scr_part *part)
{
  const struct scr_mesh *mesh = obstacle->shape.mesh.mesh;
  part->kind = SCR_PART_SOLID;
  part->radius = 0;
  part->solid.kind = GEO_PLACED_MESH;
  if (!mesh) return;
  part->solid.mesh = mesh->tree;
  part->surface = &mesh->surface;
  part->box = box_around(mesh->box, part->solid.rotation);
  scr_vec3 low = mesh->box.low, high = mesh->box.high;
  part->extent = vec3_length(vec3(fmax(-low.x, high.x), fmax(-low.y, high.y), fmax(-low.z, high.z)));
}

static void set_box(const scr_obstacle *obstacle, scr_part *part)
{
  double r = obstacle->shape.radius;
  bool ball = obstacle->shape.kind == SCR_OBSTACLE_SPHERE;
  scr_vec3 half = ball ? vec3(r, r, r) : vec3_scale(obstacle->shape.size, 0.5);
  part->kind = SCR_PART_SOLID;
  part->solid.kind = ball ? GEO_PLACED_SPHERE : GEO_PLACED_BOX;
  part->solid.half_size = half;
  part->extent = ball ? r : vec3_length(half);
  part->box = box_around((geo_box){vec3_scale(half, -1), half}, part->solid.rotation);
}

static void set_plane(const scr_obstacle *obstacle, scr_part *part)
{
  double half = 0.5 * obstacle->shape.width;
  part->kind = SCR_PART_PLANE;
  part->extent = INFINITY;
  part->normal = quat_rotate(part->solid.rotation, unit(2, 1));
  part->half_u = quat_rotate(part->solid.rotation, unit(0, half));
  part->half_v = quat_rotate(part->solid.rotation, unit(1, half));
}

static void set_cylinder(const scr_obstacle *obstacle, scr_part *part)
{
  part->kind = SCR_PART_CYLINDER;
  part->solid.kind = GEO_PLACED_CYLINDER;
  part->along = quat_rotate(part->solid.rotation, unit(2, 1));
  part->half_length = part->solid.half_height = 0.5 * obstacle->shape.length;
  part->extent = hypot(part->radius, part->half_length);
}

/* Whether a turn of an obstacle about its axis is seen: a body of revolution that turns about itself looks the same. */
static bool turn_shows(const scr_obstacle *obstacle, const scr_part *part)
{
  const double aligned = 1e-12; /* sine of an angle that is rounding */
  switch (obstacle->shape.kind) {
  case SCR_OBSTACLE_SPHERE: return false;
  case SCR_OBSTACLE_PLANE: return vec3_length(vec3_cross(part->turn_axis, part->normal)) > aligned;
  case SCR_OBSTACLE_CYLINDER: return vec3_length(vec3_cross(part->turn_axis, part->along)) > aligned;
  case SCR_OBSTACLE_BOX:
  case SCR_OBSTACLE_MESH: break;
  }
  return true;
}

/* What nothing drives turns about any axis. */
static void set_free(const scr_obstacle *obstacle, scr_part *part)
{
  if (!obstacle->is_free || part->kind == SCR_PART_PLANE) return;
  part->is_free = part->turns = true;
  part->pivots = obstacle->shape.kind != SCR_OBSTACLE_SPHERE;
  part->flight = &obstacle->free;
  part->mass = scr_free_mass(obstacle, part->solid.rotation);
  part->initial_speed = vec3_length(obstacle->free.velocity);
  if (part->pivots) part->initial_speed += vec3_length(obstacle->free.angular_velocity) * part->extent;
}

/* How an obstacle turns about its axis, which is its own z unless the scene gives another. */
static void set_turn(const scr_obstacle *obstacle, scr_part *part)
{
  bool given = !isnan(obstacle->axis.x);
  scr_vec3 own = quat_rotate(part->solid.rotation, unit(2, 1));
  part->turn_axis = given ? vec3_scale(obstacle->axis, 1 / vec3_length(obstacle->axis)) : own;
  if (obstacle->turn.segment_count == 0) return;
  part->turn = &obstacle->turn;
  part->turns = true;
  part->pivots = turn_shows(obstacle, part);
}

static void obstacle_part(const scr_obstacle *obstacle, size_t index, scr_part *part)
{
  const double radians = 3.14159265358979323846 / 180;
  scr_vec3 axis = obstacle->rotation.axis;
  scr_quat turn = quat_exp(vec3_scale(axis, obstacle->rotation.angle_deg * radians / vec3_length(axis)));
  *part = (scr_part){.start = obstacle->position,
                     .obstacle = true,
                     .axis = vec3_scale(obstacle->direction, 1 / vec3_length(obstacle->direction)),
                     .sign = 1,
                     .radius = obstacle->shape.radius,
                     .solid = {.position = obstacle->position, .rotation = turn, .radius = obstacle->shape.radius},
                     .program = &obstacle->program};
  switch (obstacle->shape.kind) {
  case SCR_OBSTACLE_PLANE: set_plane(obstacle, part); break;
  case SCR_OBSTACLE_BOX:
  case SCR_OBSTACLE_SPHERE: set_box(obstacle, part); break;
  case SCR_OBSTACLE_CYLINDER: set_cylinder(obstacle, part); break;
  case SCR_OBSTACLE_MESH: set_mesh(obstacle, part); break;
  }
  set_turn(obstacle, part);
  set_free(obstacle, part);
  snprintf(part->name, sizeof part->name, "obstacle.%s", obstacle->name);
  snprintf(part->label, sizeof part->label, "Obstacle %s", obstacle->name);
  snprintf(part->pointer, sizeof part->pointer, "/obstacles/%zu", index);
  snprintf(part->program_pointer, sizeof part->program_pointer, "/obstacles/%zu/%s", index, part->is_free ? "free" : "program");
}

/* What a method has to know of one rig. */
static size_t rig_parts(const scr_rig *rig, scr_part *parts)
{
  switch (rig->kind) {
  case SCR_RIG_NONE:
  case SCR_RIG_COUNT: return 0;
  case SCR_RIG_BOX:
    for (int w = 0; w < SCR_WALL_COUNT; w++) add_wall(rig, w, &parts[w]);
    return SCR_WALL_COUNT;
  case SCR_RIG_THREE_POINT_BEND: return bend_parts(rig, parts);
  case SCR_RIG_BRAZILIAN:
  case SCR_RIG_PLATENS: return pressing_parts(rig, parts);
  case SCR_RIG_GRIPS: return grip_parts(rig, parts);
  }
  return 0;
}

size_t scr_rig_parts(const scr_rig *rig, scr_part parts[static SCR_PART_LIMIT])
{
  size_t count = rig_parts(rig, parts);
  for (size_t p = 0; p < count; p++) {
    snprintf(parts[p].pointer, sizeof parts[p].pointer, "/rig");
    parts[p].extent = parts[p].kind == SCR_PART_CYLINDER ? hypot(parts[p].radius, parts[p].half_length) : INFINITY;
  }
  for (size_t i = 0; i < rig->obstacle_count && i < SCR_OBSTACLE_LIMIT; i++) obstacle_part(&rig->obstacles[i], i, &parts[count++]);
  for (size_t p = 0; p < count; p++) parts[p].steers = parts[p].program && scr_program_has_servo(parts[p].program);
  return count;
}

double scr_part_area(const scr_part *part)
{
  bool flat = part->kind == SCR_PART_PLANE || part->kind == SCR_PART_GRIP;
  return flat ? 4 * vec3_length(part->half_u) * vec3_length(part->half_v) : INFINITY;
}

bool scr_part_has_pressure(const scr_part *part)
{
  return !part->obstacle && isfinite(scr_part_area(part));
}

bool scr_rig_pushes(const scr_rig *rig)
{
  return rig->obstacle_count > 0 || (rig->kind != SCR_RIG_NONE && rig->kind != SCR_RIG_GRIPS);
}

scr_vec3 scr_part_position(const scr_part *part, double time)
{
  if (!part->program) return part->start;
  return vec3_add(part->start, vec3_scale(part->axis, scr_program_displacement(part->program, time)));
}

scr_vec3 scr_part_velocity(const scr_part *part, double time)
{
  if (!part->program) return vec3(0, 0, 0);
  return vec3_scale(part->axis, scr_program_velocity(part->program, time));
}

double scr_part_peak_speed(const scr_part *part, double duration, double span)
{
  double speed = (part->program ? scr_program_peak_velocity(part->program, duration) : 0) + part->initial_speed;
  double reach = fmin(part->extent, span);
  return part->turn && isfinite(reach) ? speed + scr_program_peak_velocity(part->turn, duration) * reach : speed;
}

double scr_part_angle(const scr_part *part, double time)
{
  return part->turn ? scr_program_displacement(part->turn, time) : 0;
}

double scr_part_angular_velocity(const scr_part *part, double time)
{
  return part->turn ? scr_program_velocity(part->turn, time) : 0;
}

scr_pose scr_part_pose(const scr_part *part, double time)
{
  scr_pose pose = {scr_part_position(part, time), quat_identity()};
  if (part->turn) pose.rotation = quat_exp(vec3_scale(part->turn_axis, scr_part_angle(part, time)));
  return pose;
}

/* The arc's surface, or one of its rims where the point does not face the arc. t: across the trough. */
static scr_part_distance trough_distance(const scr_part *part, scr_vec3 position, scr_vec3 point)
{
  scr_vec3 n = part->normal, t = vec3_cross(part->along, n), from = vec3_sub(point, position);
  double across = vec3_dot(from, t), height = vec3_dot(from, n) - part->radius, rho = hypot(across, height);
  if (rho == 0) return (scr_part_distance){part->radius, n};
  if (-height >= rho * cos(part->arc))
    return (scr_part_distance){part->radius - rho, vec3_add(vec3_scale(t, -across / rho), vec3_scale(n, -height / rho))};
  double rim_across = across - copysign(part->radius * sin(part->arc), across), rim_height = height + part->radius * cos(part->arc);
  double distance = hypot(rim_across, rim_height);
  if (distance == 0) return (scr_part_distance){0, n};
  return (scr_part_distance){distance, vec3_add(vec3_scale(t, rim_across / distance), vec3_scale(n, rim_height / distance))};
}

scr_part_distance scr_part_distance_curved(const scr_part *part, scr_vec3 position, scr_vec3 point)
{
  if (part->kind == SCR_PART_TROUGH) return trough_distance(part, position, point);
  if (part->kind == SCR_PART_GRIP) return (scr_part_distance){INFINITY, part->normal};
  geo_placed_solid solid = part->solid;
  solid.position = position;
  geo_nearest nearest = geo_placed_nearest(&solid, point);
  return (scr_part_distance){nearest.distance, nearest.gradient};
}

bool scr_part_solid_within(const scr_part *part, scr_vec3 position, scr_vec3 point, double reach, scr_part_distance *from)
{
  geo_placed_solid solid = part->solid;
  geo_nearest nearest;
  solid.position = position;
  if (solid.kind != GEO_PLACED_MESH)
    nearest = geo_placed_nearest(&solid, point);
  else if (!geo_placed_nearest_within(&solid, point, reach, &nearest))
    return false;
  *from = (scr_part_distance){nearest.distance, nearest.gradient};
  return true;
}

/* The slack keeps a layer that lies on the border, whatever the rounding of its coordinates. */
bool scr_part_holds(const scr_part *part, scr_vec3 point)
{
  if (part->kind != SCR_PART_GRIP) return false;
  const double slack = 1e-9;
  double behind = vec3_dot(vec3_sub(part->start, point), part->normal);
  return behind >= -slack * (vec3_length(part->start) + vec3_length(point));
}

/* The part whose motion loads the specimens: the last of the rig, or else the first obstacle that moves. */
static const scr_part *loading_part(const scr_part *parts, size_t count)
{
  const scr_part *last = NULL, *obstacle = NULL;
  for (size_t p = 0; p < count; p++) {
    if (!parts[p].obstacle) last = &parts[p];
    if (parts[p].obstacle && !obstacle && parts[p].program->segment_count > 0) obstacle = &parts[p];
  }
  bool driven = last && last->program, moving = driven && (last->program->segment_count > 0 || last->turn);
  return moving || (driven && !obstacle) ? last : obstacle;
}

bool scr_rig_plot(const scr_rig *rig, scr_plot *plot)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(rig, parts);
  const scr_part *part = loading_part(parts, count);
  if (!part) return false;
  const double along[3] = {part->axis.x, part->axis.y, part->axis.z};
  bool turns = part->turn && part->program->segment_count == 0;
  int axis = fabs(along[1]) > fabs(along[0]) ? 1 : 0;
  axis = fabs(along[2]) > fabs(along[axis]) ? 2 : axis;
  *plot = (scr_plot){.scale = -part->sign * (along[axis] < 0 ? -1 : 1), .moving_average = 1};
  snprintf(plot->x, sizeof plot->x, "%s.%s", part->name, turns ? "rotation" : "displacement");
  snprintf(plot->y, sizeof plot->y, "%s.%s_%c", part->name, turns ? "torque" : "force", "xyz"[axis]);
  snprintf(plot->title, sizeof plot->title, "%s: %s", part->label, turns ? "torque over rotation" : "force over displacement");
  return true;
}
