/* Fuzzes the readers of voxel images and all that an image goes through after them: labels, their pieces, and surfaces, which must bound
 * solids. */
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/image/image_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { voxel_limit = 4096, surface_limit = 4 };

static void cut_out(const geo_image *image, const geo_image_label *label)
{
  geo_mesh mesh = {0};
  double change = 0;
  double smoothing = label->label % 3 * 0.7;
  scr_status status = geo_image_surface(image, label, smoothing, label->label % 2 == 1, &mesh, &change, NULL);
  if (status != SCR_OK && (status != SCR_BAD_FILE || smoothing == 0)) abort(); /* unsmoothed there is always one */
  double corner[3] = {0};
  for (size_t v = 0; v < mesh.vertex_count; v++) {
    corner[0] = fmax(corner[0], fabs(mesh.vertex[v].x));
    corner[1] = fmax(corner[1], fabs(mesh.vertex[v].y));
    corner[2] = fmax(corner[2], fabs(mesh.vertex[v].z));
  }
  if (!isfinite(corner[0] + corner[1] + corner[2] + change)) abort();
  geo_mesh_clear(&mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  geo_image image = {0};
  geo_image_label *labels;
  size_t count;
  scr_status status = geo_image_read(data, size, voxel_limit, &image, NULL);
  if (status != SCR_OK) {
    if (image.label) abort();
    return 0;
  }
  uint64_t solid = 0, listed = 0, voxels = (uint64_t)image.count[0] * image.count[1] * image.count[2];
  for (size_t v = 0; v < voxels; v++) solid += image.label[v] > 0;
  if (geo_image_labels(&image, &labels, &count, NULL) == SCR_OK) {
    for (size_t k = 0; k < count; k++) {
      listed += labels[k].voxels;
      if (labels[k].largest > labels[k].voxels || labels[k].pieces == 0) abort();
      if (k < surface_limit) cut_out(&image, &labels[k]);
    }
    if (listed != solid) abort();
    mem_free(labels);
  }
  geo_image_clear(&image);
  return 0;
}
