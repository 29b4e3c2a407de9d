/** A contact problem of tests/data/dcfp with room for its solution: what the tests of contact solvers share. */
#ifndef SCREE_SUPPORT_CONTACT_CASE_H
#define SCREE_SUPPORT_CONTACT_CASE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contact/files/contact_file.h"
#include "contact/system/system.h"

typedef struct contact_case {
  contact_file file;
  size_t rows, size; /**< n d, m */
  double *impulse, *relative, *velocity;
  contact_options options;
  contact_result result;
} contact_case;

/** A contact_problem of points in 3D from arrays named as its members are. */
#define CONTACT_CASE_POINTS(contacts, points)                                                                                              \
  {                                                                                                                                        \
    .dimension = 3, .contact_count = (contacts), .block_size = 3, .block_count = (points), .mass_block = mass, .momentum = momentum,       \
    .first = first, .block = block, .jacobian = jacobian, .offset = offset, .friction = friction                                           \
  }

/** Room for a problem that is in c->file already; impulses are zero. */
static inline void contact_case_make_room(contact_case *c)
{
  c->options = contact_options_default();
  c->rows = c->file.problem.contact_count * c->file.problem.dimension;
  c->size = c->file.problem.block_count * c->file.problem.block_size;
  c->impulse = calloc(c->rows, sizeof *c->impulse);
  c->relative = calloc(c->rows, sizeof *c->relative);
  c->velocity = calloc(c->size, sizeof *c->velocity);
  assert_true(c->impulse && c->relative && c->velocity);
}

/** Reads tests/data/dcfp/NAME.hdf5. */
static inline void contact_case_open(const char *name, contact_case *c)
{
  char path[128];
  scr_error error = {0};
  snprintf(path, sizeof path, "tests/data/dcfp/%s.hdf5", name);
  if (contact_file_read(path, &c->file, &error) != SCR_OK) fail_msg("%s: %s", path, error.message);
  contact_case_make_room(c);
}

static inline void contact_case_solve(contact_case *c)
{
  scr_error error = {0};
  if (contact_solve(&c->file.problem, &c->options, c->impulse, c->velocity, c->relative, &c->result, &error) != SCR_OK)
    fail_msg("%s", error.message);
}

/** Relative residual of an impulse; v and u of it come along. */
static inline double contact_case_measure(contact_case *c, const double *impulse)
{
  double residual = NAN;
  assert_int_equal(contact_measure(&c->file.problem, &c->options, impulse, c->velocity, c->relative, &residual, NULL), SCR_OK);
  return residual;
}

static inline void contact_case_close(contact_case *c)
{
  contact_file_clear(&c->file);
  free(c->impulse);
  free(c->relative);
  free(c->velocity);
}

/** Largest difference of two arrays. */
static inline double contact_case_apart(const double *a, const double *b, size_t count)
{
  double gap = 0.0;
  for (size_t k = 0; k < count; k++) gap = fmax(gap, fabs(a[k] - b[k]));
  return gap;
}

/** Largest |q|, m/s. */
static inline double contact_case_speed(const contact_case *c)
{
  contact_system system;
  assert_int_equal(contact_system_create(&c->file.problem, &c->options, &system, NULL), SCR_OK);
  double speed = system.speed;
  contact_system_clear(&system);
  return speed;
}

#endif
