/* Energies of a step with a fluid, and what curves say of it. */
#include <math.h>

#include "methods/granular/wet/stages.h"

/* With M (u2' - u2) = dt M drive + e j - e s - X (u2' - u~') and m (u1' - u1) = ... - lift g m + sum w [phi j - phi s + X (u2' - u~')],
 * times u2' and u1': work of gravity, of viscosity j . um', of drag X (u2' - u~')^2, and what the implicit step takes, sum M (u2' -
 * u2)^2/2. The pressure's work is that of div um = 0. */
void wet_account(wet_fluid *f, const granular_state *s, double step, wet_energy *energy)
{
  const double lift = step * f->density / f->grain_density;
  f->report.slip = 0;
  for (size_t n = 0; n < f->node_count; n++)
    for (int i = 0; i < 2 && f->place[n] != WET_NONE; i++)
      energy->gravity -= lift * f->hydrostatic[i] * f->mass[n] * s->nodes[f->place[n]].u[i];
  for (size_t k = 0; k < f->face_count; k++) {
    const wet_coupling *g = &f->coupling[k];
    double u = f->u[k], of_grains = wet_grains_at(f, s, k), slip = u - of_grains, change = u - f->before[k];
    energy->gravity += step * g->mass * f->drive[wet_axis(f, k)] * u;
    energy->drag += g->drag * slip * slip;
    energy->viscous -= f->viscous[k] * (g->fraction * of_grains + f->share[k] * u);
    energy->implicit += 0.5 * g->mass * change * change;
    if (g->fraction >= WET_DENSE) f->report.slip = fmax(f->report.slip, fabs(slip));
  }
  f->report.drag += energy->drag, f->report.viscous += energy->viscous;
  f->report.divergence = wet_divergence(f, s, step);
  f->report.worst = fmax(f->report.worst, f->report.divergence);
  f->report.unsolved += !(f->report.divergence <= WET_TOLERANCE);
}
