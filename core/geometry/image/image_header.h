/** What the readers of image formats hand to the one that unpacks voxels. Private to image_read*.c. */
#ifndef SCREE_GEOMETRY_IMAGE_HEADER_H
#define SCREE_GEOMETRY_IMAGE_HEADER_H

#include "geometry/image/image.h"
#include "geometry/mesh/files/mesh_text.h"

typedef enum image_type {
  IMAGE_U8,
  IMAGE_I8,
  IMAGE_U16,
  IMAGE_I16,
  IMAGE_U32,
  IMAGE_I32,
  IMAGE_U64,
  IMAGE_I64,
  IMAGE_F32,
  IMAGE_F64,
  IMAGE_TYPES
} image_type;
typedef enum image_encoding { IMAGE_RAW, IMAGE_DEFLATED, IMAGE_TEXT } image_encoding;

/** Starts zeroed, but for step: a unit cube. */
typedef struct image_header {
  double count[3]; /**< as given; 0: not */
  scr_vec3 origin, step[3];
  image_type type;
  bool has_type, has_order, big_endian;
  image_encoding encoding;
  bool from_end; /**< raw voxels are the file's last bytes */
} image_header;

/** Bytes of a voxel. */
size_t image_type_size(image_type type);

/** Read the header, leaving `text` at the first byte of the voxels. `text` starts at the first byte of the file.
 *  @return SCR_OK, SCR_BAD_FILE */
scr_status image_read_nrrd(mesh_text *text, image_header *header, scr_error *error);
scr_status image_read_meta(mesh_text *text, image_header *header, scr_error *error);

/** Reads `count` finite numbers of the current line, blanks, commas and brackets between them.
 *  @return false when there are fewer, more, or something else */
bool image_read_numbers(mesh_text *text, size_t count, double *values);

#endif
