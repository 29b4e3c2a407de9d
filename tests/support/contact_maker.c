/* Rigid bodies, their contacts, and problems from seeds. */
#include "tests/support/contact_maker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/warm_start.h"

static const double gravity = 9.81, box_step = 5e-3, sphere_step = 2e-3, rod_step = 1e-3, pi = 3.14159265358979323846;

static double uniform(uint64_t *seed, double low, double high)
{
  uint64_t x = *seed += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return low + (high - low) * ((double)(x >> 11) * 0x1p-53);
}

static size_t choose(uint64_t *seed, size_t low, size_t high)
{
  return low + (size_t)uniform(seed, 0.0, (double)(high - low + 1));
}

static void give_up(const char *why)
{
  fprintf(stderr, "a contact problem can't be made: %s\n", why);
  exit(1);
}

void contact_maker_start(contact_maker *m, unsigned block_size, size_t bodies, size_t contacts, size_t entries_each)
{
  size_t b = block_size, entries = contacts * entries_each;
  *m = (contact_maker){.block_size = block_size, .body_room = bodies, .contact_room = contacts, .entry_room = entries};
  m->mass = mem_array(bodies * b * b, sizeof *m->mass);
  m->momentum = mem_array(bodies * b, sizeof *m->momentum);
  m->centre = mem_array(bodies * 3, sizeof *m->centre);
  m->first = mem_array(contacts + 1, sizeof *m->first);
  m->block = mem_array(entries, sizeof *m->block);
  m->jacobian = mem_array(entries * b * 3, sizeof *m->jacobian);
  m->offset = mem_array(contacts * 3, sizeof *m->offset);
  m->friction = mem_array(contacts, sizeof *m->friction);
  m->axes = mem_array(contacts * 9, sizeof *m->axes);
  if (!m->mass || !m->momentum || !m->centre || !m->first || !m->block || !m->jacobian || !m->offset || !m->friction || !m->axes)
    give_up("no memory");
}

contact_problem contact_maker_problem(const contact_maker *m)
{
  bool sparse = m->sparse.first != NULL;
  return (contact_problem){.dimension = 3,
                           .contact_count = m->contacts,
                           .block_size = m->block_size,
                           .block_count = m->bodies,
                           .mass_block = sparse ? NULL : m->mass,
                           .mass = sparse ? &m->sparse : NULL,
                           .momentum = m->momentum,
                           .first = m->first,
                           .block = m->block,
                           .jacobian = m->jacobian,
                           .offset = m->offset,
                           .friction = m->friction};
}

void contact_maker_clear(contact_maker *m)
{
  mem_free(m->mass);
  mem_free(m->momentum);
  mem_free(m->centre);
  mem_free(m->first);
  mem_free(m->block);
  mem_free(m->jacobian);
  mem_free(m->offset);
  mem_free(m->friction);
  mem_free(m->axes);
  la_sparse_clear(&m->sparse);
  *m = (contact_maker){0};
}

uint32_t contact_maker_body(contact_maker *m, const double *centre, double mass, const double *inertia, const double *impulse)
{
  size_t k = m->bodies++;
  if (k >= m->body_room) give_up("too many bodies");
  for (size_t c = 0; c < 3; ++c) {
    m->mass[36 * k + 7 * c] = mass;
    for (size_t r = 0; r < 3; ++r) m->mass[36 * k + (c + 3) * 6 + r + 3] = inertia[3 * c + r];
    m->momentum[6 * k + c] = impulse[c];
    m->centre[3 * k + c] = centre[c];
  }
  return (uint32_t)k;
}

static void cross(const double *a, const double *b, double *c)
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Two tangents to a unit normal, into axes [3][3]. */
static void make_axes(const double *normal, double *axes)
{
  double helper[3] = {0}, length = 0.0;
  helper[fabs(normal[0]) < 0.6 ? 0 : 1] = 1.0;
  memcpy(axes, normal, 3 * sizeof *axes);
  cross(normal, helper, axes + 3);
  for (int k = 0; k < 3; ++k) length += axes[3 + k] * axes[3 + k];
  for (int k = 0; k < 3; ++k) axes[3 + k] /= sqrt(length);
  cross(normal, axes + 3, axes + 6);
}

/* A row of nodes or bodies: velocity of the point times `sign`. */
static void add_entry(contact_maker *m, uint32_t body, const double *point, const double *axes, double sign)
{
  size_t k = m->entries++, b = m->block_size;
  if (k >= m->entry_room) give_up("too many rows");
  m->block[k] = body;
  for (size_t r = 0; r < 3; ++r) {
    double arm[3], turn[3];
    for (size_t c = 0; c < 3; ++c) {
      m->jacobian[(k * b + c) * 3 + r] = sign * axes[3 * r + c];
      arm[c] = point ? point[c] - m->centre[3 * body + c] : 0.0;
    }
    if (b < 6) continue;
    cross(arm, axes + 3 * r, turn); /* (w x arm) . e = w . (arm x e) */
    for (size_t c = 0; c < 3; ++c) m->jacobian[(k * b + 3 + c) * 3 + r] = sign * turn[c];
  }
}

void contact_maker_contact(contact_maker *m, uint32_t a, uint32_t b, const double *point, const double *normal, double friction, double gap)
{
  size_t i = m->contacts++;
  if (i >= m->contact_room) give_up("too many contacts");
  make_axes(normal, m->axes + 9 * i);
  if (a != CONTACT_MAKER_GROUND) add_entry(m, a, point, m->axes + 9 * i, 1.0);
  if (b != CONTACT_MAKER_GROUND) add_entry(m, b, point, m->axes + 9 * i, -1.0);
  m->first[i + 1] = m->entries;
  m->friction[i] = friction;
  m->offset[3 * i] = gap;
}

/* ── boxes ── */

static uint32_t add_box(contact_maker *m, const double *centre, const double *half, double density, const double *pull)
{
  double mass = 8.0 * half[0] * half[1] * half[2] * density, impulse[3], inertia[9] = {0};
  for (int k = 0; k < 3; ++k) {
    double a = half[(k + 1) % 3], b = half[(k + 2) % 3];
    inertia[4 * k] = mass * (a * a + b * b) / 3.0;
    impulse[k] = mass * box_step * pull[k];
  }
  return contact_maker_body(m, centre, mass, inertia, impulse);
}

/* Four contacts at the corners of a rectangle across `axis`. */
static void add_face(contact_maker *m, uint32_t a, uint32_t b, unsigned axis, const double *middle, const double *half, double friction)
{
  double normal[3] = {0};
  normal[axis] = 1.0;
  for (int k = 0; k < 4; ++k) {
    double point[3] = {middle[0], middle[1], middle[2]};
    point[(axis + 1) % 3] += (k & 1 ? 1.0 : -1.0) * half[(axis + 1) % 3];
    point[(axis + 2) % 3] += (k & 2 ? 1.0 : -1.0) * half[(axis + 2) % 3];
    contact_maker_contact(m, a, b, point, normal, friction, 0.0);
  }
}

static void make_stack(uint64_t *seed, contact_maker *m)
{
  size_t count = choose(seed, 3, 10);
  double tilt = choose(seed, 0, 1) ? uniform(seed, 0.0, 0.3) : 0.0, friction = uniform(seed, 0.3, 0.8), spread = uniform(seed, 0.0, 2.0);
  double pull[3] = {gravity * sin(tilt), 0.0, -gravity * cos(tilt)}, below[3] = {0.1, 0.1, 0.1}, at[3] = {0}, height = 0.0;
  contact_maker_start(m, 6, count, 4 * count, 2);
  uint32_t under = CONTACT_MAKER_GROUND;
  for (size_t k = 0; k < count; ++k) {
    double half[3], face[3], centre[3];
    for (int c = 0; c < 3; ++c) {
      half[c] = uniform(seed, 0.05, 0.1);
      centre[c] = at[c] + (k && c < 2 ? uniform(seed, -0.01, 0.01) : 0.0);
      face[c] = fmin(half[c], below[c]) - 0.01;
    }
    centre[2] = height + half[2];
    uint32_t body = add_box(m, centre, half, 1000.0 * pow(10.0, uniform(seed, -spread, spread)), pull);
    const double middle[3] = {0.5 * (centre[0] + at[0]), 0.5 * (centre[1] + at[1]), height};
    add_face(m, body, under, 2, middle, face, friction);
    height += 2.0 * half[2];
    under = body;
    memcpy(at, centre, sizeof at);
    memcpy(below, half, sizeof below);
  }
}

void contact_maker_wall(size_t rows, size_t columns, double friction, contact_maker *m)
{
  const double half[3] = {0.1, 0.05, 0.05}, pull[3] = {0.0, 0.0, -gravity};
  size_t *of_row = mem_array(rows + 1, sizeof *of_row);
  if (!of_row) give_up("no memory");
  contact_maker_start(m, 6, rows * columns, 16 * rows * columns, 2);
  for (size_t r = 0; r < rows; ++r) {
    size_t count = r % 2 ? columns - 1 : columns;
    of_row[r] = m->bodies;
    for (size_t c = 0; c < count; ++c) {
      double x = 0.2 * (double)c + (r % 2 ? 0.1 : 0.0);
      const double centre[3] = {x, 0.0, 0.1 * (double)r + 0.05}, quarter[3] = {0.05, 0.05, 0.05};
      uint32_t body = add_box(m, centre, half, 2000.0, pull);
      if (r == 0) add_face(m, body, CONTACT_MAKER_GROUND, 2, (double[3]){x, 0.0, 0.0}, half, friction);
      for (int side = 0; r > 0 && side < 2; ++side) {
        ptrdiff_t under = (ptrdiff_t)c + side - (r % 2 ? 0 : 1);
        if (under < 0 || (size_t)under >= (r % 2 ? columns : columns - 1)) continue;
        const double middle[3] = {x + (side ? 0.05 : -0.05), 0.0, 0.1 * (double)r};
        add_face(m, body, (uint32_t)(of_row[r - 1] + (size_t)under), 2, middle, quarter, friction);
      }
      if (c > 0) add_face(m, body, body - 1, 0, (double[3]){x - 0.1, 0.0, centre[2]}, half, friction);
    }
  }
  mem_free(of_row);
}

/* ── arches ── */

void contact_maker_arch(size_t count, double thickness, double friction, contact_maker *m)
{
  double depth = 0.3, width = pi / (double)count, inner = 1.0 - 0.5 * thickness, outer = 1.0 + 0.5 * thickness;
  double radius = 2.0 / 3.0 * (pow(outer, 3.0) - pow(inner, 3.0)) / (outer * outer - inner * inner) * sin(0.5 * width) / (0.5 * width);
  contact_maker_start(m, 6, count, 4 * count + 4, 2);
  for (size_t k = 0; k < count; ++k) {
    double angle = ((double)k + 0.5) * width, mass = 2000.0 * thickness * width * depth, c = cos(angle), s = sin(angle);
    double radial = mass / 12.0 * (width * width + depth * depth), around = mass / 12.0 * (thickness * thickness + depth * depth),
           across = mass / 12.0 * (thickness * thickness + width * width);
    const double inertia[9] = {radial * c * c + around * s * s, 0.0, (radial - around) * c * s,      0.0, across, 0.0,
                               (radial - around) * c * s,       0.0, radial * s * s + around * c * c};
    contact_maker_body(m, (double[3]){radius * c, 0.0, radius * s}, mass, inertia, (double[3]){0.0, 0.0, -mass * gravity * box_step});
  }
  for (size_t k = 0; k <= count; ++k) {
    double angle = (double)k * width;
    const double normal[3] = {-sin(angle), 0.0, cos(angle)};
    for (int corner = 0; corner < 4; ++corner) {
      double at = corner & 1 ? outer : inner;
      const double point[3] = {at * cos(angle), (corner & 2 ? 0.5 : -0.5) * depth, at * sin(angle)};
      contact_maker_contact(m, k < count ? (uint32_t)k : CONTACT_MAKER_GROUND, k > 0 ? (uint32_t)k - 1 : CONTACT_MAKER_GROUND, point,
                            normal, friction, 0.0);
    }
  }
}

void contact_maker_cubes(size_t count, double friction, double step, const double *pull, contact_maker *m)
{
  const double inertia[9] = {1.0 / 600.0, 0, 0, 0, 1.0 / 600.0, 0, 0, 0, 1.0 / 600.0}, half[3] = {0.05, 0.05, 0.05};
  contact_maker_start(m, 6, count, 4 * count, 2);
  for (size_t k = 0; k < count; ++k) {
    const double centre[3] = {0.0, 0.0, 0.1 * (double)k + 0.05}, middle[3] = {0.0, 0.0, 0.1 * (double)k};
    uint32_t body = contact_maker_body(m, centre, 1.0, inertia, (double[3]){step * pull[0], step * pull[1], step * pull[2]});
    add_face(m, body, k ? body - 1 : CONTACT_MAKER_GROUND, 2, middle, half, friction);
  }
}

static void make_arch(uint64_t *seed, contact_maker *m)
{
  size_t count = choose(seed, 7, 21);
  double thickness = uniform(seed, 0.08, 0.2);
  contact_maker_arch(count, thickness, uniform(seed, 0.5, 0.9), m);
}

/* ── crossed elastic rods ── */

typedef struct rod_mass {
  la_triplet *entry;
  size_t count, room;
} rod_mass;

static void add_stiffness(rod_mass *r, uint32_t i, uint32_t j, double value)
{
  if (r->count >= r->room) give_up("too many entries of a mass");
  r->entry[r->count++] = (la_triplet){i, j, value};
}

/* value g g' for the three nodes from `node` on, along one axis. */
static void add_term(rod_mass *r, uint32_t node, unsigned axis, const double *g, size_t count, double value)
{
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t j = 0; j < count; ++j) add_stiffness(r, 3 * (node + i) + axis, 3 * (node + j) + axis, value * g[i] * g[j]);
}

/* M = lumped mass + dt^2 (stretching along the rod, bending across) of a straight rod along axis 0 or 1. */
static void add_rod(contact_maker *m, rod_mass *r, size_t nodes, unsigned axis, double length, double radius, double young)
{
  double piece = length / (double)(nodes - 1), area = pi * radius * radius, step2 = rod_step * rod_step;
  double stretch = step2 * young * area / piece, bend = step2 * young * area * radius * radius / 4.0 / (piece * piece * piece);
  uint32_t from = (uint32_t)m->bodies;
  for (size_t k = 0; k < nodes; ++k) {
    double mass = 1300.0 * area * piece * (k == 0 || k + 1 == nodes ? 0.5 : 1.0);
    for (uint32_t c = 0; c < 3; ++c) add_stiffness(r, 3 * (from + (uint32_t)k) + c, 3 * (from + (uint32_t)k) + c, mass);
    m->momentum[3 * m->bodies + 2] = -mass * gravity * rod_step;
    if (++m->bodies > m->body_room) give_up("too many nodes");
  }
  for (size_t k = 0; k + 1 < nodes; ++k) add_term(r, from + (uint32_t)k, axis, (double[]){1, -1}, 2, stretch);
  for (size_t k = 0; k + 2 < nodes; ++k)
    for (unsigned c = 0; c < 3; ++c)
      if (c != axis) add_term(r, from + (uint32_t)k, c, (double[]){1, -2, 1}, 3, bend);
}

/* Contact between pieces of two rods, or one and the ground, each half way between two nodes. */
static void cross_rods(contact_maker *m, uint32_t upper, uint32_t lower, double friction)
{
  const double normal[3] = {0.0, 0.0, 1.0};
  size_t i = m->contacts++;
  if (i >= m->contact_room) give_up("too many contacts");
  make_axes(normal, m->axes + 9 * i);
  for (uint32_t k = 0; k < 2; ++k) add_entry(m, upper + k, NULL, m->axes + 9 * i, 0.5);
  for (uint32_t k = 0; k < 2 && lower != CONTACT_MAKER_GROUND; ++k) add_entry(m, lower + k, NULL, m->axes + 9 * i, -0.5);
  m->first[i + 1] = m->entries;
  m->friction[i] = friction;
}

static void make_rods(uint64_t *seed, contact_maker *m)
{
  size_t layers = choose(seed, 2, 5), each = choose(seed, 2, 4), nodes = 2 * each + 1, rods = layers * each;
  double friction = uniform(seed, 0.2, 0.6), radius = uniform(seed, 1e-4, 5e-4), young = pow(10.0, uniform(seed, 8.0, 10.0));
  contact_maker_start(m, 3, rods * nodes, layers * each * each, 4);
  rod_mass mass = {.room = rods * nodes * 33, .entry = mem_array(rods * nodes * 33, sizeof(la_triplet))};
  if (!mass.entry) give_up("no memory");
  for (size_t k = 0; k < rods; ++k) add_rod(m, &mass, nodes, (unsigned)(k / each % 2), 0.1, radius, young);
  for (size_t layer = 0; layer < layers; ++layer)
    for (size_t a = 0; a < each; ++a)
      for (size_t b = 0; b < each; ++b) {
        uint32_t upper = (uint32_t)((layer * each + a) * nodes + 2 * b),
                 lower = (uint32_t)(((layer ? layer - 1 : 0) * each + b) * nodes + 2 * a);
        cross_rods(m, upper, layer ? lower : CONTACT_MAKER_GROUND, friction);
      }
  if (la_sparse_from_triplets(3 * m->bodies, 3 * m->bodies, mass.entry, mass.count, &m->sparse, NULL) != SCR_OK) give_up("its mass");
  mem_free(mass.entry);
}

/* ── packs of spheres ── */

typedef struct pack {
  size_t count;
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
  if (!p->position || !p->velocity || !p->spin || !p->radius || !p->mass) give_up("no memory");
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
  for (unsigned wall = 0; wall < 5; ++wall) {
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

static void touch(const pack *p, size_t i, size_t j, contact_maker *m, contact_key *key)
{
  double normal[3], point[3], distance = 0.0, reach = p->radius[i] + p->radius[j];
  for (int c = 0; c < 3; ++c) {
    normal[c] = p->position[3 * i + c] - p->position[3 * j + c];
    distance += normal[c] * normal[c];
  }
  if (distance > 1.21 * reach * reach || distance == 0.0) return;
  distance = sqrt(distance);
  if (distance - reach > 0.1 * fmin(p->radius[i], p->radius[j])) return;
  for (int c = 0; c < 3; ++c) {
    normal[c] /= distance;
    point[c] = p->position[3 * j + c] + p->radius[j] * normal[c];
  }
  key[m->contacts] = (contact_key){i, j};
  contact_maker_contact(m, (uint32_t)i, (uint32_t)j, point, normal, p->friction, fmax(distance - reach, 0.0) / sphere_step);
}

/* The problem of the next step. @param key [20 count] */
static void pack_problem(const pack *p, contact_maker *m, contact_key *key)
{
  contact_maker_start(m, 6, p->count, 20 * p->count, 2);
  for (size_t i = 0; i < p->count; ++i) {
    double spin = 0.4 * p->mass[i] * p->radius[i] * p->radius[i], impulse[3];
    for (int c = 0; c < 3; ++c) impulse[c] = p->mass[i] * (p->velocity[3 * i + c] - (c == 2 ? gravity * sphere_step : 0.0));
    contact_maker_body(m, p->position + 3 * i, p->mass[i], (double[9]){spin, 0, 0, 0, spin, 0, 0, 0, spin}, impulse);
    for (int c = 0; c < 3; ++c) m->momentum[6 * i + 3 + c] = spin * p->spin[3 * i + c];
  }
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
  if (!impulse || !relative || !velocity) give_up("no memory");
  options.factor_limit = 15; /* good enough to fall and settle; the problem that is kept is solved by whoever asked for it */
  options.tolerance = 1e-5;
  warm_start_recall(&p->kept, 3, m->contacts, key, m->axes, sphere_step, impulse);
  if (contact_solve(&problem, &options, impulse, velocity, relative, &result, &error) != SCR_OK) give_up(error.message);
  if (warm_start_keep(&p->kept, 3, m->contacts, key, m->axes, impulse, sphere_step, NULL) != SCR_OK) give_up("no memory");
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

static void make_pack(uint64_t *seed, bool mixed, contact_maker *m)
{
  pack p;
  pack_start(&p, choose(seed, 10, 60));
  size_t wide = choose(seed, 2, 4), steps = choose(seed, 30, 110);
  p.friction = uniform(seed, 0.2, 0.7);
  p.side = 0.0225 * (double)wide + 0.002;
  for (size_t i = 0; i < p.count; ++i) {
    p.radius[i] = mixed ? 0.01 * uniform(seed, 0.6, 1.0) : 0.01;
    double density = 2500.0 * (mixed ? pow(10.0, uniform(seed, -1.5, 1.0)) : 1.0);
    p.mass[i] = density * 4.0 / 3.0 * pi * pow(p.radius[i], 3.0);
    const size_t place[3] = {i % wide, i / wide % wide, i / (wide * wide)};
    for (size_t c = 0; c < 3; ++c) p.position[3 * i + c] = 0.01225 + 0.0225 * (double)place[c] + uniform(seed, -1e-3, 1e-3);
  }
  contact_key *key = mem_array(20 * p.count, sizeof *key);
  if (!key) give_up("no memory");
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
    p.radius[i] = 0.01 * uniform(&seed, 0.9998, 1.0);
    p.mass[i] = 2500.0 * 4.0 / 3.0 * pi * pow(p.radius[i], 3.0);
    p.position[3 * i] = 0.01 + shift + 0.02 * (double)(i % side);
    p.position[3 * i + 1] = 0.01 + shift + 0.02 * (double)(i / side % side);
    p.position[3 * i + 2] = 0.01 + 0.02 * sqrt(0.5) * (double)level;
  }
  contact_key *key = mem_array(20 * p.count, sizeof *key);
  if (!key) give_up("no memory");
  pack_problem(&p, m, key);
  mem_free(key);
  pack_clear(&p);
}

/* ── kinds ── */

const char *contact_kind_name(contact_kind kind)
{
  static const char *const names[CONTACT_KIND_COUNT] = {"stack", "wall", "arch", "rods", "pack", "mixed pack"};
  return names[kind];
}

void contact_maker_make(contact_kind kind, uint64_t seed, contact_maker *m)
{
  switch (kind) {
  case CONTACT_KIND_STACK: make_stack(&seed, m); return;
  case CONTACT_KIND_WALL: {
    size_t rows = choose(&seed, 2, 6), columns = choose(&seed, 2, 6);
    contact_maker_wall(rows, columns, uniform(&seed, 0.2, 0.9), m);
    return;
  }
  case CONTACT_KIND_ARCH: make_arch(&seed, m); return;
  case CONTACT_KIND_RODS: make_rods(&seed, m); return;
  case CONTACT_KIND_PACK: make_pack(&seed, false, m); return;
  case CONTACT_KIND_MIXED_PACK:
  case CONTACT_KIND_COUNT: make_pack(&seed, true, m); return;
  }
}
