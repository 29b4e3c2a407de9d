/** Penalty contact: between spheres that no live bond joins, and between spheres and the rig's parts. Energies, forces and curvature of the
 *  candidates that a search has listed (contact_list.h); both integrators use the same.
 *
 *    pair  1/2 k (|p_j - p_i| - R)^2 where nearer than R      part  1/2 k (phi(p) - R)^2 where phi < R, phi the signed distance
 *
 *  R = r_i + r_j, or the length at which their bond broke when that was shorter, so that breaking gives no kick (spec 3.6, 3.7); of a part
 *  R = r. Packed bodies meet by the faces of their shapes instead (contact_surface: faces): press.h, pair_face.h, touch_face.h. What
 *  overlapped at the start only because spheres stick out of their body's surface has its distance at the start for R.
 *
 *  Threads share out pairs, then spheres: each sphere gathers what its pairs found, in their order. What is summed over all contacts is
 *  summed in pieces whose number follows from the contacts. So the bits never depend on the threads. */
#ifndef SCREE_METHODS_BDEM_CONTACT_H
#define SCREE_METHODS_BDEM_CONTACT_H

#include "base/execution.h"
#include "linalg/block6/block_matrix.h"
#include "methods/bdem/body/body.h"
#include "methods/bdem/scene/material_params.h"
#include "sim/rig/parts.h"

struct bdem_face;

typedef struct bdem_pair {
  uint32_t i, j;                           /**< i < j */
  double reach;                            /**< R, m; of faces the distance along their normal from which on they press */
  double stiffness;                        /**< k, N/m; of faces where they are right opposite */
  double shear;                            /**< tangential stiffness over k (friction.h) */
  uint32_t law;                            /**< of the surfaces: place in `laws` */
  bool sticks;                             /**< friction held it in the last step */
  scr_vec3 spring;                         /**< of friction, m (friction.h); zero when apart */
  const struct bdem_face *face_i, *face_j; /**< the model's, that look at each other; NULL: the spheres meet */
  double width;                            /**< m, how far across their normal faces feel each other; 0 of spheres */
} bdem_pair;

typedef struct bdem_touch {
  uint32_t sphere, part;
  double reach;     /**< m, from the part's surface: the sphere's radius, or less when it overlapped at the start (initial_overlap.h) */
  double stiffness; /**< k, N/m */
  double shear;     /**< tangential stiffness over k */
  uint32_t law;
  bool sticks;
  scr_vec3 spring;              /**< m */
  const struct bdem_face *face; /**< the model's, that meets the part; NULL: the sphere does */
  bool facet;                   /**< the part is met by the mean over points of the face */
} bdem_touch;

/** What an impulse at a touch did. */
typedef struct bdem_touch_effect {
  scr_vec3 impulse, turn;   /**< on the part and its moment about the part's position, N s, N m s */
  double damping, friction; /**< dissipated, J */
} bdem_touch_effect;

/** The law of a contact that is changed while a step is solved (implicit/stabilised_contact.h). */
typedef struct bdem_contact_law {
  double reach, stiffness, shear; /**< as of the contact */
  double overlap;                 /**< m, at the step's start, negative apart */
  double anticipation;            /**< a, 0: nothing is changed */
} bdem_contact_law;

/** Which pairs every sphere is in, and room for what is found of them. */
typedef struct bdem_contact_rows {
  bool made;        /**< false: contacts are few, or not indexed */
  uint32_t *sphere; /**< [sphere_count] those in pairs, ascending */
  size_t sphere_count, sphere_capacity;
  uint32_t *first;     /**< [sphere_count + 1] of a sphere's entries */
  uint32_t *pair;      /**< [2 pair_count] ascending within a sphere: 2 k for pair k's i, 2 k + 1 for its j */
  double *overlap;     /**< [pair_count] scratch, m */
  scr_vec3 *push;      /**< [pair_count] scratch: N, on j; or the normal */
  scr_vec3 (*turn)[2]; /**< [pair_count] scratch: N m, torque on i and on j */
  uint32_t *active;    /**< [pair_count] scratch: pairs in contact */
  uint32_t *sorted;    /**< [pair_count] scratch: the same by colour */
  uint8_t *colour;     /**< [pair_count] scratch */
  double (*lost)[2];   /**< [pair_count] scratch: damping and friction, J */
  size_t first_capacity, pair_capacity, overlap_capacity, push_capacity, turn_capacity, active_capacity, sorted_capacity, colour_capacity,
      lost_capacity;
  uint64_t *met; /**< [n] zero: colours of the contacts of a sphere while they are coloured */
  size_t met_capacity;
} bdem_contact_rows;

struct bdem_friction;
typedef struct bdem_contacts {
  bdem_pair *pairs; /**< [pair_count] candidates, sorted by i, then j */
  size_t pair_count, pair_capacity;
  bdem_pair_reach *exposed; /**< [exposed_count] pairs that lay in each other when one was enclosed no more (contact_list.c); sorted */
  size_t exposed_count, exposed_capacity;
  uint32_t (*unused)[2]; /**< [unused_count] pairs no longer listed or bonded that the solver's matrix still has (step_problem.h) */
  size_t unused_count, unused_capacity;
  bdem_touch *touches; /**< [touch_count] candidates, sorted by part, then sphere */
  size_t touch_count, touch_capacity;
  bdem_touch_effect *touch_effects; /**< [touch_count] scratch */
  size_t touch_effect_capacity;
  bdem_contact_law *plain; /**< [pair_count + touch_count] scratch: of pairs, then touches */
  size_t plain_capacity;
  size_t touch_first[SCR_PART_LIMIT + 1]; /**< [part_count + 1] a part's first touch */
  scr_execution execution;                /**< whose threads find contacts */
  const bdem_surface *laws;               /**< what pairs and touches refer to; borrowed; NULL: no friction */
  size_t law_count;
  struct bdem_friction *friction;                       /**< what friction works with (friction.h); NULL: no contact has friction */
  part_displacement part_displacements[SCR_PART_LIMIT]; /**< of the parts since the step's start */
  bdem_contact_rows rows;                               /**< of the pairs, see bdem_contacts_index */
  const scr_part *rig;                                  /**< [part_count] what the rig consists of; borrowed, as are */
  part_motion *parts;                                   /**< [part_count] the parts' places now */
  sim_parts *all; /**< the simulation's parts, which the two point into: where they will be; borrowed */
  size_t part_count;
} bdem_contacts;

void bdem_contacts_clear(bdem_contacts *contacts);

/** Makes the rows of the pairs, of `sphere_count` spheres, and room for what is found of contacts: whenever the lists have changed. Few
 *  contacts have no rows and are summed without them.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status bdem_contacts_index(bdem_contacts *contacts, size_t sphere_count, scr_error *error);

/** Whether there are so many contacts, and so many threads, that a team of these is worth its start. */
bool bdem_contacts_are_many(const bdem_contacts *contacts);

/** Overlaps of all pairs into rows.overlap, m, 0 when apart. */
void bdem_pairs_measure(const bdem_contacts *contacts, const bdem_body *body);

/** Overlap of a candidate, m, > 0 in contact: its force along the normal over its stiffness; `normal` receives the unit vector from i to j,
 *  or out of the part. 0 when apart. */
double bdem_pair_overlap(const bdem_pair *pair, const bdem_body *body, scr_vec3 *normal);
double bdem_touch_overlap(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body, scr_vec3 *normal);

/** Energies stored, J. */
double bdem_pairs_energy(const bdem_contacts *contacts, const bdem_body *body);
double bdem_touches_energy(const bdem_contacts *contacts, const bdem_body *body);

/** Adds what all contacts push and, by faces, turn without friction. @param force,torque [n] N, N m */
void bdem_contacts_add_forces(const bdem_contacts *contacts, const bdem_body *body, scr_vec3 *force, scr_vec3 *torque);

/** The same with friction: springs are stretched by what the surfaces slide over dt with the body's velocities while parts go their
 *  part_displacements; with dt = 0 they push as they are.
 *  @param force,torque [n] N, N m    @return what slipping dissipated, J */
double bdem_contacts_add_friction(bdem_contacts *contacts, const bdem_body *body, double dt, scr_vec3 *force, scr_vec3 *torque);

/** Force and torque of the spheres on the parts, friction included. load: [part_count], whose impulses are left as they are */
void bdem_parts_load(const bdem_contacts *contacts, const bdem_body *body, part_load *load);

/** Adds k n n^T of every contact (positive semi-definite: the falling tangential part is left out) to a matrix whose pattern has the
 *  candidate pairs: to the rows of positions, and by faces also to those of turns. */
void bdem_contacts_add_hessian(const bdem_contacts *contacts, const bdem_body *body, la_block_matrix *matrix);

#endif
