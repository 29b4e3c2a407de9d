/* The method fem beside CalculiX: whole static solves of a cantilever of plain elements, one thread each, in turns, the quickest of
 * several; and the time of 96 right-hand sides, the order and the fill. Processor seconds. CalculiX' include reading its input and printing
 * displacements, fem's begin with the mesh. Without CalculiX its columns are left empty. Prints Markdown. bench_fem [turns, default 3] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/fem_static.h"

static const uint32_t meshes[][3] = {{60, 6, 6}, {24, 24, 24}};

static fem_static_cost quicker(fem_static_cost a, fem_static_cost b)
{
  return b.whole < a.whole ? b : a;
}

static void row(const uint32_t cells[3], fem_formulation formulation, int turns, bool other)
{
  const double size[3] = {0.1, 0.1 * cells[1] / cells[0], 0.1 * cells[2] / cells[0]}, force[3] = {0, 0, -0.01};
  fem_static c = fem_static_cantilever(size, cells, force, (fem_constitutive){FEM_LINEAR, formulation, fem_moduli_of(1e8, 0.3)});
  size_t n = 3 * c.mesh.node_count;
  double *ours = calloc(n, sizeof *ours), *theirs = calloc(n, sizeof *theirs), columns = INFINITY, seconds = INFINITY, off = 0, largest = 0;
  fem_static_cost best = {.whole = INFINITY};
  scr_error error = {0};
  if (!ours || !theirs) abort();
  for (int k = 0; k < turns; k++) {
    fem_static_cost cost;
    double time, took;
    if (fem_static_solve(&c, ours, &cost, 96, &time, &error) != SCR_OK) {
      fprintf(stderr, "bench_fem: %s\n", error.message);
      exit(1);
    }
    best = quicker(best, cost);
    columns = fmin(columns, time);
    if (other && calculix_solve(&c, theirs, &took)) seconds = fmin(seconds, took);
  }
  for (size_t k = 0; k < n; k++) {
    off = fmax(off, fabs(ours[k] - theirs[k]));
    largest = fmax(largest, fabs(ours[k]));
  }
  printf("| %u x %u x %u %s | %zu | %s | %.4g | %.3g | %.2f %.2f %.2f %.2f %.2f | %.2f |", cells[0], cells[1], cells[2],
         formulation == FEM_PLAIN ? "plain" : "incompatible modes", n, best.foreseen.order, best.foreseen.entries / 1e6,
         best.foreseen.operations / 1e9, best.system, best.matrix, best.analyse, best.factor, best.solve, best.whole);
  if (isfinite(seconds))
    printf(" %.2f | %.2f | %.1e |", seconds, seconds / best.whole, off / largest);
  else
    printf(" | | |");
  printf(" %.2f |\n", columns);
  fflush(stdout);
  free(ours);
  free(theirs);
  fem_static_clear(&c);
}

int main(int count, char **arguments)
{
  int turns = count > 1 ? (int)strtol(arguments[1], NULL, 10) : 3;
  bool other = calculix_there();
  printf("## fem: static solves beside CalculiX\n\nProcessor seconds, one thread, the quickest of %d in turns. Parts: system, matrix, "
         "analysis, factor, one right-hand side.%s\n\n",
         turns, other ? "" : " CalculiX (ccx) is not here.");
  printf("| mesh | unknowns | order | entries of the factor, 1e6 | Gflop | parts | whole | CalculiX | CalculiX over fem | displacements "
         "off | 96 right-hand sides |\n");
  printf("|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < sizeof meshes / sizeof *meshes; k++) row(meshes[k], FEM_PLAIN, turns, other);
  row(meshes[0], FEM_INCOMPATIBLE_MODES, turns, other);
  return 0;
}
