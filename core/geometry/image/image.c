/* What an image is made of: its labels, and the groups of voxels of each. */
#include "geometry/image/image.h"

#include <stdlib.h>

#include "base/memory.h"

void geo_image_clear(geo_image *image)
{
  mem_free(image->label);
  *image = (geo_image){0};
}

/* ── labels there are ───────────────────────────────────────────────────────────────────────────────────────────── */

static int compare_labels(const void *left, const void *right)
{
  uint32_t a = ((const geo_image_label *)left)->label, b = ((const geo_image_label *)right)->label;
  return (a > b) - (a < b);
}

static geo_image_label *find(geo_image_label *labels, size_t count, uint32_t label)
{
  geo_image_label key = {.label = label};
  return bsearch(&key, labels, count, sizeof key, compare_labels);
}

/* The labels found so far, sorted, and those met since, which are few. */
typedef struct collection {
  geo_image_label *labels;
  size_t count, capacity;
} collection;

static scr_status note_label(collection *to, uint32_t label, scr_error *error)
{
  size_t low = 0, high = to->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (to->labels[middle].label < label)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < to->count && to->labels[low].label == label) return SCR_OK;
  if (to->count == GEO_IMAGE_LABEL_LIMIT)
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "the image has more than %d different labels: is it a grey image? segment it first, one whole number per grain",
                    GEO_IMAGE_LABEL_LIMIT);
  SCR_TRY(mem_reserve(&to->labels, &to->capacity, to->count + 1, sizeof *to->labels, "the labels of an image", error));
  for (size_t k = to->count; k > low; k--) to->labels[k] = to->labels[k - 1];
  to->labels[low] = (geo_image_label){.label = label, .low = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, .seed = SIZE_MAX};
  to->count++;
  return SCR_OK;
}

static void extend(geo_image_label *of, const geo_image *image, const uint32_t at[3])
{
  of->voxels++;
  for (int a = 0; a < 3; a++) {
    if (at[a] < of->low[a]) of->low[a] = at[a];
    if (at[a] > of->high[a]) of->high[a] = at[a];
    if (at[a] == 0 || at[a] == image->count[a] - 1) of->at_rim = true;
  }
  of->centroid = vec3_add(of->centroid, vec3(at[0], at[1], at[2])); /* whole numbers below 2^53: exact */
}

static void measure(collection *found, const geo_image *image)
{
  geo_image_label *last = NULL;
  double voxel = fabs(vec3_dot(vec3_cross(image->step[0], image->step[1]), image->step[2]));
  for (uint32_t k = 0; k < image->count[2]; k++)
    for (uint32_t j = 0; j < image->count[1]; j++)
      for (uint32_t i = 0; i < image->count[0]; i++) {
        uint32_t label = image->label[geo_image_index(image, i, j, k)];
        if (label == 0) continue;
        if (!last || last->label != label) last = find(found->labels, found->count, label);
        extend(last, image, (const uint32_t[3]){i, j, k});
      }
  for (size_t n = 0; n < found->count; n++) {
    geo_image_label *of = &found->labels[n];
    scr_vec3 mean = vec3_scale(of->centroid, 1 / (double)of->voxels);
    of->centroid = geo_image_point(image, mean.x, mean.y, mean.z);
    of->volume = voxel * (double)of->voxels;
  }
}

/* ── groups of voxels ───────────────────────────────────────────────────────────────────────────────────────────── */

/* The first voxel of the group of voxel `v`, halving the way on the way. */
static uint32_t root_of(uint32_t *parent, uint32_t v)
{
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

/* Joins two voxels of one label; the group keeps its first voxel as its root. */
static void join(const geo_image *image, uint32_t *parent, size_t v, size_t other)
{
  if (image->label[v] != image->label[other]) return;
  uint32_t a = root_of(parent, (uint32_t)v), b = root_of(parent, (uint32_t)other);
  if (a < b) parent[b] = a;
  if (b < a) parent[a] = b;
}

static void join_all(const geo_image *image, uint32_t *parent)
{
  size_t row = image->count[0], layer = row * image->count[1], v = 0;
  for (uint32_t k = 0; k < image->count[2]; k++)
    for (uint32_t j = 0; j < image->count[1]; j++)
      for (uint32_t i = 0; i < image->count[0]; i++, v++) {
        parent[v] = (uint32_t)v;
        if (image->label[v] == 0) continue;
        if (i) join(image, parent, v, v - 1);
        if (j) join(image, parent, v, v - row);
        if (k) join(image, parent, v, v - layer);
      }
}

static scr_status count_pieces(const geo_image *image, collection *found, scr_error *error)
{
  size_t voxels = (size_t)image->count[0] * image->count[1] * image->count[2];
  uint32_t *parent = mem_array(voxels, sizeof *parent), *size = mem_array(voxels, sizeof *size);
  if (!parent || !size) {
    mem_free(parent);
    mem_free(size);
    return scr_fail_memory(error, "the groups of an image's voxels", voxels * 2 * sizeof *parent);
  }
  join_all(image, parent);
  for (size_t v = 0; v < voxels; v++)
    if (image->label[v]) size[root_of(parent, (uint32_t)v)]++;
  for (size_t v = 0; v < voxels; v++) {
    if (!image->label[v] || parent[v] != v) continue;
    geo_image_label *of = find(found->labels, found->count, image->label[v]);
    of->pieces++;
    if (size[v] > of->largest) of->largest = size[v], of->seed = v;
  }
  mem_free(parent);
  mem_free(size);
  return SCR_OK;
}

static scr_status collect(const geo_image *image, collection *found, scr_error *error)
{
  size_t voxels = (size_t)image->count[0] * image->count[1] * image->count[2];
  uint32_t last = 0;
  for (size_t v = 0; v < voxels; v++) {
    if (image->label[v] == 0 || image->label[v] == last) continue;
    last = image->label[v];
    SCR_TRY(note_label(found, last, error));
  }
  if (found->count == 0)
    return scr_fail(error, SCR_BAD_FILE, NULL, "all %zu voxels of the image are 0, the space between grains: grains have labels from 1",
                    voxels);
  measure(found, image);
  return count_pieces(image, found, error);
}

scr_status geo_image_labels(const geo_image *image, geo_image_label **labels, size_t *count, scr_error *error)
{
  collection found = {0};
  scr_status status = collect(image, &found, error);
  *labels = NULL;
  *count = 0;
  if (status != SCR_OK) {
    mem_free(found.labels);
    return status;
  }
  *labels = found.labels;
  *count = found.count;
  return SCR_OK;
}
