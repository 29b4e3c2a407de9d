/* What must not matter to any solver of frictional contact: the axes of the world, those of each contact's tangents, the order of the
 * contacts, the units.
 *
 * Reference: Coulomb's law and Newton's are the same in all of them; velocities are compared where they are unique. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/claim.h"
#include "tests/support/made_case.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return ((double)(*seed >> 11) + 0.5) * 0x1p-53;
}

/* Turns each contact's tangents by an angle of its own. */
static void turn_tangents(contact_maker *m, uint64_t seed)
{
  for (size_t i = 0; i < m->contacts; ++i) {
    double angle = 6.28 * uniform(&seed), c = cos(angle), s = sin(angle);
    for (size_t k = m->first[i] * m->block_size; k < m->first[i + 1] * m->block_size; ++k) {
      double a = m->jacobian[3 * k + 1], b = m->jacobian[3 * k + 2];
      m->jacobian[3 * k + 1] = c * a + s * b;
      m->jacobian[3 * k + 2] = c * b - s * a;
    }
  }
}

/* Mass in grams, length in millimetres: velocities become 1000 times larger, momenta 10^6, angular ones 10^9, inertia 10^9. Turning
 * velocities stay. */
static const double velocity_scale = 1e3;

static void scale_units(contact_maker *m)
{
  size_t b = m->block_size;
  for (size_t k = 0; k < m->bodies * b * b; ++k) m->mass[k] *= 1e3 * (k / 6 % 6 > 2 ? 1e6 : 1.0);
  for (size_t k = 0; k < m->bodies * b; ++k) m->momentum[k] *= 1e6 * (k % 6 > 2 ? 1e3 : 1.0);
  for (size_t k = 0; k < m->entries * b; ++k)
    for (int r = 0; r < 3; ++r) m->jacobian[3 * k + r] *= k % 6 > 2 ? 1e3 : 1.0;
  for (size_t k = 0; k < 3 * m->contacts; ++k) m->offset[k] *= velocity_scale;
}

/* y = R x for every three numbers of a column. */
static void rotate(const double *rotation, double *x, size_t count, size_t stride)
{
  for (size_t k = 0; k < count; ++k) {
    double y[3] = {0};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) y[r] += rotation[3 * r + c] * x[(3 * k + c) * stride];
    for (int r = 0; r < 3; ++r) x[(3 * k + r) * stride] = y[r];
  }
}

/* The whole scene turned: velocities, momenta, masses and H with it. */
static void turn_world(contact_maker *m, const double *rotation)
{
  size_t b = m->block_size;
  rotate(rotation, m->momentum, m->bodies * b / 3, 1);
  for (size_t r = 0; r < 3; ++r) rotate(rotation, m->jacobian + r, m->entries * b / 3, 3);
  rotate(rotation, m->mass, m->bodies * b * b / 3, 1); /* columns */
  for (size_t k = 0; k < m->bodies; ++k)
    for (size_t r = 0; r < b; ++r) rotate(rotation, m->mass + k * b * b + r, b / 3, b); /* rows */
}

/* Contacts in another order. */
static void permute_contacts(const contact_maker *m, uint64_t seed, contact_maker *other)
{
  size_t n = m->contacts, b = m->block_size;
  uint32_t *order = mem_array(n, sizeof *order);
  contact_maker_start(other, (unsigned)b, m->bodies, n, 4);
  memcpy(other->mass, m->mass, m->bodies * b * b * sizeof *m->mass);
  memcpy(other->momentum, m->momentum, m->bodies * b * sizeof *m->momentum);
  other->bodies = m->bodies;
  for (size_t i = 0; i < n; ++i) order[i] = (uint32_t)i;
  for (size_t i = n; i-- > 1;) {
    size_t j = (size_t)(uniform(&seed) * (double)(i + 1));
    uint32_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = m->first[order[i]]; k < m->first[order[i] + 1]; ++k, ++other->entries) {
      other->block[other->entries] = m->block[k];
      memcpy(other->jacobian + other->entries * b * 3, m->jacobian + k * b * 3, 3 * b * sizeof *m->jacobian);
    }
    other->first[i + 1] = other->entries;
    other->friction[i] = m->friction[order[i]];
    memcpy(other->offset + 3 * i, m->offset + 3 * (size_t)order[i], 3 * sizeof *m->offset);
  }
  other->contacts = n;
  mem_free(order);
}

typedef enum change { TURN_TANGENTS, TURN_WORLD, SCALE_UNITS, PERMUTE, CHANGE_COUNT } change;

static void apply(change what, contact_maker *m, const double *rotation)
{
  contact_maker other;
  switch (what) {
  case TURN_TANGENTS: turn_tangents(m, 3); return;
  case TURN_WORLD: turn_world(m, rotation); return;
  case SCALE_UNITS: scale_units(m); return;
  case PERMUTE:
    permute_contacts(m, 4, &other);
    contact_maker_clear(m);
    *m = other;
    return;
  case CHANGE_COUNT: return;
  }
}

/* Velocities of the changed problem against those of the first, taken back: largest difference over the largest velocity without contact.
 * */
static double apart(const generated_case *a, generated_case *b, change what, const double *rotation)
{
  size_t size = a->problem.block_count * a->problem.block_size;
  double inverse[9], gap = 0.0, speed = 0.0, unit = what == SCALE_UNITS ? velocity_scale : 1.0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) inverse[3 * r + c] = rotation[3 * c + r];
  if (what == TURN_WORLD) rotate(inverse, b->velocity, size / 3, 1);
  for (size_t k = 0; k < size; ++k) {
    if (k % 6 > 2) continue; /* centres alone: turning velocities have other units */
    gap = fmax(gap, fabs(a->velocity[k] - b->velocity[k] / unit));
    speed = fmax(speed, fabs(a->problem.momentum[k] / a->problem.mass_block[k * 6 + k % 6]));
  }
  return gap / speed;
}

static const char *const names[CHANGE_COUNT] = {"turned tangents", "turned axes", "other units", "another order"};

static void rotation_of(double a, double b, double *rotation)
{
  const double given[9] = {cos(a), -sin(a), 0, sin(a) * cos(b), cos(a) * cos(b), -sin(b), sin(a) * sin(b), cos(a) * sin(b), cos(b)};
  memcpy(rotation, given, sizeof given);
}

/* Two cubes on each other that slide on the ground, gravity tilted; three bricks that stand; a ball that pushes four apart, two of which
 * have not reached the ground: sliding, sticking and open contacts, gaps among them, and velocities that are unique. Harder ones, for auto:
 * a stack, an arch and a pack from seeds. */
enum { SAMPLES = 3, HARDER = 3 };
static const contact_kind harder[HARDER] = {CONTACT_KIND_STACK, CONTACT_KIND_ARCH, CONTACT_KIND_PACK};

static void make_sample(unsigned which, contact_maker *m)
{
  switch (which) {
  case 0: contact_maker_cubes(2, 0.3, 0.01, (double[3]){4.0, 1.0, -9.0}, m); return;
  case 1: contact_maker_wall(2, 1, 0.6, m); return;
  case 2:
    contact_maker_pyramid(2, 0.1, m);
    m->offset[0] = 4e-3; /* a gap: this ball is still falling, one beside it hardly touches */
    m->offset[3] = 1e-2;
    return;
  default: contact_maker_make(harder[which - SAMPLES], 5, m); return;
  }
}

/* Solves a sample as it is and changed. @return how far apart their velocities are */
static double changed_solution(unsigned sample, change what, contact_solver solver, double tolerance)
{
  generated_case first, other;
  double rotation[9];
  rotation_of(0.7, 1.1, rotation);
  make_sample(sample, &first.maker);
  make_sample(sample, &other.maker);
  apply(what, &other.maker, rotation);
  made_room(&first);
  made_room(&other);
  first.options.solver = other.options.solver = solver;
  first.options.tolerance = other.options.tolerance = tolerance;
  first.options.iteration_limit = other.options.iteration_limit = solver == CONTACT_AUTO || solver >= CONTACT_NEWTON ? 0 : 20000;
  made_solve(&first);
  made_solve(&other);
  double gap = apart(&first, &other, what, rotation);
  if (first.result.status != CONTACT_SOLVED || other.result.status != CONTACT_SOLVED)
    fail_msg("%s, sample %u, %s: %.1e and %.1e left", contact_solver_name(solver), sample, names[what], first.result.residual,
             other.result.residual);
  made_clear(&first);
  made_clear(&other);
  return gap;
}

/* Each solver on each sample in each of the four ways seen anew: the same velocities, to what the residual of 1e-6 leaves of them
 * (measured: 2e-5 and less). auto, which goes on to 1e-10, to that. */
static void test_the_frame_does_not_matter_to_any_solver(void **state)
{
  (void)state;
  for (unsigned what = 0; what < CHANGE_COUNT; ++what) {
    double furthest = 0.0, best = 0.0;
    char text[100];
    for (unsigned solver = 0; solver < CONTACT_SOLVER_COUNT; ++solver)
      for (unsigned sample = 0; sample < SAMPLES; ++sample) {
        double gap = changed_solution(sample, (change)what, (contact_solver)solver, 1e-6);
        furthest = fmax(furthest, gap);
      }
    for (unsigned sample = 0; sample < SAMPLES + HARDER; ++sample)
      best = fmax(best, changed_solution(sample, (change)what, CONTACT_AUTO, 1e-10));
    snprintf(text, sizeof text, "relative difference of velocities, each of %d solvers to 1e-6: %s", CONTACT_SOLVER_COUNT, names[what]);
    claim_between(text, furthest, 0.0, 1e-4, "invariance of Coulomb's law");
    snprintf(text, sizeof text, "relative difference of velocities, auto to 1e-10: %s", names[what]);
    claim_between(text, best, 0.0, 1e-6, "invariance of Coulomb's law");
  }
}

SUITE(validate_contact_frame)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_frame_does_not_matter_to_any_solver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
