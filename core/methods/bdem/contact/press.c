/* Spheres, faces and facets, one contact at a time. */
#include "methods/bdem/contact/press.h"

#include "base/quat.h"
#include "contact/opposed_faces.h"
#include "methods/bdem/body/boundary_faces.h"

static const double pi = 3.14159265358979323846;
static const scr_vec3 none = {0, 0, 0};

/* ── pairs ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool opposed(const bdem_pair *pair, const bdem_body *body, scr_vec3 d, contact_opposed_faces *faces)
{
  double far = pair->width * pair->width;
  if (!(vec3_dot(d, d) < far + pair->reach * pair->reach)) return false;
  return contact_opposed_faces_touch(d, quat_rotate(body->orientation[pair->i], pair->face_i->normal),
                                     quat_rotate(body->orientation[pair->j], pair->face_j->normal), pair->reach, pair->width,
                                     pair->stiffness, faces);
}

static bool press_faces(const bdem_pair *pair, const bdem_body *body, bdem_press *press)
{
  scr_vec3 d = vec3_sub(body->position[pair->j], body->position[pair->i]);
  contact_opposed_faces faces;
  if (!opposed(pair, body, d, &faces)) return false;
  scr_vec3 turn = vec3_scale(vec3_cross(d, faces.force), -0.5);
  *press = (bdem_press){.overlap = faces.weight * faces.overlap,
                        .stiffness = faces.weight * pair->stiffness,
                        .energy = faces.energy,
                        .normal = faces.normal,
                        .push = faces.force,
                        .turn = {vec3_add(turn, faces.spin), vec3_sub(turn, faces.spin)},
                        .arm_i = vec3_scale(d, 0.5),
                        .arm_j = vec3_scale(d, -0.5)};
  return true;
}

double bdem_pair_overlap_apart(const bdem_pair *pair, const bdem_body *body, scr_vec3 d, scr_vec3 *normal)
{
  if (pair->face_i) {
    contact_opposed_faces faces;
    if (!opposed(pair, body, d, &faces)) return 0.0;
    *normal = faces.normal;
    return faces.weight * faces.overlap;
  }
  double square = vec3_dot(d, d);
  if (!(square < pair->reach * pair->reach) || square == 0.0) return 0.0;
  double length = sqrt(square);
  *normal = vec3_scale(d, 1.0 / length);
  return pair->reach - length;
}

double bdem_pair_overlap(const bdem_pair *pair, const bdem_body *body, scr_vec3 *normal)
{
  return bdem_pair_overlap_apart(pair, body, vec3_sub(body->position[pair->j], body->position[pair->i]), normal);
}

double bdem_pair_stiffness_together(const bdem_pair *pair)
{
  if (!pair->face_i) return pair->stiffness;
  return pair->stiffness * pi * pair->width * pair->width / (3.0 * fmax(pair->face_i->area, pair->face_j->area));
}

bool bdem_pair_press(const bdem_pair *pair, const bdem_body *body, bdem_press *press)
{
  if (pair->face_i) return press_faces(pair, body, press);
  scr_vec3 normal;
  double overlap = bdem_pair_overlap(pair, body, &normal);
  if (!(overlap > 0.0)) return false;
  double share = (pair->reach - overlap) / (body->radius[pair->i] + body->radius[pair->j]);
  *press = (bdem_press){.overlap = overlap,
                        .stiffness = pair->stiffness,
                        .energy = 0.5 * pair->stiffness * overlap * overlap,
                        .normal = normal,
                        .push = vec3_scale(normal, pair->stiffness * overlap),
                        .arm_i = vec3_scale(normal, share * body->radius[pair->i]),
                        .arm_j = vec3_scale(normal, -share * body->radius[pair->j])};
  return true;
}

static void set_slope(double along[6], double sign, scr_vec3 normal, scr_vec3 arm, double radius)
{
  scr_vec3 turn = vec3_scale(vec3_cross(arm, normal), 2.0 * sign / radius);
  along[0] = sign * normal.x, along[1] = sign * normal.y, along[2] = sign * normal.z;
  along[3] = turn.x, along[4] = turn.y, along[5] = turn.z;
}

size_t bdem_pair_slopes(const bdem_pair *pair, const bdem_body *body, bdem_press_slope slope[static 1])
{
  bdem_press press;
  if (!bdem_pair_press(pair, body, &press)) return 0;
  scr_vec3 arm_i = pair->face_i ? press.arm_i : none, arm_j = pair->face_i ? press.arm_j : none;
  slope->stiffness = press.stiffness;
  set_slope(slope->along[0], -1.0, press.normal, arm_i, body->radius[pair->i]);
  set_slope(slope->along[1], 1.0, press.normal, arm_j, body->radius[pair->j]);
  return 1;
}

/* ── touches ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A point of a facet. */
typedef struct facet_point {
  scr_vec3 arm; /* m, from the sphere's centre */
  scr_part_distance from;
  double overlap; /* m, 0: apart */
} facet_point;

/* The points that lie nearer to the part than `reach`, m. @return how many; none where the facet is surely farther */
static size_t facet_of(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body, double reach,
                       facet_point points[static BDEM_SLOPES])
{
  const scr_part *rig = &contacts->rig[touch->part];
  const scr_pose *pose = &contacts->parts[touch->part].pose;
  const bdem_face *face = touch->face;
  scr_quat turned = body->orientation[touch->sphere];
  scr_vec3 centre = body->position[touch->sphere], u = vec3_cross(face->normal, fabs(face->normal.x) < 0.5 ? vec3(1, 0, 0) : vec3(0, 1, 0));
  double far = bdem_face_corner(face) + reach;
  if (scr_part_is_far_posed(rig, pose, centre, far)) return 0;
  scr_part_distance middle_from = scr_part_distance_posed(rig, pose, centre);
  if (middle_from.distance > far) return 0;
  /* Distance from a convex part lies above its tangent: most points of a face beside a roller need no distance of their own. */
  double least = rig->kind == SCR_PART_TROUGH ? -INFINITY : middle_from.distance - 1e-9 * far;
  u = quat_rotate(turned, vec3_scale(u, sqrt(face->area) / BDEM_FACET / vec3_length(u)));
  scr_vec3 normal = quat_rotate(turned, face->normal);
  double opposed = vec3_dot(normal, middle_from.normal), tilt = sqrt(fmax(0.0, 1.0 - opposed * opposed));
  if (opposed < 0.0 && least - tilt * bdem_face_corner(face) >= reach) return 0;
  scr_vec3 v = vec3_cross(normal, u), straight = quat_rotate(turned, face->straight);
  size_t count = 0;
  for (int k = 0; k < BDEM_FACET * BDEM_FACET; ++k) {
    int row = k / BDEM_FACET, middle = BDEM_FACET / 2;
    double a = k % BDEM_FACET - middle, b = row - middle;
    facet_point *point = &points[count];
    scr_vec3 aside = vec3_add(vec3_scale(u, a), vec3_scale(v, b));
    double along = vec3_dot(aside, straight), sag = 0.5 * face->curvature * (vec3_dot(aside, aside) - along * along);
    point->arm = vec3_sub(aside, vec3_scale(normal, sag));
    if (least + vec3_dot(middle_from.normal, point->arm) >= reach) continue;
    point->from = scr_part_distance_posed(rig, pose, vec3_add(centre, point->arm));
    point->overlap = reach - point->from.distance;
    count += point->overlap > 0.0;
  }
  return count;
}

double bdem_facet_distance(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body)
{
  facet_point points[BDEM_SLOPES];
  double least = INFINITY, reach = touch->face->depth;
  for (size_t k = 0, count = facet_of(contacts, touch, body, reach, points); k < count; ++k) least = fmin(least, points[k].from.distance);
  return least;
}

static const double each = 1.0 / (BDEM_FACET * BDEM_FACET); /* a point's share of its facet */

static bool press_facet(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body, bdem_press *press)
{
  facet_point points[BDEM_SLOPES];
  double energy = 0.0, sum = 0.0;
  scr_vec3 push = none, turn = none, arm = none;
  size_t count = facet_of(contacts, touch, body, touch->reach, points);
  for (size_t k = 0; k < count; ++k) {
    const facet_point *point = &points[k];
    scr_vec3 force = vec3_scale(point->from.normal, each * touch->stiffness * point->overlap);
    push = vec3_add(push, force);
    turn = vec3_add(turn, vec3_cross(point->arm, force));
    scr_vec3 surface = vec3_sub(point->arm, vec3_scale(point->from.normal, point->from.distance));
    arm = vec3_add(arm, vec3_scale(surface, point->overlap));
    sum += point->overlap;
    energy += 0.5 * each * touch->stiffness * point->overlap * point->overlap;
  }
  double size = vec3_length(push);
  if (!(size > 0.0)) return false;
  *press = (bdem_press){.overlap = size / touch->stiffness,
                        .stiffness = each * (double)count * touch->stiffness,
                        .energy = energy,
                        .normal = vec3_scale(push, 1.0 / size),
                        .push = push,
                        .turn = {turn},
                        .arm_i = vec3_scale(arm, 1.0 / sum)};
  return true;
}

bool bdem_touch_press(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body, bdem_press *press)
{
  if (touch->facet) return press_facet(contacts, touch, body, press);
  scr_part_distance from =
      scr_part_distance_posed(&contacts->rig[touch->part], &contacts->parts[touch->part].pose, body->position[touch->sphere]);
  double overlap = touch->reach - from.distance;
  if (!(overlap > 0.0)) return false;
  *press = (bdem_press){.overlap = overlap,
                        .stiffness = touch->stiffness,
                        .energy = 0.5 * touch->stiffness * overlap * overlap,
                        .normal = from.normal,
                        .push = vec3_scale(from.normal, touch->stiffness * overlap),
                        .arm_i = vec3_scale(from.normal, overlap - touch->reach)};
  return true;
}

double bdem_touch_overlap(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body, scr_vec3 *normal)
{
  bdem_press press;
  if (!bdem_touch_press(contacts, touch, body, &press)) return 0.0;
  *normal = press.normal;
  return press.overlap;
}

size_t bdem_touch_slopes(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body,
                         bdem_press_slope slope[static BDEM_SLOPES])
{
  double radius = body->radius[touch->sphere];
  if (touch->facet) {
    facet_point points[BDEM_SLOPES];
    size_t count = facet_of(contacts, touch, body, touch->reach, points);
    for (size_t k = 0; k < count; ++k) {
      slope[k].stiffness = each * touch->stiffness;
      set_slope(slope[k].along[0], 1.0, points[k].from.normal, points[k].arm, radius);
    }
    return count;
  }
  bdem_press press;
  if (!bdem_touch_press(contacts, touch, body, &press)) return 0;
  slope->stiffness = press.stiffness;
  set_slope(slope->along[0], 1.0, press.normal, none, radius);
  return 1;
}
