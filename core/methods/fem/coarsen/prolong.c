/* Finding fine nodes in coarse elements. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/coarsen/modes.h"

static const double outside_allowed = 1e-6; /* of an element's local size */

void fem_prolong_clear(fem_prolongation *p)
{
  mem_free(p->node);
  mem_free(p->share);
  *p = (fem_prolongation){0};
}

static void corners_of(const fem_system *s, size_t e, double corner[FEM_CORNERS][3])
{
  for (int a = 0; a < FEM_CORNERS; a++) memcpy(corner[a], s->rest + 3 * (size_t)s->hex[e][a], sizeof corner[a]);
}

static bool near_box(const double corner[FEM_CORNERS][3], const double point[3])
{
  for (int i = 0; i < 3; i++) {
    double low = corner[0][i], high = corner[0][i];
    for (int a = 1; a < FEM_CORNERS; a++) low = fmin(low, corner[a][i]), high = fmax(high, corner[a][i]);
    double slack = 1e-3 * (high - low);
    if (point[i] < low - slack || point[i] > high + slack) return false;
  }
  return true;
}

/* The first element that has the point, or the one that it is least outside of. */
static double place_node(const fem_system *coarse, const double point[3], uint32_t node[FEM_CORNERS], double share[FEM_CORNERS])
{
  double least = INFINITY;
  for (size_t e = 0; e < coarse->hex_count && least > 0; e++) {
    double corner[FEM_CORNERS][3], xi[3], outside;
    corners_of(coarse, e, corner);
    if (!near_box((const double(*)[3])corner, point)) continue;
    outside = geo_hex_locate((const double(*)[3])corner, point, xi);
    if (!(outside < least)) continue;
    least = outside;
    memcpy(node, coarse->hex[e], sizeof coarse->hex[e]);
    geo_hex_shape(xi, share);
  }
  return least;
}

scr_status fem_prolong_find(const fem_system *fine, const fem_system *coarse, fem_prolongation *p, scr_error *error)
{
  *p = (fem_prolongation){.count = fine->node_count};
  p->node = mem_array(p->count, sizeof *p->node);
  p->share = mem_array(p->count, sizeof *p->share);
  if (!p->node || !p->share) {
    fem_prolong_clear(p);
    return scr_fail_memory(error, "a prolongation", fine->node_count * (sizeof *p->node + sizeof *p->share));
  }
  scr_status status = SCR_OK;
  for (size_t n = 0; n < p->count && status == SCR_OK; n++) {
    const double *x = fine->rest + 3 * n;
    if (place_node(coarse, x, p->node[n], p->share[n]) <= outside_allowed) continue;
    status = scr_fail(error, SCR_BAD_USAGE, NULL,
                      "node %zu at (%g, %g, %g) m lies in no coarse element: both meshes must fill the same space", n, x[0], x[1], x[2]);
  }
  if (status != SCR_OK) fem_prolong_clear(p);
  return status;
}
