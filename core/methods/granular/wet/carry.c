/* Carries the fluid along: its volume into what grains leave free, its momentum with it.
 *
 * Volumes around faces hold m = share x control volume of fluid; from one step to the next they change as the grains move. The fluxes
 * between them are those of the last step's velocities, by halves as both phases' volume is kept in cells, and what these miss of the
 * change of m (grains are points, and cross faces one by one) is made up by the smallest fluxes that do: psi_a - psi_b between neighbours,
 * L psi = -(change of m + sum of fluxes out), L the Laplacian of their graph. So every volume of fluid comes from somewhere, and with it
 * its velocity: upwind, new velocities are means of old ones. Momentum is kept to rounding, kinetic energy never grows, and a fluid that
 * moves as one goes on to. Mass and momentum by the same fluxes: Rudman 1998, Int. J. Numer. Meth. Fluids 28, 357. */
#include <math.h>
#include <string.h>

#include "methods/granular/wet/closure.h"
#include "methods/granular/wet/stages.h"

#define MOST_PARTS 1e4 /* of a step: far beyond what steps of half a cell need */

/* Fractions of grains around nodes, and where the sand's nodes are. */
static void find_nodes(wet_fluid *f, const granular_state *s)
{
  for (size_t n = 0; n < f->node_count; n++) f->mass[n] = 0, f->place[n] = WET_NONE;
  for (uint32_t n = 0; n < (uint32_t)s->grid.cell_count; n++) {
    int64_t at[3];
    double mass = s->sums[(size_t)n * GRANULAR_SUMS];
    if (!(mass > 0)) continue;
    geo_grid_place(&s->grid, n, at);
    size_t node = (size_t)at[1] * f->lines + (size_t)at[0] % f->lines;
    f->mass[node] = mass, f->place[node] = n;
  }
  for (size_t n = 0; n < f->node_count; n++) {
    size_t i = n % f->lines, j = n / f->lines;
    double volume = f->volume * (j == 0 || j == f->rows ? 0.5 : 1) * (!f->periodic && (i == 0 || i == f->columns) ? 0.5 : 1);
    f->fraction[n] = f->mass[n] / (f->grain_density * volume);
  }
}

/* Share of fluid at a face. */
static double share_at(const wet_fluid *f, size_t k)
{
  const wet_face *face = &f->face[k];
  return fmax(1 - 0.5 * (f->fraction[face->node[0]] + f->fraction[face->node[1]]), WET_LEAST_SHARE);
}

/* Volumes that go over the links in the last step, m^3. @param share  [face_count] of the fluid now    @param missing  [face_count] scratch
 */
static scr_status find_fluxes(wet_fluid *f, double last, const double *share, double *missing, scr_error *error)
{
  const double area = 0.5 * f->h * f->thickness * last;
  for (size_t k = 0; k < f->face_count; k++) missing[k] = f->control[k] * (share[k] - f->share[k]);
  for (size_t k = 0; k < f->link_count; k++) {
    const wet_link *link = &f->link[k];
    f->flux[k] = 0;
    for (int e = 0; e < 2; e++)
      if (link->by[e] != WET_NONE) f->flux[k] += area * f->share[link->by[e]] * f->u[link->by[e]];
    missing[link->face[0]] += f->flux[k], missing[link->face[1]] -= f->flux[k];
  }
  for (size_t k = 0; k < f->face_count; k++) missing[k] = -missing[k];
  SCR_TRY(la_factor_solve(f->lattice, missing, 1, missing, error));
  for (size_t k = 0; k < f->link_count; k++) f->flux[k] += missing[f->link[k].face[0]] - missing[f->link[k].face[1]];
  return SCR_OK;
}

/* Parts in which the fluxes go, so that none takes more from a volume than it holds. @param out  [face_count] scratch */
static size_t parts_of(const wet_fluid *f, const double *share, double *out)
{
  double most = 1;
  for (size_t k = 0; k < f->face_count; k++) out[k] = 0;
  for (size_t k = 0; k < f->link_count; k++) out[f->link[k].face[f->flux[k] < 0]] += fabs(f->flux[k]);
  for (size_t k = 0; k < f->face_count; k++) most = fmax(most, out[k] / (f->control[k] * fmin(share[k], f->share[k])));
  return (size_t)fmin(ceil(most), MOST_PARTS);
}

/* One of the parts: u, of volumes that hold `begin`, to volumes that hold `end` of their shares' change. @param u  [face_count] scratch */
static void carry_part(wet_fluid *f, const double *share, double begin, double end, double *u)
{
  const double part = end - begin;
  for (size_t k = 0; k < f->face_count; k++) u[k] = f->u[k] * f->control[k] * (f->share[k] + begin * (share[k] - f->share[k]));
  for (size_t k = 0; k < f->link_count; k++) {
    const uint32_t *face = f->link[k].face;
    double moved = part * f->flux[k] * f->u[face[f->flux[k] < 0]];
    u[face[0]] -= moved, u[face[1]] += moved;
  }
  for (size_t k = 0; k < f->face_count; k++) f->u[k] = u[k] / (f->control[k] * (f->share[k] + end * (share[k] - f->share[k])));
}

scr_status wet_carry(wet_fluid *f, const granular_state *s, double last, wet_energy *energy, scr_error *error)
{
  double *share = f->scratch, *other = f->scratch + f->face_count;
  find_nodes(f, s);
  for (size_t k = 0; k < f->face_count; k++) share[k] = share_at(f, k);
  if (f->report.begun != 0) {
    const double before = wet_kinetic(f);
    SCR_TRY(find_fluxes(f, last, share, other, error));
    size_t parts = parts_of(f, share, other);
    for (size_t k = 0; k < parts; k++) carry_part(f, share, (double)k / (double)parts, (double)(k + 1) / (double)parts, other);
    memcpy(f->share, share, f->face_count * sizeof *share);
    energy->carried = before - wet_kinetic(f);
  }
  memcpy(f->share, share, f->face_count * sizeof *share);
  f->report.begun = 1;
  memcpy(f->before, f->u, f->face_count * sizeof *f->u);
  return SCR_OK;
}
