/** A template: all that grains of one shape share. Thousands of grains point at one, and it never changes after it was made.
 *
 *      shape --surface of triangles about `spacing` large--> nodes X_k with areas A_k and normals; mass, principal axes
 *            --samples of the signed distance every `grid`--> field
 *
 *  All of it is in the grain's own coordinates: principal axes, centroid at the origin. */
#ifndef SCREE_LSDEM_GRAIN_TEMPLATE_H
#define SCREE_LSDEM_GRAIN_TEMPLATE_H

#include "base/execution.h"
#include "geometry/level_set/level_set.h"
#include "geometry/mesh/mesh.h"
#include "methods/lsdem/grain/energy.h"
#include "methods/lsdem/grain/mode.h"
#include "geometry/shapes/pebble.h"
#include "scene/scene.h"

/** Neighbouring nodes that are looked at together: all in a ball. */
typedef struct lsdem_tile {
  scr_vec3 centre; /**< m */
  double radius;   /**< m */
} lsdem_tile;
enum { LSDEM_TILE_NODES = 16 };

/** What of a body says how stiff its contacts are. */
typedef struct lsdem_body {
  double modulus; /**< Pa, E/(1 - nu^2); INFINITY: no Young's modulus is given, or it is the rig */
  double radius;  /**< m, of a ball of the grain's volume; INFINITY: the rig */
  bool strained;  /**< its modes strain it as a whole: stretch, affine, basis */
} lsdem_body;

/** How a level set follows the modes: see contact/follow.h. */
typedef enum lsdem_following {
  LSDEM_FOLLOW_PULL_BACK,
  LSDEM_FOLLOW_REMAP,
  LSDEM_FOLLOW_RECOMPUTE,
  LSDEM_FOLLOW_ADVECT,
  LSDEM_FOLLOW_PRECOMPUTED
} lsdem_following;

typedef struct lsdem_template {
  uint32_t specimen; /**< whose grains have it */
  geo_mesh surface;  /**< m; vertex k is node k */
  size_t node_count;
  double *area;     /**< [node_count] m^2 */
  scr_vec3 *normal; /**< [node_count] unit, outward */
  size_t tile_count;
  lsdem_tile *tiles; /**< [tile_count] of nodes LSDEM_TILE_NODES k and on */
  level_set field;   /**< what masters are asked */
  double depth;      /**< m, of the deepest grid point: half the smallest thickness of a slab */
  double reach;      /**< m, of the farthest node from the centroid */
  double
      field_reach;   /**< m, at least `reach`: no place farther from the centroid is below the level set, which bulges between its points */
  double volume;     /**< m^3 */
  double enclosed;   /**< m^3, by the surface of the shape: of a hollow ball with its void */
  lsdem_body body;   /**< set by lsdem_state_make_template */
  double mass;       /**< kg */
  scr_vec3 inertia;  /**< kg m^2, principal */
  scr_vec3 centroid; /**< m, in the scene's shape */
  scr_quat axes;     /**< own axes to those of the scene's shape */
  double contact_area; /**< m^2, the largest area within half a grid spacing of a plane that touches it: see lsdem_contact_area */
  size_t mode_count;
  lsdem_mode modes[LSDEM_MODE_LIMIT];
  scr_vec3 *mode_at_node; /**< [mode_count][node_count] */
  scr_vec3 *mode_at_tile; /**< [mode_count][tile_count] at their centres */
  float *mode_grid; /**< [points of field][mode_count][3] of modes from a basis, or NULL: what a place needs of all modes lies together */
  double basis_mass[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT],
      basis_stiffness[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT]; /**< kg, N/m, of such modes, by rows of mode_count */
  double mode_peak[LSDEM_MODE_LIMIT];                       /**< largest |Phi| of a node */
  double mode_slope[LSDEM_MODE_LIMIT]; /**< 1/m, largest entry sum of |grad Phi| at a node: what eps is to be small against 1 over */
  lsdem_modal modal;
  lsdem_energy energy;
  lsdem_fit_quality fit_quality;    /**< of an energy that was fitted */
  double damping[LSDEM_MODE_LIMIT]; /**< 1/s, twice the damping ratio times each mode's own frequency: forces M diag(damping) eta */
  double mass_inverse[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT]; /**< of M, 1/kg, by rows of mode_count */
  int following;                                            /**< lsdem_following */
  size_t sample_count;                                      /**< of each mode, odd; 0 unless precomputed */
  double sample_step; /**< m, of the surface where the mode is largest, between samples; the middle one is the reference shape */
  float *samples;     /**< [mode_count][sample_count][points of field] m, or NULL */
  double frequency;   /**< rad/s, the highest of its modes by themselves; 0 without modes */
} lsdem_template;

/** What a specimen asks of its template. */
typedef struct lsdem_recipe {
  const scr_shape *shape;
  bool is_pebble; /**< the shape is a sphere, and the grain has `form` instead */
  pebble form;
  double spacing; /**< m, between nodes, > 0 */
  double grid;    /**< m, of the level set, > 0 */
  bool unbiased;  /**< level_set_unbias */
  double density; /**< kg/m^3 */
  double young;   /**< Pa; NaN where there are no modes */
  double poisson;
  int modes;                       /**< lsdem_mode_set */
  const void *basis;               /**< the file of a mode basis, or NULL */
  size_t basis_bytes, basis_modes; /**< its size, and how many of its modes are used */
  int basis_energy;                /**< lsdem_basis_energy */
  size_t fit_degree;               /**< of the energy fitted to its levels, 2 ... LSDEM_FIT_DEGREE */
  double contraction;              /**< of bending modes: Poisson's ratio or 0 */
  double amplitude;                /**< m, margin for what modes move the surface by, >= 0 */
  double damping_ratio;            /**< of each mode, of critical */
  double stiffness, modal_mass;    /**< N/m, kg: of the only mode, instead of what its field and the material give; NaN: these */
  const char *table;               /**< of the only mode's force, see lsdem_energy_read; "": none */
  double table_factor;
  int following;  /**< lsdem_following */
  size_t samples; /**< of each mode where that is precomputed, odd, >= 3 */
} lsdem_recipe;

/** What elastic energy the modes of a basis have. */
typedef enum lsdem_basis_energy {
  LSDEM_BASIS_QUADRATIC, /**< by its stiffness at rest */
  LSDEM_BASIS_TABLE,     /**< of one mode, the forces of its levels */
  LSDEM_BASIS_FIT        /**< a polynomial fitted to the energies and forces of its levels */
} lsdem_basis_energy;

/** The sets of modes a specimen may choose. */
typedef enum lsdem_mode_set {
  LSDEM_MODES_NONE,
  LSDEM_MODES_ISOTROPIC, /**< shrinking alike in all directions: Phi = -X/R, R the radius of the ball of the same volume */
  LSDEM_MODES_STRETCH,   /**< along each of its three axes: X_a/(half its size) e_a */
  LSDEM_MODES_AFFINE,    /**< these and three shears */
  LSDEM_MODES_BENDING,   /**< of a bar along its longest axis, sagging along the second after it (of a bar along x: along z) */
  LSDEM_MODES_BASIS      /**< the first ones of a mode basis */
} lsdem_mode_set;

/** Kinds of modes, by which their energies are told apart. */
enum { LSDEM_SORT_ISOTROPIC, LSDEM_SORT_STRETCH, LSDEM_SORT_SHEAR, LSDEM_SORT_BENDING, LSDEM_SORT_BASIS, LSDEM_MODE_SORTS };
/** Of mode `a` of a template, LSDEM_SORT_... */
int lsdem_mode_sort(const lsdem_template *grain, size_t a);

/** How many modes a set has. @param of_basis how many of a basis */
size_t lsdem_mode_set_count(int set, size_t of_basis);

/** About how many nodes and grid points a template of a shape will have, from above. */
void lsdem_template_expected(const lsdem_recipe *recipe, double *nodes, double *points);
/** Bytes of a template of that many, from above. */
double lsdem_template_bytes(double nodes, double points, size_t modes);

/** Makes one. On failure it holds what lsdem_template_clear accepts.
 *  @return SCR_OK; SCR_BAD_SCENE, with what is wrong and what to do; SCR_NO_MEMORY */
scr_status lsdem_template_make(lsdem_template *grain, const lsdem_recipe *recipe, scr_execution execution, scr_error *error);
void lsdem_template_clear(lsdem_template *grain);

#endif
