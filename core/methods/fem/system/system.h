/** All bodies of a run as one mesh: elements, masses, and who meets whom in matrices. Immutable once built.
 *
 *      graph   column c: nodes first[c] .. first[c + 1] of `row`, rising, those that share an element with node c, c among them
 *      block   3 x 3 per entry of the graph, row-major: row node row[k], column node c. Both triangles are stored
 *      slot    [hex][8 a + b] -> entry of row node hex[a], column node hex[b]
 *
 *  Elements of one colour share no node, so threads take them in any order and every sum has one order. */
#ifndef SCREE_METHODS_FEM_SYSTEM_H
#define SCREE_METHODS_FEM_SYSTEM_H

#include "base/execution.h"
#include "linalg/sparse.h"
#include "methods/fem/element/batch.h"
#include "geometry/hexes/hexes.h"

/** One body as it is put in: a mesh in its place. */
typedef struct fem_body {
  const geo_hexes *mesh; /**< m, in the world, at rest; read by fem_system_create alone */
  fem_constitutive constitutive;
  double density; /**< kg/m^3, > 0 */
} fem_body;

typedef struct fem_system {
  size_t node_count, hex_count, body_count, block_count;
  double *rest;                                /**< [node_count][3] m */
  uint32_t (*hex)[FEM_CORNERS];                /**< [hex_count] */
  fem_hex *shape;                              /**< [hex_count] */
  fem_constitutive *constitutive;              /**< [body_count] */
  double *density;                             /**< [body_count] kg/m^3 */
  uint32_t *node_first;                        /**< [body_count + 1] */
  uint32_t *hex_first;                         /**< [body_count + 1] */
  uint32_t *body_of_hex;                       /**< [hex_count] */
  uint32_t *body_of_node;                      /**< [node_count] */
  size_t *first;                               /**< [node_count + 1] */
  uint32_t *row;                               /**< [block_count] */
  uint32_t (*slot)[FEM_CORNERS * FEM_CORNERS]; /**< [hex_count] */
  double *mass;                                /**< [block_count] kg, consistent: times the unit matrix */
  double *node_mass;                           /**< [node_count] kg, sums of rows: what gravity pulls at */
  double total_mass;                           /**< kg */
  double *modulus;                             /**< [body_count] Pa, lambda + 2 mu */
  size_t colour_count;
  uint32_t *colour_first; /**< [colour_count + 1] into colour_hex */
  uint32_t *colour_hex;   /**< [hex_count] */
  size_t batch_count;
  uint32_t *colour_batch; /**< [colour_count + 1] into `batch` */
  fem_batch *batch;       /**< [batch_count] elements of one colour, law and formulation */
} fem_system;

/** Builds it. Meshes must be sound (geo_hexes_check). @return SCR_OK, SCR_NO_MEMORY; on failure what fem_system_clear accepts */
scr_status fem_system_create(const fem_body *bodies, size_t count, fem_system *system, scr_error *error);
void fem_system_clear(fem_system *system);

/** Elastic energy of all, J, and its gradient.
 *  @param displacement [node_count][3] m    @param mode [hex_count][9] m: where the modes start, then where they are
 *  @param gradient [node_count][3] N, written: the elastic force is its negative; or NULL
 *  @param block [block_count][9] N/m, written: the Hessian; or NULL    @param clamp see fem_element_evaluate
 *  @param bad receives the first element with det F <= 0; SIZE_MAX: none
 *  @return J; INFINITY where an element is bad */
double fem_system_evaluate(const fem_system *system, const double *displacement, double *mode, bool clamp, double *gradient, double *block,
                           scr_execution execution, size_t *bad);

/** y = K x, K the Hessian of the elastic energy, which is not put together.
 *  @param displacement [node_count][3] m    @param mode [hex_count][9] m, in equilibrium there    @param x [node_count][3]
 *  @param y [node_count][3] written, N/m times the unit of x. Elements that are folded add nothing */
void fem_system_multiply(const fem_system *system, const double *displacement, const double *mode, const double *x, double *y,
                         scr_execution execution);

/** y = M x.  both [node_count][3] */
void fem_mass_multiply(const fem_system *system, const double *x, double *y, scr_execution execution);
/** y = B x of symmetric blocks.  [node_count][3] */
void fem_block_multiply(const fem_system *system, const double *block, const double *x, double *y, scr_execution execution);

/** The scalar matrix of 3 node_count unknowns with all places of the graph, values zero. Entry (3 r + i, 3 c + j) of graph entry k is at
 *  fem_matrix_slot. */
scr_status fem_system_matrix(const fem_system *system, la_sparse *matrix, scr_error *error);

/** Index into the matrix' values. @param k entry of column node c */
static inline size_t fem_matrix_slot(const fem_system *system, size_t c, size_t k, int i, int j)
{
  size_t first = system->first[c], length = system->first[c + 1] - first;
  return 9 * first + (size_t)j * 3 * length + 3 * (k - first) + (size_t)i;
}

#endif
