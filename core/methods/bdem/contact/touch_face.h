/** contact_surface "faces": where a sphere of a packed body meets the rig, and how stiffly (body/boundary_faces.h).
 *
 *  A sphere that comes near a part meets it with the face above it that is most opposed to the part's normal, turned as the sphere is. It does so until
 *  it leaves the part: a face is chosen only while nothing presses, and what is nearer than its face then touches where it is. So a change of faces
 *  makes no energy. Spheres below no face opposed to the part, and those inside a body that has broken, meet it with their own surface. */
#ifndef SCREE_METHODS_BDEM_TOUCH_FACE_H
#define SCREE_METHODS_BDEM_TOUCH_FACE_H

#include "methods/bdem/contact/contact_list.h"

/** What a touch is until it opens: goes into checkpoints, since which face was chosen depends on where the sphere came from. */
typedef struct bdem_touch_hold {
  double reach, stiffness; /**< m, N/m */
  double shear;            /**< tangential stiffness over it */
} bdem_touch_hold;

/** Whether the rig is met at faces. */
bool bdem_meets_at_faces(const bdem_model *model);

/** Farthest that a sphere reaches towards the rig, m: its radius, or the deepest of its faces. */
double bdem_farthest_reach(const bdem_model *model, size_t sphere, double radius);

/** Sets reach and stiffness of a touch that is listed: those of `before`, the same touch in the last list, while it presses; else by its face.
 *  @param before NULL: it was not listed */
void bdem_touch_choose_face(const bdem_listing *listing, const bdem_touch *before, bdem_touch *touch);

#endif
