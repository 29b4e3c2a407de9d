/* Surfaces of fragments in pictures: whether there are fragments, and whether the cells fit the points. */
#include <math.h>

#include "scene/check/check.h"

/* Finer surfaces would take more than (1 / 0.2)^3 = 125 grid points per point: an export of single frames is there for that. */
static const double finest_cell = 0.2;

static scr_status check_cell(const scene_document *document, scr_problems *problems)
{
  double cell = document->output.surface_cell, smallest = INFINITY, largest = 0;
  if (isnan(cell)) return SCR_OK;
  for (size_t i = 0; i < document->specimen_count; i++) {
    double radius = 0.5 * document_resolution(document, i);
    if (!(radius > 0)) continue; /* reported where it stands, or the method has none */
    smallest = fmin(smallest, radius);
    largest = fmax(largest, radius);
  }
  if (cell > SCR_SURFACE_CELL * smallest)
    return problem_add_at(problems, "/output/surface_cell", cell, "a number of m, at most half the smallest spacing",
                          "cells of %.4g m are too coarse for points of radius %.4g m: use at most %.4g m, or null", cell, smallest,
                          SCR_SURFACE_CELL * smallest);
  if (cell < finest_cell * largest)
    return problem_add_at(
        problems, "/output/surface_cell", cell, "a number of m, at least 0.2 of half the largest spacing",
        "cells of %.4g m would cut points of radius %.4g m too finely for every picture: use at least %.4g m, or export single "
        "frames",
        cell, largest, finest_cell * largest);
  return SCR_OK;
}

scr_status check_surfaces(const scene_document *document, scr_problems *problems)
{
  if (!document->output.surfaces) return SCR_OK;
  if (document->method && !series_exists(document, "fragments"))
    SCR_TRY(problem_add_at(problems, "/output/surfaces", NAN, "false",
                           "method %s has no fragments to make surfaces of: leave surfaces out, or use a method that breaks solids",
                           document->method->name));
  return check_cell(document, problems);
}
