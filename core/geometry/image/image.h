/** Voxel images in which every voxel names the grain it belongs to: what a segmented CT scan is.
 *
 *      voxel (i, j, k) is label[(k count[1] + j) count[0] + i], its middle at origin + i step[0] + j step[1] + k step[2]
 *
 *  Label 0 is the space between grains. */
#ifndef SCREE_GEOMETRY_IMAGE_H
#define SCREE_GEOMETRY_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec3.h"
#include "geometry/mesh/mesh.h"

enum {
  GEO_IMAGE_VOXEL_LIMIT = 1 << 27, /**< most voxels of an image: half a gigabyte of labels */
  GEO_IMAGE_LABEL_LIMIT = 1 << 16  /**< most different labels */
};

/** Starts zeroed; filled by geo_image_read, emptied by geo_image_clear. Lengths are in the file's unit, which it seldom says. */
typedef struct geo_image {
  uint32_t count[3]; /**< voxels along the three axes, >= 1 each */
  scr_vec3 origin;   /**< middle of voxel (0, 0, 0) */
  scr_vec3 step[3];  /**< from one voxel to the next along each axis: orthogonal, longer than 0, left-handed where the file says so */
  uint32_t *label;   /**< [count[2]][count[1]][count[0]] */
} geo_image;

void geo_image_clear(geo_image *image);

static inline size_t geo_image_index(const geo_image *image, uint32_t i, uint32_t j, uint32_t k)
{
  return ((size_t)k * image->count[1] + j) * image->count[0] + i;
}

/** Where the middle of a voxel is; takes parts of voxels, too. */
static inline scr_vec3 geo_image_point(const geo_image *image, double i, double j, double k)
{
  return vec3_add(vec3_add(image->origin, vec3_scale(image->step[0], i)),
                  vec3_add(vec3_scale(image->step[1], j), vec3_scale(image->step[2], k)));
}

/** One label of an image. */
typedef struct geo_image_label {
  uint32_t label;           /**< > 0 */
  uint64_t voxels;          /**< how many it has */
  uint32_t low[3], high[3]; /**< first and last voxel along each axis */
  scr_vec3 centroid;        /**< mean of its voxels' middles */
  double volume;            /**< of its voxels, in the cube of the file's unit */
  uint32_t pieces;          /**< groups of voxels joined by faces: 1 for a sound grain */
  uint64_t largest;         /**< voxels of the largest group */
  size_t seed;              /**< index of the first voxel of that group */
  bool at_rim;              /**< it reaches the rim of the image: the grain may have been cut off */
} geo_image_label;

/** Lists the labels in growing order. @param labels receives [*count], to mem_free
 *  @return SCR_OK; SCR_BAD_FILE for an image of zeros, or with more than GEO_IMAGE_LABEL_LIMIT labels; SCR_NO_MEMORY */
scr_status geo_image_labels(const geo_image *image, geo_image_label **labels, size_t *count, scr_error *error);

/** Appends the surface of one label, its largest group alone, in the file's unit, counter-clockwise seen from outside.
 *
 *  The group's voxels are 1 and all others 0; that is smoothed by a Gaussian, and the surface is where it is 1/2 (marching_cubes.h): closed
 *  and manifold always. Without smoothing it runs half a voxel around the voxels' middles, in steps. A Gaussian of deviation s moves the
 *  level 1/2 of a ball of radius R inwards by s^2/R. With `keep_volume` the surface is at the level between 0.02 and 0.98 that encloses the
 *  volume of the group's voxels, to 1e-4 of it; where grains touch, they then overlap by a few hundredths of a voxel instead of meeting.
 *  @param smoothing standard deviation of the Gaussian in voxels, 0 ... 8; about 1 takes the steps off, and thins what is thinner than it
 *  @param change receives the volume enclosed over that of the group's voxels, less 1; may be NULL
 *  @return SCR_OK; SCR_BAD_FILE when nothing of the label is left after smoothing; SCR_NO_MEMORY */
scr_status geo_image_surface(const geo_image *image, const geo_image_label *label, double smoothing, bool keep_volume, geo_mesh *mesh,
                             double *change, scr_error *error);

#endif
