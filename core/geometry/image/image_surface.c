/* The surface of one grain of an image: its largest group of voxels, smoothed, cut at one half or where it has the voxels' volume. */
#include <string.h>

#include "base/memory.h"
#include "geometry/image/image.h"
#include "geometry/marching_cubes.h"

enum { REACH_LIMIT = 25 };

/* A box of voxels around a label, with a margin that the Gaussian does not leave. */
typedef struct window {
  size_t count[3];
  int64_t first[3]; /* the image's voxel at (0, 0, 0); may be negative */
  float *value, *row;
} window;

static size_t at(const window *w, size_t i, size_t j, size_t k)
{
  return (k * w->count[1] + j) * w->count[0] + i;
}

/* ── the group ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Marks the voxels of the label that are joined to its seed: value 1. `stack` holds numbers of voxels of the window. */
static void mark_group(const geo_image *image, const geo_image_label *label, window *w, uint32_t *stack)
{
  size_t row = image->count[0], layer = row * image->count[1], used = 0;
  const size_t seed[3] = {label->seed % row, label->seed / row % image->count[1], label->seed / layer};
  size_t start =
      at(w, (size_t)((int64_t)seed[0] - w->first[0]), (size_t)((int64_t)seed[1] - w->first[1]), (size_t)((int64_t)seed[2] - w->first[2]));
  w->value[start] = 1;
  stack[used++] = (uint32_t)start;
  while (used) {
    size_t v = stack[--used];
    const size_t here[3] = {v % w->count[0], v / w->count[0] % w->count[1], v / (w->count[0] * w->count[1])};
    for (int side = 0; side < 6; side++) {
      int64_t to[3];
      for (int a = 0; a < 3; a++) to[a] = (int64_t)here[a] + w->first[a] + (side / 2 == a ? 2 * (side % 2) - 1 : 0);
      bool out = false;
      for (int a = 0; a < 3; a++) out = out || to[a] < (int64_t)label->low[a] || to[a] > (int64_t)label->high[a];
      if (out || image->label[geo_image_index(image, (uint32_t)to[0], (uint32_t)to[1], (uint32_t)to[2])] != label->label) continue;
      size_t next = at(w, (size_t)(to[0] - w->first[0]), (size_t)(to[1] - w->first[1]), (size_t)(to[2] - w->first[2]));
      if (w->value[next] > 0) continue;
      w->value[next] = 1;
      stack[used++] = (uint32_t)next;
    }
  }
}

/* ── smoothing ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Weights of a Gaussian cut off at three deviations, of sum 1. @return how many to each side */
static size_t weights_of(double deviation, double weight[static REACH_LIMIT + 1])
{
  size_t reach = (size_t)ceil(3 * deviation);
  double sum = 0;
  for (size_t k = 0; k <= reach; k++) {
    weight[k] = exp(-0.5 * (double)(k * k) / (deviation * deviation));
    sum += k ? 2 * weight[k] : weight[k];
  }
  for (size_t k = 0; k <= reach; k++) weight[k] /= sum;
  return reach;
}

/* Folds one line of the window with the weights. Beyond its ends there are zeros. */
static void smooth_line(window *w, size_t first, size_t stride, size_t length, const double *weight, size_t reach)
{
  for (size_t n = 0; n < length; n++) w->row[n] = w->value[first + n * stride];
  for (size_t n = 0; n < length; n++) {
    double sum = weight[0] * w->row[n];
    for (size_t k = 1; k <= reach; k++) sum += weight[k] * ((n >= k ? w->row[n - k] : 0.0f) + (n + k < length ? w->row[n + k] : 0.0f));
    w->value[first + n * stride] = (float)sum;
  }
}

static void smooth(window *w, double deviation)
{
  double weight[REACH_LIMIT + 1];
  if (deviation <= 0) return;
  size_t reach = weights_of(deviation, weight);
  const size_t stride[3] = {1, w->count[0], w->count[0] * w->count[1]};
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    for (size_t m = 0; m < w->count[c]; m++)
      for (size_t n = 0; n < w->count[b]; n++) smooth_line(w, n * stride[b] + m * stride[c], stride[a], w->count[a], weight, reach);
  }
}

/* ── triangles ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status fill_grid(const window *w, double level, block_grid *grid, scr_error *error)
{
  block_range all = {.low = {0, 0, 0}};
  size_t blocks = 1;
  for (int a = 0; a < 3; a++) {
    all.high[a] = (int32_t)((w->count[a] - 1) / BLOCK_EDGE);
    blocks *= (size_t)all.high[a] + 1;
  }
  SCR_TRY(block_grid_cover(grid, &all, blocks, error));
  SCR_TRY(block_grid_allocate(grid, blocks, error));
  for (size_t b = 0; b < grid->block_count; b++)
    for (size_t n = 0; n < BLOCK_POINTS; n++) {
      size_t p[3];
      for (int a = 0; a < 3; a++) p[a] = (size_t)block_key_along(grid->key[b], a) * BLOCK_EDGE + (n >> (3 * a) & (BLOCK_EDGE - 1));
      bool in = p[0] < w->count[0] && p[1] < w->count[1] && p[2] < w->count[2];
      grid->value[b * BLOCK_POINTS + n] = (float)level - (in ? w->value[at(w, p[0], p[1], p[2])] : 0.0f);
    }
  return SCR_OK;
}

/* From the grid's cells to the file's unit; a left-handed image turns triangles over. */
static scr_status append(const geo_image *image, const window *w, const geo_mesh *cut, geo_mesh *mesh, scr_error *error)
{
  uint32_t first = (uint32_t)mesh->vertex_count;
  bool mirrored = vec3_dot(vec3_cross(image->step[0], image->step[1]), image->step[2]) < 0;
  for (size_t v = 0; v < cut->vertex_count; v++) {
    scr_vec3 p = cut->vertex[v];
    SCR_TRY(geo_mesh_add_vertex(
        mesh, geo_image_point(image, p.x + (double)w->first[0], p.y + (double)w->first[1], p.z + (double)w->first[2]), error));
  }
  for (size_t t = 0; t < cut->triangle_count; t++) {
    const uint32_t *c = cut->triangle[t];
    SCR_TRY(geo_mesh_add_triangle(mesh, first + c[0], first + c[mirrored ? 2 : 1], first + c[mirrored ? 1 : 2], 0, error));
  }
  return SCR_OK;
}

/* The surface at a level, in voxels, and the volume it encloses in their number. @param cut empty */
static scr_status cut_at(const window *w, double level, geo_mesh *cut, double *volume, scr_error *error)
{
  block_grid grid = {.cell = 1};
  scr_status status = fill_grid(w, level, &grid, error);
  if (status == SCR_OK) status = geo_marching_cubes(&grid, 0, cut, error);
  block_grid_clear(&grid);
  *volume = 0;
  for (size_t t = 0; status == SCR_OK && t < cut->triangle_count; t++) {
    const uint32_t *c = cut->triangle[t];
    *volume += vec3_dot(cut->vertex[c[0]], vec3_cross(cut->vertex[c[1]], cut->vertex[c[2]])) / 6;
  }
  return status;
}

/* Closes in on the level that encloses `wanted` voxels, by false position with halved weights of an end that stays (Illinois). `cut` and
 * `volume` come with those of the level 1/2, and leave with the found one's. */
static scr_status find_level(const window *w, double wanted, geo_mesh *cut, double *volume, scr_error *error)
{
  enum { ROUNDS = 12 };
  double low = 0.02, high = 0.98, too_much = NAN, too_little = NAN, level = 0.5; /* volumes fall with the level */
  for (int round = 0; round < ROUNDS && fabs(*volume - wanted) > 1e-4 * wanted; round++) {
    if (*volume > wanted) {
      low = level, too_much = *volume - wanted;
      if (!isnan(too_little)) too_little *= 0.5;
    } else {
      high = level, too_little = *volume - wanted;
      if (!isnan(too_much)) too_much *= 0.5;
    }
    bool both = !isnan(too_much) && !isnan(too_little);
    level = both ? (low * too_little - high * too_much) / (too_little - too_much) : 0.5 * (low + high);
    geo_mesh_clear(cut);
    SCR_TRY(cut_at(w, level, cut, volume, error));
  }
  return SCR_OK;
}

static scr_status cut_window(const geo_image *image, const geo_image_label *label, const window *w, bool keep_volume, geo_mesh *mesh,
                             double *change, scr_error *error)
{
  geo_mesh cut = {0};
  double volume, voxels = (double)label->largest;
  scr_status status = cut_at(w, 0.5, &cut, &volume, error);
  bool nothing = cut.triangle_count == 0;
  if (status == SCR_OK && keep_volume && !nothing) status = find_level(w, voxels, &cut, &volume, error);
  if (status == SCR_OK) status = append(image, w, &cut, mesh, error);
  geo_mesh_clear(&cut);
  if (change) *change = volume / voxels - 1;
  if (status != SCR_OK || !nothing) return status;
  return scr_fail(error, SCR_BAD_FILE, NULL,
                  "nothing of label %u with its %llu voxels is left after smoothing: smooth less, or leave it out", label->label,
                  (unsigned long long)label->voxels);
}

scr_status geo_image_surface(const geo_image *image, const geo_image_label *label, double smoothing, bool keep_volume, geo_mesh *mesh,
                             double *change, scr_error *error)
{
  window w = {0};
  size_t margin = (size_t)ceil(3 * smoothing) + 1, voxels = 1, longest = 0;
  if (!(smoothing >= 0 && smoothing <= 8))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "smoothing is %g voxels; 0 to 8 are possible", smoothing);
  for (int a = 0; a < 3; a++) {
    w.count[a] = label->high[a] - label->low[a] + 1 + 2 * margin;
    w.first[a] = (int64_t)label->low[a] - (int64_t)margin;
    voxels *= w.count[a];
    longest = w.count[a] > longest ? w.count[a] : longest;
  }
  if (voxels > UINT32_MAX)
    return scr_fail(error, SCR_BAD_FILE, NULL, "label %u spans %zu voxels; at most %u: use a coarser image", label->label, voxels,
                    UINT32_MAX);
  uint32_t *stack = mem_array(label->voxels, sizeof *stack);
  w.value = mem_array(voxels, sizeof *w.value);
  w.row = mem_array(longest, sizeof *w.row);
  scr_status status = stack && w.value && w.row ? SCR_OK : scr_fail_memory(error, "one grain of an image", voxels * sizeof *w.value);
  if (status == SCR_OK) {
    mark_group(image, label, &w, stack);
    smooth(&w, smoothing);
    status = cut_window(image, label, &w, keep_volume, mesh, change, error);
  }
  mem_free(stack);
  mem_free(w.value);
  mem_free(w.row);
  return status;
}
