/** Shapes: one table, an entry for each kind, and a file for each entry, which says everything that Scree knows of the shape: its keys, its
 *  extents, and those of its representations that it has. A method declares which representations it computes with (scr_abilities), and
 * takes every shape that has one of them; it names no kind.
 *
 *  A new shape: one line of SCR_SHAPES (scene.h), its sizes in scr_shape, and a file that defines shape_form_NAME.
 *
 *      fill    a solid that lattices, packings and particles fill         peridem, bdem, granular
 *      hexes   blocks of hexahedra                                        fem
 *      shell   a surface of points with its distance                      lsdem
 *      pieces  convex or closed pieces, of known mass                     rigid
 *
 *  All about the shape's origin, before the specimen's rotation. A shape that is made into a mesh (`source`) is a mesh to all methods. */
#ifndef SCREE_SCENE_SHAPE_H
#define SCREE_SCENE_SHAPE_H

#include "geometry/fill/lattice.h"
#include "geometry/hexes/hexes.h"
#include "geometry/touch/piece.h"
#include "scene/bind/section.h"
#include "scene/mass.h"

struct scene_press;

/** How a shape is divided into hexahedra: what the numbers mean depends on the shape (geometry/hexes/blocks.h). */
typedef struct shape_division {
  uint32_t cells[3]; /**< box: along x, y, z; cylinder: across, -, layers; ball: across; hollow ball: across, -, layers; arch: along,
                        across, through; notched box: see blocks.h */
  uint32_t slot[2];  /**< notched box; [0] of an arch: in each leg */
  double spacing;    /**< m, mesh: of the elements that fill it; NaN: the elements of its file */
  double hexes;      /**< how many elements that makes, also where they are too many to be made */
  double nodes;      /**< about how many nodes */
} shape_division;

/** The same before numbers of cells are bounded. */
typedef struct shape_cells {
  double n[3], slot[2], hexes, nodes, spacing;
} shape_cells;

/** What a shape of a document is made by. */
typedef enum shape_source {
  SHAPE_AS_GIVEN,   /**< it is what it says */
  SHAPE_BY_NUMBERS, /**< a mesh, by `generate` */
  SHAPE_BY_IMAGE,   /**< meshes, of a voxel image's grains */
  SHAPE_BY_POINTS   /**< a mesh, through points of a surface */
} shape_source;

/** One entry. A function that is NULL: the shape has no such representation. */
typedef struct scr_shape_form {
  section section; /**< its keys */
  shape_source source;
  bool ball;      /**< `radius` and `inner_radius`, 0 of a full one, say all */
  bool round;     /**< of circular section: a hollow jaw of at least its radius holds it by its bottom */
  bool divisible; /**< its hexahedra may be given by numbers along x, y, z */
  bool notched;   /**< it has a notch where a crack begins */
  bool curved;    /**< its hexahedra fill it only nearly */
  bool numbered;  /**< `made.number` says which of many it is */

  /** Adds a problem for each relation of its sizes that can't be. NULL: each key's range is enough. @param index of the specimen */
  scr_status (*check)(const scr_shape *shape, size_t index, scr_problems *problems);
  /** Half the largest edge of the box around it, m; NaN where it could not be read. */
  double (*reach)(const scr_shape *shape);
  /** Half edges of the box about the origin that it fits into, m. @param resolution of the method, m */
  scr_vec3 (*half_extents)(const scr_shape *shape, double resolution);
  bool fits_turned; /**< into the same box, however it is turned */
  /** Farthest point from the origin, m, at most: of shapes that pieces of a compound may have. */
  double (*extent)(const scr_shape *shape);
  /** What it answers with when flat faces press it along a unit direction; false: that is not known. */
  bool (*press)(const scr_shape *shape, scr_quat turn, scr_vec3 direction, struct scene_press *press);
  double (*volume)(const scr_shape *shape); /**< m^3 */

  geo_solid (*fill)(const scr_shape *shape);

  void (*divide)(const scr_shape *shape, double spacing, const double given[3], shape_cells *cells);
  scr_status (*hexes)(const scr_shape *shape, const shape_division *division, geo_hexes *mesh, scr_error *error);

  /** A surface whose corners are about `spacing` apart, into an empty mesh. */
  scr_status (*shell)(const scr_shape *shape, double spacing, geo_mesh *mesh, scr_error *error);
  double (*area)(const scr_shape *shape);                     /**< m^2; NULL: that of its triangles */
  double (*distance)(const scr_shape *shape, scr_vec3 point); /**< m, negative inside; of hollow ones from the outer surface */

  size_t (*piece_count)(const scr_shape *shape); /**< NULL: 1 */
  scr_status (*pieces)(const scr_shape *shape, geo_piece *pieces, scr_error *error);
  scr_moments (*moments)(const scr_shape *shape);
  /** Appends triangles that look like it. */
  scr_status (*picture)(const scr_shape *shape, geo_mesh *mesh, scr_error *error);

  /** A surface around it that it is packed by, into an empty mesh. NULL: it is not packed, unless it is a mesh. */
  scr_status (*outline)(const scr_shape *shape, geo_mesh *mesh, scr_error *error);

  /** SHAPE_BY_NUMBERS: the surface, m, into an empty mesh. @param seed of the scene  @return SCR_OK; SCR_BAD_USAGE with what can't be */
  scr_status (*generate)(const scr_shape *shape, int64_t seed, geo_mesh *surface, scr_error *error);
  const char *doubtful_key; /**< that such a shape is refused at, "/width"; NULL: its table judges all of it */
} scr_shape_form;

/** The entry of a kind. */
const scr_shape_form *shape_entry(scr_shape_kind kind);

/** Whether it is a ball without a void. */
bool shape_is_full_ball(const scr_shape *shape);
/** Whether it is a mesh: given as one, or made into one. */
bool shape_is_mesh(const scr_shape *shape);
/** Makes it a mesh, which it does not own; NULL: to be made. */
void shape_set_mesh(scr_shape *shape, struct scr_mesh *mesh);
/** A shape as methods see it: a mesh where it is made into one. */
scr_shape shape_for_methods(const scr_shape *shape);

/** Whether a method that declares `kinds` (bits 1 << kind) and representations `as` (bits SCR_SHAPES_...) takes a kind. */
bool shape_is_taken(scr_shape_kind kind, unsigned kinds, unsigned as);

/** As a solid that is filled: the same for a shape that has none, as a ball of its radius. */
geo_solid scr_shape_solid(const scr_shape *shape);
/** Volume, m^3; of a compound the sum of its pieces'. */
double scr_shape_volume(const scr_shape *shape);

/** How it is divided into hexahedra at a spacing, m, or by given numbers, NaN where there are none. Numbers of cells above
 * GEO_HEXES_CELL_LIMIT stay at it, while `hexes` has the true number. */
shape_division shape_divide(const scr_shape *shape, double spacing, const double given[3]);

/** Makes them, about the shape's origin. @return SCR_OK; SCR_BAD_FILE where a solid can't be filled at its spacing; SCR_NO_MEMORY */
scr_status shape_hexes(const scr_shape *shape, const shape_division *division, geo_hexes *mesh, scr_error *error);

/** The union of all shapes, and that of those that pieces of a compound may have. */
extern const section shape_section, piece_shape_section;

#endif
