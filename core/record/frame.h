/** Drawables and frames: what a method shows, without any idea of physics.
 *
 *  A drawable is declared once (topology record, with geometry records for its triangles); a frame carries the state of all of them.
 *
 *    kind       shows                                     per element of a frame                          number of elements
 *    points     balls                                     position, radius if they differ                 fixed or varying
 *    planes     rectangles of the rig                     position, orientation if they turn              fixed, at most 24
 *    cylinders  rollers and arcs of the rig               position                                        fixed, at most 24
 *    mesh       rigid bodies; or the skin of points       position, orientation; skin: see below          fixed, at most 64; skin: varying
 *    instances  many copies of a few shapes               position, orientation, shape, scale, amplitudes fixed or varying
 *    surface    one mesh that deforms                     position of every vertex                        the vertices: fixed; or varying,
 *    with
 *                                                                                                         the triangles in every frame
 *    threads    polylines                                 position of every node, radius if they differ   varying: nodes, and threads
 *    grid       cells of a structured grid                scalars and vectors; cell, where only some are  fixed: all cells; or varying:
 * some
 *
 *  Every kind may have more fields: scalars to colour by, numbers of pieces, names (`id`) of elements that come and go.
 *
 *  Frame payload, little-endian, every block and array 8-byte aligned:
 *    frame_header, then per drawable: block_header, then per array: array_header, data padded to 8.
 *  Three kinds have two blocks each: skins and varying surfaces their vertices and their triangles, threads their nodes and the number of
 *  nodes of each. */
#ifndef SCREE_RECORD_FRAME_H
#define SCREE_RECORD_FRAME_H

#include <assert.h>
#include <stdint.h>

#include "base/vec3.h"
#include "geometry/mesh/mesh.h"
#include "scree.h"

typedef enum scr_drawable_kind {
  SCR_DRAW_POINTS = 1, /**< balls: field 0 is the centre; one radius for all, or a field `radius` */
  SCR_DRAW_PLANES = 2, /**< rectangles: field 0 is the centre; half edges u, v are in the topology; where parts turn, field 1 is a rotation
                               vector, as of SCR_DRAW_MESH */
  SCR_DRAW_CYLINDERS = 3, /**< rollers (field 0 is the centre), or arcs of a mantle (field 0 is the middle of the arc) */
  SCR_DRAW_MESH = 4,      /**< bodies of fixed triangles: field 0 is where a body's origin is, field 1 its rotation vector; or, `changing`,
                               the skin of points, whose triangles every frame brings along */
  SCR_DRAW_INSTANCES = 5, /**< copies of shapes: field 0 is where the shape's origin is, field 1 its rotation vector; optional fields
                             `shape`, `scale`, `amplitudes` */
  SCR_DRAW_SURFACE = 6,   /**< one mesh whose vertices move: field 0 is a vertex. Its triangles stay; or, `varying`, every frame brings its
                             own, as of   elements that split (scr_frame_triangles) */
  SCR_DRAW_THREADS = 7, /**< polylines: field 0 is a node; `nodes` says how many nodes each has; one radius for all, or a field `radius` */
  SCR_DRAW_GRID = 8     /**< cells of a structured grid (scr_grid_shape), with values of their own and no position: all of them; or,
                             `varying`, those that field 0, `cell`, lists */
} scr_drawable_kind;

typedef enum scr_encoding {
  SCR_ENCODING_FLOAT32 = 0,
  SCR_ENCODING_UINT16 = 1, /**< value = low + (high - low) * q / 65535, per component */
  SCR_ENCODING_UINT32 = 2  /**< whole numbers, e.g. a piece's number */
} scr_encoding;

enum { SCR_FIELD_LIMIT = 16, SCR_COMPONENT_LIMIT = 16, SCR_PLANE_LIMIT = 24, SCR_CYLINDER_LIMIT = 24, SCR_MESH_LIMIT = 64 };

/** Most vertices, and most triangles, of all bodies of one SCR_DRAW_MESH together: they stand in the topology as text, 25 MB at most. */
enum { SCR_MESH_TRIANGLE_LIMIT = 1 << 18 };

/** Most shapes of one SCR_DRAW_INSTANCES, modes of a shape, vertices or triangles of a shape or surface, and bytes of its geometry record.
 *  */
enum { SCR_SHAPE_LIMIT = 256, SCR_MODE_LIMIT = 16, SCR_SHAPE_TRIANGLE_LIMIT = 1 << 22, SCR_GEOMETRY_BYTE_LIMIT = 1 << 28 };

/** One array per element that a frame carries. Names with a meaning of their own, all but `position` optional:
 *    position     [3] m, field 0 of every kind but grids
 *    cell         [1] whole numbers, field 0 of a varying grid: numbers of its cells that are there, rising (scr_grid_shape)
 *    orientation  [3] rad, rotation vector: the axis of the turn from the body's axes to the world's, as long as the angle; field 1
 *    radius       [1] m, > 0, of points and nodes
 *    id           [1] whole numbers, the names of elements that come and go: the same element keeps its own
 *    shape        [1] whole numbers, which shape an instance is a copy of; without it all are copies of shape 0
 *    scale        [1] 1, > 0, of an instance
 *    amplitudes   [modes] 1, float32, of an instance's modes, as many as the shape with most has
 *    nodes        [1] whole numbers, per thread: how many nodes it has; they follow one another; never given as a field (scr_frame_threads)
 *    corners      [3] whole numbers, per triangle of a varying surface: its vertices; never given as a field (scr_frame_triangles) */
typedef struct scr_field {
  char name[32]; /**< "position", "speed", "stress" */
  char unit[16];
  uint32_t components; /**< 3 for places and turns, 1 for scalars; float32 fields may have any number up to SCR_COMPONENT_LIMIT */
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
  SCR_SKIN_PIECE,    /**< per vertex: number of the piece it belongs to, uint32, named as the points' field */
  SCR_SKIN_CORNERS,  /**< per triangle: 3 numbers of vertices, counter-clockwise seen from outside, uint32 */
  SCR_SKIN_FIELDS
};

/** A rigid body of SCR_DRAW_MESH. A point x of it is at position + R x, R turning by |orientation| rad about the orientation's direction.
 *  */
typedef struct scr_mesh_shape {
  char name[32]; /**< "anvil" */
  geo_mesh mesh; /**< m, in the body's own axes; parts don't count */
} scr_mesh_shape;

/** A shape of SCR_DRAW_INSTANCES, or the one mesh of SCR_DRAW_SURFACE that does not vary (no modes; its vertices are where they are
 *  unloaded). A vertex v of an instance is at position + R scale (x_v + sum_k amplitude_k mode_k,v). Closed or open; corners
 *  counter-clockwise seen from outside. */
typedef struct scr_modal_shape {
  char name[32];       /**< "grain" */
  geo_mesh mesh;       /**< m, in the shape's own axes; recorded as float32; parts don't count */
  uint32_t mode_count; /**< at most SCR_MODE_LIMIT */
  scr_vec3 *modes;     /**< [mode_count][mesh.vertex_count] m; NULL without modes; owned as drawable.h says */
} scr_modal_shape;

/** A structured grid along the axes. Cell (i, j, k) reaches from origin + spacing * (i, j, k) to origin + spacing * (i + 1, j + 1, k + 1);
 *  its number is i + counts[0] (j + counts[1] k). A grid whose spacing is 0 along one axis, with one cell there, is flat. */
typedef struct scr_grid_shape {
  scr_vec3 origin;    /**< m, lowest corner */
  scr_vec3 spacing;   /**< m, > 0; 0 along one axis at most */
  uint32_t counts[3]; /**< cells per axis, >= 1; at most SCR_GRID_CELL_LIMIT together */
} scr_grid_shape;

#define SCR_GRID_CELL_LIMIT UINT32_MAX

typedef struct scr_drawable {
  uint32_t kind;          /**< scr_drawable_kind */
  char name[64];          /**< "grain" */
  uint32_t element_count; /**< SCR_DRAW_SURFACE: its vertices; SCR_DRAW_GRID: its cells; threads: 0; varying: 0, or a guess */
  double radius;          /**< m, of points and threads without a field `radius`, else 0 */
  uint32_t field_count;   /**< as scr_field says; field 0 is "position", m, 3 components, but of grids */
  uint32_t shape_count;   /**< SCR_DRAW_INSTANCES: at least 1; SCR_DRAW_SURFACE: 1, varying 0; else 0 */
  scr_field fields[SCR_FIELD_LIMIT];
  scr_plane_shape planes[SCR_PLANE_LIMIT];          /**< [element_count], SCR_DRAW_PLANES only */
  scr_cylinder_shape cylinders[SCR_CYLINDER_LIMIT]; /**< [element_count], SCR_DRAW_CYLINDERS only */
  scr_mesh_shape *meshes;  /**< [element_count], SCR_DRAW_MESH that is not changing, else NULL; owned as drawable.h says */
  bool changing;           /**< SCR_DRAW_MESH only: element_count is 0, fields are those of scr_skin_field, and it comes last */
  bool varying;            /**< points, instances, surfaces, grids: every frame says how many there are; threads always do */
  uint32_t skin_of;        /**< changing: id of the points whose pieces it covers */
  char pieces[32];         /**< name of the field of whole numbers that says to which piece an element belongs; "": there is none */
  scr_modal_shape *shapes; /**< [shape_count]; owned as drawable.h says */
  scr_grid_shape grid;     /**< SCR_DRAW_GRID only */
} scr_drawable;

typedef struct scr_frame_header {
  uint32_t block_count;
  uint32_t thinned; /**< 0 in files; to a viewer that wants fewer points: one in so many of those seen is there, 0 or 1: all */
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
  uint32_t components; /**< 1 or 3; of float32 any number up to SCR_COMPONENT_LIMIT */
  uint32_t byte_size;  /**< of the data, without padding */
  double low[3];  /**< least value, per component; SCR_ENCODING_UINT16: value of q = 0; of more than 3 components low[0] is that of all */
  double high[3]; /**< largest value; SCR_ENCODING_UINT16: value of q = 65535; of more than 3 components high[0] is that of all */
} scr_array_header;

/** Of a field with one component, float32 or uint16, low and high have room to spare. There stands the range of its values in all frames of
 *  the run up to and with this one, so that everybody who looks at a frame can give it the same colours: low[SCR_SO_FAR] ...
 *  high[SCR_SO_FAR], when high[SCR_SO_FAR_KNOWN] is 1. Recordings of earlier versions have zeros. */
enum { SCR_SO_FAR = 1, SCR_SO_FAR_KNOWN = 2 };

/** Geometry payload: geometry_header, then float [vertex_count][3] (m), uint32_t [triangle_count][3], float [mode_count][vertex_count][3]
 *  (m). */
typedef struct scr_geometry_header {
  uint32_t drawable;     /**< id of an SCR_DRAW_INSTANCES or SCR_DRAW_SURFACE */
  uint32_t shape;        /**< index into its shapes */
  uint32_t vertex_count; /**< the counts are those of the topology */
  uint32_t triangle_count;
  uint32_t mode_count;
  uint32_t reserved; /**< 0 */
} scr_geometry_header;

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
static_assert(sizeof(scr_geometry_header) == 24, "on-disk layout");
static_assert(sizeof(scr_curve_header) == 16, "on-disk layout");

/** A frame being built. */
typedef struct scr_frame scr_frame;

/** Says how many elements a varying drawable has in this frame, before its fields and once; of none no field need be given.
 *  @return SCR_OK; SCR_BAD_USAGE (it does not vary, is threads, or was counted before; a frame beyond 4 GiB), SCR_NO_MEMORY */
scr_status scr_frame_count(scr_frame *frame, uint32_t drawable, uint32_t count, scr_error *error);
/** Says how many threads there are in this frame and how many nodes each has, before the fields of the nodes, which are as many as all of
 *  these together, thread after thread.
 *  @param nodes_of_each [thread_count], copied    @return as scr_frame_count */
scr_status scr_frame_threads(scr_frame *frame, uint32_t drawable, uint32_t thread_count, const uint32_t *nodes_of_each, scr_error *error);

/** Says how many vertices a varying surface has in this frame, before their fields, and gives its triangles: both may be none.
 *  @param corners [triangle_count][3] numbers of vertices, counter-clockwise seen from outside, copied
 *  @return as scr_frame_count; SCR_BAD_USAGE also for a corner that is no vertex */
scr_status scr_frame_triangles(scr_frame *frame, uint32_t drawable, uint32_t vertex_count, uint32_t triangle_count,
                               const uint32_t (*corners)[3], scr_error *error);

/** Adds one field of one drawable, in any order, once each. The values are encoded as the drawable declares and copied.
 *  @param x,y,z  [element_count] components; y and z NULL for scalars
 *  @return SCR_OK; SCR_DIVERGED for values that are not finite, radii and scales that are not > 0; SCR_BAD_USAGE */
scr_status scr_frame_field(scr_frame *frame, uint32_t drawable, uint32_t field, const double *x, const double *y, const double *z,
                           scr_error *error);
/** The same with any number of components. @param values [element_count][components] */
scr_status scr_frame_field_n(scr_frame *frame, uint32_t drawable, uint32_t field, const double *values, scr_error *error);
/** The same for a SCR_ENCODING_UINT32 field; of `shape` all values must be shapes of the drawable, of `cell` rising cells of the grid. */
scr_status scr_frame_field_u32(scr_frame *frame, uint32_t drawable, uint32_t field, const uint32_t *values, scr_error *error);
/** The triangles of a changing mesh; part numbers are pieces. Once each; the mesh is copied. */
scr_status scr_frame_mesh(scr_frame *frame, uint32_t drawable, const geo_mesh *mesh, scr_error *error);

#endif
