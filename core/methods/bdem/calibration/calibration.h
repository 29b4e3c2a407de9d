/** Bonds that give a packed body the elastic constants and strengths of a material: a virtual tension test (spec 3.8, 4.15).
 *
 *  The test pulls and shears a packing without end (sample.h): the elementary cell of a lattice, or the very cell that a random filling
 *  repeats. That gives the body's constants over the bonds', and the stress at which the first bond breaks. A bar of the same packing
 *  (lattices: eight diameters wide; random: the specimen's own section, from four to twelve) tells how deep its faces are soft, and how
 *  much more their bonds are loaded: the outermost spheres lack bonds, so that a body of extent L carries like one of L - 2 skin.
 *  Everything is linear in the bonds' modulus and strengths; only Poisson's ratio takes a search.
 *
 *  Tensile strength is the first break of a lattice's bar, and of a random packing's the peak of a slow pull in which the most loaded bond
 *  breaks first. Where bonds lie so much across the pull that they carry it by shear (body-centred packings along their axes), they break
 *  by shear. Shear strength is the first break deep inside under pure shear in planes that hold the direction. What clamps or notches
 *  concentrate comes on top: a body may break earlier where a machine holds it (the option tab_length). */
#ifndef SCREE_METHODS_BDEM_CALIBRATION_H
#define SCREE_METHODS_BDEM_CALIBRATION_H

#include "methods/bdem/bonds/bond.h"
#include "methods/bdem/body/filling.h"

/** Poisson's ratios of bonds that the search may choose: below, bonds are stiffer in shear than anything real; above, weaker. */
#define BDEM_BOND_POISSON_LOW (-0.5)
#define BDEM_BOND_POISSON_HIGH 0.5

/** Moduli and strengths, of bonds or of a body. NaN: not known, or not asked for; strengths: INFINITY when it never breaks so. */
typedef struct bdem_constants {
  double young_modulus, bulk_modulus, poisson_ratio; /**< bulk modulus: of bodies only */
  double tensile_strength, shear_strength;
} bdem_constants;

/** A virtual test: what is packed how, and what it shall be like. */
typedef struct bdem_test {
  int packing;           /**< bdem_packing */
  const scr_vec3 *cell;  /**< random packings: the filling's cell */
  double cell_edge;      /**< its edge, diameters */
  double extent[3];      /**< the body's, in diameters, before its rotation: its nominal section is the product of two */
  double packed[3];      /**< how much of that the lattice fills (filling.h), diameters; 0: all of it */
  double stretch[3];     /**< of the lattice along the same axes (filling.h), > 0; 0: as 1 */
  scr_vec3 direction;    /**< unit, in the same axes, in which it is pulled; zero: the average over all directions */
  bdem_elasticity bonds; /**< poisson_ratio: of bonds when none is asked of the body; young_modulus is not read */
  double flexion;        /**< factor of their bending and twisting stiffness: a material's bending_factor */
  bdem_constants wanted; /**< young_modulus, or else bulk_modulus, must be given */
  bool strengths;        /**< whether to find these too */
} bdem_test;

typedef struct bdem_calibrated {
  bdem_constants bonds;
  bdem_constants body;              /**< what the body will have: as wanted, but for what can't be reached */
  double young_low, young_high;     /**< over all directions; equal to the body's in random packings but for the cell's size */
  double poisson_low, poisson_high; /**< that the packing can reach; NaN when no ratio is asked for */
  double skin[3];                   /**< of the faces beside a pull along x, y, z; diameters */
  double share;                     /**< of the body's nominal section that carries */
  double crowd;                     /**< lattices: largest tension in a bond of a bar over that deep inside; random packings: 1 */
  double peak;                      /**< random packings: tensile strength over the stress of the first break deep inside; else 1 */
} bdem_calibrated;

/** Runs the test. Same bits on every call. A lattice takes some milliseconds, a random packing half a second to one and a half.
 *  A wanted Poisson's ratio out of reach gives the nearest; a wanted shear strength that the tensile strength doesn't allow gives the
 *  nearest too.
 *  @return SCR_OK, SCR_NO_MEMORY, SCR_DIVERGED */
scr_status bdem_calibrate(const bdem_test *test, bdem_calibrated *result, scr_error *error);

#endif
