/** What the tables of a scene's form share. Private to core/scene. */
#ifndef SCREE_SCENE_LAYOUT_H
#define SCREE_SCENE_LAYOUT_H

#include "scene/document.h"

/* Bounds that keep every product of a run far from overflow; nobody's laboratory is larger. */
#define LENGTH_MAX 1e6
#define SPEED_MAX 3e8
#define ANGLE_MAX 1e6
#define TIME_MAX 1e9

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PARAMS(array) .params = (array), .param_count = COUNT(array)
#define MEMBERS(array) .members = (array), .member_count = COUNT(array)
#define BLOCK(kind, type, field) .block = (kind), .block_offset = offsetof(type, field)
#define LIST(type, field, count) .offset = offsetof(type, field), .count_offset = offsetof(type, count)

enum { NAME_MAX_BYTES = 63, OBSTACLE_NAME_BYTES = 31, ABOVE_REQUIRED = SCR_PARAM_ABOVE | SCR_PARAM_REQUIRED };

/** The form of the rig: a scr_rig. */
extern const section rig_section;
/** One segment of a loading program: a scr_segment. */
extern const section segment_section;
/** One segment of a program that turns, in rad and rad/s: a scr_segment. */
extern const section turn_section;
/** One obstacle: a scr_obstacle. */
extern const section obstacle_section;
/** How a shape is turned: a scr_rotation. */
extern const section rotation_section;

#endif
