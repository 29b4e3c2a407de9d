/* Nearest point of a closed mesh, by a tree of boxes, nearer boxes first. */
#include "geometry/mesh/mesh_distance.h"

#include "geometry/mesh/mesh_tree.h"

/* Nearest point of a triangle to p, and the place it lies in (see mesh_tree_triangle), by the Voronoi regions of corners, sides and inside:
 * the sign of the barycentric coordinates of p's projection, and where projections on the sides end.
 * Source: Ericson, Real-Time Collision Detection (2005), section 5.1.5. */
static scr_vec3 nearest_in_triangle(const scr_vec3 corner[3], scr_vec3 p, int *place)
{
  scr_vec3 ab = vec3_sub(corner[1], corner[0]), ac = vec3_sub(corner[2], corner[0]);
  scr_vec3 ap = vec3_sub(p, corner[0]), bp = vec3_sub(p, corner[1]), cp = vec3_sub(p, corner[2]);
  double d1 = vec3_dot(ab, ap), d2 = vec3_dot(ac, ap), d3 = vec3_dot(ab, bp), d4 = vec3_dot(ac, bp), d5 = vec3_dot(ab, cp),
         d6 = vec3_dot(ac, cp);
  *place = 4;
  if (d1 <= 0.0 && d2 <= 0.0) return corner[0];
  *place = 5;
  if (d3 >= 0.0 && d4 <= d3) return corner[1];
  *place = 6;
  if (d6 >= 0.0 && d5 <= d6) return corner[2];
  double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  *place = 1;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return vec3_add(corner[0], vec3_scale(ab, d1 / (d1 - d3)));
  *place = 3;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return vec3_add(corner[0], vec3_scale(ac, d2 / (d2 - d6)));
  *place = 2;
  if (va <= 0.0 && d4 >= d3 && d5 >= d6) {
    double along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return vec3_add(corner[1], vec3_scale(vec3_sub(corner[2], corner[1]), along));
  }
  *place = 0;
  double sum = va + vb + vc;
  return vec3_add(corner[0], vec3_add(vec3_scale(ab, vb / sum), vec3_scale(ac, vc / sum)));
}

static double outside(double value, double low, double high)
{
  return fmax(fmax(low - value, value - high), 0.0);
}

static double box_distance_squared(const geo_box *box, scr_vec3 p)
{
  double x = outside(p.x, box->low.x, box->high.x), y = outside(p.y, box->low.y, box->high.y), z = outside(p.z, box->low.z, box->high.z);
  return x * x + y * y + z * z;
}

/* What a search has found so far. */
typedef struct found {
  double squared; /* m^2 */
  scr_vec3 point, normal;
} found;

static void search_leaf(const geo_mesh_tree *tree, const mesh_tree_node *leaf, scr_vec3 p, found *best)
{
  for (uint32_t k = leaf->first; k < leaf->first + leaf->count; k++) {
    const mesh_tree_triangle *triangle = &tree->triangle[k];
    int place;
    scr_vec3 c = nearest_in_triangle(triangle->corner, p, &place), away = vec3_sub(p, c);
    double squared = vec3_dot(away, away);
    if (squared < best->squared) *best = (found){squared, c, triangle->normal[place]};
  }
}

typedef struct waiting {
  uint32_t node;
  double squared;
} waiting;

/* Goes down the tree with what `best` holds so far. */
static void search(const geo_mesh_tree *tree, scr_vec3 point, found *best)
{
  waiting stack[MESH_TREE_DEPTH];
  size_t top = 0;
  stack[top++] = (waiting){0, box_distance_squared(&tree->node[0].box, point)};
  while (top > 0) {
    waiting next = stack[--top];
    if (next.squared >= best->squared) continue;
    const mesh_tree_node *node = &tree->node[next.node];
    if (node->count) {
      search_leaf(tree, node, point, best);
      continue;
    }
    double one = box_distance_squared(&tree->node[node->first].box, point),
           two = box_distance_squared(&tree->node[node->first + 1].box, point);
    uint32_t nearer = two < one; /* the farther waits below the nearer */
    stack[top++] = (waiting){node->first + 1 - nearer, fmax(one, two)};
    stack[top++] = (waiting){node->first + nearer, fmin(one, two)};
  }
}

static geo_nearest signed_nearest(const geo_mesh_tree *tree, scr_vec3 point, const found *best)
{
  scr_vec3 away = vec3_sub(point, best->point);
  double length = vec3_length(away), sign = vec3_dot(away, best->normal) < 0.0 ? -1.0 : 1.0;
  geo_nearest nearest = {.distance = sign * length, .gradient = best->normal, .point = best->point};
  if (length > 1e-13 * tree->size) nearest.gradient = vec3_scale(away, sign / length);
  return nearest;
}

geo_nearest geo_mesh_nearest(const geo_mesh_tree *tree, scr_vec3 point)
{
  found best = {.squared = INFINITY};
  search(tree, point, &best);
  return signed_nearest(tree, point, &best);
}

bool geo_mesh_nearest_within(const geo_mesh_tree *tree, scr_vec3 point, double reach, geo_nearest *nearest)
{
  double limit = reach * reach;
  found best = {.squared = limit};
  search(tree, point, &best);
  if (!(best.squared < limit)) return false;
  *nearest = signed_nearest(tree, point, &best);
  return true;
}

bool geo_mesh_is_deeper(geo_mesh_probe *probe, scr_vec3 point, double depth)
{
  const double guard = 1e-12 * probe->tree->size; /* round-off of distances */
  double moved = vec3_length(vec3_sub(point, probe->point)) + guard;
  if (probe->known && probe->distance - moved > -depth) return false;
  if (probe->known && probe->distance + moved <= -depth) return true;
  *probe = (geo_mesh_probe){probe->tree, true, point, geo_mesh_nearest(probe->tree, point).distance};
  return probe->distance <= -depth;
}

/* ── crossings ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether the segment from a along d goes through a box: the stretches between each pair of faces overlap. */
static bool segment_intersects_box(const geo_box *box, scr_vec3 a, scr_vec3 d)
{
  const double start[3] = {a.x, a.y, a.z}, along[3] = {d.x, d.y, d.z}, low[3] = {box->low.x, box->low.y, box->low.z},
               high[3] = {box->high.x, box->high.y, box->high.z};
  double from = 0.0, to = 1.0;
  for (int k = 0; k < 3; k++) {
    if (along[k] == 0.0) {
      if (start[k] < low[k] || start[k] > high[k]) return false;
      continue;
    }
    double one = (low[k] - start[k]) / along[k], two = (high[k] - start[k]) / along[k];
    from = fmax(from, fmin(one, two));
    to = fmin(to, fmax(one, two));
  }
  return from <= to * (1 + 1e-12);
}

/* Whether the segment goes through a triangle, its rim included; one that lies in its plane does not. Solves a + t d = b + u e + v f.
 * Source: Moeller, Trumbore, Fast, minimum storage ray-triangle intersection, J. Graphics Tools 2 (1997) 21. */
static bool segment_crosses_triangle(const scr_vec3 corner[3], scr_vec3 a, scr_vec3 d)
{
  scr_vec3 e = vec3_sub(corner[1], corner[0]), f = vec3_sub(corner[2], corner[0]), p = vec3_cross(d, f), from = vec3_sub(a, corner[0]);
  double determinant = vec3_dot(e, p);
  if (fabs(determinant) <= 1e-14 * vec3_length(e) * vec3_length(f) * vec3_length(d)) return false;
  double u = vec3_dot(from, p) / determinant;
  scr_vec3 q = vec3_cross(from, e);
  double v = vec3_dot(d, q) / determinant, t = vec3_dot(f, q) / determinant;
  const double slack = 1e-12, ends = 1e-9; /* what ends on the surface does not cross it */
  return u >= -slack && v >= -slack && u + v <= 1 + slack && t > ends && t < 1 - ends;
}

bool geo_mesh_crosses(const geo_mesh_tree *tree, scr_vec3 a, scr_vec3 b)
{
  uint32_t stack[MESH_TREE_DEPTH];
  size_t top = 0;
  scr_vec3 d = vec3_sub(b, a);
  stack[top++] = 0;
  while (top > 0) {
    const mesh_tree_node *node = &tree->node[stack[--top]];
    if (!segment_intersects_box(&node->box, a, d)) continue;
    for (uint32_t k = node->first; k < node->first + node->count; k++)
      if (segment_crosses_triangle(tree->triangle[k].corner, a, d)) return true;
    if (node->count) continue;
    stack[top++] = node->first;
    stack[top++] = node->first + 1;
  }
  return false;
}

geo_box geo_mesh_tree_box(const geo_mesh_tree *tree)
{
  return tree->node[0].box;
}
