/* What tests of the method fem share: blocks of hexahedra, distorted or not, as systems. */
#ifndef SCREE_SUPPORT_FEM_BLOCKS_H
#define SCREE_SUPPORT_FEM_BLOCKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "methods/fem/dynamics/solver.h"
#include "geometry/hexes/blocks.h"

/* A number in -1 ... 1, the same sequence for the same seed. */
static inline double fem_random(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1;
}

static inline fem_constitutive fem_test_matter(fem_law law, fem_formulation formulation, double young, double nu)
{
  return (fem_constitutive){law, formulation, fem_moduli_of(young, nu)};
}

/* A box of cells, its inner nodes, or all of them, moved by up to `distortion` of an edge. */
static inline geo_hexes fem_test_box(const double size[3], const uint32_t cells[3], double distortion, bool inner)
{
  geo_hexes mesh;
  uint64_t seed = 7;
  assert_int_equal(geo_hexes_box(size, cells, &mesh, NULL), SCR_OK);
  for (size_t n = 0; n < mesh.node_count; n++)
    for (int k = 0; k < 3; k++) {
      double move = fem_random(&seed) * distortion * size[k] / cells[k];
      bool moves = true;
      for (int j = 0; j < 3 && inner; j++) moves = moves && fabs(fabs(mesh.node[n][j]) - 0.5 * size[j]) > 1e-9 * size[j];
      if (moves) mesh.node[n][k] += move;
    }
  return mesh;
}

static inline fem_system fem_test_system(const geo_hexes *mesh, fem_constitutive matter, double density)
{
  fem_system system;
  const fem_body body = {mesh, matter, density};
  scr_error error = {0};
  if (fem_system_create(&body, 1, &system, &error) != SCR_OK) fail_msg("%s", error.message);
  return system;
}

#endif
