/* The cost of a run. */
#include "methods/fem/cost.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "linalg/sparse.h"
#include "methods/fem/element/element.h"

/* Bytes: of a node, its vectors (some 45 of 3 numbers) and pictures; of an element, Gauss points (2.2 kB), modes twice, slots, colours and its part of the
 * surface; of a block, 9 numbers of stiffness twice, of the matrix and of the copy that is factorised (half), with indices. */
static const double node_bytes = 1300, hex_bytes = 3300, block_bytes = 9 * (8 * 2 + 12 + 8) + 20, factor_bytes = 8 * 1.3, fixed_bytes = 6e6;
/* Seconds of an element's tangent and of a floating point operation in the factorisation, one thread of the machine of the tests. */
static const double hex_seconds = 9e-6, mode_share = 2.2, operation_seconds = 4e-11, node_seconds = 2e-6, usual_iterations = 3;

double fem_cost_floor(const fem_cost *cost)
{
  return fixed_bytes + cost->nodes * (node_bytes + 20 * block_bytes) + cost->hexes * hex_bytes;
}

double fem_cost_memory(const fem_cost *cost)
{
  return fixed_bytes + cost->nodes * node_bytes + cost->hexes * hex_bytes + cost->blocks * block_bytes + cost->factor * factor_bytes;
}

double fem_cost_state(const fem_cost *cost)
{
  return 65536 + cost->nodes * (6 * sizeof(double) + 500) + cost->hexes * FEM_MODE_UNKNOWNS * sizeof(double);
}

double fem_cost_seconds(const fem_cost *cost, const fem_options *options, double steps, double frames)
{
  bool modes = options->element == FEM_INCOMPATIBLE_MODES, linear = options->law == FEM_LINEAR;
  double elements = cost->hexes * hex_seconds * (modes ? mode_share : 1), iterations = linear ? 1 : usual_iterations;
  double factor = linear ? 0 : cost->operations * operation_seconds, solve = 4 * cost->factor * operation_seconds;
  return steps * iterations * (elements + factor + solve + cost->nodes * node_seconds) + frames * elements;
}

static int by_pair(const void *left, const void *right)
{
  const uint32_t *a = left, *b = right;
  if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
  return (a[1] > b[1]) - (a[1] < b[1]);
}

scr_status fem_cost_add(fem_cost *cost, const fem_mesh *mesh, size_t count)
{
  size_t pairs = mesh->hex_count * FEM_CORNERS * FEM_CORNERS, kept = 0;
  uint32_t(*place)[2] = mem_array(pairs, sizeof *place);
  la_sparse graph = {0};
  la_factor *factor = NULL;
  if (!place) return SCR_NO_MEMORY;
  for (size_t e = 0, at = 0; e < mesh->hex_count; e++)
    for (int a = 0; a < FEM_CORNERS; a++)
      for (int b = 0; b < FEM_CORNERS; b++, at++) place[at][0] = mesh->hex[e][a], place[at][1] = mesh->hex[e][b];
  qsort(place, pairs, sizeof *place, by_pair);
  for (size_t k = 0; k < pairs; k++)
    if (k == 0 || by_pair(place[k], place[kept - 1]) != 0) place[kept][0] = place[k][0], place[kept][1] = place[k][1], kept++;
  scr_status status = la_sparse_from_pattern(mesh->node_count, mesh->node_count, (const uint32_t(*)[2])place, kept, &graph, NULL);
  if (status == SCR_OK) status = la_factor_create(LA_FACTOR_CHOLESKY, &factor, NULL);
  if (status == SCR_OK) status = la_factor_analyse(factor, &graph, NULL);
  if (status == SCR_OK) {
    la_foreseen foreseen = la_factor_foreseen(factor);
    cost->blocks += (double)kept * (double)count;
    cost->factor += 9 * foreseen.entries * (double)count;
    cost->operations += 27 * foreseen.operations * (double)count;
  }
  la_factor_destroy(factor);
  la_sparse_clear(&graph);
  mem_free(place);
  return status;
}
