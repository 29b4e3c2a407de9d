/** One static solve of a mesh of linear elements, by the method fem's parts and by CalculiX, for tests and benches that compare them. */
#ifndef SCREE_SUPPORT_FEM_STATIC_H
#define SCREE_SUPPORT_FEM_STATIC_H

#include <stdbool.h>

#include "linalg/sparse.h"
#include "geometry/hexes/hexes.h"
#include "methods/fem/system/system.h"

typedef struct fem_static {
  geo_hexes mesh; /**< owned */
  bool *fixed;    /**< [3 n] displacement 0 */
  double *load;   /**< [3 n] N */
  fem_constitutive matter;
} fem_static;

/** What a solve took, processor seconds of one thread. */
typedef struct fem_static_cost {
  double system;  /**< graph, shapes, masses */
  double matrix;  /**< stiffness of all elements, put together */
  double analyse; /**< order and fill */
  double factor;
  double solve; /**< one right-hand side */
  double whole;
  la_factor_cost foreseen;
} fem_static_cost;

/** A box [0, x] x [-y/2, y/2] x [-z/2, z/2] of cells, clamped at x = 0, with `force` N spread evenly over its end, linear matter. Ends the
 *  program without memory. */
fem_static fem_static_cantilever(const double size[3], const uint32_t cells[3], const double force[3], fem_constitutive matter);
void fem_static_clear(fem_static *c);

/** Solves it on one thread.  @param displacement [3 n] m, written    @param cost written
 *  @param columns  right-hand sides that are solved for besides, for their time: written to *columns_time; 0 and NULL: none */
scr_status fem_static_solve(const fem_static *c, double *displacement, fem_static_cost *cost, size_t columns, double *columns_time,
                            scr_error *error);

/** Whether `ccx` can be started. */
bool calculix_there(void);

/** The same by CalculiX on one thread: writes its input, runs it, reads what it prints (7 digits). Incompatible modes are its C3D8I, else
 *  C3D8.
 *  @param seconds processor time of the program, reading and printing included    @return false: it did not print all displacements */
bool calculix_solve(const fem_static *c, double *displacement, double *seconds);

#endif
