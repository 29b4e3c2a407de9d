/* The form of rigs and of their loading programs. Read from the bottom up: rig_section is the root. */
#include "scene/layout/layout.h"

#include <math.h>

const char *const scr_wall_names[SCR_WALL_COUNT] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

#define SEGMENT_VELOCITY(help)                                                                                                             \
  {                                                                                                                                        \
    "velocity", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED, "m/s", 0, -SPEED_MAX, SPEED_MAX, NULL, help, offsetof(scr_segment, velocity)         \
  }
#define SEGMENT_OPEN_DURATION                                                                                                              \
  {                                                                                                                                        \
    "duration", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "s", NAN, 0, TIME_MAX, NULL,                                      \
        "how long it lasts; null, in the last segment only: to the end of the run", offsetof(scr_segment, duration)                        \
  }
static const scr_param hold_params[] = {SEGMENT_OPEN_DURATION};
static const scr_param ramp_params[] = {
    SEGMENT_VELOCITY("velocity at the end of the ramp, along the part's axis, positive in the axis' direction"),
    {"duration", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "s", 0, 0, TIME_MAX, NULL, "how long the ramp lasts", offsetof(scr_segment, duration)},
};
static const scr_param constant_params[] = {
    SEGMENT_VELOCITY("velocity along the part's axis, positive in the axis' direction"),
    SEGMENT_OPEN_DURATION,
};
static const scr_param move_params[] = {
    {"displacement", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL,
     "distance along the part's axis, positive in the axis' direction", offsetof(scr_segment, displacement)},
    SEGMENT_VELOCITY("speed of the move; its sign does not matter"),
};
#define SERVO(name, flags, unit, fallback, help)                                                                                           \
  {                                                                                                                                        \
#name, SCR_PARAM_NUMBER, flags, unit, fallback, 0, 1e30, NULL, help, offsetof(scr_segment, servo.name)                                 \
  }
static const scr_param servo_params[] = {
    {"force", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC, "N", NAN, -1e30, 1e30, NULL,
     "force with which the part presses the specimens, along its loading direction: a wall inwards, a platen, jaw or roller towards the "
     "other, a "
     "grip along the axis, an obstacle along its direction; null: given by the stress",
     offsetof(scr_segment, servo.force)},
    {"stress", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC, "Pa", NAN, -1e30, 1e30, NULL, "force over the area; null: given by the force",
     offsetof(scr_segment, servo.stress)},
    SERVO(area, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m^2", NAN,
          "area that the stress is of; null: that of the part's rectangle at the start, which walls, platens, flat jaws, grips and planes "
          "have"),
    {"present_area", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "of a wall of a box: the stress is of the face between the four walls beside it as they are then, so that it is held while the box "
     "becomes smaller or wider",
     offsetof(scr_segment, servo.present_area)},
    SERVO(gain, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "m/(N s)", NAN,
          "velocity of the part over the missing force; null: that of the end of a bar of the specimens' material and section, which "
          "absorbs waves instead of reflecting them, or half the stable bound where that is less"),
    SERVO(maximum_velocity, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m/s", NAN, "speed that the part never exceeds; null: no limit"),
    SERVO(rise_time, 0, "s", 0, "time over which the force goes linearly to its value, from that of a servo segment just before or from 0"),
    SEGMENT_OPEN_DURATION,
};
static const section servo_section = {.title = "Servo", .help = "move so that a force or a stress is held", PARAMS(servo_params)};
static const section hold_section = {.title = "Hold", .help = "stand still", PARAMS(hold_params)};
static const section ramp_section = {.title = "Ramp", .help = "change the velocity linearly from the present one", PARAMS(ramp_params)};
static const section constant_section = {.title = "Constant", .help = "move at one velocity", PARAMS(constant_params)};
static const section move_section = {.title = "Move", .help = "move by a distance at one speed", PARAMS(move_params)};
static const section_variant segment_variants[] = {
    [SCR_SEGMENT_HOLD] = {"hold", &hold_section},
    [SCR_SEGMENT_RAMP] = {"ramp", &ramp_section},
    [SCR_SEGMENT_CONSTANT] = {"constant", &constant_section},
    [SCR_SEGMENT_MOVE] = {"move", &move_section},
    [SCR_SEGMENT_SERVO] = {"servo", &servo_section},
};
const section segment_section = {.title = "Segment",
                                 .help = "one stretch of a loading program",
                                 .variants = segment_variants,
                                 .variant_count = COUNT(segment_variants),
                                 .tag_offset = offsetof(scr_segment, kind),
                                 .default_variant = -1};
#define SEGMENT_TURN(help)                                                                                                                 \
  {                                                                                                                                        \
    "angular_velocity", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED, "rad/s", 0, -SPEED_MAX, SPEED_MAX, NULL, help,                               \
        offsetof(scr_segment, velocity)                                                                                                    \
  }
static const scr_param turn_ramp_params[] = {
    SEGMENT_TURN("angular velocity at the end of the ramp, right-handed about the axis"),
    {"duration", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "s", 0, 0, TIME_MAX, NULL, "how long the ramp lasts", offsetof(scr_segment, duration)},
};
static const scr_param turn_constant_params[] = {
    SEGMENT_TURN("angular velocity, right-handed about the axis"),
    SEGMENT_OPEN_DURATION,
};
static const scr_param turn_move_params[] = {
    {"angle", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED, "rad", 0, -ANGLE_MAX, ANGLE_MAX, NULL, "angle to turn by, right-handed about the axis",
     offsetof(scr_segment, displacement)},
    SEGMENT_TURN("angular speed of the turn; its sign does not matter"),
};
static const section turn_ramp_section = {
    .title = "Ramp", .help = "change the angular velocity linearly from the present one", PARAMS(turn_ramp_params)};
static const section turn_constant_section = {.title = "Constant", .help = "turn at one angular velocity", PARAMS(turn_constant_params)};
static const section turn_move_section = {.title = "Move", .help = "turn by an angle at one angular speed", PARAMS(turn_move_params)};
static const section_variant turn_variants[] = {
    [SCR_SEGMENT_HOLD] = {"hold", &hold_section},
    [SCR_SEGMENT_RAMP] = {"ramp", &turn_ramp_section},
    [SCR_SEGMENT_CONSTANT] = {"constant", &turn_constant_section},
    [SCR_SEGMENT_MOVE] = {"move", &turn_move_section},
};
const section turn_section = {.title = "Turn",
                              .help = "one stretch of a program that turns",
                              .variants = turn_variants,
                              .variant_count = COUNT(turn_variants),
                              .tag_offset = offsetof(scr_segment, kind),
                              .default_variant = -1};
static const section_member wall_members[] = {
    {"program", MEMBER_LIST, false, .section = &segment_section, LIST(scr_program, segments, segment_count),
     .element_size = sizeof(scr_segment), .maximum_count = 1000, .help = "segments, one after the other; after the last it stands still"},
};
static const section wall_section = {.title = "Wall", .help = "how one wall moves along its normal axis", MEMBERS(wall_members)};

#define WALL(name, index, help_text)                                                                                                       \
  {                                                                                                                                        \
    name, MEMBER_OBJECT, false, .section = &wall_section, .offset = (index) * sizeof(scr_program), .help = help_text                       \
  }
static const section_member walls_members[] = {
    WALL("x_min", SCR_WALL_X_MIN, "left wall, normal to x"),   WALL("x_max", SCR_WALL_X_MAX, "right wall, normal to x"),
    WALL("y_min", SCR_WALL_Y_MIN, "front wall, normal to y"),  WALL("y_max", SCR_WALL_Y_MAX, "back wall, normal to y"),
    WALL("z_min", SCR_WALL_Z_MIN, "bottom wall, normal to z"), WALL("z_max", SCR_WALL_Z_MAX, "top wall, normal to z"),
};
static const section walls_section = {
    .title = "Walls", .help = "how the walls move; a wall not named stands still", MEMBERS(walls_members)};

#define GRAVITY                                                                                                                            \
  {                                                                                                                                        \
    "gravity", SCR_PARAM_VECTOR, 0, "m/s^2", 0, -1e6, 1e6, NULL, "acceleration of everything but the rig", offsetof(scr_rig, gravity)      \
  }
#define PROGRAM(what)                                                                                                                      \
  {                                                                                                                                        \
    "program", MEMBER_LIST, false, .section = &segment_section, LIST(scr_rig, load.segments, load.segment_count),                          \
                                   .element_size = sizeof(scr_segment), .maximum_count = 1000, .help = what                                \
  }
#define POSITION(what)                                                                                                                     \
  {                                                                                                                                        \
    "position", SCR_PARAM_VECTOR, 0, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL, what, offsetof(scr_rig, position)                              \
  }
#define OPENING(what)                                                                                                                      \
  {                                                                                                                                        \
    "opening", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, what, offsetof(scr_rig, opening)                             \
  }
#define WIDTH(what)                                                                                                                        \
  {                                                                                                                                        \
    "width", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "m", NAN, 0, LENGTH_MAX, NULL, what,            \
        offsetof(scr_rig, width)                                                                                                           \
  }
static const scr_param free_rig_params[] = {GRAVITY};
static const scr_param box_rig_params[] = {
    {"minimum", SCR_PARAM_VECTOR, SCR_PARAM_REQUIRED, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL,
     "inner corner of the box at the start, least x, y, z", offsetof(scr_rig, minimum)},
    {"maximum", SCR_PARAM_VECTOR, SCR_PARAM_REQUIRED, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL,
     "inner corner of the box at the start, largest x, y, z", offsetof(scr_rig, maximum)},
    GRAVITY,
};
static const section_member box_rig_members[] = {
    {"walls", MEMBER_OBJECT, false, .section = &walls_section, .offset = offsetof(scr_rig, walls),
     .help = "how the walls move; a wall not named stands still"},
};
static const scr_param bend_rig_params[] = {
    {"span", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "distance along x between the axes of the two supports",
     offsetof(scr_rig, span)},
    {"support_radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "radius of the two support rollers",
     offsetof(scr_rig, support_radius)},
    {"load_radius", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, LENGTH_MAX, NULL,
     "radius of the loading roller; null: that of the supports", offsetof(scr_rig, load_radius)},
    {"roller_length", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "m", NAN, 0, LENGTH_MAX, NULL,
     "length of the rollers along y; null: the span", offsetof(scr_rig, roller_length)},
    POSITION("middle of the line between the tops of the two supports: the specimen rests at this height"),
    OPENING("height of the loading roller's lowest line above the tops of the supports at the start"),
    GRAVITY,
};
static const section_member bend_rig_members[] = {
    PROGRAM("how the loading roller moves along z, downward < 0; after the last segment it stands still"),
};
static const char *const jaw_names[] = {[SCR_JAW_FLAT] = "flat", [SCR_JAW_CURVED] = "curved", NULL};
static const scr_param brazilian_rig_params[] = {
    POSITION("middle between the two jaws at the start: the centre of a disc whose axis is along y"),
    OPENING("distance along z between the jaws at the start, where they come nearest to each other's middle"),
    {"jaw", SCR_PARAM_CHOICE, 0, "", SCR_JAW_FLAT, 0, 0, jaw_names, "flat platens, or jaws hollowed out to a larger radius than the disc's",
     offsetof(scr_rig, jaw)},
    {"jaw_radius", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, LENGTH_MAX, NULL,
     "radius of curved jaws; null: 3/4 of the opening, which is 1.5 times a disc's radius that fills it", offsetof(scr_rig, jaw_radius)},
    {"jaw_arc_deg", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "deg", 40, 0, 90, NULL,
     "half of the angle over which a curved jaw goes round its own centre", offsetof(scr_rig, jaw_arc_deg)},
    WIDTH("length of the jaws along y, and of flat ones along x, in pictures; they reach farther than any specimen; null: the opening"),
    GRAVITY,
};
static const section_member jaw_rig_members[] = {
    PROGRAM("how the upper jaw moves along z, downward < 0; after the last segment it stands still"),
};
static const scr_param platen_rig_params[] = {
    POSITION("middle between the two platens at the start"),
    OPENING("distance along z between the platens at the start"),
    WIDTH("edges of the platens in pictures; they reach farther than any specimen; null: the opening"),
    GRAVITY,
};
static const section_member platen_rig_members[] = {
    PROGRAM("how the upper platen moves along z, downward < 0; after the last segment it stands still"),
};
static const char *const axis_names[] = {"x", "y", "z", NULL};
static const scr_param grip_rig_params[] = {
    {"axis", SCR_PARAM_CHOICE, 0, "", 0, 0, 0, axis_names, "axis along which the specimen is pulled", offsetof(scr_rig, axis)},
    {"low_end", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL,
     "the low grip holds all that lies at or below this coordinate at the start", offsetof(scr_rig, low_end)},
    {"high_start", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC, "m", NAN, -LENGTH_MAX, LENGTH_MAX, NULL,
     "the high grip moves all that lies at or above this coordinate at the start; null: there is none, the specimen is clamped at one end",
     offsetof(scr_rig, high_start)},
    POSITION("a point of the line along which the grips pull: their middle across the axis"),
    {"slide", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "what is held may move freely across the axis; otherwise it is clamped in all directions", offsetof(scr_rig, slide)},
    WIDTH("edges of the grips in pictures; null: the distance between them, or ten spacings of the first specimen's discretisation"),
    GRAVITY,
};
static const section_member grip_rig_members[] = {
    PROGRAM("how the high grip moves along the axis, > 0 pulls; after the last segment it stands still"),
    {"turn", MEMBER_LIST, false, .section = &turn_section, LIST(scr_rig, turn.segments, turn.segment_count),
     .element_size = sizeof(scr_segment), .maximum_count = 1000,
     .help = "how the high grip turns about the axis through the grips' middle, in rad; it may pull at the same time; method bdem only",
     .lacks = SCR_LACKS_GRIP_TURN},
};
static const section free_rig_section = {.title = "No rig", .help = "nothing but the specimens", PARAMS(free_rig_params)};
static const section box_rig_section = {
    .title = "Box",
    .help = "six plane walls, each with a loading program along its normal; parts wall.x_min ... wall.z_max",
    PARAMS(box_rig_params),
    MEMBERS(box_rig_members)};
static const section bend_rig_section = {
    .title = "Three-point bend",
    .help = "a beam along x on two rollers along y, bent by a third from above; parts roller.left, roller.right, roller.load",
    PARAMS(bend_rig_params),
    MEMBERS(bend_rig_members)};
static const section brazilian_rig_section = {.title = "Brazilian",
                                              .help =
                                                  "a disc pressed across its diameter, along z, until it splits; parts jaw.bottom, jaw.top",
                                              PARAMS(brazilian_rig_params),
                                              MEMBERS(jaw_rig_members)};
static const section platen_rig_section = {.title = "Platens",
                                           .help =
                                               "two flat platens that press along z, open at the sides; parts platen.bottom, platen.top",
                                           PARAMS(platen_rig_params),
                                           MEMBERS(platen_rig_members)};
static const section grip_rig_section = {.title = "Grips",
                                         .help = "two ends of the specimen, one held and one moved; parts grip.low, grip.high",
                                         PARAMS(grip_rig_params),
                                         MEMBERS(grip_rig_members)};
static const section_variant rig_variants[] = {
    [SCR_RIG_NONE] = {"none", &free_rig_section},
    [SCR_RIG_BOX] = {"box", &box_rig_section},
    [SCR_RIG_THREE_POINT_BEND] = {"three_point_bend", &bend_rig_section},
    [SCR_RIG_BRAZILIAN] = {"brazilian", &brazilian_rig_section},
    [SCR_RIG_PLATENS] = {"platens", &platen_rig_section},
    [SCR_RIG_GRIPS] = {"grips", &grip_rig_section},
};
const section rig_section = {.title = "Rig",
                             .help = "the machine that loads the specimens",
                             .variants = rig_variants,
                             .variant_count = COUNT(rig_variants),
                             .tag_offset = offsetof(scr_rig, kind),
                             .choice = CHOICE_RIG,
                             .default_variant = SCR_RIG_NONE};
