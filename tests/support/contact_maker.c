/* Rigid bodies, their contacts, boxes and arches. */
#include "tests/support/contact_maker_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const double box_step = 5e-3;

double maker_uniform(uint64_t *seed, double low, double high)
{
  uint64_t x = *seed += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return low + (high - low) * ((double)(x >> 11) * 0x1p-53);
}

size_t maker_choose(uint64_t *seed, size_t low, size_t high)
{
  return low + (size_t)maker_uniform(seed, 0.0, (double)(high - low + 1));
}

void maker_give_up(const char *why)
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
    maker_give_up("no memory");
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
  if (k >= m->body_room) maker_give_up("too many bodies");
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

void maker_axes(const double *normal, double *axes)
{
  double helper[3] = {0}, length = 0.0;
  helper[fabs(normal[0]) < 0.6 ? 0 : 1] = 1.0;
  memcpy(axes, normal, 3 * sizeof *axes);
  cross(normal, helper, axes + 3);
  for (int k = 0; k < 3; ++k) length += axes[3 + k] * axes[3 + k];
  for (int k = 0; k < 3; ++k) axes[3 + k] /= sqrt(length);
  cross(normal, axes + 3, axes + 6);
}

void maker_entry(contact_maker *m, uint32_t body, const double *point, const double *axes, double sign)
{
  size_t k = m->entries++, b = m->block_size;
  if (k >= m->entry_room) maker_give_up("too many rows");
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
  if (i >= m->contact_room) maker_give_up("too many contacts");
  maker_axes(normal, m->axes + 9 * i);
  if (a != CONTACT_MAKER_GROUND) maker_entry(m, a, point, m->axes + 9 * i, 1.0);
  if (b != CONTACT_MAKER_GROUND) maker_entry(m, b, point, m->axes + 9 * i, -1.0);
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
  size_t count = maker_choose(seed, 3, 10);
  double tilt = maker_choose(seed, 0, 1) ? maker_uniform(seed, 0.0, 0.3) : 0.0, friction = maker_uniform(seed, 0.3, 0.8),
         spread = maker_uniform(seed, 0.0, 2.0);
  double pull[3] = {maker_gravity * sin(tilt), 0.0, -maker_gravity * cos(tilt)}, below[3] = {0.1, 0.1, 0.1}, at[3] = {0}, height = 0.0;
  contact_maker_start(m, 6, count, 4 * count, 2);
  uint32_t under = CONTACT_MAKER_GROUND;
  for (size_t k = 0; k < count; ++k) {
    double half[3], face[3], centre[3];
    for (int c = 0; c < 3; ++c) {
      half[c] = maker_uniform(seed, 0.05, 0.1);
      centre[c] = at[c] + (k && c < 2 ? maker_uniform(seed, -0.01, 0.01) : 0.0);
      face[c] = fmin(half[c], below[c]) - 0.01;
    }
    centre[2] = height + half[2];
    uint32_t body = add_box(m, centre, half, 1000.0 * pow(10.0, maker_uniform(seed, -spread, spread)), pull);
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
  const double half[3] = {0.1, 0.05, 0.05}, pull[3] = {0.0, 0.0, -maker_gravity};
  size_t *of_row = mem_array(rows + 1, sizeof *of_row);
  if (!of_row) maker_give_up("no memory");
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
  double depth = 0.3, width = maker_pi / (double)count, inner = 1.0 - 0.5 * thickness, outer = 1.0 + 0.5 * thickness;
  double radius = 2.0 / 3.0 * (pow(outer, 3.0) - pow(inner, 3.0)) / (outer * outer - inner * inner) * sin(0.5 * width) / (0.5 * width);
  contact_maker_start(m, 6, count, 4 * count + 4, 2);
  for (size_t k = 0; k < count; ++k) {
    double angle = ((double)k + 0.5) * width, mass = 2000.0 * thickness * width * depth, c = cos(angle), s = sin(angle);
    double radial = mass / 12.0 * (width * width + depth * depth), around = mass / 12.0 * (thickness * thickness + depth * depth),
           across = mass / 12.0 * (thickness * thickness + width * width);
    const double inertia[9] = {radial * c * c + around * s * s, 0.0, (radial - around) * c * s,      0.0, across, 0.0,
                               (radial - around) * c * s,       0.0, radial * s * s + around * c * c};
    contact_maker_body(m, (double[3]){radius * c, 0.0, radius * s}, mass, inertia, (double[3]){0.0, 0.0, -mass * maker_gravity * box_step});
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
  size_t count = maker_choose(seed, 7, 21);
  double thickness = maker_uniform(seed, 0.08, 0.2);
  contact_maker_arch(count, thickness, maker_uniform(seed, 0.5, 0.9), m);
}

/* ── kinds ── */

const char *contact_kind_name(contact_kind kind)
{
  static const char *const names[CONTACT_KIND_COUNT] = {"stack", "wall", "arch", "rods", "pack", "mixed pack", "hair", "needles", "brush"};
  return names[kind];
}

void contact_maker_make(contact_kind kind, uint64_t seed, contact_maker *m)
{
  switch (kind) {
  case CONTACT_KIND_STACK: make_stack(&seed, m); return;
  case CONTACT_KIND_WALL: {
    size_t rows = maker_choose(&seed, 2, 6), columns = maker_choose(&seed, 2, 6);
    contact_maker_wall(rows, columns, maker_uniform(&seed, 0.2, 0.9), m);
    return;
  }
  case CONTACT_KIND_ARCH: make_arch(&seed, m); return;
  case CONTACT_KIND_RODS: maker_make_rods(&seed, m); return;
  case CONTACT_KIND_PACK: maker_make_pack(&seed, false, m); return;
  case CONTACT_KIND_HAIR: maker_make_hair(&seed, m); return;
  case CONTACT_KIND_BRUSH: maker_make_brush(&seed, m); return;
  case CONTACT_KIND_NEEDLES: maker_make_needles(&seed, m); return;
  case CONTACT_KIND_MIXED_PACK:
  case CONTACT_KIND_COUNT: maker_make_pack(&seed, true, m); return;
  }
}
