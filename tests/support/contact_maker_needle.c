/* Slender rigid rods thrown on each other: mass that turns easily about one axis, contacts far from the centre. */
#include <math.h>

#include "tests/support/contact_maker_parts.h"

static const double needle_step = 2e-3;

static void unit(double *x)
{
  double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int c = 0; c < 3; ++c) x[c] /= length;
}

/* A needle through two points, reaching beyond both. */
static uint32_t add_needle(contact_maker *m, const double *from, const double *to, double length, double radius, double density,
                           uint64_t *seed)
{
  double axis[3], centre[3], inertia[9], impulse[3], mass = density * maker_pi * radius * radius * length;
  double around = 0.5 * mass * radius * radius, across = mass * (length * length / 12.0 + 0.25 * radius * radius),
         share = maker_uniform(seed, 0.3, 0.7);
  for (int c = 0; c < 3; ++c) {
    axis[c] = to[c] - from[c];
    centre[c] = from[c] + share * (to[c] - from[c]);
    impulse[c] = mass * (maker_uniform(seed, -0.05, 0.05) - (c == 2 ? maker_gravity * needle_step : 0.0));
  }
  unit(axis);
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) inertia[3 * c + r] = (r == c ? across : 0.0) + (around - across) * axis[r] * axis[c];
  uint32_t body = contact_maker_body(m, centre, mass, inertia, impulse);
  for (int c = 0; c < 3; ++c) m->momentum[6 * body + 3 + c] = across * maker_uniform(seed, -0.5, 0.5) * (1.0 - fabs(axis[c]));
  return body;
}

/* Every needle lies on two points: of the ground, or of needles before it. Its second point leads it up or down by what they are apart. */
void maker_make_needles(uint64_t *seed, contact_maker *m)
{
  size_t count = maker_choose(seed, 8, 40);
  double length = maker_uniform(seed, 0.05, 0.2), slender = pow(10.0, maker_uniform(seed, 1.0, 3.0)),
         friction = maker_uniform(seed, 0.2, 1.0);
  double spread = maker_uniform(seed, 0.0, 1.5), ends[64][2][3];
  contact_maker_start(m, 6, count, 2 * count, 2);
  for (size_t k = 0; k < count; ++k) {
    double point[2][3], axis[3], radius = 0.5 * length / slender;
    uint32_t under[2];
    for (int side = 0; side < 2; ++side) {
      size_t on = k < 2 || maker_choose(seed, 0, 3) == 0 ? k : maker_choose(seed, 0, k - 1);
      double share = maker_uniform(seed, -0.1, 1.1), angle = maker_uniform(seed, 0.0, 2.0 * maker_pi);
      under[side] = on == k ? CONTACT_MAKER_GROUND : (uint32_t)on;
      for (int c = 0; c < 3; ++c) point[side][c] = on == k ? 0.0 : ends[on][0][c] + share * (ends[on][1][c] - ends[on][0][c]);
      if (on == k) {
        point[side][0] = (side ? point[0][0] : maker_uniform(seed, -length, length)) + (side ? 0.8 * length * cos(angle) : 0.0);
        point[side][1] = (side ? point[0][1] : maker_uniform(seed, -length, length)) + (side ? 0.8 * length * sin(angle) : 0.0);
      }
      point[side][2] = fmax(point[side][2], 0.0) + radius;
    }
    if (under[0] == under[1] && under[0] != CONTACT_MAKER_GROUND) under[1] = CONTACT_MAKER_GROUND;
    uint32_t body = add_needle(m, point[0], point[1], length, radius, 1000.0 * pow(10.0, maker_uniform(seed, -spread, spread)), seed);
    for (int c = 0; c < 3; ++c) axis[c] = point[1][c] - point[0][c];
    unit(axis);
    for (int side = 0; side < 2; ++side) {
      double normal[3] = {0.0, 0.0, 1.0}, at[3];
      if (under[side] != CONTACT_MAKER_GROUND) {
        double other[3];
        for (int c = 0; c < 3; ++c) other[c] = ends[under[side]][1][c] - ends[under[side]][0][c];
        unit(other);
        for (int c = 0; c < 3; ++c) normal[c] = axis[(c + 1) % 3] * other[(c + 2) % 3] - axis[(c + 2) % 3] * other[(c + 1) % 3];
        if (fabs(normal[2]) < 0.05) normal[2] = 0.05; /* side by side */
        if (normal[2] < 0.0)
          for (int c = 0; c < 3; ++c) normal[c] = -normal[c];
        unit(normal);
      }
      for (int c = 0; c < 3; ++c) at[c] = point[side][c] - radius * normal[c];
      contact_maker_contact(m, body, under[side], at, normal, friction, 0.0);
    }
    for (int c = 0; c < 3; ++c) {
      ends[k][0][c] = point[0][c];
      ends[k][1][c] = point[1][c];
    }
  }
}
