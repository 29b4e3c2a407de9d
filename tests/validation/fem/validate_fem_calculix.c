/* The method fem beside CalculiX: the same mesh, the same matter, the same load, the same displacements of all nodes. Reference: CalculiX,
 * run here; without it the cases are skipped. */
#include "tests/support/claim.h"

#include "tests/support/fem_static.h"
#include "tests/support/suites.h"

/* Largest distance of a displacement component from CalculiX' over the largest component. */
static double distance(const fem_static *c, double *largest)
{
  size_t n = 3 * c->mesh.node_count;
  double *ours = calloc(n + 1, sizeof *ours), *theirs = calloc(n + 1, sizeof *theirs), off = 0, seconds;
  fem_static_cost cost;
  scr_error error = {0};
  assert_true(ours && theirs);
  if (fem_static_solve(c, ours, &cost, 0, NULL, &error) != SCR_OK) fail_msg("%s", error.message);
  if (!calculix_solve(c, theirs, &seconds)) fail_msg("CalculiX printed no displacements");
  *largest = 0;
  for (size_t k = 0; k < n; k++) {
    off = fmax(off, fabs(ours[k] - theirs[k]));
    *largest = fmax(*largest, fabs(ours[k]));
  }
  free(ours);
  free(theirs);
  return off / *largest;
}

static fem_static cantilever(uint32_t n, uint32_t layers, fem_formulation formulation, double nu, double distortion)
{
  const double size[3] = {0.1, 0.01, 0.01}, force[3] = {2e-3, 3e-3, -1e-2};
  const uint32_t cells[3] = {n, layers, layers};
  fem_static c = fem_static_cantilever(size, cells, force, (fem_constitutive){FEM_LINEAR, formulation, fem_moduli_of(1e8, nu)});
  for (size_t k = 0; k < c.mesh.node_count; k++) { /* a shear and a bulge: no element stays a box */
    double x = c.mesh.node[k][0] / 0.1, y = c.mesh.node[k][1] / 0.01;
    c.mesh.node[k][2] += distortion * 0.01 * x * (0.5 + y + x * y);
    c.mesh.node[k][1] += distortion * 0.01 * x * x;
  }
  return c;
}

static void compare(const char *what, uint32_t n, uint32_t layers, fem_formulation formulation, double nu, double distortion)
{
  char name[160];
  double largest;
  fem_static c = cantilever(n, layers, formulation, nu, distortion);
  double off = distance(&c, &largest);
  snprintf(name, sizeof name, "%s, %u x %u x %u, nu = %g: displacements off CalculiX' over the largest", what, n, layers, layers, nu);
  claim_between(name, off, 0, 1e-6, "CalculiX, which prints 7 digits");
  fem_static_clear(&c);
}

/* Plain elements are C3D8, on boxes and on distorted meshes. A cantilever pulled, bent both ways and twisted by its distortion. CalculiX
 * prints 7 digits: 6 agree. */
static void test_plain_elements_are_c3d8(void **state)
{
  (void)state;
  if (!calculix_there()) {
    print_message("# no ccx here\n");
    skip();
  }
  compare("plain", 10, 1, FEM_PLAIN, 0.3, 0);
  compare("plain", 20, 3, FEM_PLAIN, 0.3, 0);
  compare("plain, distorted", 20, 3, FEM_PLAIN, 0.3, 0.3);
  compare("plain, distorted", 20, 2, FEM_PLAIN, 0, 0.3);
}

/* Elements with incompatible modes are C3D8I where elements are boxes. */
static void test_incompatible_modes_are_c3d8i(void **state)
{
  (void)state;
  if (!calculix_there()) {
    print_message("# no ccx here\n");
    skip();
  }
  compare("incompatible modes", 10, 1, FEM_INCOMPATIBLE_MODES, 0.3, 0);
  compare("incompatible modes", 20, 3, FEM_INCOMPATIBLE_MODES, 0.3, 0);
  compare("incompatible modes, distorted", 20, 3, FEM_INCOMPATIBLE_MODES, 0.3, 0.3);
}

SUITE(validate_fem_calculix)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_elements_are_c3d8),
      cmocka_unit_test(test_incompatible_modes_are_c3d8i),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
