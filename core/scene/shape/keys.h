/** What the files of shapes share: keys that several have, and numbers of cells. Private to core/scene. */
#ifndef SCREE_SCENE_SHAPE_KEYS_H
#define SCREE_SCENE_SHAPE_KEYS_H

#include <math.h>

#include "scene/layout/layout.h"
#include "scene/shape/shape.h"

/** A length that must be given, m, > 0. */
#define SHAPE_LENGTH(field, help)                                                                                                          \
  {                                                                                                                                        \
#field, SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, help, offsetof(scr_shape, field)                                \
  }
/** Edges, m, > 0. */
#define SHAPE_SIZE(help)                                                                                                                   \
  {                                                                                                                                        \
    "size", SCR_PARAM_VECTOR, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, help, offsetof(scr_shape, size)                                 \
  }
/** Of shapes that are made into meshes. */
#define MADE(field) offsetof(scr_shape, made.field)
#define SHAPE_HOLLOW                                                                                                                       \
  {                                                                                                                                        \
    "hollow", SCR_PARAM_NUMBER, SCR_PARAM_BELOW, "1", 0, 0, 1, NULL,                                                                       \
        "size of a void of the same form about the centre, over the grain's; 0: none", MADE(hollow)                                        \
  }
#define SHAPE_CUTS                                                                                                                         \
  {                                                                                                                                        \
    "cuts", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 16, 4, 64, NULL,                                                                   \
        "how finely the surface is divided: it has 8 cuts^2 triangles, twice as many with a void", MADE(cuts)                              \
  }

/** Whole number of cells along a length, at least `least`. */
static inline double cells_along(double length, double spacing, double least)
{
  return fmax(least, round(length / spacing));
}

/** An even number of cells across a round section, at least as many as fit: nodes then lie at the ends of its diameters, where flat parts
 *  touch it first. Between an odd number of them a face cuts off what touches. */
static inline double cells_across(double length, double spacing)
{
  return 2 * ceil(0.5 * cells_along(length, spacing, 2));
}

/** Elements and nodes of a grid of n[0] x n[1] x n[2] cells. */
static inline void count_grid(shape_cells *cells)
{
  const double *n = cells->n;
  cells->hexes = n[0] * n[1] * n[2];
  cells->nodes = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
}

#endif
