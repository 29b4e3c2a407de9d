/* A body by points on its surface: its keys. generated.c reads them. */
#include "geometry/points/points.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {
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

const scr_shape_form shape_form_points = {
    .section = {.title = "Points",
                .help = "a body given by points on its surface: thinned out, normals from 10 neighbours, Poisson's surface",
                PARAMS(params)},
    .source = SHAPE_BY_POINTS};
