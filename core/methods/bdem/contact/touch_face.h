/** contact_surface "faces": where a sphere of a packed body meets the rig, or one of another body, and how stiffly
 *  (body/boundary_faces.h).
 *
 *  A sphere that comes near a part meets it with the face above it that is most opposed to the part's normal, turned as the sphere is. It
 *  does so until it leaves the part: a face is chosen only while nothing presses, and what is nearer than its face then touches where it
 *  is. So a change of faces makes no energy. Two spheres of different bodies likewise meet with the two of their faces that look at each
 *  other most (contact/opposed_faces.h), and what is nearer then touches where it is:
 *
 *      k = 3 / (pi a^2) A_i A_j / (s_i / E_i + s_j / E_j),  a = 3 r of the larger: the columns below both faces in series, shared out to
 *      those opposite
 *
 *  A sphere that has lost all its bonds has no faces: its contacts that do not press begin anew where they are. Faces that lie behind each
 *  other are not chosen, whatever their normals.
 *
 *  Where part or face is not flat the part pushes by the mean over 5 x 5 points of the sphere's face, which falls from its middle by
 *  curvature t^2 / 2 as the shape does: a roller meets spheres beside its line, and a jaw those beside the top of a disc. Not so in
 *  variational steps where a flat part meets a curved face: those draw a contact's start back by its overlap (stabilised_contact.h), which
 *  a mean over points has not.
 *
 *  Spheres below no face opposed to the part, and those inside a body that has broken, meet it with their own surface. */
#ifndef SCREE_METHODS_BDEM_TOUCH_FACE_H
#define SCREE_METHODS_BDEM_TOUCH_FACE_H

#include "methods/bdem/contact/contact_list.h"

/** What a contact is until it opens: goes into checkpoints, since which faces were chosen depends on where the spheres came from. */
typedef struct bdem_face_hold {
  double reach;    /**< m */
  int32_t face[2]; /**< numbers among the faces of the sphere or of i and j; -1: none, spheres meet */
} bdem_face_hold;

/** Whether the rig is met at faces. */
bool bdem_uses_face_contact(const bdem_model *model);

/** Farthest that a sphere reaches towards a part of the rig, m: its radius, the deepest of its faces, or where it meets the part by the
 *  points of a face the corner of that. */
double bdem_farthest_reach(const bdem_model *model, size_t sphere, double radius, scr_part_kind kind);

/** model.facing_reach of a model that has its faces and grains. */
double bdem_facing_reach(const bdem_model *model);

/** Farthest from which two spheres of different bodies press each other by any of their faces, m; 0 where one has none. */
double bdem_faces_reach(const bdem_model *model, size_t i, size_t j);

/** Whether a sphere has faces. */
bool bdem_has_faces(const bdem_model *model, size_t sphere);

/** Sets reach and stiffness of a touch that is listed: those of `before`, the same touch in the last list, while it presses; else by its
 *  face.
 *  @param before NULL: it was not listed */
void bdem_touch_choose_face(const bdem_listing *listing, const bdem_touch *before, bdem_touch *touch);

/** The same of a pair of spheres of two bodies; left as it is where no faces look at each other. */
void bdem_pair_choose_faces(const bdem_listing *listing, const bdem_pair *before, bdem_pair *pair);

/** What contacts hold; and contacts as held. @return false: no such faces, or a reach beyond them */
bdem_face_hold bdem_pair_hold(const bdem_model *model, const bdem_pair *pair);
bdem_face_hold bdem_touch_hold(const bdem_model *model, const bdem_touch *touch);
bool bdem_pair_held(const bdem_model *model, const bdem_body *body, bdem_face_hold hold, bdem_pair *pair);
bool bdem_touch_held(const bdem_model *model, const bdem_body *body, scr_part_kind kind, bdem_face_hold hold, bdem_touch *touch);

#endif
