/* Building the tree of boxes: halves of equal number, cut across the longest edge of the box around their centres, and the normals of
 * triangles, sides and corners. */
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/mesh/mesh_edges.h"
#include "geometry/mesh/mesh_tree.h"

enum { selection_rounds = 64 }; /* three times what 2^22 triangles in random order need */

/* A triangle while it is being sorted. */
typedef struct sorted {
  double centre[3]; /* m, twice the centre of its box */
  uint32_t triangle;
} sorted;

typedef struct builder {
  const geo_mesh *mesh;
  sorted *item;
  geo_mesh_tree *tree;
} builder;

/* v / |v|, or `otherwise` where sheets that lie back to back cancel. */
static scr_vec3 unit(scr_vec3 v, scr_vec3 otherwise)
{
  double length = vec3_length(v);
  return length > 1e-12 ? vec3_scale(v, 1.0 / length) : otherwise;
}

static bool before(const sorted *a, const sorted *b, int axis)
{
  if (a->centre[axis] != b->centre[axis]) return a->centre[axis] < b->centre[axis];
  return a->triangle < b->triangle;
}

static void exchange(sorted *a, sorted *b)
{
  sorted keep = *a;
  *a = *b;
  *b = keep;
}

static int compare_along(const void *left, const void *right, void *axis)
{
  const int *a = axis;
  return before(right, left, *a) - before(left, right, *a);
}

/* Moves the `middle` smallest of n items to the front (Hoare's selection). The pivot is the median of three, so that meshes whose triangles
 * come in order take linear time; a mesh made to be slow is sorted once the rounds are used up. */
static void select_smallest(sorted *item, size_t n, size_t middle, int axis)
{
  size_t low = 0, high = n - 1;
  for (int round = 0; low < high; round++) {
    if (round == selection_rounds) {
      qsort_r(item + low, high - low + 1, sizeof *item, compare_along, &axis);
      return;
    }
    size_t centre = low + (high - low) / 2;
    if (before(&item[centre], &item[low], axis)) exchange(&item[centre], &item[low]);
    if (before(&item[high], &item[low], axis)) exchange(&item[high], &item[low]);
    if (before(&item[high], &item[centre], axis)) exchange(&item[high], &item[centre]);
    sorted pivot = item[centre];
    size_t i = low, j = high;
    for (;;) {
      while (before(&item[i], &pivot, axis)) i++;
      while (before(&pivot, &item[j], axis)) j--;
      if (i >= j) break;
      exchange(&item[i++], &item[j--]);
    }
    if (middle <= j)
      high = j;
    else
      low = j + 1;
  }
}

static geo_box triangle_box(const geo_mesh *mesh, uint32_t t)
{
  geo_box box = geo_box_empty();
  for (int k = 0; k < 3; k++) {
    scr_vec3 v = mesh->vertex[mesh->triangle[t][k]];
    box = geo_box_join(box, (geo_box){v, v});
  }
  return box;
}

static int longest_axis(const sorted *item, size_t n)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t k = 0; k < n; k++)
    for (int a = 0; a < 3; a++) {
      low[a] = fmin(low[a], item[k].centre[a]);
      high[a] = fmax(high[a], item[k].centre[a]);
    }
  int axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
  return high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
}

/* Fills node `n` with items first ... first + count - 1 and what is below it. Halving keeps the depth below 32. */
static void build_node(builder *b, size_t n, size_t first, size_t count)
{
  mesh_tree_node *node = &b->tree->node[n];
  node->box = geo_box_empty();
  for (size_t k = first; k < first + count; k++) node->box = geo_box_join(node->box, triangle_box(b->mesh, b->item[k].triangle));
  if (count <= MESH_TREE_LEAF) {
    node->first = (uint32_t)first;
    node->count = (uint32_t)count;
    return;
  }
  size_t half = count / 2, child = b->tree->node_count;
  select_smallest(b->item + first, count, half, longest_axis(b->item + first, count));
  b->tree->node_count += 2;
  node->first = (uint32_t)child;
  node->count = 0;
  build_node(b, child, first, half);
  build_node(b, child + 1, first + half, count - half);
}

/* The normals of all places. Sums go in the order of the mesh's triangles. */
static scr_status fill_normals(const geo_mesh *mesh, const uint32_t *slot, geo_mesh_tree *tree, scr_error *error)
{
  geo_mesh_side *sides;
  scr_vec3 *sum = mem_array(mesh->vertex_count, sizeof *sum);
  if (!sum) return scr_fail_memory(error, "the normals of a mesh", mesh->vertex_count * sizeof *sum);
  scr_status status = geo_mesh_sides(mesh, &sides, error);
  if (status != SCR_OK) {
    mem_free(sum);
    return status;
  }
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    mesh_tree_triangle *at = &tree->triangle[slot[t]];
    scr_vec3 normal = geo_mesh_area_normal(mesh, t); /* not zero: the mesh was checked */
    at->normal[0] = vec3_scale(normal, 1.0 / vec3_length(normal));
    for (int k = 0; k < 3; k++) {
      scr_vec3 one = vec3_sub(at->corner[(k + 1) % 3], at->corner[k]), two = vec3_sub(at->corner[(k + 2) % 3], at->corner[k]);
      double angle = atan2(vec3_length(vec3_cross(one, two)), vec3_dot(one, two));
      scr_vec3 *s = &sum[mesh->triangle[t][k]];
      *s = vec3_add(*s, vec3_scale(at->normal[0], angle));
    }
  }
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      mesh_tree_triangle *at = &tree->triangle[slot[t]];
      at->normal[4 + k] = unit(sum[mesh->triangle[t][k]], at->normal[0]);
    }
  for (size_t s = 0; s < mesh->triangle_count * 3; s += 2) { /* the mesh is closed: sides come in pairs */
    mesh_tree_triangle *one = &tree->triangle[slot[sides[s].triangle]], *two = &tree->triangle[slot[sides[s + 1].triangle]];
    scr_vec3 both = unit(vec3_add(one->normal[0], two->normal[0]), one->normal[0]);
    one->normal[1 + sides[s].side] = both;
    two->normal[1 + sides[s + 1].side] = both;
  }
  mem_free(sides);
  mem_free(sum);
  return SCR_OK;
}

/* @param slot [triangle_count] receives where triangle t of the mesh stands in the tree */
static scr_status build(builder *b, uint32_t *slot, scr_error *error)
{
  const geo_mesh *mesh = b->mesh;
  size_t n = mesh->triangle_count;
  for (size_t t = 0; t < n; t++) {
    geo_box box = triangle_box(mesh, (uint32_t)t);
    b->item[t] = (sorted){{box.low.x + box.high.x, box.low.y + box.high.y, box.low.z + box.high.z}, (uint32_t)t};
  }
  b->tree->triangle_count = n;
  b->tree->node_count = 1;
  build_node(b, 0, 0, n);
  scr_vec3 size = vec3_sub(b->tree->node[0].box.high, b->tree->node[0].box.low);
  b->tree->size = fmax(size.x, fmax(size.y, size.z));
  for (size_t k = 0; k < n; k++) {
    uint32_t t = b->item[k].triangle;
    slot[t] = (uint32_t)k;
    b->tree->triangle[k].number = t;
    for (int c = 0; c < 3; c++) b->tree->triangle[k].corner[c] = mesh->vertex[mesh->triangle[t][c]];
  }
  return fill_normals(mesh, slot, b->tree, error);
}

static scr_status allocate_and_build(const geo_mesh *mesh, geo_mesh_tree *tree, scr_error *error)
{
  size_t n = mesh->triangle_count;
  builder b = {.mesh = mesh, .tree = tree, .item = mem_array(n, sizeof *b.item)};
  tree->node = mem_array(2 * n, sizeof *tree->node); /* a binary tree of at most n leaves */
  tree->triangle = mem_array(n, sizeof *tree->triangle);
  uint32_t *slot = mem_array(n, sizeof *slot);
  scr_status status;
  if (b.item && tree->node && tree->triangle && slot)
    status = build(&b, slot, error);
  else
    status = scr_fail_memory(error, "the search tree of a mesh", n * (sizeof *b.item + 2 * sizeof *tree->node + sizeof *tree->triangle));
  mem_free(slot);
  mem_free(b.item);
  return status;
}

scr_status geo_mesh_tree_create(const geo_mesh *mesh, geo_mesh_tree **tree, scr_error *error)
{
  *tree = NULL;
  SCR_TRY(geo_mesh_check(mesh, error));
  geo_mesh_tree *made = calloc(1, sizeof *made);
  if (!made) return scr_fail_memory(error, "the search tree of a mesh", sizeof *made);
  scr_status status = allocate_and_build(mesh, made, error);
  if (status == SCR_OK)
    *tree = made;
  else
    geo_mesh_tree_destroy(made);
  return status;
}

void geo_mesh_tree_destroy(geo_mesh_tree *tree)
{
  if (!tree) return;
  mem_free(tree->node);
  mem_free(tree->triangle);
  free(tree);
}
