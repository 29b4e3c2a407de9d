/** A mode basis: the fields by which a body may deform, on its mesh, with its reduced mass and stiffness and a table of elastic energies; a
 *  file that one run of a fine mesh makes (`scree coarsen --basis`) and others refer to as an asset.
 *
 *      u(X) = sum over modes a of eps_a Phi_a(X)          Phi has no unit, eps is a length
 *      M_ab = int rho Phi_a . Phi_b dV,  K_ab = d2U/deps_a deps_b at rest
 *      level l of the table: eps_a, the elastic energy U of u(X), and dU/deps_a; of a basis made from snapshots of a motion, the snapshot's
 *      share of each mode, its energy (less than that of the share alone, as the body has more ways to give), and Phi_a . its internal
 *      forces
 *
 *  Coordinates are those of the specimen's shape, about its own origin, before it is placed. Between nodes a field is that of the 8-node
 *  hexahedron (hexes/finder.h). basis_read.c says how the file is written. */
#ifndef SCREE_GEOMETRY_BASIS_H
#define SCREE_GEOMETRY_BASIS_H

#include "base/text.h"
#include "geometry/hexes/hexes.h"

/** Most modes and most levels of a basis; most nodes, and most elements, of its mesh. */
enum { GEO_BASIS_MODE_LIMIT = 64, GEO_BASIS_LEVEL_LIMIT = 1024, GEO_BASIS_NODE_LIMIT = 2000000 };

/** Starts zeroed; emptied by geo_basis_clear. */
typedef struct geo_basis {
  double density;       /**< kg/m^3, > 0 */
  double young_modulus; /**< Pa, > 0 */
  double poisson_ratio; /**< -1 < nu < 0.5 */
  geo_hexes mesh;       /**< sound */
  size_t mode_count;    /**< A, 1 ... GEO_BASIS_MODE_LIMIT */
  double *field;        /**< [A][mesh.node_count][3] Phi, 1 */
  double *mass;         /**< [A][A] kg, symmetric, positive definite */
  double *stiffness;    /**< [A][A] N/m, symmetric, positive definite */
  size_t level_count;   /**< 0 ... GEO_BASIS_LEVEL_LIMIT */
  double *amplitude;    /**< [level_count][A] m */
  double *energy;       /**< [level_count] J, >= 0 */
  double *force;        /**< [level_count][A] N, dU/deps_a */
} geo_basis;

void geo_basis_clear(geo_basis *basis);

/** Room for the arrays of a basis whose counts are set, zeroed; the mesh is left as it is. @return SCR_OK; SCR_NO_MEMORY, and the basis is
 *  empty */
scr_status geo_basis_allocate(geo_basis *basis, scr_error *error);

/** Reads a basis from bytes that nobody vouches for.
 *  @param basis zeroed; on failure empty
 *  @return SCR_OK; SCR_BAD_FILE naming the line, or what is unsound; SCR_NO_MEMORY */
scr_status geo_basis_read(const void *bytes, size_t size, geo_basis *basis, scr_error *error);

/** Appends the file. Numbers are written so that they read back as the same doubles. Memory that runs out shows in text_take. */
void geo_basis_write(const geo_basis *basis, text_builder *text);

/** Whether a basis is what this header says: material in range, mesh sound, fields finite and not all zero, matrices symmetric and positive
 *  definite, and `mass` what the fields give by integration, to 1e-6 of its diagonal. @return SCR_OK; SCR_BAD_FILE naming what is not;
 *  SCR_NO_MEMORY */
scr_status geo_basis_check(const geo_basis *basis, scr_error *error);

/** M_ab of fields on a mesh, by 2 x 2 x 2 Gauss points.  @param field [count][node_count][3]    @param mass [count][count] kg, written */
void geo_basis_integrate_mass(const geo_hexes *mesh, double density, const double *field, size_t count, double *mass);

/** Volume, m^3, and centroid, m, of a mesh. */
double geo_basis_centroid(const geo_hexes *mesh, double centroid[3]);

/** Mean squares of the places of a mesh about its centroid, along each axis, m^2. */
void geo_basis_second_moments(const geo_hexes *mesh, double second[3]);

/** Takes off each field the rigid motion that carries its momentum and angular momentum, int rho Phi dV and int rho X x Phi dV about the
 *  centroid, and integrates the mass anew: a rigid motion has no elastic energy, so that stiffness and levels stay. Fields without one, to
 *  1e-6 of their own, keep their bits. */
scr_status geo_basis_free_of_rigid_motion(geo_basis *basis, scr_error *error);

#endif
