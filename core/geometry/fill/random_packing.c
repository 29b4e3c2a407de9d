/* Jamming of soft spheres in a periodic cube of edge 1. Energy: half the square of the overlap over the diameter, per pair. */
#include "geometry/fill/random_packing.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

typedef struct packing {
  size_t n;
  double diameter;
  double *x, *v, *f; /* [3 n] place, velocity and force of the relaxation */
  double *listed;    /* [3 n] places when the pairs were listed */
  double *kept;      /* [3 n] places of the last state without overlap */
  uint32_t (*pairs)[2];
  size_t pair_count, pair_capacity;
  uint32_t *first, *item; /* [side^3 + 1], [n] spheres sorted into a grid */
  size_t side, grid_capacity;
} packing;

static const double skin = 0.3;             /* of the diameter: pairs are listed up to diameter (1 + skin) */
static const double overlap_allowed = 1e-4; /* of the diameter: less counts as none; costs three times as much volume fraction at the end */

static const double balanced = 1e-3; /* net force over the largest force of a pair */
static const int step_limit = 1000;  /* of one relaxation; reached only next to the jamming point, where either answer will do */

/* Difference of two coordinates in [0, 1] to the nearest image. */
static double nearest(double difference)
{
  return difference > 0.5 ? difference - 1 : difference < -0.5 ? difference + 1 : difference;
}

static double into_cube(double x)
{
  return x < 0 || x >= 1 ? x - floor(x) : x;
}

static size_t cell_along(const packing *p, double x)
{
  size_t c = (size_t)(x * (double)p->side);
  return c < p->side ? c : p->side - 1;
}

static size_t cell_of(const packing *p, size_t i)
{
  return (cell_along(p, p->x[3 * i + 2]) * p->side + cell_along(p, p->x[3 * i + 1])) * p->side + cell_along(p, p->x[3 * i]);
}

/* Sorts the spheres into side^3 cells, their order kept. */
static bool sort_cells(packing *p)
{
  size_t cells = p->side * p->side * p->side;
  if (!mem_grow(&p->first, &p->grid_capacity, cells + 1, sizeof *p->first)) return false;
  memset(p->first, 0, (cells + 1) * sizeof *p->first);
  for (size_t i = 0; i < p->n; i++) p->first[cell_of(p, i) + 1]++;
  for (size_t c = 0; c < cells; c++) p->first[c + 1] += p->first[c];
  for (size_t i = p->n; i-- > 0;) p->item[--p->first[cell_of(p, i) + 1]] = (uint32_t)i;
  memmove(p->first, p->first + 1, cells * sizeof *p->first); /* counting down left each cell's first in the place of the next */
  p->first[cells] = (uint32_t)p->n;
  return true;
}

static double distance_squared(const packing *p, size_t i, size_t j)
{
  double sum = 0;
  for (int a = 0; a < 3; a++) {
    double d = nearest(p->x[3 * j + (size_t)a] - p->x[3 * i + (size_t)a]);
    sum += d * d;
  }
  return sum;
}

/* Lists the pairs of sphere i with those of one cell. */
static bool list_cell(packing *p, size_t i, size_t cell, double reach)
{
  for (uint32_t k = p->first[cell]; k < p->first[cell + 1]; k++) {
    size_t j = p->item[k];
    if (j <= i || !(distance_squared(p, i, j) < reach * reach)) continue;
    if (!mem_grow(&p->pairs, &p->pair_capacity, p->pair_count + 1, sizeof *p->pairs)) return false;
    p->pairs[p->pair_count][0] = (uint32_t)i;
    p->pairs[p->pair_count++][1] = (uint32_t)j;
  }
  return true;
}

static bool list_pairs(packing *p)
{
  double reach = p->diameter * (1 + skin);
  size_t side = (size_t)(1 / reach);
  p->side = side < 3 ? 3 : side; /* with three cells an axis, the 27 around a sphere are all of them, each once */
  if (!sort_cells(p)) return false;
  p->pair_count = 0;
  memcpy(p->listed, p->x, 3 * p->n * sizeof(double));
  for (size_t i = 0; i < p->n; i++) {
    size_t at[3] = {cell_along(p, p->x[3 * i]), cell_along(p, p->x[3 * i + 1]), cell_along(p, p->x[3 * i + 2])};
    for (size_t k = 0; k < 27; k++) {
      size_t cx = (at[0] + p->side - 1 + k % 3) % p->side, cy = (at[1] + p->side - 1 + k / 3 % 3) % p->side,
             cz = (at[2] + p->side - 1 + k / 9) % p->side;
      if (!list_cell(p, i, (cz * p->side + cy) * p->side + cx, reach)) return false;
    }
  }
  return true;
}

static bool list_is_old(const packing *p)
{
  double limit = 0.5 * skin * p->diameter;
  for (size_t i = 0; i < p->n; i++) {
    double sum = 0;
    for (int a = 0; a < 3; a++) {
      double d = nearest(p->x[3 * i + (size_t)a] - p->listed[3 * i + (size_t)a]);
      sum += d * d;
    }
    if (!(sum < limit * limit)) return true;
  }
  return false;
}

/* Sets the forces; returns the largest overlap over the diameter. */
static double push_apart(packing *p)
{
  double worst = 0;
  memset(p->f, 0, 3 * p->n * sizeof(double));
  for (size_t k = 0; k < p->pair_count; k++) {
    size_t i = p->pairs[k][0], j = p->pairs[k][1];
    double r2 = distance_squared(p, i, j);
    if (!(r2 < p->diameter * p->diameter) || r2 == 0) continue;
    double r = sqrt(r2), overlap = 1 - r / p->diameter;
    worst = fmax(worst, overlap);
    for (size_t a = 0; a < 3; a++) {
      double force = overlap * nearest(p->x[3 * j + a] - p->x[3 * i + a]) / r;
      p->f[3 * i + a] -= force;
      p->f[3 * j + a] += force;
    }
  }
  return worst;
}

static double dot(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

typedef enum outcome { FREE, JAMMED, NO_MEMORY } outcome;

/* FIRE with its authors' constants. Mass 1, force = overlap: the stiffest motion has a period of some units of sqrt(diameter). */
static outcome relax(packing *p)
{
  const double longest = 0.5 * sqrt(p->diameter);
  double dt = 0.2 * longest, mix = 0.1;
  int downhill = 0;
  memset(p->v, 0, 3 * p->n * sizeof(double));
  if (!list_pairs(p)) return NO_MEMORY;
  double worst = push_apart(p);
  for (int step = 0; step < step_limit && worst > overlap_allowed; step++) {
    double power = dot(p->f, p->v, 3 * p->n), ff = dot(p->f, p->f, 3 * p->n), vv = dot(p->v, p->v, 3 * p->n);
    if (sqrt(ff / (double)p->n) < balanced * worst) break; /* forces of overlaps hold each other: there is no more room */
    if (power > 0) {
      double scale = mix * sqrt(vv / ff);
      for (size_t i = 0; i < 3 * p->n; i++) p->v[i] = (1 - mix) * p->v[i] + scale * p->f[i];
      if (++downhill > 5) dt = fmin(1.1 * dt, longest), mix *= 0.99;
    } else {
      memset(p->v, 0, 3 * p->n * sizeof(double));
      dt *= 0.5, mix = 0.1, downhill = 0;
    }
    for (size_t i = 0; i < 3 * p->n; i++) {
      p->v[i] += dt * p->f[i];
      p->x[i] = into_cube(p->x[i] + dt * p->v[i]);
    }
    if (list_is_old(p) && !list_pairs(p)) return NO_MEMORY;
    worst = push_apart(p);
  }
  return worst > overlap_allowed ? JAMMED : FREE;
}

static double diameter_at(double fraction, size_t n)
{
  return cbrt(6 * fraction / (M_PI * (double)n));
}

/* Grows the spheres from a loose state until growth of the volume fraction by 2e-3 no longer finds room. */
static bool jam(packing *p)
{
  double fraction = 0.5, growth = 0.04;
  p->diameter = diameter_at(fraction, p->n);
  if (relax(p) != FREE) return false; /* at one half there is always room: memory is short */
  while (growth > 2e-3) {
    memcpy(p->kept, p->x, 3 * p->n * sizeof(double));
    p->diameter = diameter_at(fraction + growth, p->n);
    outcome end = relax(p);
    if (end == NO_MEMORY) return false;
    if (end == FREE) {
      fraction += growth;
    } else {
      memcpy(p->x, p->kept, 3 * p->n * sizeof(double));
      growth *= 0.5;
    }
  }
  p->diameter = diameter_at(fraction, p->n);
  return list_pairs(p);
}

/* The nearest pair's distance: with it as the diameter nothing overlaps at all. */
static double least_distance(const packing *p)
{
  double least = INFINITY;
  for (size_t k = 0; k < p->pair_count; k++) least = fmin(least, distance_squared(p, p->pairs[k][0], p->pairs[k][1]));
  return sqrt(least);
}

scr_status geo_random_packing(size_t count, uint64_t seed, double *edge, scr_vec3 *centres, scr_error *error)
{
  if (count < GEO_RANDOM_PACKING_LEAST || count > GEO_RANDOM_PACKING_MOST)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a random packing of %zu spheres; from %d to %d are possible", count,
                    GEO_RANDOM_PACKING_LEAST, GEO_RANDOM_PACKING_MOST);
  packing p = {.n = count};
  double **arrays[] = {&p.x, &p.v, &p.f, &p.listed, &p.kept};
  bool ok = (p.item = mem_array(count, sizeof *p.item)) != NULL;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) ok = (*arrays[k] = mem_array(3 * count, sizeof(double))) && ok;
  if (ok) {
    for (size_t i = 0; i < 3 * count; i++) p.x[i] = random_uniform(&seed);
    ok = jam(&p);
  }
  if (ok) {
    double diameter = least_distance(&p);
    *edge = 1 / diameter;
    for (size_t i = 0; i < count; i++) {
      double *x = p.x + 3 * i;
      centres[i] = vec3(x[0] / diameter, x[1] / diameter, x[2] / diameter);
    }
  }
  void *owned[] = {p.x, p.v, p.f, p.listed, p.kept, p.pairs, p.first, p.item};
  for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) mem_free(owned[k]);
  return ok ? SCR_OK : scr_fail_memory(error, "the random packing", count * 200);
}
