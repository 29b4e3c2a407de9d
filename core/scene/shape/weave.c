/* Plain weave: yarns over and under each other. */
#include <stdio.h>

#include "scene/problem.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {
    {"wefts", SCR_PARAM_INTEGER, SCR_PARAM_REQUIRED, "1", 0, 2, 10000, NULL, "yarns along x, one above the other along y",
     offsetof(scr_shape, wefts)},
    {"warps", SCR_PARAM_INTEGER, SCR_PARAM_REQUIRED, "1", 0, 2, 10000, NULL, "yarns along y, side by side along x",
     offsetof(scr_shape, warps)},
    SHAPE_LENGTH(pitch, "distance between neighbouring yarns, at least 2.5 times a yarn's diameter, which is the specimen's spacing"),
    {"slit", SCR_PARAM_INTEGER, 0, "1", 0, 0, 9999, NULL,
     "wefts cut at x = 0, counted from the edge of lowest y, where a tear begins; fewer than all", offsetof(scr_shape, slit)},
    {"clearance", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "1", 0.02, 0, 1, NULL, "gap between crossing yarns over a yarn's radius",
     offsetof(scr_shape, clearance)},
};

static scr_status check(const scr_shape *shape, size_t index, scr_problems *problems)
{
  char pointer[96], allowed[96];
  if (shape->wefts < 2 || shape->slit < shape->wefts) return SCR_OK;
  snprintf(pointer, sizeof pointer, "/specimens/%zu/shape/slit", index);
  snprintf(allowed, sizeof allowed, "an integer from 0 to %lld", (long long)shape->wefts - 1);
  return problem_add_at(problems, pointer, (double)shape->slit, allowed,
                        "the slit cuts %lld wefts but there are only %lld, so the cloth would fall apart: cut fewer",
                        (long long)shape->slit, (long long)shape->wefts);
}

static double reach(const scr_shape *shape)
{
  return 0.5 * shape->pitch * fmax((double)shape->wefts, (double)shape->warps);
}

static scr_vec3 half_extents(const scr_shape *shape, double resolution)
{
  return vec3(0.5 * shape->pitch * (double)shape->warps, 0.5 * shape->pitch * (double)shape->wefts, 2 * resolution);
}

/* Yarns are of the method's own thickness. */
static double volume(const scr_shape *shape)
{
  (void)shape;
  return 0;
}

const scr_shape_form shape_form_weave = {
    .section = {.title = "Weave",
                .help = "plain weave in the plane z = 0: yarns over and under each other, each a chain of spheres",
                PARAMS(params)},
    .check = check,
    .reach = reach,
    .half_extents = half_extents,
    .volume = volume};
