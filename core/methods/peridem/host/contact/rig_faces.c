#include "methods/peridem/host/contact/rig_faces.h"

static scr_vec3 at(const pd_vectors *v, size_t i)
{
  return vec3(v->x[i], v->y[i], v->z[i]);
}

/* sum += a (x) b */
static void add_product(scr_vec3 sum[3], scr_vec3 a, scr_vec3 b)
{
  sum[0] = vec3_add(sum[0], vec3_scale(b, a.x));
  sum[1] = vec3_add(sum[1], vec3_scale(b, a.y));
  sum[2] = vec3_add(sum[2], vec3_scale(b, a.z));
}

static scr_vec3 times(const scr_vec3 row[3], scr_vec3 v)
{
  return vec3(vec3_dot(row[0], v), vec3_dot(row[1], v), vec3_dot(row[2], v));
}

/* A plane's normal N moved with the node's neighbours: where they went by x = F X, along F^-T N. With A = sum x (x) X and B = sum X (x) X,
 * F = A B^-1 and F^-T N = A^-T B N, in which the adjugate of A stands for its inverse. N itself where neighbours span no space. */
static scr_vec3 moved_normal(const pd_state *s, size_t i, scr_vec3 normal)
{
  const pd_host *h = s->host;
  const pd_grain *grain = &h->grains[h->grain_of[i]];
  const pd_bonds *bonds = grain->bonds;
  size_t row = i - grain->first;
  scr_vec3 A[3] = {{0, 0, 0}}, B[3] = {{0, 0, 0}};
  double length = 0;
  for (uint32_t k = bonds->first[row]; k < bonds->first[row] + bonds->count[row]; k++) {
    size_t j = grain->first + bonds->other[k];
    scr_vec3 X = vec3_sub(at(&h->reference, j), at(&h->reference, i)), x = vec3_sub(at(&h->position, j), at(&h->position, i));
    add_product(A, x, X);
    add_product(B, X, X);
    length += vec3_dot(X, X);
  }
  scr_vec3 cofactor[3] = {vec3_cross(A[1], A[2]), vec3_cross(A[2], A[0]), vec3_cross(A[0], A[1])}; /* A^-T times its determinant */
  double determinant = vec3_dot(A[0], cofactor[0]);
  scr_vec3 moved = times(cofactor, times(B, normal));
  double size = vec3_length(moved);
  if (!(determinant > 1e-4 * length * length * length) || !(size > 0)) return normal;
  return vec3_scale(moved, 1 / size);
}

enum { FACET = 5 }; /* points along its edges */

/* Point k of a node's facet, relative to the node where that would be in the face, m; along two directions in the face, and below it as it
 * bends. */
static scr_vec3 facet_point(const pd_rig_contact *contact, double spacing, int k)
{
  scr_vec3 face = contact->face;
  int u = k % FACET - FACET / 2, v = k / FACET - FACET / 2;
  scr_vec3 a = vec3_cross(face, fabs(face.x) < 0.5 ? vec3(1, 0, 0) : vec3(0, 1, 0));
  a = vec3_scale(a, spacing / FACET / vec3_length(a));
  scr_vec3 aside = vec3_add(vec3_scale(a, u), vec3_scale(vec3_cross(face, a), v));
  double along = vec3_dot(aside, contact->straight), square = vec3_dot(aside, aside) - along * along;
  return vec3_add(aside, vec3_scale(face, -0.5 * contact->curvature * square));
}

/* Distance from the part at which the node started, by the nearest point of its facet; INFINITY: not within `reach`. */
static double started(const pd_state *s, const pd_rig_contact *contact, double reach)
{
  const scr_part *form = &s->rig->form[contact->part];
  double spacing = s->bodies[s->host->grains[s->host->grain_of[contact->node]].body].spacing, least = INFINITY;
  int edge = pd_rig_by_facet(s, contact) ? FACET : 1;
  for (int k = 0; k < edge * edge; k++) {
    scr_part_distance from;
    scr_vec3 point = at(&s->host->reference, contact->node);
    if (edge > 1) point = vec3_add(point, facet_point(contact, spacing, k));
    if (scr_part_distance_within(form, form->start, point, reach, 3 * s->contact_radius, &from)) least = fmin(least, from.distance);
  }
  return least;
}

void pd_rig_choose_face(const pd_state *s, pd_rig_contact *contact, scr_vec3 normal)
{
  const pd_grain *grain = &s->host->grains[s->host->grain_of[contact->node]];
  const pd_body *body = &s->bodies[grain->body];
  size_t node = contact->node - grain->first;
  double opposed = 0.5;
  contact->zero = 0.5 * body->spacing;
  contact->face = contact->straight = vec3(0, 0, 0);
  contact->curvature = 0;
  contact->stiffness = pd_node_face_stiffness(body, contact->face);
  for (size_t k = 0; k < body->face_count[node]; k++) {
    scr_vec3 face = moved_normal(s, contact->node, body->face[node][k].normal);
    double cosine = -vec3_dot(face, normal);
    if (!(cosine > opposed)) continue;
    opposed = cosine;
    contact->face = face;
    contact->zero = body->face[node][k].depth;
    contact->curvature = body->face[node][k].curvature;
    contact->straight = body->face[node][k].straight;
    contact->stiffness = pd_node_face_stiffness(body, body->face[node][k].normal);
  }
  if (vec3_dot(contact->straight, contact->straight) > 0) {
    scr_vec3 along = moved_normal(s, contact->node, contact->straight); /* turns as normals do */
    along = vec3_sub(along, vec3_scale(contact->face, vec3_dot(along, contact->face)));
    contact->straight = vec3_scale(along, 1 / vec3_length(along));
  }
  contact->zero = fmin(contact->zero, started(s, contact, contact->zero));
}

/* The mean over the facet. */
static void push_facet(const pd_state *s, pd_rig_contact *contact, const pd_body *body)
{
  const size_t p = contact->part;
  const double part = 1.0 / (FACET * FACET);
  double energy = 0;
  scr_vec3 force = vec3(0, 0, 0);
  for (int k = 0; k < FACET * FACET; k++) {
    scr_part_distance from;
    scr_vec3 point = vec3_add(at(&s->host->position, contact->node), facet_point(contact, body->spacing, k));
    if (!scr_part_distance_within_posed(&s->rig->form[p], &s->rig->now[p].pose, point, contact->zero, contact->zero + 3 * s->contact_radius,
                                        &from))
      continue;
    double overlap = contact->zero - from.distance;
    force = vec3_add(force, vec3_scale(from.normal, part * overlap));
    energy += 0.5 * part * overlap * overlap;
  }
  double size = vec3_length(force);
  contact->force = contact->stiffness * size;
  contact->potential = contact->stiffness * energy;
  if (size > 0) contact->normal = vec3_scale(force, 1 / size);
}

void pd_rig_push_face(const pd_state *s, pd_rig_contact *contact)
{
  const pd_body *body = &s->bodies[s->host->grains[s->host->grain_of[contact->node]].body];
  double overlap = contact->zero - contact->distance;
  if (pd_rig_by_facet(s, contact)) {
    push_facet(s, contact, body);
    return;
  }
  contact->force = contact->stiffness * overlap;
  contact->potential = 0.5 * contact->stiffness * overlap * overlap;
}
