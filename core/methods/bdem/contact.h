/** Penalty contact: between spheres that no live bond joins, and between spheres and the rig's parts. Energies, forces and curvature of the candidates
 *  that a search has listed (state.h); both integrators use the same.
 *
 *    pair  1/2 k (|p_j - p_i| - R)^2 where nearer than R      part  1/2 k (phi(p) - r)^2 where phi < r, phi the signed distance
 *
 *  R = r_i + r_j, or the length at which their bond broke when that was shorter, so that breaking gives no kick (spec 3.6, 3.7).
 *  Sums run over the candidates in order, by one thread. */
#ifndef SCREE_METHODS_BDEM_CONTACT_H
#define SCREE_METHODS_BDEM_CONTACT_H

#include "linalg/block_matrix.h"
#include "methods/bdem/body.h"
#include "scene/part.h"

typedef struct bdem_pair {
  uint32_t i, j;    /**< i < j */
  double reach;     /**< R, m */
  double stiffness; /**< k, N/m */
  uint32_t law;     /**< of the surfaces: the owner's numbering */
} bdem_pair;

typedef struct bdem_touch {
  uint32_t sphere, part;
  double stiffness; /**< k, N/m */
  uint32_t law;
} bdem_touch;

/** A part of the rig, now. */
typedef struct bdem_part {
  scr_vec3 position; /**< m, of its `start`; torques are about it */
  scr_vec3 velocity; /**< m/s */
  double angle;      /**< rad, by which it has turned about its axis */
  double spin;       /**< rad/s, about its axis */
} bdem_part;

typedef struct bdem_contacts {
  bdem_pair *pairs; /**< [pair_count] candidates, sorted by i, then j */
  size_t pair_count, pair_capacity;
  uint32_t (*spare)[2]; /**< [spare_count] pairs no longer listed or bonded that the solver's matrix still has (step_problem.h) */
  size_t spare_count, spare_capacity;
  bdem_touch *touches; /**< [touch_count] candidates, sorted by part, then sphere */
  size_t touch_count, touch_capacity;
  scr_part rig[SCR_PART_LIMIT]; /**< [part_count] what the rig consists of */
  bdem_part parts[SCR_PART_LIMIT];
  size_t part_count;
} bdem_contacts;

void bdem_contacts_clear(bdem_contacts *contacts);

/** Overlap of a candidate, m, > 0 in contact; `normal` receives the unit vector from i to j, or out of the part. 0 when apart. */
double bdem_pair_overlap(const bdem_pair *pair, const bdem_body *body, scr_vec3 *normal);
double bdem_touch_overlap(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body, scr_vec3 *normal);

/** Energies stored, J. */
double bdem_pairs_energy(const bdem_contacts *contacts, const bdem_body *body);
double bdem_touches_energy(const bdem_contacts *contacts, const bdem_body *body);

/** Adds all contact forces. @param force [n] N */
void bdem_contacts_add_forces(const bdem_contacts *contacts, const bdem_body *body, scr_vec3 *force);

/** Forces of the spheres on the parts, N, and torques about the parts' positions, N m, [part_count] each. */
void bdem_parts_load(const bdem_contacts *contacts, const bdem_body *body, scr_vec3 *force, scr_vec3 *torque);

/** Adds k n n^T of every contact (positive semi-definite: the falling tangential part is left out) to the position rows of a matrix
 *  whose pattern has the candidate pairs. */
void bdem_contacts_add_hessian(const bdem_contacts *contacts, const bdem_body *body, la_block_matrix *matrix);

#endif
