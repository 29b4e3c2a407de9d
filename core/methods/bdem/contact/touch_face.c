/* The choice of faces. */
#include "methods/bdem/contact/touch_face.h"

#include "base/quat.h"
#include "contact/opposed_faces.h"
#include "methods/bdem/contact/friction.h"
#include "methods/bdem/contact/press.h"

static const double pi = 3.14159265358979323846;
static const double width = 3.0; /* radii of the larger sphere */

bool bdem_uses_face_contact(const bdem_model *model)
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

bool bdem_has_faces(const bdem_model *model, size_t sphere)
{
  const bdem_face *face;
  return faces_of(model, sphere, &face) > 0;
}

/* Whether a face meets a part of that kind by points. */
static bool touches_by_facet(const bdem_model *model, const bdem_face *face, scr_part_kind kind)
{
  if (kind != SCR_PART_PLANE) return kind == SCR_PART_CYLINDER || kind == SCR_PART_TROUGH;
  return face->curvature != 0.0 && model->options->integrator != BDEM_INTEGRATOR_VARIATIONAL;
}

double bdem_farthest_reach(const bdem_model *model, size_t sphere, double radius, scr_part_kind kind)
{
  const bdem_face *face;
  double farthest = radius;
  if (!bdem_uses_face_contact(model)) return radius;
  for (size_t count = faces_of(model, sphere, &face), k = 0; k < count; ++k)
    farthest = fmax(farthest, face[k].depth + (touches_by_facet(model, &face[k], kind) ? bdem_face_corner(&face[k]) : 0.0));
  return farthest;
}

double bdem_facing_reach(const bdem_model *model)
{
  size_t bodies = 0;
  double deepest = 0.0, largest = 0.0;
  if (!bdem_uses_face_contact(model)) return 0.0;
  for (size_t k = 0; k < model->grain_count; ++k) {
    const bdem_faces *faces = &model->faces[model->grains[k].specimen];
    if (!faces->first) continue;
    ++bodies;
    deepest = fmax(deepest, faces->deepest);
    largest = fmax(largest, model->substances[model->grains[k].specimen].radius);
  }
  return bodies > 1 ? sqrt(4.0 * deepest * deepest + width * width * largest * largest) : 0.0;
}

static double deepest_of(const bdem_model *model, size_t sphere)
{
  const bdem_face *face;
  double deepest = 0.0;
  for (size_t count = faces_of(model, sphere, &face), k = 0; k < count; ++k) deepest = fmax(deepest, face[k].depth);
  return deepest;
}

static double width_of(const bdem_model *model, size_t i, size_t j)
{
  return width * fmax(bdem_substance_of(model, i)->radius, bdem_substance_of(model, j)->radius);
}

double bdem_faces_reach(const bdem_model *model, size_t i, size_t j)
{
  double of_i = deepest_of(model, i), of_j = deepest_of(model, j), across = width_of(model, i, j);
  return of_i > 0.0 && of_j > 0.0 ? sqrt((of_i + of_j) * (of_i + of_j) + across * across) : 0.0;
}

/* ── touches ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void set_touch_face(const bdem_model *model, const bdem_face *face, scr_part_kind kind, bdem_touch *touch)
{
  touch->face = face;
  touch->facet = touches_by_facet(model, face, kind);
  touch->reach = face->depth;
  touch->stiffness = bdem_face_stiffness(model->options, bdem_substance_of(model, touch->sphere), face->area / face->depth);
  touch->shear = BDEM_FACE_TANGENTIAL_RATIO;
}

/* What is nearer than its face to the rig without a force so far touches where it is; what was not listed came there just now. */
static bool is_known(const bdem_listing *listing, const void *before)
{
  return before || listing->first;
}

void bdem_touch_choose_face(const bdem_listing *listing, const bdem_touch *before, bdem_touch *touch)
{
  const bdem_model *model = listing->model;
  const bdem_body *body = listing->body;
  const bdem_face *face;
  scr_vec3 normal;
  double most = CONTACT_OPPOSED;
  size_t i = touch->sphere, count = faces_of(model, i, &face);
  if (before && bdem_touch_overlap(listing->contacts, before, body, &normal) > 0.0) {
    touch->reach = before->reach;
    touch->stiffness = before->stiffness;
    touch->shear = before->shear;
    touch->face = before->face;
    touch->facet = before->facet;
    return;
  }
  scr_part_distance from =
      scr_part_distance_posed(&listing->contacts->rig[touch->part], &listing->contacts->parts[touch->part].pose, body->position[i]);
  for (size_t k = 0; k < count; ++k) {
    double cosine = -vec3_dot(quat_rotate(body->orientation[i], face[k].normal), from.normal);
    if (!(cosine > most)) continue;
    most = cosine;
    set_touch_face(model, &face[k], listing->contacts->rig[touch->part].kind, touch);
  }
  if (count == 0 || !is_known(listing, before)) return;
  if (touch->facet)
    touch->reach = fmin(touch->reach, fmax(0.0, bdem_facet_distance(listing->contacts, touch, body)));
  else
    touch->reach = fmin(touch->reach, fmax(0.0, from.distance));
}

/* ── pairs ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void set_pair_faces(const bdem_model *model, const bdem_face *face_i, const bdem_face *face_j, bdem_pair *pair)
{
  const bdem_substance *a = bdem_substance_of(model, pair->i), *b = bdem_substance_of(model, pair->j);
  double softness = face_i->depth / a->body_modulus + face_j->depth / b->body_modulus;
  pair->face_i = face_i;
  pair->face_j = face_j;
  pair->reach = face_i->depth + face_j->depth;
  pair->width = width_of(model, pair->i, pair->j);
  pair->stiffness =
      model->options->contact_stiffness_factor * face_i->area * face_j->area / softness * 3.0 / (pi * pair->width * pair->width);
  pair->shear = BDEM_FACES_TANGENTIAL_RATIO;
}

void bdem_pair_choose_faces(const bdem_listing *listing, const bdem_pair *before, bdem_pair *pair)
{
  const bdem_body *body = listing->body;
  const bdem_face *of_i = NULL, *of_j = NULL;
  scr_vec3 normal;
  double most = CONTACT_OPPOSED;
  if (before && bdem_pair_overlap(before, body, &normal) > 0.0) {
    *pair = *before;
    pair->spring = vec3(0, 0, 0); /* springs come with their list (friction.h) */
    pair->sticks = false;
    return;
  }
  bool alone = listing->fracture->live[pair->i] == 0 || listing->fracture->live[pair->j] == 0; /* a sphere by itself has no faces */
  scr_vec3 d = vec3_sub(body->position[pair->j], body->position[pair->i]); /* faces that look at each other have it between them */
  size_t count_i = alone ? 0 : faces_of(listing->model, pair->i, &of_i), count_j = alone ? 0 : faces_of(listing->model, pair->j, &of_j);
  for (size_t p = 0; p < count_i; ++p)
    for (size_t q = 0; q < count_j; ++q) {
      scr_vec3 n_i = quat_rotate(body->orientation[pair->i], of_i[p].normal), n_j = quat_rotate(body->orientation[pair->j], of_j[q].normal);
      double facing = -vec3_dot(n_i, n_j);
      if (!(facing > most + 1e-9) || !(vec3_dot(d, vec3_sub(n_i, n_j)) > 0.0)) continue;
      most = facing;
      set_pair_faces(listing->model, &of_i[p], &of_j[q], pair);
    }
  bdem_press press;
  bool pushes = listing->first && listing->model->options->allow_initial_contact;
  /* What was listed and did not press may be nearer now than its new kind of contact begins: as bodies turn, faces look away from each
   * other and leave the spheres below them, or a shortened reach ends. It begins where it is, or a force would come from nowhere. */
  if ((!pair->face_i && !before) || pushes || !bdem_pair_press(pair, body, &press)) return;
  pair->reach = pair->face_i ? fmax(0.0, vec3_dot(vec3_scale(press.arm_i, 2.0), press.normal)) : pair->reach - press.overlap;
}

/* ── what contacts hold ─────────────────────────────────────────────────────────────────────────────────────────── */

static int32_t number_of(const bdem_model *model, size_t sphere, const bdem_face *face)
{
  const bdem_face *first = NULL;
  return face && faces_of(model, sphere, &first) > 0 ? (int32_t)(face - first) : -1;
}

bdem_face_hold bdem_pair_hold(const bdem_model *model, const bdem_pair *pair)
{
  return (bdem_face_hold){pair->reach, {number_of(model, pair->i, pair->face_i), number_of(model, pair->j, pair->face_j)}};
}

bdem_face_hold bdem_touch_hold(const bdem_model *model, const bdem_touch *touch)
{
  return (bdem_face_hold){touch->reach, {number_of(model, touch->sphere, touch->face), -1}};
}

/* The face of that number; NULL: there is none. */
static const bdem_face *face_numbered(const bdem_model *model, size_t sphere, int32_t number)
{
  const bdem_face *first = NULL;
  return number >= 0 && (size_t)number < faces_of(model, sphere, &first) ? first + number : NULL;
}

bool bdem_pair_held(const bdem_model *model, const bdem_body *body, bdem_face_hold hold, bdem_pair *pair)
{
  const bdem_face *face_i = face_numbered(model, pair->i, hold.face[0]), *face_j = face_numbered(model, pair->j, hold.face[1]);
  const bdem_substance *a = bdem_substance_of(model, pair->i), *b = bdem_substance_of(model, pair->j);
  double farthest = body->radius[pair->i] + body->radius[pair->j];
  pair->face_i = pair->face_j = NULL;
  pair->width = 0.0;
  pair->stiffness = bdem_contact_stiffness(model->options, a, b);
  pair->shear = BDEM_TANGENTIAL_RATIO;
  if (hold.face[0] != -1 || hold.face[1] != -1) {
    if (!face_i || !face_j || model->facing_reach == 0.0 || model->grain_of[pair->i] == model->grain_of[pair->j]) return false;
    set_pair_faces(model, face_i, face_j, pair);
    farthest = pair->reach;
  }
  pair->reach = hold.reach;
  return hold.reach >= 0.0 && hold.reach <= farthest;
}

bool bdem_touch_held(const bdem_model *model, const bdem_body *body, scr_part_kind kind, bdem_face_hold hold, bdem_touch *touch)
{
  const bdem_face *face = face_numbered(model, touch->sphere, hold.face[0]);
  double farthest = body->radius[touch->sphere];
  touch->face = NULL;
  touch->facet = false;
  touch->stiffness = bdem_contact_stiffness(model->options, bdem_substance_of(model, touch->sphere), NULL);
  touch->shear = BDEM_TANGENTIAL_RATIO;
  if (hold.face[0] != -1) {
    if (!face) return false;
    set_touch_face(model, face, kind, touch);
    farthest = touch->reach;
  }
  touch->reach = hold.reach;
  return hold.reach >= 0.0 && hold.reach <= farthest;
}
