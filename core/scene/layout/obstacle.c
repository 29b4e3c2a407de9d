/* The form of obstacles: solids that stand or move among the specimens. Read from the bottom up: obstacle_section is one of the list. */
#include "scene/layout/mesh.h"

#include <math.h>

static const scr_param plane_params[] = {
    {"width", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "m", NAN, 0, LENGTH_MAX, NULL,
     "edges of the plane in pictures; it reaches farther than any specimen; null: 40 spacings of the first specimen",
     offsetof(scr_obstacle, shape.width)},
};
static const scr_param box_params[] = {
    {"size", SCR_PARAM_VECTOR, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "full edge lengths", offsetof(scr_obstacle, shape.size)},
};
static const scr_param sphere_params[] = {
    {"radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "radius", offsetof(scr_obstacle, shape.radius)},
};
static const scr_param cylinder_params[] = {
    {"radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "radius", offsetof(scr_obstacle, shape.radius)},
    {"length", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "length along the axis",
     offsetof(scr_obstacle, shape.length)},
};
static const section plane_section = {
    .title = "Plane", .help = "all that lies below a plane, which is normal to z before rotation", PARAMS(plane_params)};
static const section box_section = {.title = "Box", .help = "a block with edges along the axes before rotation", PARAMS(box_params)};
static const section sphere_section = {.title = "Sphere", .help = "a ball", PARAMS(sphere_params)};
static const section cylinder_section = {
    .title = "Cylinder", .help = "a rod with flat ends and its axis along z before rotation", PARAMS(cylinder_params)};
static const scr_param mesh_params[] = {MESH_SCALE(scr_obstacle, shape.mesh), MESH_FILE(scr_obstacle, shape.mesh)};
static const section_member mesh_members[] = {MESH_MEMBERS(scr_obstacle, shape.mesh)};
static const section mesh_section = {.title = "Mesh",
                                     .help = "a solid bounded by triangles: lists of them, or the text of a file",
                                     PARAMS(mesh_params),
                                     MEMBERS(mesh_members)};
static const section_variant shape_variants[] = {
    [SCR_OBSTACLE_PLANE] = {"plane", &plane_section},    [SCR_OBSTACLE_BOX] = {"box", &box_section},
    [SCR_OBSTACLE_SPHERE] = {"sphere", &sphere_section}, [SCR_OBSTACLE_CYLINDER] = {"cylinder", &cylinder_section},
    [SCR_OBSTACLE_MESH] = {"mesh", &mesh_section},
};
static const section obstacle_shape_section = {.title = "Shape",
                                               .help = "the obstacle's shape about its position",
                                               .variants = shape_variants,
                                               .variant_count = COUNT(shape_variants),
                                               .tag_offset = offsetof(scr_obstacle, shape.kind),
                                               .default_variant = -1};

static const scr_param obstacle_params[] = {
    {"name", SCR_PARAM_TEXT, SCR_PARAM_REQUIRED | SCR_PARAM_NAME, "", 0, 1, OBSTACLE_NAME_BYTES, NULL,
     "name of the obstacle: its curves are obstacle.NAME.force_x and so on", offsetof(scr_obstacle, name)},
    {"position", SCR_PARAM_VECTOR, 0, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL,
     "where it is at the start: a point of the plane, the centre of the others", offsetof(scr_obstacle, position)},
    {"direction", SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC, "1", NAN, -LENGTH_MAX, LENGTH_MAX, NULL,
     "along which the program moves it, of any length but 0; null: the z axis", offsetof(scr_obstacle, direction)},
    {"axis", SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC, "1", NAN, -LENGTH_MAX, LENGTH_MAX, NULL,
     "about which it turns, through its position, of any length but 0; null: its own z axis, which is a cylinder's axis and a plane's "
     "normal",
     offsetof(scr_obstacle, axis)},
};
static const scr_param free_params[] = {
    {"mass", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "kg", NAN, 0, 1e30, NULL,
     "mass; null: density times the shape's volume", offsetof(scr_obstacle, free.mass)},
    {"density", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "kg/m^3", NAN, 0, 1e30, NULL,
     "density that gives the mass; null: the mass is given", offsetof(scr_obstacle, free.density)},
    {"inertia", SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "kg m^2", NAN, 0, 1e30, NULL,
     "moments of inertia about the shape's own axes through its centre of mass; null: of a solid of even density",
     offsetof(scr_obstacle, free.inertia)},
    {"velocity", SCR_PARAM_VECTOR, 0, "m/s", 0, -1e9, 1e9, NULL, "velocity at the start", offsetof(scr_obstacle, free.velocity)},
    {"angular_velocity", SCR_PARAM_VECTOR, 0, "rad/s", 0, -1e12, 1e12, NULL, "angular velocity at the start",
     offsetof(scr_obstacle, free.angular_velocity)},
};
static const section free_section = {.title = "Free", .help = "motion of an obstacle that nothing drives", PARAMS(free_params)};
static const section_member obstacle_members[] = {
    {"shape", MEMBER_OBJECT, true, .section = &obstacle_shape_section, .offset = 0, .help = "the obstacle's shape about its position"},
    {"rotation", MEMBER_OBJECT, false, .section = &rotation_section, .offset = offsetof(scr_obstacle, rotation),
     .help = "how the shape is turned about the position at the start"},
    {"program", MEMBER_LIST, false, .section = &segment_section, LIST(scr_obstacle, program.segments, program.segment_count),
     .element_size = sizeof(scr_segment), .maximum_count = 1000,
     .help = "how it moves along its direction; after the last segment it stands still; without segments it never moves"},
    {"turn", MEMBER_LIST, false, .section = &turn_section, LIST(scr_obstacle, turn.segments, turn.segment_count),
     .element_size = sizeof(scr_segment), .maximum_count = 1000,
     .help = "how it turns about its axis, in rad; after the last segment it stops turning; its surface drags along what touches it"},
    {"free", MEMBER_OBJECT, false, .section = &free_section, .offset = 0, .count_offset = offsetof(scr_obstacle, is_free),
     .help = "without it the obstacle goes where its program says; with it forces of the specimens and gravity move it, and it has neither "
             "program nor turn; free obstacles do not touch the rig or each other",
     .lacks = SCR_LACKS_FREE_PARTS},
};
const section obstacle_section = {.title = "Obstacle",
                                  .help = "a solid that pushes what comes near it; part obstacle.NAME",
                                  PARAMS(obstacle_params),
                                  MEMBERS(obstacle_members)};
