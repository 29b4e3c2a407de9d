/* Packs of spheres: fallen into a box and settled, on a lattice, and large ones made of a settled cell. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/warm_start.h"
#include "tests/support/contact_maker_parts.h"

static const double sphere_step = 2e-3;

typedef struct pack {
  size_t count;
  bool periodic;                                      /* sides meet their opposite sides, instead of walls */
  double side, friction;                              /* of the square box; of all contacts */
  double *position, *velocity, *spin, *radius, *mass; /* [count][3] or [count] */
  warm_start kept;
} pack;

static void pack_start(pack *p, size_t count)
{
  *p = (pack){.count = count};
  p->position = mem_array(3 * count, sizeof *p->position);
  p->velocity = mem_array(3 * count, sizeof *p->velocity);
  p->spin = mem_array(3 * count, sizeof *p->spin);
  p->radius = mem_array(count, sizeof *p->radius);
  p->mass = mem_array(count, sizeof *p->mass);
  if (!p->position || !p->velocity || !p->spin || !p->radius || !p->mass) maker_give_up("no memory");
}

static void pack_clear(pack *p)
{
  mem_free(p->position);
  mem_free(p->velocity);
  mem_free(p->spin);
  mem_free(p->radius);
  mem_free(p->mass);
  warm_start_clear(&p->kept);
}

static void touch_walls(const pack *p, size_t i, contact_maker *m, contact_key *key)
{
  for (unsigned wall = p->periodic ? 4 : 0; wall < 5; ++wall) {
    unsigned axis = wall / 2;
    double sign = wall % 2 ? -1.0 : 1.0, *at = p->position + 3 * i, gap = (wall % 2 ? p->side - at[axis] : at[axis]) - p->radius[i];
    double normal[3] = {0}, point[3] = {at[0], at[1], at[2]};
    if (gap > 0.1 * p->radius[i]) continue;
    normal[axis] = sign;
    point[axis] -= sign * p->radius[i];
    key[m->contacts] = (contact_key){i, UINT64_MAX - wall};
    contact_maker_contact(m, (uint32_t)i, CONTACT_MAKER_GROUND, point, normal, p->friction, fmax(gap, 0.0) / sphere_step);
  }
}

/* Where sphere j's image next to i stands. @param turn receives how many cells it is away along x and y */
static void image_of(const pack *p, size_t i, size_t j, double *at, int *turn)
{
  turn[0] = turn[1] = 0;
  for (int c = 0; c < 3; ++c) at[c] = p->position[3 * j + c];
  for (int c = 0; c < 2 && p->periodic; ++c) {
    turn[c] = (int)lround((p->position[3 * i + c] - at[c]) / p->side);
    at[c] += p->side * turn[c];
  }
}

/* Whether sphere i and j, seen at `other`, may touch within the step. @param normal receives the unit vector from j to i */
static bool near_enough(const pack *p, size_t i, size_t j, const double *other, double *normal, double *gap)
{
  double distance = 0.0, reach = p->radius[i] + p->radius[j];
  for (int c = 0; c < 3; ++c) {
    normal[c] = p->position[3 * i + c] - other[c];
    distance += normal[c] * normal[c];
  }
  if (distance > 1.21 * reach * reach || distance == 0.0) return false;
  distance = sqrt(distance);
  *gap = distance - reach;
  for (int c = 0; c < 3; ++c) normal[c] /= distance;
  return *gap <= 0.1 * fmin(p->radius[i], p->radius[j]);
}

static void touch(const pack *p, size_t i, size_t j, contact_maker *m, contact_key *key)
{
  double other[3], normal[3], point[3], gap;
  int turn[2];
  image_of(p, i, j, other, turn);
  if (!near_enough(p, i, j, other, normal, &gap)) return;
  for (int c = 0; c < 3; ++c)
    point[c] = (p->periodic ? p->position[3 * i + c] - p->radius[i] * normal[c] : other[c] + p->radius[j] * normal[c]);
  key[m->contacts] = (contact_key){i, j};
  contact_maker_contact(m, (uint32_t)i, (uint32_t)j, point, normal, p->friction, fmax(gap, 0.0) / sphere_step);
}

static void add_sphere(const pack *p, size_t i, const double *centre, contact_maker *m)
{
  double spin = 0.4 * p->mass[i] * p->radius[i] * p->radius[i], impulse[3];
  for (int c = 0; c < 3; ++c) impulse[c] = p->mass[i] * (p->velocity[3 * i + c] - (c == 2 ? maker_gravity * sphere_step : 0.0));
  uint32_t body = contact_maker_body(m, centre, p->mass[i], (double[9]){spin, 0, 0, 0, spin, 0, 0, 0, spin}, impulse);
  for (int c = 0; c < 3; ++c) m->momentum[6 * body + 3 + c] = spin * p->spin[3 * i + c];
}

/* The problem of the next step. @param key [20 count] */
static void pack_problem(const pack *p, contact_maker *m, contact_key *key)
{
  contact_maker_start(m, 6, p->count, 20 * p->count, 2);
  for (size_t i = 0; i < p->count; ++i) add_sphere(p, i, p->position + 3 * i, m);
  for (size_t i = 0; i < p->count; ++i) {
    touch_walls(p, i, m, key);
    for (size_t j = 0; j < i; ++j) touch(p, i, j, m, key);
  }
}

static void pack_step(pack *p, contact_maker *m, const contact_key *key)
{
  const contact_problem problem = contact_maker_problem(m);
  contact_options options = contact_options_default();
  contact_result result;
  scr_error error = {0};
  double *impulse = mem_array(3 * m->contacts, sizeof *impulse), *relative = mem_array(3 * m->contacts, sizeof *relative),
         *velocity = mem_array(6 * p->count, sizeof *velocity);
  if (!impulse || !relative || !velocity) maker_give_up("no memory");
  if (p->periodic) {
    options.solver = CONTACT_GAUSS_SEIDEL;
    options.iteration_limit = 150;
  }
  options.factor_limit = 15; /* good enough to fall and settle; the problem that is kept is solved by whoever asked for it */
  options.tolerance = 1e-5;
  warm_start_recall(&p->kept, 3, m->contacts, key, m->axes, sphere_step, impulse);
  if (contact_solve(&problem, &options, impulse, velocity, relative, &result, &error) != SCR_OK) maker_give_up(error.message);
  if (warm_start_keep(&p->kept, 3, m->contacts, key, m->axes, impulse, sphere_step, NULL) != SCR_OK) maker_give_up("no memory");
  for (size_t i = 0; i < p->count; ++i)
    for (size_t c = 0; c < 3; ++c) {
      p->velocity[3 * i + c] = velocity[6 * i + c];
      p->spin[3 * i + c] = velocity[6 * i + 3 + c];
      p->position[3 * i + c] += sphere_step * velocity[6 * i + c];
    }
  mem_free(impulse);
  mem_free(relative);
  mem_free(velocity);
}

void maker_make_pack(uint64_t *seed, bool mixed, contact_maker *m)
{
  pack p;
  pack_start(&p, maker_choose(seed, 10, 60));
  size_t wide = maker_choose(seed, 2, 4), steps = maker_choose(seed, 30, 110);
  p.friction = maker_uniform(seed, 0.2, 0.7);
  p.side = 0.0225 * (double)wide + 0.002;
  for (size_t i = 0; i < p.count; ++i) {
    p.radius[i] = mixed ? 0.01 * maker_uniform(seed, 0.6, 1.0) : 0.01;
    double density = 2500.0 * (mixed ? pow(10.0, maker_uniform(seed, -1.5, 1.0)) : 1.0);
    p.mass[i] = density * 4.0 / 3.0 * maker_pi * pow(p.radius[i], 3.0);
    const size_t place[3] = {i % wide, i / wide % wide, i / (wide * wide)};
    for (size_t c = 0; c < 3; ++c) p.position[3 * i + c] = 0.01225 + 0.0225 * (double)place[c] + maker_uniform(seed, -1e-3, 1e-3);
  }
  contact_key *key = mem_array(20 * p.count, sizeof *key);
  if (!key) maker_give_up("no memory");
  for (size_t step = 0; step < steps; ++step) {
    pack_problem(&p, m, key);
    if (m->contacts == 0 && step + 1 == steps) ++steps;
    pack_step(&p, m, key);
    contact_maker_clear(m);
  }
  pack_problem(&p, m, key);
  mem_free(key);
  pack_clear(&p);
}

void contact_maker_lattice(size_t side, double friction, uint64_t seed, contact_maker *m)
{
  pack p;
  pack_start(&p, side * side * side);
  p.friction = friction;
  p.side = 0.02 * ((double)side + 0.5);
  for (size_t i = 0; i < p.count; ++i) {
    size_t level = i / (side * side);
    double shift = level % 2 ? 0.01 : 0.0;
    p.radius[i] = 0.01 * maker_uniform(&seed, 0.9998, 1.0);
    p.mass[i] = 2500.0 * 4.0 / 3.0 * maker_pi * pow(p.radius[i], 3.0);
    p.position[3 * i] = 0.01 + shift + 0.02 * (double)(i % side);
    p.position[3 * i + 1] = 0.01 + shift + 0.02 * (double)(i / side % side);
    p.position[3 * i + 2] = 0.01 + 0.02 * sqrt(0.5) * (double)level;
  }
  contact_key *key = mem_array(20 * p.count, sizeof *key);
  if (!key) maker_give_up("no memory");
  pack_problem(&p, m, key);
  mem_free(key);
  pack_clear(&p);
}

void contact_maker_pyramid(size_t side, double friction, contact_maker *m)
{
  const double radius = 0.01, mass = 2500.0 * 4.0 / 3.0 * maker_pi * radius * radius * radius, spin = 0.4 * mass * radius * radius;
  size_t count = side * (side + 1) * (2 * side + 1) / 6, below = 0;
  contact_maker_start(m, 6, count, 4 * count, 2);
  for (size_t layer = side; layer > 0; --layer) {
    size_t from = m->bodies;
    for (size_t k = 0; k < layer * layer; ++k) {
      double shift = 0.0101 * (double)(side - layer); /* a hair more than touching, so that neighbours in a layer do not */
      size_t x = k % layer, y = k / layer;
      const double centre[3] = {shift + 0.0202 * (double)x, shift + 0.0202 * (double)y,
                                radius + (double)(side - layer) * sqrt(4e-4 - 2.0 * 0.0101 * 0.0101)};
      uint32_t body = contact_maker_body(m, centre, mass, (double[9]){spin, 0, 0, 0, spin, 0, 0, 0, spin},
                                         (double[3]){0.0, 0.0, -mass * maker_gravity * sphere_step});
      if (layer == side)
        contact_maker_contact(m, body, CONTACT_MAKER_GROUND, (double[3]){centre[0], centre[1], 0.0}, (double[3]){0, 0, 1}, friction, 0.0);
      for (int corner = 0; layer < side && corner < 4; ++corner) {
        size_t under = below + (y + (size_t)corner / 2) * (layer + 1) + x + (size_t)corner % 2;
        double normal[3], point[3];
        for (int c = 0; c < 3; ++c) {
          normal[c] = (centre[c] - m->centre[3 * under + c]) / (2.0 * radius);
          point[c] = 0.5 * (centre[c] + m->centre[3 * under + c]);
        }
        contact_maker_contact(m, body, (uint32_t)under, point, normal, friction, 0.0);
      }
    }
    below = from;
  }
}

/* ── large layers ── */

static void settle(pack *p, size_t steps)
{
  contact_key *key = mem_array(20 * p->count, sizeof *key);
  contact_maker m;
  if (!key) maker_give_up("no memory");
  for (size_t step = 0; step < steps; ++step) {
    pack_problem(p, &m, key);
    pack_step(p, &m, key);
    contact_maker_clear(&m);
    for (size_t i = 0; i < p->count; ++i)
      for (int c = 0; c < 2; ++c) p->position[3 * i + c] -= p->side * floor(p->position[3 * i + c] / p->side);
  }
  mem_free(key);
}

/* Copies of the cell's bodies and contacts. */
static void tile(const pack *p, size_t tiles, contact_maker *m)
{
  contact_maker_start(m, 6, p->count * tiles * tiles, 12 * p->count * tiles * tiles, 2);
  for (size_t t = 0; t < tiles * tiles; ++t)
    for (size_t i = 0; i < p->count; ++i) {
      double shift[2] = {p->side * (double)(t % tiles), p->side * (double)(t / tiles)};
      add_sphere(p, i, (double[3]){p->position[3 * i] + shift[0], p->position[3 * i + 1] + shift[1], p->position[3 * i + 2]}, m);
    }
  for (size_t t = 0; t < tiles * tiles; ++t)
    for (size_t i = 0; i < p->count; ++i) {
      const double *at = m->centre + 3 * (t * p->count + i);
      double gap = at[2] - p->radius[i];
      uint32_t body = (uint32_t)(t * p->count + i);
      if (gap < 0.1 * p->radius[i])
        contact_maker_contact(m, body, CONTACT_MAKER_GROUND, (double[3]){at[0], at[1], 0.0}, (double[3]){0, 0, 1}, p->friction,
                              fmax(gap, 0.0) / sphere_step);
      for (size_t j = 0; j < p->count; ++j) {
        double image[3], normal[3], point[3];
        int turn[2];
        if (j == i) continue;
        image_of(p, i, j, image, turn);
        if (!near_enough(p, i, j, image, normal, &gap)) continue;
        long x = (long)(t % tiles) + turn[0], y = (long)(t / tiles) + turn[1], wide = (long)tiles;
        bool outside = x < 0 || y < 0 || x >= wide || y >= wide;
        if (!outside && (size_t)(y * wide + x) * p->count + j > body) continue; /* once */
        for (int c = 0; c < 3; ++c) point[c] = at[c] - p->radius[i] * normal[c];
        contact_maker_contact(m, body, outside ? CONTACT_MAKER_GROUND : (uint32_t)((size_t)(y * wide + x) * p->count + j), point, normal,
                              p->friction, fmax(gap, 0.0) / sphere_step);
      }
    }
}

void contact_maker_layer(size_t wide, size_t high, size_t tiles, double friction, uint64_t seed, contact_maker *m)
{
  pack p;
  pack_start(&p, wide * wide * high);
  p.periodic = true;
  p.friction = friction;
  p.side = 0.0225 * (double)wide;
  for (size_t i = 0; i < p.count; ++i) {
    const size_t place[3] = {i % wide, i / wide % wide, i / (wide * wide)};
    p.radius[i] = 0.01 * maker_uniform(&seed, 0.8, 1.0);
    p.mass[i] = 2500.0 * 4.0 / 3.0 * maker_pi * pow(p.radius[i], 3.0);
    for (size_t c = 0; c < 3; ++c) p.position[3 * i + c] = 0.01125 + 0.0225 * (double)place[c] + maker_uniform(&seed, -1e-3, 1e-3);
  }
  settle(&p, 60 + 6 * high);
  tile(&p, tiles, m);
  pack_clear(&p);
}
