/** Dynamics-aware coarsening, its numbers: vibration modes of a mesh, how well a coarser mesh has them, and by how much its stiffness must
 *  be scaled.
 *
 *      K phi = lambda M phi, lambda = (2 pi f)^2                  modes, M-normalised, of bodies at rest, clamped where the caller says
 *      P                                                          fine nodes out of coarse ones by the coarse elements' shape functions
 *      MAC = least eigenvalue of (Phi^T M P Psi)^T (Phi^T M P Psi) (Psi^T P^T M P Psi)^-1     of a cluster of modes of about one frequency;
 *      1: the same space s = lambda_1 fine / lambda_1 coarse                        times Young's modulus of the coarse mesh: its first
 *      mode then has the fine one's frequency
 *
 *  s makes the first mode right; others get nearer only as far as the coarse mesh is too stiff by the same factor for them (the table says
 *  how far).
 *  Source: Chen, Levin, Matusik, Kaufman 2017; the clusters are ours, as bending modes of square beams come in pairs that may turn. */
#ifndef SCREE_METHODS_FEM_MODES_H
#define SCREE_METHODS_FEM_MODES_H

#include "base/liveness.h"
#include "methods/fem/system/system.h"

/** The lowest modes of a system. Starts zeroed. */
typedef struct fem_modes {
  size_t count, size; /**< size = 3 node_count */
  double *value;      /**< [count] lambda, 1/s^2, rising */
  double *shape;      /**< [count][size] v . M v = 1; zero where clamped */
} fem_modes;

/** Finds them, rigid motions left out.  @param fixed [3 node_count] components that are clamped
 *  @return SCR_OK; SCR_DIVERGED where the iteration ends, or a body in several pieces moves without deforming; SCR_BAD_USAGE (count);
 *  SCR_NO_MEMORY */
scr_status fem_modes_find(const fem_system *system, const unsigned char *fixed, size_t count, fem_modes *modes, scr_error *error);
/** The same, telling `pulse` that it goes on. */
scr_status fem_modes_find_slowly(const fem_system *system, const unsigned char *fixed, size_t count, const scr_liveness *liveness,
                                 fem_modes *modes, scr_error *error);
void fem_modes_clear(fem_modes *modes);

/** In how many ways what is not clamped can move as one rigid body: 6 of a free body, 0 where all is held. */
size_t fem_modes_rigid(const fem_system *system, const unsigned char *fixed);

/** f, Hz, of a mode. */
double fem_mode_frequency(const fem_modes *modes, size_t k);

/** Where the nodes of one mesh lie in another that fills the same space. */
typedef struct fem_prolongation {
  size_t count;                  /**< fine nodes */
  uint32_t (*node)[FEM_CORNERS]; /**< [count] of the coarse mesh */
  double (*share)[FEM_CORNERS];  /**< [count] shape functions there */
} fem_prolongation;

/** Finds it. Fine nodes beside a coarser round surface take the value of its nearest point.
 *  @return SCR_OK; SCR_BAD_USAGE naming a node that lies outside of the coarse mesh by more than a quarter of an element; SCR_NO_MEMORY */
scr_status fem_prolong_find(const fem_system *fine, const fem_system *coarse, fem_prolongation *prolongation, scr_error *error);
void fem_prolong_clear(fem_prolongation *prolongation);

enum { FEM_CLUSTER_LIMIT = 6 };

/** One row of the table of a coarse mesh: a cluster of fine modes against the coarse modes that fit it best. */
typedef struct fem_match {
  size_t first, count;              /**< fine modes of the cluster */
  size_t coarse[FEM_CLUSTER_LIMIT]; /**< as many coarse modes, rising, neighbours or not */
  double mac;                       /**< 0 ... 1 */
  double ratio;                     /**< frequency of the coarse ones over that of the fine ones, means */
} fem_match;

/** Fills `match`, [fine->count] at most, and `count`; clusters are fine modes within 2 % of each other's frequency, and the last is left
 *  out where the list of modes may have cut it.  @return SCR_OK, SCR_NO_MEMORY, SCR_DIVERGED */
scr_status fem_match_modes(const fem_system *fine_system, const fem_modes *fine, const fem_modes *coarse,
                           const fem_prolongation *prolongation, fem_match *match, size_t *count, scr_error *error);

#endif
