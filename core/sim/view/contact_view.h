/** How contacts show what they carry, in two drawables that options ask for:
 *
 *    `force_chains`    threads from body to body: position of every node (m), radius (m, grows with the root of the force), force (N)
 *    `contact_forces`  points of contact: position (m), contact_force (N, a vector) on the first of the two bodies */
#ifndef SCREE_SIM_CONTACT_VIEW_H
#define SCREE_SIM_CONTACT_VIEW_H

#include "base/vec3.h"
#include "sim/method.h"

/** A contact of two bodies, or of a body and a part of the rig. */
typedef struct sim_contact {
  scr_vec3 node[3];    /**< m: middle of the body, the contact, middle of the other body: the line along which the force goes */
  uint32_t node_count; /**< 3, or 2 where the other is a part of the rig */
  double force;        /**< N, >= 0, length of `push` */
  scr_vec3 push;       /**< N, on the first body */
} sim_contact;

/** Numbers of the drawables that are there. */
typedef struct sim_contact_view {
  bool chains, forces; /**< which of them are drawn */
  uint32_t chains_drawn, forces_drawn;
} sim_contact_view;

/** Declares those that are wanted.
 *  @param radius m, > 0: of the points of contact in pictures
 *  @param view   its switches are read, its numbers set */
scr_status contact_view_declare(scr_sim *sim, double radius, sim_contact_view *view, scr_error *error);

/** Draws the contacts that carry more than a thousandth of the largest force.
 *  @param contacts  [count]; NULL where count is 0
 *  @param radius    m, > 0: of the thread with the largest force
 *  @return SCR_OK, SCR_NO_MEMORY, or what the frame says */
scr_status contact_view_draw(const sim_contact_view *view, scr_frame *frame, const sim_contact *contacts, size_t count, double radius,
                             scr_error *error);

/** Adds what that many contacts of two bodies take in each frame. */
void contact_view_estimate(bool chains, bool forces, double contacts, scr_estimate *estimate);

#define SIM_FORCE_CHAINS_TEXT                                                                                                              \
  "Draw which bodies and parts of the rig press each other, as threads from contact to contact that are thicker where the force is larger"
#define SIM_CONTACT_FORCES_TEXT                                                                                                            \
  "Draw the points where bodies press each other or the rig, with the force on the first of the two as a vector: arrows in pictures"

#endif
