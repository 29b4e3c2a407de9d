/* Elastic fibres: straight rods across each other, and tresses of curled hair. M = mass + dt^2 stiffness, nodes of three velocities.
 *
 * Hair is what contact solvers find hard: a fibre hardly stretches, so that an impulse along it moves all of it and one across it a bit of
 * it. W of a contact between fibres that lie side by side has a condition number of 1e2 to 1e5, with the stiff direction at an angle to the
 * tangent plane. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/contact_maker_parts.h"

static const double rod_step = 1e-3;

typedef struct rod_mass {
  la_triplet *entry;
  size_t count, room;
} rod_mass;

static void add_stiffness(rod_mass *r, uint32_t i, uint32_t j, double value)
{
  if (r->count >= r->room) maker_give_up("too many entries of a mass");
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
  double piece = length / (double)(nodes - 1), area = maker_pi * radius * radius, step2 = rod_step * rod_step;
  double stretch = step2 * young * area / piece, bend = step2 * young * area * radius * radius / 4.0 / (piece * piece * piece);
  uint32_t from = (uint32_t)m->bodies;
  for (size_t k = 0; k < nodes; ++k) {
    double mass = 1300.0 * area * piece * (k == 0 || k + 1 == nodes ? 0.5 : 1.0);
    for (uint32_t c = 0; c < 3; ++c) add_stiffness(r, 3 * (from + (uint32_t)k) + c, 3 * (from + (uint32_t)k) + c, mass);
    m->momentum[3 * m->bodies + 2] = -mass * maker_gravity * rod_step;
    if (++m->bodies > m->body_room) maker_give_up("too many nodes");
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
  if (i >= m->contact_room) maker_give_up("too many contacts");
  maker_axes(normal, m->axes + 9 * i);
  for (uint32_t k = 0; k < 2; ++k) maker_entry(m, upper + k, NULL, m->axes + 9 * i, 0.5);
  for (uint32_t k = 0; k < 2 && lower != CONTACT_MAKER_GROUND; ++k) maker_entry(m, lower + k, NULL, m->axes + 9 * i, -0.5);
  m->first[i + 1] = m->entries;
  m->friction[i] = friction;
}

void maker_make_rods(uint64_t *seed, contact_maker *m)
{
  size_t layers = maker_choose(seed, 2, 5), each = maker_choose(seed, 2, 4), nodes = 2 * each + 1, rods = layers * each;
  double friction = maker_uniform(seed, 0.2, 0.6), radius = maker_uniform(seed, 1e-4, 5e-4),
         young = pow(10.0, maker_uniform(seed, 8.0, 10.0));
  contact_maker_start(m, 3, rods * nodes, layers * each * each, 4);
  rod_mass mass = {.room = rods * nodes * 33, .entry = mem_array(rods * nodes * 33, sizeof(la_triplet))};
  if (!mass.entry) maker_give_up("no memory");
  for (size_t k = 0; k < rods; ++k) add_rod(m, &mass, nodes, (unsigned)(k / each % 2), 0.1, radius, young);
  for (size_t layer = 0; layer < layers; ++layer)
    for (size_t a = 0; a < each; ++a)
      for (size_t b = 0; b < each; ++b) {
        uint32_t upper = (uint32_t)((layer * each + a) * nodes + 2 * b),
                 lower = (uint32_t)(((layer ? layer - 1 : 0) * each + b) * nodes + 2 * a);
        cross_rods(m, upper, layer ? lower : CONTACT_MAKER_GROUND, friction);
      }
  if (la_sparse_from_triplets(3 * m->bodies, 3 * m->bodies, mass.entry, mass.count, &m->sparse, NULL) != SCR_OK) maker_give_up("its mass");
  mem_free(mass.entry);
}

/* ── hair ── */

/* A tress: fibres side by side, curled, hung by their roots. Node k of a fibre stands at `k` pieces below the root, which itself moves with
 * the head and is no node. */
typedef struct tress {
  size_t fibres, nodes; /* nodes of each */
  double piece, radius, young, curl, turn, friction;
} tress;

static void helix(const tress *t, double phase, double along, double *tangent)
{
  double slope = t->curl * t->turn;
  tangent[0] = -slope * sin(phase + t->turn * along);
  tangent[1] = slope * cos(phase + t->turn * along);
  tangent[2] = -sqrt(fmax(0.05, 1.0 - slope * slope));
  double length = sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1] + tangent[2] * tangent[2]);
  for (int c = 0; c < 3; ++c) tangent[c] /= length;
}

/* value (g . x)^2 over nodes from .. from + count, g [count][3]; those before `first` are the root, which is no node. */
static void add_square(rod_mass *r, uint32_t from, uint32_t first, uint32_t count, const double *g, double value)
{
  for (uint32_t i = first; i < count; ++i)
    for (uint32_t j = first; j < count; ++j)
      for (uint32_t a = 0; a < 3; ++a)
        for (uint32_t b = 0; b < 3; ++b) add_stiffness(r, 3 * (from + i) + a, 3 * (from + j) + b, value * g[3 * i + a] * g[3 * j + b]);
}

/* One fibre's nodes: mass, stretching along each piece, bending in both directions across it; the first piece is held at the root. */
static void add_fibre(contact_maker *m, rod_mass *r, const tress *t, double phase, const double *shake)
{
  double area = maker_pi * t->radius * t->radius, step2 = rod_step * rod_step, mass = 1300.0 * area * t->piece;
  double stretch = step2 * t->young * area / t->piece, bend = step2 * t->young * area * t->radius * t->radius / 4.0 / pow(t->piece, 3.0);
  uint32_t from = (uint32_t)m->bodies;
  for (size_t k = 0; k < t->nodes; ++k) {
    uint32_t node = (uint32_t)m->bodies++;
    double tangent[3], axes[9];
    if (m->bodies > m->body_room) maker_give_up("too many nodes");
    for (uint32_t c = 0; c < 3; ++c) {
      add_stiffness(r, 3 * node + c, 3 * node + c, mass);
      m->momentum[3 * node + c] = mass * (shake[c] * (double)(k + 1) / (double)t->nodes - (c == 2 ? maker_gravity * rod_step : 0.0));
    }
    helix(t, phase, t->piece * ((double)k + 0.5), tangent);
    maker_axes(tangent, axes);
    const double *e = axes + 3, *f = axes + 6, *g = tangent, ahead[6] = {-g[0], -g[1], -g[2], g[0], g[1], g[2]},
                 one[9] = {e[0], e[1], e[2], -2 * e[0], -2 * e[1], -2 * e[2], e[0], e[1], e[2]},
                 two[9] = {f[0], f[1], f[2], -2 * f[0], -2 * f[1], -2 * f[2], f[0], f[1], f[2]};
    add_square(r, node - 1, k == 0, 2, ahead, stretch);
    if (k > 0) add_square(r, node - 2, k == 1, 3, one, bend);
    if (k > 0) add_square(r, node - 2, k == 1, 3, two, bend);
    for (uint32_t c = 0; c < 3 && k == 0; ++c) add_stiffness(r, 3 * from + c, 3 * from + c, bend);
  }
}

/* Pieces `k` of two fibres side by side, or of one and the head. The normal stands across the first fibre. */
static void lay_together(contact_maker *m, const tress *t, uint32_t first, double phase, uint32_t second, size_t k, uint64_t *seed)
{
  double tangent[3], across[9], normal[3], angle = maker_uniform(seed, 0.0, 2.0 * maker_pi);
  double share[2] = {maker_uniform(seed, 0.0, 1.0), maker_uniform(seed, 0.0, 1.0)};
  helix(t, phase, t->piece * ((double)k + 0.5 + share[0]), tangent);
  maker_axes(tangent, across);
  for (int c = 0; c < 3; ++c) normal[c] = cos(angle) * across[3 + c] + sin(angle) * across[6 + c];
  size_t i = m->contacts++;
  if (i >= m->contact_room) maker_give_up("too many contacts");
  maker_axes(normal, m->axes + 9 * i);
  const uint32_t node[2] = {first, second};
  for (uint32_t side = 0; side < 2 && node[side] != CONTACT_MAKER_GROUND; ++side)
    for (uint32_t end = 0; end < 2; ++end)
      maker_entry(m, node[side] + (uint32_t)k + end, NULL, m->axes + 9 * i, (side ? -1.0 : 1.0) * (end ? share[side] : 1.0 - share[side]));
  m->first[i + 1] = m->entries;
  m->friction[i] = t->friction;
}

/* The tip of a fibre on a floor that moves under it: the normal stands at any angle to the fibre, so that its stiff direction is neither
 * normal nor tangential. */
static void touch_floor(contact_maker *m, const tress *t, uint32_t tip, double phase, uint64_t *seed)
{
  double tangent[3], axes[9], normal[3], lean = maker_uniform(seed, 0.0, 1.4), angle = maker_uniform(seed, 0.0, 2.0 * maker_pi);
  size_t i = m->contacts++;
  if (i >= m->contact_room) maker_give_up("too many contacts");
  helix(t, phase, t->piece * (double)t->nodes, tangent);
  maker_axes(tangent, axes);
  for (int c = 0; c < 3; ++c) normal[c] = sin(lean) * (cos(angle) * axes[3 + c] + sin(angle) * axes[6 + c]) - cos(lean) * tangent[c];
  maker_axes(normal, m->axes + 9 * i);
  maker_entry(m, tip, NULL, m->axes + 9 * i, 1.0);
  m->first[i + 1] = m->entries;
  m->friction[i] = t->friction;
  m->offset[3 * i] = -maker_uniform(seed, 0.0, 0.1);
  for (int c = 1; c < 3; ++c) m->offset[3 * i + c] = maker_uniform(seed, -0.2, 0.2);
}

static void make_tress(uint64_t *seed, bool brush, contact_maker *m)
{
  tress t = {.fibres = maker_choose(seed, 6, 16),
             .nodes = maker_choose(seed, 8, 16),
             .piece = maker_uniform(seed, 3e-3, 8e-3),
             .radius = maker_uniform(seed, 4e-5, 1e-4),
             .young = pow(10.0, maker_uniform(seed, 9.0, 10.0)),
             .friction = maker_uniform(seed, 0.2, brush ? 1.2 : 0.6)};
  t.turn = 2.0 * maker_pi / maker_uniform(seed, 6.0 * t.piece, 20.0 * t.piece);
  t.curl = maker_uniform(seed, brush ? 0.0 : 0.2, brush ? 0.2 : 0.9) / t.turn;
  size_t each = brush ? 1 : t.nodes / 2, room = t.fibres * t.nodes * 300;
  contact_maker_start(m, 3, t.fibres * t.nodes, t.fibres * (each + brush), 4);
  rod_mass mass = {.room = room, .entry = mem_array(room, sizeof(la_triplet))};
  double *phase = mem_array(t.fibres, sizeof *phase);
  if (!mass.entry || !phase) maker_give_up("no memory");
  for (size_t f = 0; f < t.fibres; ++f) {
    double shake[3];
    for (int c = 0; c < 3; ++c) shake[c] = maker_uniform(seed, -0.3, 0.3);
    phase[f] = maker_uniform(seed, 0.0, 1.0);
    add_fibre(m, &mass, &t, phase[f], shake);
  }
  for (size_t f = 0; f < t.fibres; ++f) {
    uint32_t first = (uint32_t)(f * t.nodes);
    if (brush) touch_floor(m, &t, first + (uint32_t)t.nodes - 1, phase[f], seed);
    for (size_t k = 0; k < each; ++k) {
      uint32_t other = f ? (uint32_t)(maker_choose(seed, 0, f - 1) * t.nodes) : CONTACT_MAKER_GROUND;
      lay_together(m, &t, first, phase[f], other, maker_choose(seed, 0, t.nodes - 2), seed);
    }
  }
  if (la_sparse_from_triplets(3 * m->bodies, 3 * m->bodies, mass.entry, mass.count, &m->sparse, NULL) != SCR_OK) maker_give_up("its mass");
  mem_free(mass.entry);
  mem_free(phase);
}

void maker_make_hair(uint64_t *seed, contact_maker *m)
{
  make_tress(seed, false, m);
}

void maker_make_brush(uint64_t *seed, contact_maker *m)
{
  make_tress(seed, true, m);
}
