/** Small free clusters of bonded spheres in motion, their energy and momenta: what the tests of bdem share. */
#ifndef SCREE_TESTS_SUPPORT_BDEM_CLUSTER_H
#define SCREE_TESTS_SUPPORT_BDEM_CLUSTER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/fill/packing.h"
#include "methods/bdem/body/body.h"

/** A block of a x b x c spheres of radius `r` in hexagonal close packing, E = `young`, nu = 0.3, 1000 kg/m^3 in the spheres, at rest. */
static inline bdem_body cluster_block(size_t a, size_t b, size_t c, double r, double young)
{
  size_t counts[3] = {a, b, c}, n = a * b * c, bonds;
  uint32_t(*pairs)[2];
  bdem_elasticity material = {.young_modulus = young, .poisson_ratio = 0.3};
  bdem_body body;
  scr_vec3 *centres = mem_array(n, sizeof *centres);
  assert_non_null(centres);
  geo_packing_block(GEO_PACKING_HEXAGONAL_CLOSE, r, counts, centres);
  assert_int_equal(geo_packing_pairs(centres, n, 2.02 * r, &pairs, &bonds, NULL), SCR_OK);
  assert_int_equal(bdem_body_create(n, bonds, &body, NULL), SCR_OK);
  for (size_t k = 0; k < n; ++k) {
    body.position[k] = centres[k];
    body.radius[k] = r;
    body.mass[k] = 1000.0 * 4.0 / 3.0 * 3.14159265358979323846 * r * r * r;
  }
  for (size_t k = 0; k < bonds; ++k) assert_int_equal(bdem_body_bond(&body, k, pairs[k][0], pairs[k][1], &material, NULL), SCR_OK);
  mem_free(centres);
  mem_free(pairs);
  return body;
}

/** Two bonded spheres that spin at `spin` rad/s about a slanted axis as one rigid body, vibrate at `speed` m/s and twist. */
static inline bdem_body cluster_spinning_pair(double r, double young, double spin, double speed)
{
  bdem_body body = cluster_block(2, 1, 1, r, young);
  scr_vec3 w = vec3(0.3 * spin, -0.5 * spin, 0.8124 * spin), centre = vec3_scale(vec3_add(body.position[0], body.position[1]), 0.5);
  for (int k = 0; k < 2; ++k) {
    double side = k == 0 ? -1.0 : 1.0;
    body.velocity[k] = vec3_add(vec3_cross(w, vec3_sub(body.position[k], centre)), vec3(side * speed, 0.3 * side * speed, 0));
    body.spin[k] = vec3_add(w, vec3(0.2 * side * spin, 0.1 * spin, 0));
  }
  return body;
}

/** Kinetic and elastic energy, J. */
static inline double cluster_energy(const bdem_body *body)
{
  double sum = bdem_body_energy(body);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double inertia = 0.4 * body->radius[k] * body->radius[k];
    scr_vec3 v = body->velocity[k], w = body->spin[k];
    sum += 0.5 * body->mass[k] * (vec3_dot(v, v) + inertia * vec3_dot(w, w));
  }
  return sum;
}

static inline scr_vec3 cluster_momentum(const bdem_body *body)
{
  scr_vec3 sum = vec3(0, 0, 0);
  for (size_t k = 0; k < body->sphere_count; ++k) sum = vec3_add(sum, vec3_scale(body->velocity[k], body->mass[k]));
  return sum;
}

/** Angular momentum about the origin. */
static inline scr_vec3 cluster_angular_momentum(const bdem_body *body)
{
  scr_vec3 sum = vec3(0, 0, 0);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    scr_vec3 orbit = vec3_cross(body->position[k], body->velocity[k]);
    scr_vec3 own = vec3_scale(body->spin[k], 0.4 * body->radius[k] * body->radius[k]);
    sum = vec3_add(sum, vec3_scale(vec3_add(orbit, own), body->mass[k]));
  }
  return sum;
}

/** Largest distance of two states of one body: positions over the radius, orientations as the length of their difference. */
static inline double cluster_distance(const bdem_body *a, const bdem_body *b)
{
  double largest = 0.0;
  for (size_t k = 0; k < a->sphere_count; ++k) {
    double sign = quat_dot(a->orientation[k], b->orientation[k]) < 0.0 ? 1.0 : -1.0;
    largest = fmax(largest, vec3_length(vec3_sub(a->position[k], b->position[k])) / a->radius[k]);
    largest = fmax(largest, quat_length(quat_add(a->orientation[k], quat_scale(b->orientation[k], sign))));
  }
  return largest;
}

#endif
