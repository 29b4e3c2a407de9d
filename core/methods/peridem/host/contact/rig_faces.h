/** contact_surface "faces": a surface node meets the rig where its body's face does, with the stiffness of the material between the two.
 *
 *      F = K (zero - d),  K = C (k + 4 G / 3) V / height^2,  zero: how deep the node lies below the face that looks at the part
 *
 *  V: the node's volume, height: of its cell along the face's normal.
 *
 *  Where part or face is not flat the part pushes by the mean over 5 x 5 points of the node's h x h facet of the face, so that a roller
 *  meets nodes
 *  beside its line, and a platen those beside a ball's pole. The facet follows the face: it falls by curvature t^2 / 2 from its middle. */
#ifndef SCREE_PERIDEM_RIG_FACES_H
#define SCREE_PERIDEM_RIG_FACES_H

#include "methods/peridem/host/host.h"
#include "methods/peridem/law/wall.h"

static inline bool pd_uses_face_contact(const pd_state *s)
{
  return pd_contact_begins(s->options) == PD_SURFACE_FACES;
}

/** Stiffness of friction's spring of a node on the rig, N/m. */
static inline double pd_rig_spring(const pd_state *s, const pd_rig_contact *contact, const pd_body *body, const pd_law *law)
{
  return pd_uses_face_contact(s) ? 0.8 * contact->stiffness : pd_friction_stiffness(law->stiffness, body->node_volume, s->contact_radius);
}

/** Whether a contact's part looks at a face of the body and one of the two is not flat. */
static inline bool pd_rig_by_facet(const pd_state *s, const pd_rig_contact *contact)
{
  bool flat = s->rig->form[contact->part].kind == SCR_PART_PLANE && contact->curvature == 0;
  return pd_uses_face_contact(s) && !flat && vec3_dot(contact->face, contact->face) > 0;
}

/** Whether the part and the node press each other. */
static inline bool pd_rig_touches(const pd_rig_contact *contact)
{
  return contact->distance < contact->zero || contact->force > 0;
}

/** Sets face, zero and stiffness of a contact that begins, by the body's faces as they are turned now: the one most opposed to `normal`,
 *  out of the part; half a spacing where none is. A node that started nearer touches where it started. */
void pd_rig_choose_face(const pd_state *s, pd_rig_contact *contact, scr_vec3 normal);
/** Sets force and potential at the contact's distance; by facet also the normal, along the force. */
void pd_rig_push_face(const pd_state *s, pd_rig_contact *contact);

#endif
