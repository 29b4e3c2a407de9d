/* Viscosity of the fluid, on the mixture's velocity um: div[2 eta D(um)] = eta div grad um where div um = 0. Walls stand, half a cell from
 * the faces along them. Its impulses follow from the velocities before the step, whose length check.c bounds by h^2 rho/eta. */
#include <math.h>

#include "methods/granular/wet/stages.h"

/* Faces along a wall: across x in the lowest and the highest row, across z in the first and the last column. */
static double walls_beside(const wet_fluid *f, size_t k)
{
  if (k < f->x_count) {
    size_t j = k / f->lines;
    return (j == 0) + (j + 1 == f->rows);
  }
  size_t i = (k - f->x_count) % f->columns;
  return f->periodic ? 0 : (i == 0) + (i + 1 == f->columns);
}

void wet_find_viscosity(wet_fluid *f, const granular_state *s, double step)
{
  const double per = f->viscosity * f->thickness * step;
  double *mixture = f->scratch;
  for (size_t k = 0; k < f->face_count; k++) {
    mixture[k] = wet_closed(&f->face[k]) ? 0 : f->share[k] * f->u[k];
    for (int e = 0; e < 2; e++) {
      uint32_t node = f->face[k].node[e], place = f->place[node];
      if (place != WET_NONE && !wet_closed(&f->face[k])) mixture[k] += 0.5 * f->fraction[node] * s->nodes[place].u[wet_axis(f, k)];
    }
    f->viscous[k] = -2 * per * walls_beside(f, k) * mixture[k];
  }
  for (size_t k = 0; k < f->link_count; k++) {
    const uint32_t *face = f->link[k].face;
    double pull = per * (mixture[face[1]] - mixture[face[0]]);
    f->viscous[face[0]] += pull, f->viscous[face[1]] -= pull;
  }
  for (size_t k = 0; k < f->face_count; k++)
    if (wet_closed(&f->face[k])) f->viscous[k] = 0;
}
