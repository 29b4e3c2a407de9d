/** Rods by themselves, for tests of their energies: arrays, straight chains and rings. */
#ifndef SCREE_SUPPORT_MADE_ROD_H
#define SCREE_SUPPORT_MADE_ROD_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "methods/fibre/step/rod_step.h"

/** A rod that owns its arrays. */
typedef struct made_rod {
  rod rod;
  double *rest, *span, (*natural)[3], *place, *mass, *force, *reaction;
  bool *held;
  rod_frames frames;
  rod_scratch scratch;
} made_rod;

static inline rod_frames made_frames(uint32_t n)
{
  return (rod_frames){calloc(n, sizeof(scr_vec3)), calloc(n, sizeof(scr_vec3)), calloc(n, sizeof(double))};
}

static inline void free_frames(rod_frames *f)
{
  free(f->director), free(f->tangent), free(f->reference);
}

/** Through `nodes` places; unloaded straight, of the lengths as placed. */
static inline made_rod made_rod_through(uint32_t nodes, bool ring, const scr_vec3 *places)
{
  made_rod m = {
      .rod = {.nodes = nodes, .edges = ring ? nodes : nodes - 1, .ring = ring, .stretching = 1, .bending = {1, 1}, .twisting = 1}};
  size_t n = (size_t)ROD_UNKNOWNS * nodes, band = rod_band(ring);
  m.rest = calloc(nodes, sizeof *m.rest), m.span = calloc(nodes, sizeof *m.span), m.natural = calloc(nodes, sizeof *m.natural);
  m.place = calloc(n, sizeof *m.place), m.mass = calloc(n, sizeof *m.mass), m.force = calloc(n, sizeof *m.force),
  m.reaction = calloc(n, sizeof *m.reaction);
  m.held = calloc(n, sizeof *m.held);
  m.frames = made_frames(nodes);
  m.scratch = (rod_scratch){.place = calloc(n, sizeof(double)),
                            .velocity = calloc(n, sizeof(double)),
                            .gradient = calloc(n, sizeof(double)),
                            .change = calloc(n, sizeof(double)),
                            .product = calloc(n, sizeof(double)),
                            .best = calloc(n, sizeof(double)),
                            .pull = calloc(nodes, sizeof(double)),
                            .trial = made_frames(nodes),
                            .best_frames = made_frames(nodes),
                            .matrix = {n, band, calloc(n * (band + 1), sizeof(double))},
                            .damper = {n, band, calloc(n * (band + 1), sizeof(double))}};
  m.rod.rest = m.rest, m.rod.span = m.span, m.rod.natural = (const double(*)[3])m.natural;
  for (uint32_t i = 0; i < nodes; i++) m.place[4 * i] = places[i].x, m.place[4 * i + 1] = places[i].y, m.place[4 * i + 2] = places[i].z;
  for (uint32_t e = 0; e < m.rod.edges; e++) m.rest[e] = vec3_length(vec3_sub(places[(e + 1) % nodes], places[e]));
  for (uint32_t i = 0; i < nodes; i++)
    m.span[i] = 0.5 * ((ring || i > 0 ? m.rest[i ? i - 1 : nodes - 1] : 0) + (i < m.rod.edges ? m.rest[i] : 0));
  if (!ring) m.held[n - 1] = true;
  rod_begin_frames(&m.rod, m.place, vec3(0.3, 0.5, 1), &m.frames);
  return m;
}

static inline void made_rod_clear(made_rod *m)
{
  free(m->rest), free(m->span), free(m->natural), free(m->place), free(m->mass), free(m->force), free(m->reaction), free(m->held);
  free_frames(&m->frames), free_frames(&m->scratch.trial);
  free(m->scratch.place), free(m->scratch.velocity), free(m->scratch.gradient), free(m->scratch.change), free(m->scratch.product),
      free(m->scratch.best), free(m->scratch.pull), free_frames(&m->scratch.best_frames);
  free(m->scratch.matrix.row), free(m->scratch.damper.row);
}

/** Energy of q, whose frames are carried from the rod's own in one go; those are left as they are. */
static inline double made_rod_energy(made_rod *m, const double *q)
{
  rod_carry_frames(&m->rod, q, &m->frames, &m->scratch.trial);
  rod_energies e = rod_energy(&m->rod, q, &m->scratch.trial, NULL, ROD_EXACT, NULL);
  return e.stretching + e.bending + e.twisting;
}

#endif
