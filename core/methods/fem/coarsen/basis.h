/** From the modes of a body to a mode basis (geometry/basis/): fields without rigid motions, reduced matrices, energies at levels of load.
 *
 *      Phi_a = (phi_a - rigid part) / largest |phi_a| of a node         rigid part: what takes the momenta away, in the metric of M
 *      M_ab = Phi_a . M Phi_b,   K_ab = Phi_a . K Phi_b                  K of the body at rest, exactly as assembled
 *      levels: along each mode at amplitudes +- A l/L, the energy of the whole body and Phi_b . dW/du
 *              or of snapshots u: eps = M_ab^-1 Phi_b . M u, the energy W(u) and Phi_b . dW/du of the snapshot itself
 *              or of snapshots along one load, with one mode: eps = Phi . u where Phi is largest, |Phi| = 1, W(u), and the energy's
 *              derivative along the motion, dW/du . du/deps, du/deps by the parabola through rest and neighbouring snapshots: the work of
 *              what presses the body, over how far it went. The share of such a mode would not do: a small load deforms a body elsewhere
 *              than a large one, and eps would not be how far the load has gone */
#ifndef SCREE_METHODS_FEM_COARSEN_BASIS_H
#define SCREE_METHODS_FEM_COARSEN_BASIS_H

#include "base/execution.h"
#include "base/liveness.h"
#include "geometry/basis/basis.h"
#include "methods/fem/coarsen/modes.h"
#include "scene/scene.h"

typedef struct fem_basis_request {
  const fem_system *system; /**< one body in its place */
  const geo_hexes *mesh;    /**< the same mesh about the shape's origin, unturned: what the basis has */
  const scr_specimen *specimen;
  const fem_modes *modes;
  size_t mode_count; /**< the lowest ones of `modes`, at most GEO_BASIS_MODE_LIMIT */
  double young_modulus, poisson_ratio;
  size_t levels;    /**< L, on either side of rest */
  double amplitude; /**< m, A > 0 where there are levels */
  size_t snapshot_count;
  const double
      *snapshots; /**< [snapshot_count][3 nodes] m, in the world's axes: become the levels where there are some, and `levels` is 0 */
  bool travel;    /**< snapshots are along one load, and their amplitudes how far the outermost place of the only mode went */
  scr_execution execution;
  scr_liveness liveness;
} fem_basis_request;

/** @param basis zeroed; on failure empty
 *  @return SCR_OK; SCR_DIVERGED where an amplitude folds an element, with the amplitude, or a level's energy is not finite, or a snapshot
 *  of a load that grows has not gone farther than the one before; SCR_BAD_USAGE for too many modes or
 *          levels; SCR_NO_MEMORY */
scr_status fem_basis_make(const fem_basis_request *request, geo_basis *basis, scr_error *error);

#endif
