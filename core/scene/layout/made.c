/* Keys of superellipsoids, random grains, jacks, tubes and grains of images. */
#include "scene/layout/made.h"

#include <math.h>

#include "geometry/points/points.h"
#include "scene/mesh_source.h"

#define MADE(field) offsetof(scr_shape, made.field)
#define HOLLOW                                                                                                                             \
  {                                                                                                                                        \
    "hollow", SCR_PARAM_NUMBER, SCR_PARAM_BELOW, "1", 0, 0, 1, NULL,                                                                       \
        "size of a void of the same form about the centre, over the grain's; 0: none", MADE(hollow)                                        \
  }
#define CUTS                                                                                                                               \
  {                                                                                                                                        \
    "cuts", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 16, 4, 64, NULL,                                                                   \
        "how finely the surface is divided: it has 8 cuts^2 triangles, twice as many with a void", MADE(cuts)                              \
  }

static const scr_param superellipsoid_params[] = {
    {"size", SCR_PARAM_VECTOR, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "full extents along x, y, z before rotation",
     offsetof(scr_shape, size)},
    {"exponent_across", SCR_PARAM_NUMBER, 0, "1", 2, 1, 20, NULL,
     "exponent p of the section across z, |x/a|^p + |y/b|^p: 2 is an ellipse, 1 a rhomb, more is boxier", MADE(exponent_across)},
    {"exponent_along", SCR_PARAM_NUMBER, 0, "1", 2, 1, 20, NULL,
     "exponent q along z, (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q = 1: with p = 2 and a large q it is a cylinder", MADE(exponent_along)},
    HOLLOW,
    CUTS,
};
const section superellipsoid_section = {
    .title = "Superellipsoid", .help = "between ellipsoid, box, cylinder and octahedron, by two exponents", PARAMS(superellipsoid_params)};

static const scr_param grain_params[] = {
    {"radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "of the ball of the grain's volume, the void's included",
     offsetof(scr_shape, radius)},
    {"elongation", SCR_PARAM_NUMBER, 0, "1", 0.8, 0.1, 1, NULL,
     "middle over longest semi-axis of the ellipsoid of the same second moments; the longest lies along x before rotation",
     MADE(elongation)},
    {"flatness", SCR_PARAM_NUMBER, 0, "1", 0.8, 0.1, 1, NULL, "shortest over middle semi-axis; the shortest lies along z", MADE(flatness)},
    {"roundness", SCR_PARAM_NUMBER, 0, "1", 0.92, 0.5, 1, NULL,
     "area of that ellipsoid over the smooth surface's, degrees 3 to 8 of its harmonics: 1 without corners, about 0.85 very angular",
     MADE(roundness)},
    {"roughness", SCR_PARAM_NUMBER, 0, "1", 0.01, 0, 0.1, NULL, "root mean square of what degrees 9 to 20 add to the radius, over it",
     MADE(roughness)},
    {"number", SCR_PARAM_INTEGER, 0, "1", 1, 0, 1e9, NULL, "which of the random grains: another number, another grain of the same form",
     MADE(number)},
    HOLLOW,
    CUTS,
};
const section grain_section = {
    .title = "Grain",
    .help = "a random grain of spherical harmonics whose form is asked for, drawn by its number and the scene's seed",
    PARAMS(grain_params)};

static const scr_param jack_params[] = {
    {"radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "from the centre to the end of an arm",
     offsetof(scr_shape, radius)},
    {"width", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "of the arms' square section, less than twice the radius",
     MADE(width)},
};
const section jack_section = {
    .title = "Jack", .help = "three bars that cross at right angles: six arms along the axes", PARAMS(jack_params)};

static const scr_param tube_params[] = {
    {"radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "outer radius", offsetof(scr_shape, radius)},
    {"inner_radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "radius of the bore, less than the outer radius",
     offsetof(scr_shape, inner_radius)},
    {"length", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "length along the axis, z before rotation",
     offsetof(scr_shape, length)},
    {"sides", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 64, 8, 1024, NULL, "flat sides that stand for the circles, of their area",
     MADE(sides)},
};
const section tube_section = {.title = "Tube", .help = "a hollow cylinder, open at both ends", PARAMS(tube_params)};

static const scr_param image_params[] = {
    {"file", SCR_PARAM_ASSET, SCR_PARAM_AUTOMATIC, "", 0, 0, 0, NULL,
     "a voxel image with a label per grain, NRRD (.nrrd) or MetaImage (.mha), by its path beside the scene or as an uploaded asset",
     MADE(file)},
    {"label", SCR_PARAM_INTEGER, SCR_PARAM_AUTOMATIC, "1", 0, 1, 4294967295.0, NULL,
     "which grain, placed by its centroid; null: all of them, each where the image has it, the image's own origin at the position of a "
     "single placement, or packed, the forms in turn",
     MADE(label)},
    {"scale", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "1", 0, 0, 1e6, NULL,
     "factor that turns the image's lengths into metres: 0.001 for a file in millimetres, the edge of a voxel for a file without spacings",
     MADE(scale)},
    {"smoothing", SCR_PARAM_NUMBER, 0, "1", 1, 0, 8, NULL,
     "standard deviation of the Gaussian, in voxels, that takes the steps off the surfaces; it takes parts thinner than that away",
     MADE(smoothing)},
    {"keep_volume", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "smoothing, which draws round surfaces in, is made up for: each grain has the volume of its voxels; grains that touch then overlap by "
     "a few hundredths of a voxel",
     MADE(keep_volume)},
};
static const section_member image_members[] = {
    {"text", MEMBER_TEXT, false, .offset = MADE(text), .maximum_count = SCENE_MESH_TEXT_BYTES,
     .help = "instead of file: the image's file in base64, so that the scene carries it; a whole scene may have 4 MiB, file takes more"},
};
const section image_section = {
    .title = "Image", .help = "grains of a voxel image, such as a segmented CT scan", PARAMS(image_params), MEMBERS(image_members)};

static const scr_param points_params[] = {
    {"file", SCR_PARAM_ASSET, SCR_PARAM_REQUIRED, "", 0, 0, 0, NULL,
     "points on the surface of one body, as lines of x, y, z (XYZ, CSV) or the vertices of a PLY file, by its path beside the scene or as "
     "an uploaded asset",
     MADE(file)},
    {"scale", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "1", NAN, 0, 1e6, NULL,
     "factor that turns the coordinates into metres; null: radius says how large the body is", MADE(scale)},
    {"radius", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, LENGTH_MAX, NULL,
     "how far the body reaches from its centroid, which the placement puts in place; null: scale says how large it is",
     offsetof(scr_shape, radius)},
    {"points", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 3000, GEO_POINTS_LEAST, GEO_POINTS_MOST, NULL,
     "most points kept of the file, evenly spread", MADE(points)},
    {"cells", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 32, 8, 96, NULL,
     "cells along the longest extent of the grid that the surface is found on; no finer than the points lie", MADE(cells)},
};
const section points_section = {.title = "Points",
                                .help = "a body by points on its surface: thinned out, normals from 10 neighbours, Poisson's surface",
                                PARAMS(points_params)};
