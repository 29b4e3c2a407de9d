/** What a scene says to this method: its options, and what it says of materials, their contacts and specimens. Filled from the tables by
 *  the scene layer. */
#ifndef SCREE_LSDEM_SCENE_OPTIONS_H
#define SCREE_LSDEM_SCENE_OPTIONS_H

#include "methods/lsdem/grain/template.h"
#include "scene/scene.h"

/** Which nodes are asked about which grain: those of both, each with half the weight; or those of the finer one. */
typedef enum lsdem_passes { LSDEM_SYMMETRIC, LSDEM_ONE_SIDED } lsdem_passes;

/** Whether the inertia of a grain is that of its reference shape, or follows its modes. */
typedef enum lsdem_inertia { LSDEM_INERTIA_STANDARD, LSDEM_INERTIA_FULL } lsdem_inertia;

typedef struct lsdem_options {
  int passes;           /**< lsdem_passes */
  int64_t pull_back;    /**< iterations that find the reference point of a place in a deformed grain, >= 1 */
  double local_damping; /**< 1, share of every force that is taken off where it speeds up: nonviscous damping */
  double skin;          /**< of the smallest grain's reach: slack of the search for neighbours */
  bool bias_fix;        /**< level_set_unbias */
  int inertia;          /**< lsdem_inertia */
  bool force_chains;    /**< lines of force in the pictures */
  bool contact_forces;  /**< vectors of force in the pictures */
  bool traction_table;  /**< a row of the table `tractions` for every node in contact, at every frame */
  bool energy_exact;    /**< normal forces are the exact gradient of an energy */
} lsdem_options;

typedef struct lsdem_material {
  double density;       /**< kg/m^3 */
  double young_modulus; /**< Pa; NaN: not given */
  double poisson_ratio; /**< NaN: not given */
} lsdem_material;

typedef struct lsdem_surface {
  double contact_stiffness; /**< N/m^3, pressure over overlap; NaN: automatic */
  int automatic_stiffness;  /**< lsdem_automatic */
  double shear_ratio;       /**< k_t / k_n */
  double friction_coefficient;
  double friction_before;     /**< of the time before `friction_since`; NaN: the same */
  double friction_since;      /**< s, >= 0 */
  double damping_time;        /**< s, c_n / k_n */
  double bond_stiffness;      /**< N/m^3; 0: no bonds */
  double bond_shear_ratio;    /**< of bonds, shear over normal stiffness */
  double bond_reach;          /**< m; NaN: half the smallest grid spacing */
  double bond_strength;       /**< Pa */
  double bond_shear_strength; /**< Pa; NaN: the strength */
  double bond_energy;         /**< J/m^2 instead of strengths; NaN: these */
  double bond_damping_time;   /**< s */
} lsdem_surface;

/** What the forces of a table are: on one of the walls that press a grain, or of all together. */
typedef enum lsdem_table_is { LSDEM_TABLE_PER_WALL, LSDEM_TABLE_TOTAL } lsdem_table_is;

typedef struct lsdem_specimen {
  double spacing;                                   /**< m, between nodes */
  double grid_spacing;                              /**< m; NaN: the spacing */
  double elongation, flatness, exponent, roughness; /**< of pebbles: see pebble.h; 1, 1, 2, 0: a ball */
  int64_t variants;                                 /**< different pebbles, which the grains are in turn */
  bool random_rotation;                             /**< each grain turned at random, by the scene's seed */
  int modes;                                        /**< lsdem_mode_set */
  scr_asset_reference mode_basis;                   /**< of modes "basis" */
  int64_t mode_count;                               /**< how many of its modes */
  int mode_energy;                                  /**< lsdem_basis_energy */
  int64_t fit_degree;                               /**< of an energy that is fitted */
  bool contraction;                                 /**< bending modes contract across as the Poisson ratio says */
  double largest_amplitude;                         /**< m; NaN: chosen */
  double mode_damping_ratio;                        /**< 1 */
  double mode_stiffness;                            /**< N/m; NaN: of the material */
  double mode_mass;                                 /**< kg; NaN: of the field */
  int follow;                                       /**< lsdem_following */
  int64_t follow_samples;                           /**< of each mode where that is precomputed */
  double follow_tolerance; /**< of the grid spacing, how far modes may move the surface before an own level set follows */
  int table_is;            /**< lsdem_table_is */
  int64_t table_walls;
  char mode_table[LSDEM_TABLE_TEXT + 1];
} lsdem_specimen;

enum { LSDEM_PARAMS = 10, LSDEM_MATERIAL_PARAMS = 3, LSDEM_SURFACE_PARAMS = 14, LSDEM_SPECIMEN_PARAMS = 24, LSDEM_CURVES = 51 };

extern const scr_param lsdem_params[LSDEM_PARAMS], lsdem_material_params[LSDEM_MATERIAL_PARAMS];
extern const scr_param lsdem_surface_params[LSDEM_SURFACE_PARAMS], lsdem_specimen_params[LSDEM_SPECIMEN_PARAMS];
extern const scr_series lsdem_curves[LSDEM_CURVES]; /**< "<part>" stands for the name of each part of the rig */

static inline const lsdem_material *lsdem_material_of(const scr_scene *scene, size_t index)
{
  return scr_scene_material(scene, index);
}
/** `a` or `b` may be scene->material_count for the rig. */
static inline const lsdem_surface *lsdem_surface_of(const scr_scene *scene, size_t a, size_t b)
{
  return scr_scene_surface(scene, a, b);
}
static inline const lsdem_specimen *lsdem_specimen_of(const scr_scene *scene, size_t index)
{
  return scr_scene_specimen(scene, index);
}

/** Of a specimen, or of the rig (scene->specimen_count). */
lsdem_body lsdem_body_of(const scr_scene *scene, size_t specimen);

/** k_n = 2.5 E* / R of two bodies that touch, N/m^3: 1/E* the sum of both 1/modulus, R the smaller radius; NaN where neither has a modulus.
 *  The law `linear` has it, and automatic friction and damping are by it.
 *
 *  A ball on a plane then has F = k_n pi R d^2, Hertz's force at an overlap d of 0.029 R. A soft ball with affine modes between platens
 *  comes within 20 % of finite elements for platens that go
 *  0.05 R to 0.19 R each. Two alike bodies are half as stiff as one on a plane, by symmetry.
 *  Source: measured for the specification of contact (surfaces), section 4. */
double lsdem_automatic_stiffness(lsdem_body a, lsdem_body b);

/** k_n of two specimens, or of one and the rig (scene->specimen_count), N/m^3; that of the linear law where it is automatic; NaN where
 *  neither it nor a Young's modulus is given. */
double lsdem_normal_stiffness(const scr_scene *scene, size_t a, size_t b);

/** The specimen's spacing, m: scr_method_description.resolution. */
double lsdem_resolution(const void *specimen);

/** What does the work of other methods' keys, and which keys count only while others have certain values: for warnings. */
extern const scr_substitute lsdem_substitutes[];
extern const scr_need lsdem_needs[];

#endif
