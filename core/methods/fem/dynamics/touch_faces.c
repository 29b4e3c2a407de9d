/* Nodes against faces of other bodies. */
#include "methods/fem/dynamics/touch_faces.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/search/boxes.h"

enum { NEWTON_LIMIT = 30, HALVINGS = 40 };
static const double passed = 1e-6;             /* bands: round-off of where a node is to a face that it goes through */
static const double flush = 2e-3, kept = 4e-2; /* bands, which are half an edge, that a node may be past a rim: to find it, to keep it */

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Shares and tangents at (s, t). */
static void face_at(const double corner[4][3], double s, double t, double share[4], double along_s[3], double along_t[3])
{
  share[0] = (1 - s) * (1 - t), share[1] = s * (1 - t), share[2] = s * t, share[3] = (1 - s) * t;
  for (int k = 0; k < 3; k++) {
    along_s[k] = (1 - t) * (corner[1][k] - corner[0][k]) + t * (corner[2][k] - corner[3][k]);
    along_t[k] = (1 - s) * (corner[3][k] - corner[0][k]) + s * (corner[2][k] - corner[1][k]);
  }
}

static double clamp(double x)
{
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Newton's method with the part of the Hessian that is always positive (Gauss-Newton), one coordinate held where it leaves the square. */
static void descend(const double corner[4][3], const double point[3], double *s, double *t)
{
  for (int k = 0; k < NEWTON_LIMIT; k++) {
    double share[4], a[3], b[3], rest[3], was_s = *s, was_t = *t;
    face_at(corner, *s, *t, share, a, b);
    for (int i = 0; i < 3; i++)
      rest[i] = point[i] - (share[0] * corner[0][i] + share[1] * corner[1][i] + share[2] * corner[2][i] + share[3] * corner[3][i]);
    double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), ra = dot(rest, a), rb = dot(rest, b), det = aa * bb - ab * ab;
    *s = clamp(was_s + (bb * ra - ab * rb) / det);
    *t = clamp(was_t + (aa * rb - ab * ra) / det);
    if (*s == 0 || *s == 1) *t = clamp(was_t + (rb - ab * (*s - was_s)) / bb); /* the best t for the s that is held */
    if (*t == 0 || *t == 1) *s = clamp(was_s + (ra - ab * (*t - was_t)) / aa);
    if (fabs(*s - was_s) + fabs(*t - was_t) < 1e-14) return;
  }
}

bool fem_face_nearest_point(const double corner[4][3], const double point[3], fem_face_nearest *nearest)
{
  double s = 0.5, t = 0.5, a[3], b[3], rest[3];
  face_at(corner, s, t, nearest->share, a, b);
  if (!(dot(a, a) * dot(b, b) - dot(a, b) * dot(a, b) > 0)) return false;
  descend(corner, point, &s, &t);
  face_at(corner, s, t, nearest->share, a, b);
  double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}, length = sqrt(dot(n, n));
  if (!(length > 0)) return false;
  for (int i = 0; i < 3; i++) {
    nearest->normal[i] = n[i] / length;
    rest[i] = point[i];
    for (int k = 0; k < 4; k++) rest[i] -= nearest->share[k] * corner[k][i];
  }
  nearest->gap = dot(nearest->normal, rest);
  nearest->distance = sqrt(dot(rest, rest));
  return true;
}

/* Where the nodes of all bodies are, and the boxes of bodies. */
typedef struct scene_now {
  const fem_contact_space *space;
  const fem_touch_search *search;
  double *place;  /* [node_count][3] m */
  double *normal; /* [node_count][3] m^2, out of the body: sums over the faces around a node */
  geo_box *box;   /* [body_count] */
  geo_box *swept; /* [body_count] of the whole step */
} scene_now;

static scr_vec3 vec_at(const double *x)
{
  return vec3(x[0], x[1], x[2]);
}

static geo_box box_before(const scene_now *now, uint32_t node)
{
  scr_vec3 x = vec3_add(vec_at(now->space->system->rest + 3 * (size_t)node), vec_at(now->search->before + 3 * (size_t)node));
  return (geo_box){x, x};
}

/* Adds a face's normal, by its diagonals, to its nodes'. */
static void add_normal(scene_now *now, const uint32_t face[4])
{
  double p[3], q[3];
  for (int i = 0; i < 3; i++) {
    p[i] = now->place[3 * (size_t)face[2] + (size_t)i] - now->place[3 * (size_t)face[0] + (size_t)i];
    q[i] = now->place[3 * (size_t)face[3] + (size_t)i] - now->place[3 * (size_t)face[1] + (size_t)i];
  }
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++)
      now->normal[3 * (size_t)face[k] + (size_t)i] += 0.5 * (p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3]);
}

static void place_all(scene_now *now, const double *displacement)
{
  const fem_system *system = now->space->system;
  for (size_t k = 0; k < 3 * system->node_count; k++) now->place[k] = system->rest[k] + displacement[k];
  for (size_t b = 0; b < system->body_count; b++) {
    now->box[b] = now->swept[b] = geo_box_empty();
    for (size_t k = 0; k < now->space->surfaces[b].node_count; k++) {
      scr_vec3 x = vec_at(now->place + 3 * (size_t)now->space->surfaces[b].node[k]);
      now->box[b] = geo_box_join(now->box[b], (geo_box){x, x});
      now->swept[b] = geo_box_join(now->swept[b], box_before(now, now->space->surfaces[b].node[k]));
    }
    now->swept[b] = geo_box_join(now->swept[b], now->box[b]);
    for (size_t f = 0; f < now->space->surfaces[b].face_count; f++) add_normal(now, now->space->surfaces[b].face[f]);
  }
}

/* Whether the point can be nearer to the face than the reach. */
static bool near_face(const double corner[4][3], const double point[3], double reach)
{
  for (int i = 0; i < 3; i++) {
    double low = fmin(fmin(corner[0][i], corner[1][i]), fmin(corner[2][i], corner[3][i]));
    double high = fmax(fmax(corner[0][i], corner[1][i]), fmax(corner[2][i], corner[3][i]));
    if (point[i] < low - reach || point[i] > high + reach) return false;
  }
  return true;
}

/* Whether a node is beside a face rather than above or below it: farther from it than its gap says, and past its rim by more than a little.
 * That little, a thousandth of an edge, is far above what round-off and creep move rims of bodies that lie flush on each other: they would
 * lose their contacts all at once. A node that pushed the body when the search was last made is kept for twenty times as far: at the margin
 * it would let go and catch by turns. */
static bool is_beside(const fem_face_nearest *at, double past)
{
  return at->distance > 1.5 * fabs(at->gap) + past;
}

/* How deep a node may lie behind a face and still be known to have come through it: not half way to the other side of the element. */
static double known_depth(const scene_now *now, size_t b, size_t f)
{
  const fem_edges *edges = now->space->edges;
  return edges ? fmin(now->space->band, 0.5 * edges->thickness[edges->first_face[b] + f]) : now->space->band;
}

/* The nearest face of body b that faces the node; SIZE_MAX: none within the band. What is beside a face belongs to another one. */
static size_t nearest_face(const scene_now *now, size_t b, const double point[3], const double outward[3], double past,
                           fem_face_nearest *nearest)
{
  const geo_hexes_surface *surface = &now->space->surfaces[b];
  size_t found = SIZE_MAX;
  double reach = now->space->band;
  for (size_t f = 0; f < surface->face_count; f++) {
    double corner[4][3];
    fem_face_nearest at;
    for (int k = 0; k < 4; k++) memcpy(corner[k], now->place + 3 * (size_t)surface->face[f][k], sizeof corner[k]);
    if (!near_face((const double(*)[3])corner, point, reach) || !fem_face_nearest_point((const double(*)[3])corner, point, &at)) continue;
    if (at.distance > reach || is_beside(&at, past) || at.gap < -known_depth(now, b, f)) continue;
    if (!(dot(at.normal, outward) < 0) || (found != SIZE_MAX && !(at.distance < nearest->distance))) continue;
    *nearest = at;
    found = f;
  }
  return found;
}

/* A node and a face at a share t of the step. */
static void at_share(const scene_now *now, uint32_t node, const uint32_t face[4], double t, double corner[4][3], double point[3])
{
  const double *rest = now->space->system->rest, *before = now->search->before;
  for (size_t i = 0; i < 3; i++) {
    size_t n = 3 * (size_t)node + i;
    point[i] = (1 - t) * (rest[n] + before[n]) + t * now->place[n];
    for (int k = 0; k < 4; k++) {
      size_t m = 3 * (size_t)face[k] + i;
      corner[k][i] = (1 - t) * (rest[m] + before[m]) + t * now->place[m];
    }
  }
}

/* The moment at which a node goes through a face from outside, in shares of the step, by halving; 2: it does not. @param at receives shares
 * and normal of then, and how far the node is behind that point of the face at the end */
static double goes_through(const scene_now *now, uint32_t node, const uint32_t face[4], fem_face_nearest *at)
{
  double corner[4][3], point[3], low = 0, high = 1, fine = passed * now->space->band;
  const double(*corners)[3] = (const double(*)[3])corner;
  at_share(now, node, face, 0, corner, point);
  if (!fem_face_nearest_point(corners, point, at) || at->gap < -fine) return 2;
  at_share(now, node, face, 1, corner, point);
  if (!fem_face_nearest_point(corners, point, at) || at->gap >= 0) return 2;
  for (int k = 0; k < HALVINGS; k++) {
    double middle = 0.5 * (low + high);
    at_share(now, node, face, middle, corner, point);
    if (!fem_face_nearest_point(corners, point, at)) return 2;
    if (at->gap > 0)
      low = middle;
    else
      high = middle;
  }
  if (at->distance > 10 * fine || !(dot(at->normal, now->normal + 3 * (size_t)node) < 0)) return 2;
  at_share(now, node, face, 1, corner, point);
  at->gap = 0;
  for (int i = 0; i < 3; i++) {
    double foot = 0;
    for (int k = 0; k < 4; k++) foot += at->share[k] * corner[k][i];
    at->gap += at->normal[i] * (point[i] - foot);
  }
  return at->gap < 0 ? high : 2;
}

/* Whether the boxes of the ways of a node and a face meet. */
static bool paths_cross(const scene_now *now, uint32_t node, const uint32_t face[4])
{
  double first[4][3], last[4][3], from[3], to[3];
  at_share(now, node, face, 0, first, from);
  at_share(now, node, face, 1, last, to);
  for (int i = 0; i < 3; i++) {
    double low = INFINITY, high = -INFINITY, margin = now->space->band * passed;
    for (int k = 0; k < 4; k++) low = fmin(low, fmin(first[k][i], last[k][i])), high = fmax(high, fmax(first[k][i], last[k][i]));
    if (fmax(from[i], to[i]) < low - margin || fmin(from[i], to[i]) > high + margin) return false;
  }
  return true;
}

/* The face of body b that the node goes through first in the step; SIZE_MAX: none. */
static size_t passed_face(const scene_now *now, size_t b, uint32_t node, fem_face_nearest *nearest)
{
  const geo_hexes_surface *surface = &now->space->surfaces[b];
  size_t found = SIZE_MAX;
  double first = 2;
  for (size_t f = 0; f < surface->face_count; f++) {
    fem_face_nearest at;
    if (!paths_cross(now, node, surface->face[f])) continue;
    double t = goes_through(now, node, surface->face[f], &at);
    if (!(t < first)) continue;
    first = t, *nearest = at, found = f;
  }
  return found;
}

/* How far a node was inside the body when the step began, by this face as it was then: <= 0. */
static double floor_of(const scene_now *now, uint32_t node, const uint32_t face[4])
{
  double corner[4][3], point[3];
  fem_face_nearest at;
  at_share(now, node, face, 0, corner, point);
  if (!fem_face_nearest_point((const double(*)[3])corner, point, &at)) return 0;
  return fmax(-now->space->band, fmin(0, at.gap));
}

/* Adds a contact of a node with a face of `body`. */
static scr_status add_touch(const scene_now *now, uint32_t node, size_t body, const uint32_t face[4], const fem_face_nearest *at,
                            fem_touches *touches, scr_error *error)
{
  size_t part_count = now->search->parts->count;
  const fem_system *system = now->space->system;
  SCR_TRY(mem_reserve(&touches->item, &touches->capacity, touches->count + 1, sizeof *touches->item, "contacts", error));
  fem_touch *touch = &touches->item[touches->count++];
  *touch = (fem_touch){
      .site = node, .node = {node}, .share = {1}, .node_count = FEM_TOUCH_NODES, .partner = (uint32_t)(part_count + body), .gap = at->gap};
  for (int k = 0; k < 4; k++) {
    touch->node[k + 1] = face[k];
    touch->share[k + 1] = -at->share[k];
  }
  memcpy(touch->axis[0], at->normal, sizeof at->normal);
  fem_touch_tangents(touch);
  touch->point = vec3_sub(vec_at(now->place + 3 * (size_t)node), vec3_scale(vec_at(at->normal), at->gap));
  touch->floor = floor_of(now, node, face);
  touch->friction = now->space->friction[system->body_of_node[node] * (system->body_count + 1) + body];
  return SCR_OK;
}

static scr_status touch_node(const scene_now *now, uint32_t node, size_t body, fem_touches *touches, scr_error *error)
{
  const double *x = now->place + 3 * (size_t)node;
  double band = now->space->band;
  scr_vec3 point = vec_at(x);
  fem_face_nearest at;
  geo_box own = {point, point};
  if (!geo_box_near(&own, &now->box[body], band)) {
    geo_box swept = geo_box_join(own, box_before(now, node));
    size_t through = geo_box_near(&swept, &now->swept[body], 0) ? passed_face(now, body, node, &at) : SIZE_MAX;
    return through == SIZE_MAX ? SCR_OK : add_touch(now, node, body, now->space->surfaces[body].face[through], &at, touches, error);
  }
  const fem_touch *was =
      now->search->former ? fem_find_touch(now->search->former, node, (uint32_t)(now->search->parts->count + body)) : NULL;
  double past = band * (was && was->force[0] > 0 ? kept : flush);
  size_t f = nearest_face(now, body, x, now->normal + 3 * (size_t)node, past, &at);
  if (f == SIZE_MAX) f = passed_face(now, body, node, &at);
  return f == SIZE_MAX ? SCR_OK : add_touch(now, node, body, now->space->surfaces[body].face[f], &at, touches, error);
}

/* The same pairs, where they are now. */
static scr_status keep_pairs(const scene_now *now, fem_touches *touches, scr_error *error)
{
  const fem_touches *pairs = now->search->former;
  for (size_t k = 0; k < pairs->count; k++) {
    const fem_touch *pair = &pairs->item[k];
    double corner[4][3];
    fem_face_nearest at;
    if (pair->node_count != FEM_TOUCH_NODES) continue;
    for (int i = 0; i < 4; i++) memcpy(corner[i], now->place + 3 * (size_t)pair->node[i + 1], sizeof corner[i]);
    if (!fem_face_nearest_point((const double(*)[3])corner, now->place + 3 * (size_t)pair->node[0], &at)) continue;
    SCR_TRY(add_touch(now, pair->node[0], pair->partner - now->search->parts->count, pair->node + 1, &at, touches, error));
  }
  return SCR_OK;
}

static scr_status find_pairs(const scene_now *now, fem_touches *touches, scr_error *error)
{
  for (size_t own = 0; own < now->space->system->body_count; own++)
    for (size_t k = 0; k < now->space->surfaces[own].node_count; k++)
      for (size_t other = 0; other < now->space->system->body_count; other++)
        if (other != own) SCR_TRY(touch_node(now, now->space->surfaces[own].node[k], other, touches, error));
  return SCR_OK;
}

scr_status fem_find_faces(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error)
{
  const fem_system *system = space->system;
  scene_now now = {.space = space,
                   .search = search,
                   .place = mem_array(system->node_count, 3 * sizeof(double)),
                   .normal = mem_array(system->node_count, 3 * sizeof(double)),
                   .box = mem_array(system->body_count, sizeof(geo_box)),
                   .swept = mem_array(system->body_count, sizeof(geo_box))};
  scr_status status = SCR_NO_MEMORY;
  if (now.place && now.normal && now.box && now.swept) {
    place_all(&now, search->displacement);
    status = search->settled && search->former ? keep_pairs(&now, touches, error) : find_pairs(&now, touches, error);
  } else {
    (void)scr_fail_memory(error, "places of nodes", system->node_count * 3 * sizeof(double));
  }
  mem_free(now.place);
  mem_free(now.normal);
  mem_free(now.box);
  mem_free(now.swept);
  return status;
}
