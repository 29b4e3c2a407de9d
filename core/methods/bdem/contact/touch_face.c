/* The choice of a sphere's face. */
#include "methods/bdem/contact/touch_face.h"

#include "base/quat.h"
#include "methods/bdem/contact/friction.h"

static const double opposed = 0.5; /* cosine between a face's normal and the part's, turned round, from which it looks at the part */

bool bdem_meets_at_faces(const bdem_model *model)
{
  return model->options->contact_surface == BDEM_SURFACE_FACES;
}

/* The faces of a sphere. @return how many */
static size_t faces_of(const bdem_model *model, size_t sphere, const bdem_face **face)
{
  const bdem_grain *grain = &model->grains[model->grain_of[sphere]];
  const bdem_faces *faces = &model->faces[grain->specimen];
  if (!faces->first) return 0;
  size_t k = sphere - grain->first;
  *face = faces->face + faces->first[k];
  return faces->first[k + 1] - faces->first[k];
}

double bdem_farthest_reach(const bdem_model *model, size_t sphere, double radius)
{
  const bdem_face *face;
  double farthest = radius;
  if (!bdem_meets_at_faces(model)) return radius;
  for (size_t count = faces_of(model, sphere, &face), k = 0; k < count; ++k) farthest = fmax(farthest, face[k].depth);
  return farthest;
}

void bdem_touch_choose_face(const bdem_listing *listing, const bdem_touch *before, bdem_touch *touch)
{
  const bdem_model *model = listing->model;
  const bdem_body *body = listing->body;
  const bdem_face *face;
  scr_vec3 normal;
  double most = opposed;
  size_t i = touch->sphere, count = faces_of(model, i, &face);
  if (before && bdem_touch_overlap(listing->contacts, before, body, &normal) > 0.0) {
    touch->reach = before->reach;
    touch->stiffness = before->stiffness;
    touch->shear = before->shear;
    return;
  }
  scr_part_distance from =
      scr_part_distance_posed(&listing->contacts->rig[touch->part], &listing->contacts->parts[touch->part].pose, body->position[i]);
  for (size_t k = 0; k < count; ++k) {
    double cosine = -vec3_dot(quat_rotate(body->orientation[i], face[k].normal), from.normal);
    if (!(cosine > most)) continue;
    most = cosine;
    touch->reach = face[k].depth;
    touch->stiffness = bdem_face_stiffness(model->options, bdem_substance_of(model, i), face[k].area / face[k].depth);
    touch->shear = BDEM_FACE_TANGENTIAL_RATIO;
  }
  if (count > 0) touch->reach = fmin(touch->reach, fmax(0.0, from.distance));
}
