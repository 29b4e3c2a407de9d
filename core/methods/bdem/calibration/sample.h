/** A piece of a packing of bonded spheres without end, in linear statics: what the body does under a mean stress (spec 4.15).
 *
 *  Spheres have the radius 1 and bonds the modulus 1: stresses are parts of the bonds' modulus. One block row of six unknowns per sphere,
 *  (displacement, half rotation), and one more for the mean strain xx, yy, zz, yz, zx, xy (engineering shear): under a mean stress s the
 *  strain and the spheres find their equilibrium together,
 *      K x = f,   f = volume s in the last row, 0 elsewhere.
 *  Private to calibration.c and its tests. */
#ifndef SCREE_METHODS_BDEM_SAMPLE_H
#define SCREE_METHODS_BDEM_SAMPLE_H

#include "linalg/block6/block_matrix.h"
#include "linalg/block6/preconditioner.h"
#include "methods/bdem/bonds/bond.h"
#include "methods/bdem/scene/material_params.h"

enum { BDEM_STRESSES = 6 };

/** A bond from sphere i to sphere j or to one of its images. */
typedef struct bdem_link {
  uint32_t i, j;
  scr_vec3 e; /**< from i to j at rest */
  bdem_bond bond;
  bool broken;
} bdem_link;

typedef struct bdem_sample {
  size_t sphere_count; /**< n */
  scr_vec3 *centre;    /**< [n] */
  double edge[3];      /**< periods, or the sizes of a bar across its axis */
  bool free[3];        /**< no period along this axis: two free faces */
  double volume;       /**< product of the edges */
  size_t link_count;
  bdem_link *links;
  bdem_section section; /**< of all bonds, unbreakable */
  la_block_matrix matrix;
  la_preconditioner preconditioner;
  double *scratch;
} bdem_sample;

/** One cell of a packing, repeated without end.
 *  @param stretch [3] of a lattice along its axes (filling.h); 0: 1
 *  @param cell,edge random packings: [BDEM_RANDOM_CELL] the cell that a filling repeats, in diameters */
scr_status bdem_sample_cell(int packing, const double stretch[3], const scr_vec3 *cell, double edge, bdem_sample *sample, scr_error *error);

/** A bar along an axis, endless, its sides cut as fillings cut theirs. Lattices: about eight diameters wide.
 *  @param width random packings: of the bar across its axis, diameters; it has the very spheres that a filling of that width has */
scr_status bdem_sample_bar(int packing, const double stretch[3], int axis, const scr_vec3 *cell, double edge, const double width[3],
                           bdem_sample *sample, scr_error *error);

/** Accepts a zeroed or half-built one. */
void bdem_sample_destroy(bdem_sample *sample);

/** Joins neighbours by bonds of modulus 1 and the rest of `elasticity`, and assembles the matrix. May be called again.
 *  @param flexion factor of the bonds' bending and twisting stiffness */
scr_status bdem_sample_bond(bdem_sample *sample, const bdem_elasticity *elasticity, double flexion, scr_error *error);

/** Doubles of a response. */
static inline size_t bdem_sample_unknowns(const bdem_sample *sample)
{
  return 6 * (sample->sphere_count + 1);
}

/** The mean strain of a response: its last six numbers. */
static inline const double *bdem_sample_strain(const bdem_sample *sample, const double *response)
{
  return response + 6 * sample->sphere_count;
}

/** Equilibrium under a mean stress, to a relative residual of `tolerance`. Stress that a free face cannot bear is left out.
 *  @param response [bdem_sample_unknowns] the first guess, e.g. zero; receives the solution
 *  @return SCR_OK; SCR_DIVERGED when the sample can bear no such stress (any more) */
scr_status bdem_sample_solve(bdem_sample *sample, const double stress[BDEM_STRESSES], double tolerance, double *response, scr_error *error);

/** Takes a bond out of the matrix. */
void bdem_sample_break(bdem_sample *sample, size_t link);

/** Stress in a bond under a response, which is taken as small whatever its size: linear in it. */
bdem_bond_stress bdem_sample_stress(const bdem_sample *sample, const bdem_link *link, const double *response);

#endif
