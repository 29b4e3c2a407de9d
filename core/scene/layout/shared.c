/* Keys that specimens and obstacles share. */
#include <math.h>

#include "scene/layout/mesh.h"

const scr_param mesh_vertex = {"", SCR_PARAM_VECTOR, 0, "1", 0, -1e9, 1e9, NULL, "coordinates of one corner", 0};
const scr_param mesh_triangle = {
    "", SCR_PARAM_VECTOR, SCR_PARAM_WHOLE, "1", 0, 0, 4294967294.0, NULL, "three numbers of vertices, counter-clockwise seen from outside",
    0};

static const scr_param rotation_params[] = {
    {"axis", SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC, "1", NAN, -LENGTH_MAX, LENGTH_MAX, NULL,
     "axis through the shape's centre, of any length but 0; null: the z axis", offsetof(scr_rotation, axis)},
    {"angle_deg", SCR_PARAM_NUMBER, 0, "deg", 0, -360, 360, NULL, "angle of rotation, right-handed about the axis",
     offsetof(scr_rotation, angle_deg)},
};
const section rotation_section = {.title = "Rotation", .help = "how a shape is turned about its centre", PARAMS(rotation_params)};
