/* Meshes: points of one surface against the signed distance of the other, both ways round.
 *
 * Exact for a ball outside (the mesh's distance at its centre); else as fine as the points of the surface lie. Of many points that touch
 * the deepest is kept, and those farthest from what is kept, as long as they tell something new. */
#include "geometry/mesh/mesh_distance.h"
#include "geometry/solid.h"
#include "geometry/touch/hull_near.h"
#include "geometry/touch/manifold.h"

enum { KEPT = 12, CANDIDATES = 4096 };

typedef struct candidate {
  scr_vec3 point, normal; /* normal: out of the solid that was asked */
  double gap;
  uint32_t feature;
} candidate;

/* The distance of a world point from a placed piece, where it is less than `reach`. */
static bool distance_within(const geo_placed *to, scr_vec3 x, double reach, geo_nearest *nearest)
{
  if (vec3_length(vec3_sub(x, to->middle)) > to->extent + reach) return false;
  if (to->piece->kind == GEO_PIECE_HULL) {
    hull_near near = hull_nearest(to, x);
    *nearest = (geo_nearest){near.distance, near.normal, near.point};
    return near.distance < reach;
  }
  scr_vec3 own = quat_rotate(quat_conjugate(to->turn), vec3_sub(x, to->position));
  if (to->piece->kind == GEO_PIECE_MESH) {
    double depth = fmax(reach, 0.25 * to->extent); /* deeper points count as far */
    if (!geo_mesh_nearest_within(to->piece->tree, vec3_scale(own, 1 / to->scale), depth / to->scale, nearest)) return false;
    nearest->distance *= to->scale;
  } else if (to->piece->kind == GEO_PIECE_CYLINDER) {
    const geo_placed_solid rod = {
        .kind = GEO_PLACED_CYLINDER, .rotation = {0, 0, 0, 1}, .radius = to->radius, .half_height = to->half_length};
    *nearest = geo_placed_nearest(&rod, own);
  } else {
    double half = to->piece->kind == GEO_PIECE_CAPSULE ? to->half_length : 0, z = fmax(-half, fmin(half, own.z));
    scr_vec3 away = vec3_sub(own, vec3(0, 0, z));
    double length = vec3_length(away);
    nearest->distance = length - to->radius;
    nearest->gradient = length > 0 ? vec3_scale(away, 1 / length) : vec3(1, 0, 0);
  }
  nearest->gradient = quat_rotate(to->turn, nearest->gradient);
  return nearest->distance < reach;
}

/* The point k of a piece's surface, for pieces that have a list of such: samples of a mesh, corners and middles of edges of a hull. */
static size_t point_count(const geo_placed *a)
{
  const geo_piece *piece = a->piece;
  if (piece->kind == GEO_PIECE_MESH) return piece->sample_count;
  if (piece->kind == GEO_PIECE_HULL) return piece->hull.corner_count + 3 * piece->hull.edge_count;
  return piece->kind == GEO_PIECE_CYLINDER ? 48 : 0;
}

static scr_vec3 point_of(const geo_placed *a, size_t k)
{
  const geo_piece *piece = a->piece;
  if (piece->kind == GEO_PIECE_MESH) return vec3_add(a->position, quat_rotate(a->turn, vec3_scale(piece->sample[k], a->scale)));
  if (piece->kind == GEO_PIECE_HULL) {
    const geo_hull *h = &piece->hull;
    if (k < h->corner_count) return a->corner[k];
    size_t e = (k - h->corner_count) / 3, part = (k - h->corner_count) % 3 + 1;
    scr_vec3 p = a->corner[h->edge[e][0]], q = a->corner[h->edge[e][1]];
    return vec3_along(p, vec3_sub(q, p), 0.25 * (double)part);
  }
  double angle = 2 * M_PI * (double)(k % 16) / 16, height = k < 16 ? -1 : k < 32 ? 1 : 0;
  return vec3_add(a->position, quat_rotate(a->turn, vec3(a->radius * cos(angle), a->radius * sin(angle), height * a->half_length)));
}

/* Points of `a` nearer to `b` than reach. */
static size_t gather(const geo_placed *a, const geo_placed *b, double reach, uint32_t side, candidate *found, size_t count)
{
  for (size_t k = 0, n = point_count(a); k < n && count < CANDIDATES; k++) {
    geo_nearest nearest;
    scr_vec3 x = point_of(a, k);
    if (!distance_within(b, x, reach, &nearest)) continue;
    found[count++] = (candidate){x, side ? vec3_scale(nearest.gradient, -1) : nearest.gradient, nearest.distance, (uint32_t)k << 1 | side};
  }
  return count;
}

/* A ball or capsule against a mesh: the mesh's distance at its centre, or along its segment. */
static size_t gather_round(const geo_placed *mesh, const geo_placed *b, double reach, candidate *found)
{
  size_t count = 0, steps = b->piece->kind == GEO_PIECE_CAPSULE ? 8 : 0;
  for (size_t k = 0; k <= steps; k++) {
    geo_nearest nearest;
    double along = steps ? b->half_length * (2 * (double)k / (double)steps - 1) : 0;
    scr_vec3 x = vec3_along(b->position, b->axis, along);
    if (!distance_within(mesh, x, reach + b->radius, &nearest)) continue;
    double gap = nearest.distance - b->radius;
    found[count++] = (candidate){vec3_along(x, nearest.gradient, -b->radius), vec3_scale(nearest.gradient, -1), gap, (uint32_t)k << 1 | 1};
  }
  return count;
}

/* How much a candidate tells beside those kept: its distance from the nearest of them, more where normals differ. */
static double news(const candidate *c, const candidate *kept, size_t count, double size)
{
  double least = INFINITY;
  for (size_t k = 0; k < count; k++) {
    double apart = vec3_length(vec3_sub(c->point, kept[k].point)), turned = size * (1 - vec3_dot(c->normal, kept[k].normal));
    least = fmin(least, apart + turned);
  }
  return least;
}

static size_t choose(const candidate *found, size_t count, double size, candidate *kept)
{
  size_t chosen = 0, deepest = 0;
  for (size_t k = 1; k < count; k++)
    if (found[k].gap < found[deepest].gap) deepest = k;
  if (count) kept[chosen++] = found[deepest];
  while (chosen < KEPT) {
    size_t best = count;
    double most = 0.05 * size;
    for (size_t k = 0; k < count; k++) {
      double tells = news(&found[k], kept, chosen, size) - fmax(found[k].gap, 0);
      if (tells > most) most = tells, best = k;
    }
    if (best == count) break;
    kept[chosen++] = found[best];
  }
  return chosen;
}

void touch_mesh(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink)
{
  candidate found[CANDIDATES], kept[KEPT];
  bool round = b->piece->kind == GEO_PIECE_BALL || b->piece->kind == GEO_PIECE_CAPSULE;
  size_t count = round ? gather_round(a, b, reach, found) : 0;
  if (!round) { /* normals here: from b to a */
    count = gather(a, b, reach, 0, found, 0);
    count = gather(b, a, reach, 1, found, count);
  }
  size_t chosen = choose(found, count, fmin(a->extent, b->extent), kept);
  for (size_t k = 0; k < chosen; k++) {
    /* a point of a: half the gap back along b's gradient; a point of b: forward, towards a */
    double half = kept[k].feature & 1 ? 0.5 : -0.5;
    touch_add(sink, vec3_along(kept[k].point, kept[k].normal, half * kept[k].gap), kept[k].normal, kept[k].gap, kept[k].feature);
  }
}
