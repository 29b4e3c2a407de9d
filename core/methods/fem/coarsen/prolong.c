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

/* x(xi) - point and dx/dxi */
static void map_at(const double corner[FEM_CORNERS][3], const double xi[3], const double point[3], double off[3], double slope[3][3])
{
  for (int i = 0; i < 3; i++) {
    off[i] = -point[i];
    for (int j = 0; j < 3; j++) slope[i][j] = 0;
  }
  for (int a = 0; a < FEM_CORNERS; a++) {
    const double *s = fem_corner_sign[a], f[3] = {1 + s[0] * xi[0], 1 + s[1] * xi[1], 1 + s[2] * xi[2]};
    for (int i = 0; i < 3; i++) {
      off[i] += 0.125 * f[0] * f[1] * f[2] * corner[a][i];
      slope[i][0] += 0.125 * s[0] * f[1] * f[2] * corner[a][i];
      slope[i][1] += 0.125 * f[0] * s[1] * f[2] * corner[a][i];
      slope[i][2] += 0.125 * f[0] * f[1] * s[2] * corner[a][i];
    }
  }
}

/* Local coordinates of a point by Newton's method. @return how far outside the element it is, in local coordinates; INFINITY: not found */
static double locate(const double corner[FEM_CORNERS][3], const double point[3], double xi[3])
{
  xi[0] = xi[1] = xi[2] = 0;
  for (int k = 0; k < 25; k++) {
    double off[3], m[3][3], step[3], change = 0;
    map_at(corner, xi, point, off, m);
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    for (int j = 0; j < 3; j++) { /* Cramer's rule */
      double t[3][3];
      memcpy(t, m, sizeof t);
      for (int i = 0; i < 3; i++) t[i][j] = off[i];
      step[j] = (t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) - t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
                 t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0])) /
                det;
    }
    for (int j = 0; j < 3; j++) xi[j] -= step[j], change = fmax(change, fabs(step[j]));
    if (!(change < 1e3)) return INFINITY;
    if (change < 1e-13) break;
  }
  double outside = 0;
  for (int j = 0; j < 3; j++) outside = fmax(outside, fabs(xi[j]) - 1);
  return outside;
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
    outside = locate((const double(*)[3])corner, point, xi);
    if (!(outside < least)) continue;
    least = outside;
    memcpy(node, coarse->hex[e], sizeof coarse->hex[e]);
    fem_hex_shape(xi, share);
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
