/** Spheres and the bonds between them: the state that the integrators advance. */
#ifndef SCREE_METHODS_BDEM_BODY_H
#define SCREE_METHODS_BDEM_BODY_H

#include "base/execution.h"
#include "base/error.h"
#include "methods/bdem/bonds/bond.h"
#include "sim/fields.h"

/** Bits of bdem_body.held. */
enum {
  BDEM_HELD_ALL = 0x3f
}; /** A pair, and the distance from which on it pushes: of a broken bond, of an overlap at the start, or of spheres that lay in each other
    * when one was enclosed no more. */
typedef struct bdem_pair_reach {
  uint32_t i, j; /**< spheres i < j; or a part of the rig and a sphere, in lists of touches */
  double reach;  /**< m: their distance then, at most r_i + r_j */
} bdem_pair_reach;

/**< bit k < 3: position component k, bit 3 + k: rotation about axis k */

struct bdem_contacts;
struct bdem_batches;

typedef struct bdem_body {
  size_t sphere_count;                  /**< n */
  scr_vec3 *position;                   /**< [n] m */
  scr_quat *orientation;                /**< [n] unit */
  scr_vec3 *velocity;                   /**< [n] m/s */
  scr_vec3 *spin;                       /**< [n] rad/s, world axes */
  double *mass;                         /**< [n] kg, > 0; the moment of inertia is 2/5 m r^2 */
  double *radius;                       /**< [n] m, > 0 */
  uint8_t *held;                        /**< [n] components that may not move */
  size_t bond_count;                    /**< b */
  uint32_t (*ends)[2];                  /**< [b] spheres i, j */
  bdem_bond *bonds;                     /**< [b] */
  const struct bdem_contacts *contacts; /**< that also act on the spheres, see contact.h; borrowed, NULL: none */
  struct bdem_batches *batches;         /**< the same bonds for fast forces, see bond_batch.h; borrowed, NULL: forces go bond by bond */
} bdem_body;

/** Every array of a body; checkpoints hold how spheres move (body.c). */
enum { BDEM_BODY_FIELDS = 9 };
extern const sim_field bdem_body_fields[BDEM_BODY_FIELDS];

/** Arrays of the given sizes: orientations are the identity, all else zero, to be filled by the caller. */
scr_status bdem_body_create(size_t sphere_count, size_t bond_count, bdem_body *body, scr_error *error);
void bdem_body_destroy(bdem_body *body);

/** Bond `index` between two spheres as they lie now (unturned), its beam's radius the mean of theirs.
 *  SCR_BAD_USAGE for an index out of range, a sphere bonded to itself or centres further apart than twice, or closer than half,
 *  the sum of the radii. */
scr_status bdem_body_bond(bdem_body *body, size_t index, uint32_t i, uint32_t j, const bdem_elasticity *elasticity, scr_error *error);

/** Smallest |q_i . q_j| of a bond that may still be evaluated in an implicit step: at 0 its ends are turned by 180 degrees. */
#define BDEM_LEAST_COSINE 0.1

/** Sum of all bonds' energies, J: each is bdem_bond_energy_of's but for its last bits. The same bits for any number of threads.
 *  @param hemisphere [bond_count] signs, or NULL: then INFINITY when any sign times q_i . q_j is below BDEM_LEAST_COSINE */
double bdem_bonds_energy(const bdem_body *body, const signed char *hemisphere, scr_execution execution);
/** The same by one thread, without the check. */
double bdem_body_energy(const bdem_body *body);

/** Kinetic energy of all spheres, J. */
double bdem_body_kinetic(const bdem_body *body);

/** Adds the bonds' forces and torques to arrays of the caller, [n] each, in the order of the bonds. */
void bdem_body_add_forces(const bdem_body *body, scr_vec3 *force, scr_vec3 *torque);

#endif
