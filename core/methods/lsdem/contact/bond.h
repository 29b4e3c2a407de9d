/** Bonds: nodes of one grain glued to places of another where these were near at the start; they break for good.
 *
 *      delta = x_k - [x_B + R_B (Y0 + u_B(Y0) + offset)]        0 at the start; Y0: the master's surface point nearest to the node then, in
 *      reference coordinates traction  t = k_n delta_n n + k_t delta_t on area A      n: the master's normal at Y0, turning with it breaks
 *      max(t_n, 0)/strength + |t_t|/shear strength >= 1, or the energy of an area >= fracture energy where that is given
 *
 *  A bond that breaks at a pass pulls no more from then on, not in the half step that ends there either: it is booked as lost with its
 *  energy less that half step's work A t.v dt/2, so that the balance of energy keeps the second order of the steps. The force on the node
 *  is -A t (and a dashpot's), that on the master A t at the same place: the gradient of A (k_n delta_n^2 + k_t delta_t^2)/2. Until it
 *  breaks a bonded node has no contact with that master; afterwards its overlap counts from the one at the start on, so that glued grains
 *  that overlap release no energy but their bonds'. Nor does a contact that is stiffer than the bond make any: what was pressed together
 *  when its bond broke takes over the energy of that, and presses from there on. A bond's area is its node's, times its direction's weight.
 *  Source: the method's specification, section 3.6. */
#ifndef SCREE_LSDEM_CONTACT_BOND_H
#define SCREE_LSDEM_CONTACT_BOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec3.h"

/** How nodes of two materials are glued, for one square metre. */
typedef struct lsdem_glue {
  double normal, shear;            /**< N/m^3, normal 0: they are not */
  double reach;                    /**< m, how near a node must lie at the start */
  double strength, shear_strength; /**< Pa */
  double energy;                   /**< J/m^2 that breaks it instead; NaN: strengths do */
  double damping;                  /**< N s/m^3 */
} lsdem_glue;

enum { LSDEM_BOND_HOLDS = 0, LSDEM_BOND_BREAKS = 1, LSDEM_BOND_BROKEN = 2 };

typedef struct lsdem_bond {
  uint32_t slave, master, node;
  uint32_t broken;         /**< LSDEM_BOND_...; BREAKS: in the last force pass */
  double area;             /**< m^2 */
  scr_vec3 anchor, offset; /**< m, Y0 and the node's place from it at the start, the master's own axes */
  scr_vec3 normal;         /**< unit, the master's own axes */
  double pressed;          /**< J/m^2 that it held by being pressed together when it broke; a contact that follows takes over no more */
  double sunk; /**< m, >= 0, how far below the master's surface the node was at the start: once the bond broke, contact begins there, or
                  deeper where it would hold more than the bond did */
} lsdem_bond;

/** What a bond does at a moment, per area. */
typedef struct lsdem_strain {
  scr_vec3 traction; /**< Pa, on the master */
  double energy;     /**< J/m^2 */
  double load;       /**< 1 and more: it breaks */
} lsdem_strain;

/** @param delta m    @param normal unit */
static inline lsdem_strain lsdem_bond_strain(const lsdem_glue *glue, scr_vec3 delta, scr_vec3 normal)
{
  double along = vec3_dot(delta, normal);
  scr_vec3 across = vec3_sub(delta, vec3_scale(normal, along));
  lsdem_strain s = {.traction = vec3_add(vec3_scale(normal, glue->normal * along), vec3_scale(across, glue->shear)),
                    .energy = 0.5 * (glue->normal * along * along + glue->shear * vec3_dot(across, across))};
  double tension = glue->normal * (along > 0 ? along : 0), shear = glue->shear * vec3_length(across);
  s.load = glue->energy > 0 ? s.energy / glue->energy : tension / glue->strength + shear / glue->shear_strength;
  return s;
}

struct lsdem_state;

/** Glues what is near, all directions of the first search; nothing where no law glues. @return SCR_OK, SCR_NO_MEMORY */
scr_status lsdem_bonds_make(struct lsdem_state *state, scr_error *error);

/** Tells directions their bonds, in order; forgets which broke in the last pass. @return SCR_OK; SCR_DIVERGED: grains glued to each other
 *  are so far apart that the search does not find them */
scr_status lsdem_bonds_attach(struct lsdem_state *state, scr_error *error);

/** How many hold. */
size_t lsdem_bonds_holding(const struct lsdem_state *state);

/** Which grains hang together by bonds. @param piece [grains] out: of each its piece's first grain    @return how many pieces */
size_t lsdem_bonds_pieces(const struct lsdem_state *state, uint32_t *piece);

#endif
