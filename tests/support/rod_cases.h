/** Rods at rest whose answers are known: clamped ones that sag, a stretched helix, twisted rings; for unit tests and validation. */
#ifndef SCREE_SUPPORT_ROD_CASES_H
#define SCREE_SUPPORT_ROD_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/made_rod.h"

/** Clamped, length 1, EI = 1, n edges behind the one of the clamp. */
static inline made_rod rod_case_cantilever(uint32_t n)
{
  scr_vec3 *places = calloc(n + 2, sizeof *places);
  for (uint32_t i = 0; i < n + 2; i++) places[i] = vec3(((double)i - 1) / n, 0, 0);
  made_rod m = made_rod_through(n + 2, false, places);
  m.rod.stretching = 1e7;
  m.span[1] = 0.5 / n; /* the clamp's edge does not bend */
  for (int k = 0; k < 7; k++) m.held[k] = true;
  free(places);
  return m;
}

/** Goes to its equilibrium. */
static inline rod_found rod_case_settle(made_rod *m, double tolerance)
{
  rod_search search = {
      .rod = &m->rod, .mass = m->mass, .force = m->force, .held = m->held, .place = m->place, .tolerance = tolerance, .limit = 2000};
  double *from = calloc(4 * (size_t)m->rod.nodes, sizeof *from);
  memcpy(from, m->place, 4 * (size_t)m->rod.nodes * sizeof *from);
  search.place = from;
  rod_found found = rod_equilibrium(&search, m->place, &m->frames, m->reaction, &m->scratch);
  if (!found.solved) fail_msg("no equilibrium after %u linearisations: %.2e left", found.iterations, found.residual);
  free(from);
  return found;
}

/** End of a clamped rod of n edges, length 1, EI = 1, under a force at its tip and a weight. */
static inline void rod_case_sag(uint32_t n, double tip, double weight, double *x, double *drop)
{
  made_rod m = rod_case_cantilever(n);
  for (uint32_t i = 1; i < n + 2; i++) m.force[4 * i + 2] = -weight * (i == 1 || i == n + 1 ? 0.5 : 1) / n;
  m.force[4 * (n + 1) + 2] -= tip;
  rod_case_settle(&m, tip == 0 && weight < 1 ? 1e-10 : 1e-9);
  *x = m.place[4 * (n + 1)], *drop = -m.place[4 * (n + 1) + 2];
  made_rod_clear(&m);
}

/** Wrench along the axis of a helix (kappa 1, tau 0.3) that is held as (0.9, 0.45), of n edges; EI = 1, GJ = 0.8. */
static inline void rod_case_wrench(uint32_t n, double *force, double *torque)
{
  double k = 0.9, tau = 0.45, k0 = 1, tau0 = 0.3, ratio = 0.8, w = hypot(k, tau), radius = k / (w * w), rise = tau / (w * w),
         length = 4 * 2 * M_PI / w, h = length / n;
  scr_vec3 *places = calloc(n + 1, sizeof *places);
  for (uint32_t i = 0; i <= n; i++) places[i] = vec3(radius * cos(w * h * i), radius * sin(w * h * i), rise * w * h * i);
  made_rod m = made_rod_through(n + 1, false, places);
  m.rod.stretching = 1e7, m.rod.twisting = ratio;
  for (uint32_t i = 0; i <= n; i++) m.span[i] = h;
  for (uint32_t i = 1; i < n; i++) {
    rod_strain(&m.rod, m.place, &m.frames, i, m.natural[i]);
    m.natural[i][0] *= k0 / k, m.natural[i][1] *= k0 / k;
    m.natural[i][2] += (tau0 - tau) * h;
  }
  for (size_t i = 0; i < 7; i++) m.held[i] = true;
  for (size_t i = 4 * (size_t)n - 4; i < 4 * (size_t)n + 4; i++) m.held[i] = true;
  rod_case_settle(&m, 1e-10);
  *force = -(m.reaction[2] + m.reaction[6]), *torque = -m.reaction[3] * m.frames.tangent[0].z;
  for (int i = 0; i < 2; i++) *torque -= m.place[4 * i] * m.reaction[4 * i + 1] - m.place[4 * i + 1] * m.reaction[4 * i];
  made_rod_clear(&m);
  free(places);
}

/** Of radius 1 and EI = 1. */
static inline made_rod rod_case_ring(uint32_t n, double ratio)
{
  scr_vec3 *places = calloc(n, sizeof *places);
  for (uint32_t i = 0; i < n; i++) places[i] = vec3(cos(2 * M_PI * i / n), sin(2 * M_PI * i / n), 0);
  made_rod m = made_rod_through(n, true, places);
  rod_begin_frames(&m.rod, m.place, vec3(0, 0, 1), &m.frames);
  m.rod.stretching = 1e5, m.rod.twisting = ratio;
  free(places);
  return m;
}

/** Whether a flat ring with that twist is stable against all that does not move it as a whole: its Hessian, with a little on the
 * diagonal for the six motions of the whole and the turning of the frames. */
static inline bool rod_case_is_stable(uint32_t n, double ratio, double twist, bool curved)
{
  made_rod m = rod_case_ring(n, ratio);
  for (uint32_t i = 0; i < n; i++) {
    if (curved) rod_strain(&m.rod, m.place, &m.frames, i, m.natural[i]);
    m.natural[i][2] -= twist / n;
  }
  double shrink = 0; /* radius at which the hoop force vanishes: a polygon that bends and twists pulls itself together a little */
  for (int k = 0; k < 50; k++) {
    double g[4 * 400];
    rod_energy(&m.rod, m.place, &m.frames, g, ROD_EXACT, NULL);
    double slope = 0;
    for (uint32_t i = 0; i < n; i++) slope += g[4 * i] * cos(2 * M_PI * i / n) + g[4 * i + 1] * sin(2 * M_PI * i / n);
    shrink -= slope / (2 * M_PI * m.rod.stretching);
    for (uint32_t i = 0; i < n; i++)
      m.place[4 * i] = (1 + shrink) * cos(2 * M_PI * i / n), m.place[4 * i + 1] = (1 + shrink) * sin(2 * M_PI * i / n);
    rod_carry_frames(&m.rod, m.place, &m.frames, &m.frames);
  }
  rod_energy(&m.rod, m.place, &m.frames, NULL, ROD_EXACT, &m.scratch.matrix);
  for (size_t i = 0; i < m.scratch.matrix.size; i++) *la_band_at(&m.scratch.matrix, i, i) += 1e-6;
  bool stable = la_band_factor(&m.scratch.matrix) == m.scratch.matrix.size;
  made_rod_clear(&m);
  return stable;
}

/** Turns of twist at which a flat ring buckles. @param curved  naturally a circle */
static inline double rod_case_threshold(uint32_t n, double ratio, bool curved)
{
  double low = 0.3, high = 6; /* turns */
  for (int k = 0; k < 24; k++) {
    double middle = 0.5 * (low + high);
    *(rod_case_is_stable(n, ratio, 2 * M_PI * middle, curved) ? &low : &high) = middle;
  }
  return low;
}

#endif
