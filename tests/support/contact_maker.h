/** Fresh contact problems made from a seed: stacks, walls, arches, crossed rods, packs of spheres as in tests/data/dcfp; tresses of hair
 *  and slender bodies, whose contacts are badly conditioned; large ones, up to 10^5 contacts.
 *
 *  Bodies are rigid, six velocities each (linear, angular, world axes); rods are chains of nodes with M = mass + dt^2 stiffness. SI units,
 *  g = 9.81 m/s^2. */
#ifndef SCREE_SUPPORT_CONTACT_MAKER_H
#define SCREE_SUPPORT_CONTACT_MAKER_H

#include "contact/contact.h"

/** A problem being made; owns its arrays. */
typedef struct contact_maker {
  unsigned block_size; /**< 6 rigid bodies, 3 nodes */
  size_t bodies, body_room, contacts, contact_room, entries, entry_room;
  double *mass, *momentum;   /**< [bodies][b][b], [bodies][b] */
  double *centre;            /**< [bodies][3] */
  size_t *first;             /**< [contacts + 1] */
  uint32_t *block;           /**< [entries] */
  double *jacobian;          /**< [entries][b][3] */
  double *offset, *friction; /**< [contacts][3], [contacts] */
  double *axes;              /**< [contacts][3][3] normal, tangents */
  la_sparse sparse;          /**< mass of rods, else empty */
} contact_maker;

/** Room for so much; ends the program when there is no memory for it, as all here do when room runs out. */
void contact_maker_start(contact_maker *self, unsigned block_size, size_t bodies, size_t contacts, size_t entries_each);
/** The problem; borrows from the maker. */
contact_problem contact_maker_problem(const contact_maker *self);
void contact_maker_clear(contact_maker *self);

/** A rigid body. @param inertia [9] in world axes, kg m^2    @param impulse [3] momentum of the step without contact, N s    @return its
 *  number */
uint32_t contact_maker_body(contact_maker *self, const double *centre, double mass, const double *inertia, const double *impulse);
#define CONTACT_MAKER_GROUND UINT32_MAX
/** A contact at `point`, unit normal from b to a; either may be the ground. @param gap w of the normal, m/s */
void contact_maker_contact(contact_maker *self, uint32_t a, uint32_t b, const double *point, const double *normal, double friction,
                           double gap);

typedef enum contact_kind {
  CONTACT_KIND_STACK,      /**< boxes on each other, sizes, masses and gravity's tilt at random */
  CONTACT_KIND_WALL,       /**< bricks in running bond */
  CONTACT_KIND_ARCH,       /**< voussoirs on two fixed feet, thick and thin */
  CONTACT_KIND_RODS,       /**< elastic rods across each other in layers */
  CONTACT_KIND_PACK,       /**< spheres that have fallen into a box, one size */
  CONTACT_KIND_MIXED_PACK, /**< the same with masses up to 1000 to 1 */
  CONTACT_KIND_HAIR,       /**< curled fibres side by side that hardly stretch */
  CONTACT_KIND_NEEDLES,    /**< slender rigid rods on each other, length over diameter 10 to 1000 */
  CONTACT_KIND_BRUSH,      /**< bristles whose tips a moving floor presses on, at any angle */
  CONTACT_KIND_COUNT
} contact_kind;

const char *contact_kind_name(contact_kind kind);
/** One of that kind; the seed chooses sizes, numbers, friction. Packs are settled by some steps of Moreau and Jean, each solved by auto. */
void contact_maker_make(contact_kind kind, uint64_t seed, contact_maker *made);

/** A half-circle of voussoirs between two fixed feet, mean radius 1 m. @param thickness m */
void contact_maker_arch(size_t count, double thickness, double friction, contact_maker *made);
/** Cubes of 0.1 m and 1 kg on each other. @param pull [3] acceleration, m/s^2    @param step s */
void contact_maker_cubes(size_t count, double friction, double step, const double *pull, contact_maker *made);

/** A wall of rows x columns bricks; a pack of side^3 spheres on a jittered lattice in a box, touching or nearly so. For growth with size.
 *  */
void contact_maker_wall(size_t rows, size_t columns, double friction, contact_maker *made);
void contact_maker_lattice(size_t side, double friction, uint64_t seed, contact_maker *made);
/** A pyramid of side (side + 1) (2 side + 1)/6 spheres in square layers, the lowest on the ground; those of a layer do not touch. */
void contact_maker_pyramid(size_t side, double friction, contact_maker *made);
/** A layer of spheres settled under gravity, `tiles` x `tiles` copies of a cell of `wide` x `wide` x `high` spheres whose sides meet their
 *  opposite sides; what lies beyond the rim is held. Some 2.7 contacts a sphere. */
void contact_maker_layer(size_t wide, size_t high, size_t tiles, double friction, uint64_t seed, contact_maker *made);

#endif
