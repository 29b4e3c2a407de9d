/* Pairs of triangles that pass through each other, by going down a tree of boxes against itself.
 * Source of the test of two triangles by intervals on the line both planes share: Moeller, A fast triangle-triangle intersection test,
 * J. Graphics Tools 2 (1997) 25. */
#include "geometry/mesh/mesh_crossing.h"

#include "base/memory.h"
#include "geometry/mesh/mesh_edges.h"
#include "geometry/mesh/mesh_tree.h"

static const double relative_tolerance = 1e-6;
/* A pair of inner nodes is taken apart into at most three, once per level of either: this holds all that wait. */
enum { STACK_PAIRS = 4 * MESH_TREE_DEPTH };

typedef struct searcher {
  const geo_mesh *mesh;
  const geo_mesh_tree *tree;
  uint32_t (*across)[3]; /* [triangle_count] the corner of the neighbour at side k that the side does not have */
  double tolerance;      /* m */
  size_t tests_left;
  geo_mesh_crossings *found;
} searcher;

/* A triangle of the pair, seen from the other's plane. */
typedef struct side_view {
  scr_vec3 corner[3], normal; /* m; unit */
  double height[3];           /* m, of the corners above the other's plane */
} side_view;

static double least(const double v[3])
{
  return fmin(v[0], fmin(v[1], v[2]));
}

static double greatest(const double v[3])
{
  return fmax(v[0], fmax(v[1], v[2]));
}

static void look_from(side_view *of, const side_view *plane)
{
  for (int k = 0; k < 3; k++) of->height[k] = vec3_dot(plane->normal, vec3_sub(of->corner[k], plane->corner[0]));
}

/* Where a triangle with corners on both sides cuts the other's plane: two of its sides have ends above and below. */
static void cut(const side_view *t, scr_vec3 end[2])
{
  int found = 0;
  for (int k = 0; k < 3 && found < 2; k++) {
    int next = (k + 1) % 3;
    if ((t->height[k] < 0) == (t->height[next] < 0)) continue;
    double share = t->height[k] / (t->height[k] - t->height[next]);
    end[found++] = vec3_add(t->corner[k], vec3_scale(vec3_sub(t->corner[next], t->corner[k]), share));
  }
}

static bool pass_through(const side_view *a, const side_view *b, double tolerance, scr_vec3 *at)
{
  if (!(least(a->height) < -tolerance && greatest(a->height) > tolerance)) return false;
  if (!(least(b->height) < -tolerance && greatest(b->height) > tolerance)) return false;
  scr_vec3 end[2][2], line = vec3_cross(a->normal, b->normal);
  double length = vec3_length(line), place[2][2];
  if (!(length > 1e-12)) return false; /* planes this close to parallel would need corners far beyond the mesh */
  line = vec3_scale(line, 1 / length);
  cut(a, end[0]);
  cut(b, end[1]);
  for (int t = 0; t < 2; t++)
    for (int k = 0; k < 2; k++) place[t][k] = vec3_dot(line, vec3_sub(end[t][k], end[0][0]));
  double low = fmax(fmin(place[0][0], place[0][1]), fmin(place[1][0], place[1][1]));
  double high = fmin(fmax(place[0][0], place[0][1]), fmax(place[1][0], place[1][1]));
  *at = vec3_add(end[0][0], vec3_scale(line, 0.5 * (low + high)));
  return high - low > tolerance;
}

/* The part of the line from p to q that lies within a triangle by more than the margin. @return its length, m */
static double length_within(const side_view *t, scr_vec3 p, scr_vec3 q, double margin, scr_vec3 *middle)
{
  double from = 0, to = 1;
  for (int k = 0; k < 3; k++) {
    scr_vec3 side = vec3_sub(t->corner[(k + 1) % 3], t->corner[k]), inwards = vec3_cross(t->normal, side);
    double scale = 1 / vec3_length(side);
    double one = vec3_dot(inwards, vec3_sub(p, t->corner[k])) * scale - margin,
           two = vec3_dot(inwards, vec3_sub(q, t->corner[k])) * scale - margin;
    if (one <= 0 && two <= 0) return 0;
    if (one < 0) from = fmax(from, one / (one - two));
    if (two < 0) to = fmin(to, one / (one - two));
  }
  *middle = vec3_add(p, vec3_scale(vec3_sub(q, p), 0.5 * (from + to)));
  return (to - from) * vec3_length(vec3_sub(q, p));
}

/* A side of `a`, triangle number `number`, in b's plane. */
static bool edge_passes(const searcher *s, uint32_t number, const side_view *a, const side_view *b, scr_vec3 *at)
{
  for (int k = 0; k < 3; k++) {
    int next = (k + 1) % 3;
    double here = a->height[(k + 2) % 3];
    if (fabs(a->height[k]) > s->tolerance || fabs(a->height[next]) > s->tolerance || fabs(here) <= s->tolerance) continue;
    double there = vec3_dot(b->normal, vec3_sub(s->mesh->vertex[s->across[number][k]], b->corner[0]));
    if (fabs(there) <= s->tolerance || (here < 0) == (there < 0)) continue;
    if (length_within(b, a->corner[k], a->corner[next], s->tolerance, at) > s->tolerance) return true;
  }
  return false;
}

/* By separating axes: in one plane two triangles are apart when they are apart across a side of either. */
static bool cover(const side_view *a, const side_view *b, double tolerance, scr_vec3 *at)
{
  if (vec3_dot(a->normal, b->normal) <= 0) return false;
  for (int k = 0; k < 3; k++)
    if (fabs(a->height[k]) > tolerance || fabs(b->height[k]) > tolerance) return false;
  for (int side = 0; side < 6; side++) {
    const side_view *t = side < 3 ? a : b, *other = side < 3 ? b : a;
    scr_vec3 from = t->corner[side % 3], along = vec3_sub(t->corner[(side + 1) % 3], from), inwards = vec3_cross(t->normal, along);
    double depth[3];
    for (int k = 0; k < 3; k++) depth[k] = vec3_dot(inwards, vec3_sub(other->corner[k], from)) / vec3_length(along);
    if (greatest(depth) <= tolerance) return false;
  }
  scr_vec3 sum = vec3(0, 0, 0);
  for (int k = 0; k < 3; k++) sum = vec3_add(sum, vec3_add(a->corner[k], b->corner[k]));
  *at = vec3_scale(sum, 1.0 / 6);
  return true;
}

static side_view view_of(const mesh_tree_triangle *triangle)
{
  return (side_view){.corner = {triangle->corner[0], triangle->corner[1], triangle->corner[2]}, .normal = triangle->normal[0]};
}

/* Whether a triangle is narrower than the tolerance: its normal is then too unsure to judge by, and its neighbours say what it could. */
static bool is_sliver(const side_view *t, double tolerance)
{
  scr_vec3 side[3];
  double longest = 0;
  for (int k = 0; k < 3; k++) {
    side[k] = vec3_sub(t->corner[(k + 1) % 3], t->corner[k]);
    longest = fmax(longest, vec3_length(side[k]));
  }
  return vec3_length(vec3_cross(side[0], side[1])) <= tolerance * longest;
}

static int shared_corners(const uint32_t a[3], const uint32_t b[3])
{
  int count = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) count += a[i] == b[j];
  return count;
}

static void test_pair(searcher *s, const mesh_tree_triangle *one, const mesh_tree_triangle *two)
{
  if (one->number > two->number) {
    const mesh_tree_triangle *keep = one;
    one = two;
    two = keep;
  }
  if (shared_corners(s->mesh->triangle[one->number], s->mesh->triangle[two->number]) > 1) return;
  side_view a = view_of(one), b = view_of(two);
  scr_vec3 at;
  look_from(&a, &b);
  if (least(a.height) > s->tolerance || greatest(a.height) < -s->tolerance) return;
  look_from(&b, &a);
  if (is_sliver(&a, s->tolerance) || is_sliver(&b, s->tolerance)) return;
  if (!pass_through(&a, &b, s->tolerance, &at) && !edge_passes(s, one->number, &a, &b, &at) && !edge_passes(s, two->number, &b, &a, &at) &&
      !cover(&a, &b, s->tolerance, &at))
    return;
  geo_mesh_crossings *found = s->found;
  if (found->count++ > 0 && (found->a < one->number || (found->a == one->number && found->b < two->number))) return;
  found->a = one->number;
  found->b = two->number;
  found->at = at;
}

static geo_box box_of(const mesh_tree_triangle *triangle)
{
  geo_box box = geo_box_empty();
  for (int k = 0; k < 3; k++) box = geo_box_join(box, (geo_box){triangle->corner[k], triangle->corner[k]});
  return box;
}

/* All pairs of two leaves, or of one with itself. */
static void test_leaves(searcher *s, const mesh_tree_node *one, const mesh_tree_node *two)
{
  for (uint32_t i = one->first; i < one->first + one->count; i++) {
    const mesh_tree_triangle *a = &s->tree->triangle[i];
    geo_box box = box_of(a);
    for (uint32_t j = one == two ? i + 1 : two->first; j < two->first + two->count; j++) {
      geo_box other = box_of(&s->tree->triangle[j]);
      if (s->tests_left == 0) return;
      s->tests_left--;
      if (geo_box_near(&box, &other, s->tolerance)) test_pair(s, a, &s->tree->triangle[j]);
    }
  }
}

static double girth(const geo_box *box)
{
  scr_vec3 size = vec3_sub(box->high, box->low);
  return size.x + size.y + size.z;
}

static void search(searcher *s)
{
  uint32_t stack[STACK_PAIRS][2];
  size_t top = 0;
  stack[top][0] = stack[top][1] = 0;
  top++;
  while (top > 0 && s->tests_left > 0) {
    uint32_t i = stack[--top][0], j = stack[top][1];
    const mesh_tree_node *one = &s->tree->node[i], *two = &s->tree->node[j];
    s->tests_left--;
    if (i != j && !geo_box_near(&one->box, &two->box, s->tolerance)) continue;
    if (one->count && two->count) {
      test_leaves(s, one, two);
    } else if (i == j) {
      const uint32_t pairs[3][2] = {{one->first, one->first}, {one->first + 1, one->first + 1}, {one->first, one->first + 1}};
      for (int k = 0; k < 3; k++, top++) stack[top][0] = pairs[k][0], stack[top][1] = pairs[k][1];
    } else {
      bool split_one = two->count || (!one->count && girth(&one->box) >= girth(&two->box));
      uint32_t child = split_one ? one->first : two->first, rest = split_one ? j : i;
      for (uint32_t k = 0; k < 2; k++, top++) stack[top][0] = child + k, stack[top][1] = rest;
    }
  }
  s->found->exhausted = s->tests_left == 0;
}

/* The mesh is closed: sides come in pairs. */
static scr_status find_neighbours(searcher *s, scr_error *error)
{
  const geo_mesh *mesh = s->mesh;
  geo_mesh_side *sides;
  SCR_TRY(mem_allocate(&s->across, mesh->triangle_count, sizeof *s->across, "the neighbours of a mesh's triangles", error));
  SCR_TRY(geo_mesh_sides(mesh, &sides, error));
  for (size_t k = 0; k < mesh->triangle_count * 3; k += 2) {
    const geo_mesh_side *one = &sides[k], *two = &sides[k + 1];
    s->across[one->triangle][one->side] = mesh->triangle[two->triangle][(two->side + 2) % 3];
    s->across[two->triangle][two->side] = mesh->triangle[one->triangle][(one->side + 2) % 3];
  }
  mem_free(sides);
  return SCR_OK;
}

scr_status geo_mesh_find_crossings(const geo_mesh *mesh, const geo_mesh_tree *tree, geo_mesh_crossings *found, scr_error *error)
{
  const geo_box *box = &tree->node[0].box;
  double reach = tree->size;
  const double coordinates[6] = {box->low.x, box->low.y, box->low.z, box->high.x, box->high.y, box->high.z};
  for (int k = 0; k < 6; k++) reach = fmax(reach, fabs(coordinates[k]));
  *found = (geo_mesh_crossings){0};
  searcher s = {.mesh = mesh,
                .tree = tree,
                .tolerance = relative_tolerance * reach,
                .tests_left = 1000000 + 200 * mesh->triangle_count,
                .found = found};
  scr_status status = find_neighbours(&s, error);
  if (status == SCR_OK) search(&s);
  mem_free(s.across);
  return status;
}
