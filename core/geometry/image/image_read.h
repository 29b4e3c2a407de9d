/** Voxel images from bytes that may hold anything: NRRD, and raw voxels behind a small header (MetaImage). */
#ifndef SCREE_GEOMETRY_IMAGE_READ_H
#define SCREE_GEOMETRY_IMAGE_READ_H

#include "geometry/image/image.h"

/** Whether bytes begin as one of the formats does. */
bool geo_image_is_known(const void *bytes, size_t size);

/** Reads an image of three dimensions whose voxels follow its header in the same file:
 *  - NRRD 1 to 5, encodings raw, gzip, and ascii (text);  spacings, or space directions and space origin
 *  - MetaImage (.mha), binary or text, compressed by zlib or not;  ElementSpacing, Offset, TransformMatrix
 *  Voxels are of 8, 16, 32 or 64 bits, whole or floating, of either byte order, and whole numbers from 0 to 4294967295 in any case.
 *  The two formats' documents: teem.sourceforge.net/nrrd/format.html, itk.org/Wiki/MetaIO/Documentation.
 *  @param voxel_limit most voxels, at most GEO_IMAGE_VOXEL_LIMIT; what a compressed file unpacks to is held against it before
 *  @param image       an empty one; stays empty on failure
 *  @return SCR_OK; SCR_BAD_FILE with what is wrong and where; SCR_NO_MEMORY */
scr_status geo_image_read(const void *bytes, size_t size, size_t voxel_limit, geo_image *image, scr_error *error);

#endif
