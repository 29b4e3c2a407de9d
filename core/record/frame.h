/** Drawables and frames: what a method shows, without any idea of physics.
 *
 *  A drawable is declared once (topology record); a frame carries the state of all of them.
 *  Frame payload, little-endian, every block and array 8-byte aligned:
 *    frame_header, then per drawable: block_header, then per array: array_header, data padded to 8.
 *  A changing mesh has two blocks, of its vertices and of its triangles, each with as many elements as the frame says. */
#ifndef SCREE_RECORD_FRAME_H
#define SCREE_RECORD_FRAME_H

#include <assert.h>
#include <stdint.h>

#include "base/vec3.h"
#include "geometry/mesh.h"
#include "scree.h"

typedef enum scr_drawable_kind {
  SCR_DRAW_POINTS = 1, /**< balls: field 0 is the centre, one radius for all */
  SCR_DRAW_PLANES = 2, /**< rectangles: field 0 is the centre; half edges u, v are in the topology; where parts turn, field 1 is a rotation
                               vector, as of SCR_DRAW_MESH */
  SCR_DRAW_CYLINDERS = 3, /**< rollers (field 0 is the centre), or arcs of a mantle (field 0 is the middle of the arc) */
  SCR_DRAW_MESH = 4       /**< bodies of fixed triangles: field 0 is where a body's origin is, field 1 its rotation vector; or, `changing`,
                               the skin of points, whose triangles every frame brings along */
} scr_drawable_kind;

typedef enum scr_encoding {
  SCR_ENCODING_FLOAT32 = 0,
  SCR_ENCODING_UINT16 = 1, /**< value = low + (high - low) * q / 65535, per component */
  SCR_ENCODING_UINT32 = 2  /**< whole numbers, e.g. a fragment's number */
} scr_encoding;

enum { SCR_FIELD_LIMIT = 8, SCR_PLANE_LIMIT = 24, SCR_CYLINDER_LIMIT = 24, SCR_MESH_LIMIT = 64 };

/** Most vertices, and most triangles, of all bodies of one SCR_DRAW_MESH together: they stand in the topology as text, 25 MB at most. */
enum { SCR_MESH_TRIANGLE_LIMIT = 1 << 18 };

/** One array per element that a frame carries. */
typedef struct scr_field {
  char name[32]; /**< "position", "damage", "speed", "fragment" */
  char unit[16];
  uint32_t components; /**< 3 for positions, 1 for scalars */
  uint32_t encoding;   /**< scr_encoding */
} scr_field;

typedef struct scr_plane_shape {
  char name[32];           /**< "z_max" */
  scr_vec3 half_u, half_v; /**< m */
} scr_plane_shape;

typedef struct scr_cylinder_shape {
  char name[32];      /**< "load" */
  scr_vec3 half_axis; /**< m, half of the axis as a vector */
  scr_vec3 middle;    /**< unit, across the axis: from it to the middle of the arc */
  double radius;      /**< m */
  double half_arc;    /**< rad, of the mantle to either side of the middle; pi: all round, with flat ends */
} scr_cylinder_shape;

/** The fields of a changing mesh. Whole numbers up to 65535 are stored as uint16 with the range 0 to 65535, that is, as they are. */
enum {
  SCR_SKIN_POSITION, /**< per vertex, m: 3 components, float32 or uint16 */
  SCR_SKIN_FRAGMENT, /**< per vertex: number of the fragment it belongs to, uint32 */
  SCR_SKIN_CORNERS,  /**< per triangle: 3 numbers of vertices, counter-clockwise seen from outside, uint32 */
  SCR_SKIN_FIELDS
};

/** A rigid body of SCR_DRAW_MESH. A point x of it is at position + R x, R turning by |orientation| rad about the orientation's direction. */
typedef struct scr_mesh_shape {
  char name[32]; /**< "anvil" */
  geo_mesh mesh; /**< m, in the body's own axes; parts don't count */
} scr_mesh_shape;

typedef struct scr_drawable {
  uint32_t kind; /**< scr_drawable_kind */
  char name[64]; /**< "grain" */
  uint32_t element_count;
  double radius;        /**< m, SCR_DRAW_POINTS only */
  uint32_t field_count; /**< field 0 is "position", m, 3 components; of SCR_DRAW_MESH field 1 is "orientation", rad, 3 components */
  scr_field fields[SCR_FIELD_LIMIT];
  scr_plane_shape planes[SCR_PLANE_LIMIT];          /**< [element_count], SCR_DRAW_PLANES only */
  scr_cylinder_shape cylinders[SCR_CYLINDER_LIMIT]; /**< [element_count], SCR_DRAW_CYLINDERS only */
  scr_mesh_shape *meshes; /**< [element_count], SCR_DRAW_MESH that is not changing, else NULL; owned as drawable.h says */
  bool changing;          /**< SCR_DRAW_MESH only: element_count is 0, fields are those of scr_skin_field, and it comes last */
  uint32_t skin_of;       /**< changing: id of the points whose fragments it covers */
} scr_drawable;

typedef struct scr_frame_header {
  uint32_t block_count;
  uint32_t reserved; /**< 0 */
} scr_frame_header;

typedef struct scr_block_header {
  uint32_t drawable; /**< id: index in the topology */
  uint32_t element_count;
  uint32_t array_count;
  uint32_t byte_size; /**< of all that follows in this block */
} scr_block_header;

typedef struct scr_array_header {
  uint32_t field;      /**< index into the drawable's fields */
  uint32_t encoding;   /**< scr_encoding */
  uint32_t components; /**< 1 or 3 */
  uint32_t byte_size;  /**< of the data, without padding */
  double low[3];       /**< least value, per component; SCR_ENCODING_UINT16: value of q = 0 */
  double high[3];      /**< largest value; SCR_ENCODING_UINT16: value of q = 65535 */
} scr_array_header;

/** Of a field with one component, float32 or uint16, low and high have room to spare. There stands the range of its values in all frames of the
 *  run up to and with this one, so that everybody who looks at a frame can give it the same colours: low[SCR_SO_FAR] ... high[SCR_SO_FAR], when
 *  high[SCR_SO_FAR_KNOWN] is 1. Recordings of earlier versions have zeros. */
enum { SCR_SO_FAR = 1, SCR_SO_FAR_KNOWN = 2 };

/** Curve payload: curve_header, then double [sample_count][series_count]. */
typedef struct scr_curve_header {
  uint64_t first_sample; /**< number of the first sample, from 0 */
  uint32_t sample_count;
  uint32_t series_count;
} scr_curve_header;

static_assert(sizeof(scr_record_header) == 32, "on-disk layout");
static_assert(sizeof(scr_frame_header) == 8, "on-disk layout");
static_assert(sizeof(scr_block_header) == 16, "on-disk layout");
static_assert(sizeof(scr_array_header) == 64, "on-disk layout");
static_assert(sizeof(scr_curve_header) == 16, "on-disk layout");

/** A frame being built. */
typedef struct scr_frame scr_frame;

/** Adds one field of one drawable, in any order, once each. The values are encoded as the drawable declares and copied.
 *  @param x,y,z  [element_count] components; y and z NULL for scalars
 *  Non-finite values are refused with SCR_DIVERGED. */
scr_status scr_frame_field(scr_frame *frame, uint32_t drawable, uint32_t field, const double *x, const double *y, const double *z,
                           scr_error *error);
/** The same for a SCR_ENCODING_UINT32 field. */
scr_status scr_frame_field_u32(scr_frame *frame, uint32_t drawable, uint32_t field, const uint32_t *values, scr_error *error);
/** The triangles of a changing mesh; part numbers are fragments. Changing meshes are given in their order, once each; the mesh is copied. */
scr_status scr_frame_mesh(scr_frame *frame, uint32_t drawable, const geo_mesh *mesh, scr_error *error);

#endif
