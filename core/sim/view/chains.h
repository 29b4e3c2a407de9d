/** Lines of force: how contacts hand forces on from body to body, as threads. The drawable `force_chains`: position of every node (m),
 *  radius (m, grows with the root of the force), force (N). */
#ifndef SCREE_SIM_CHAINS_H
#define SCREE_SIM_CHAINS_H

#include "base/vec3.h"
#include "sim/method.h"

/** A contact of two bodies, or of a body and a part of the rig, as a line along which the force goes. */
typedef struct sim_chain {
  scr_vec3 node[3];    /**< m: middle of the body, the contact, middle of the other body */
  uint32_t node_count; /**< 3, or 2 where the other is a part of the rig */
  double force;        /**< N, >= 0 */
} sim_chain;

/** @param drawable set to its number */
scr_status chains_declare(scr_sim *sim, uint32_t *drawable, scr_error *error);

/** Draws those that carry more than a thousandth of the largest force.
 *  @param chains  [count]; NULL where count is 0
 *  @param radius  m, > 0: of the line with the largest force
 *  @return SCR_OK, SCR_NO_MEMORY, or what the frame says */
scr_status chains_draw(scr_frame *frame, uint32_t drawable, const sim_chain *chains, size_t count, double radius, scr_error *error);

/** Adds what that many lines of three nodes take in each frame. */
void chains_estimate(double lines, scr_estimate *estimate);

#endif
