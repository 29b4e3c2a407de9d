/** What scenes may say to method fibre. */
#ifndef SCREE_FIBRE_OPTIONS_H
#define SCREE_FIBRE_OPTIONS_H

#include "scene/scene.h"

typedef enum fibre_loading { FIBRE_DYNAMIC, FIBRE_STATIC } fibre_loading;

/** The options. */
typedef struct fibre_options {
  int loading;              /**< a fibre_loading */
  int64_t order;            /**< 1 or 2, of the steps in time */
  double tolerance;         /**< 1, of a step's velocities, or of an equilibrium's forces */
  int64_t iterations;       /**< most linearisations of a step */
  bool fibre_contact;       /**< fibres touch each other and themselves, not only the rig */
  double contact_tolerance; /**< 1, of Coulomb's law in a step */
  int64_t linearisations;   /**< most of a step in which fibres touch */
  double margin;            /**< m; NaN: half of the least contact radius */
  double adhesion_range;    /**< m; NaN: a hundredth of the least contact radius */
  double drawn_radius;      /**< m, least in pictures; NaN: a five hundredth of the shortest fibre's length */
  bool contact_forces;      /**< vectors of force in the pictures */
} fibre_options;

/** A material. */
typedef struct fibre_material {
  double density, young_modulus; /**< kg/m^3, Pa */
  double poisson_ratio;          /**< 1; NaN: 0.3 */
  double bending_factor;         /**< 1, of bending and twisting stiffness over those of a solid section */
  double mass_damping;           /**< 1/s */
  double stiffness_damping;      /**< s */
} fibre_material;

/** How two materials touch. */
typedef struct fibre_surface {
  double friction_coefficient; /**< 1, >= 0 */
  double adhesion;             /**< N, >= 0, at each point of contact */
  double line_adhesion;        /**< N/m, >= 0, where a fibre touches along a length */
} fibre_surface;

/** What a fibre begins as, along its length. */
typedef enum fibre_form {
  FIBRE_STRAIGHT,
  FIBRE_RING,
  FIBRE_HELIX,
  FIBRE_CURVE,
  FIBRE_LINES,
  FIBRE_BUNDLE,
  FIBRE_MAT,
  FIBRE_WEAVE,
  FIBRE_GROOM
} fibre_form;

/** What a fibre is made of: a discrete elastic rod, or a super-helix. */
typedef enum fibre_element { FIBRE_ROD, FIBRE_SUPER_HELIX } fibre_element;

/** What it would be without loads. */
typedef enum fibre_unloaded { FIBRE_UNLOADED_STRAIGHT, FIBRE_UNLOADED_AS_PLACED } fibre_unloaded;

/** Which ends are held, and how. */
typedef enum fibre_held { FIBRE_FREE, FIBRE_HELD_START, FIBRE_HELD_END, FIBRE_HELD_BOTH } fibre_held;
typedef enum fibre_hold { FIBRE_CLAMPED, FIBRE_PINNED } fibre_hold;

enum { FIBRE_NAME_MAX = 31, FIBRE_CURVE_TEXT = 12000 };

/** A line of specimens. */
typedef struct fibre_specimen {
  int64_t edges;                           /**< of a fibre */
  int element;                             /**< a fibre_element */
  int64_t elements;                        /**< of a super-helix */
  int form, unloaded;                      /**< a fibre_form, a fibre_unloaded */
  double helix_radius, helix_pitch;        /**< m */
  char curve[FIBRE_CURVE_TEXT + 1];        /**< points of form curve */
  scr_asset_reference lines;               /**< file of form lines */
  double lines_scale;                      /**< m of its unit */
  int64_t fibres;                          /**< of a pattern, at every place */
  double turns;                            /**< 1/m, of a bundle, right-handed */
  double core;                             /**< m, radius left free in a bundle's middle; NaN: a fibre lies there */
  double clearance;                        /**< of a contact radius, between neighbours of a pattern */
  scr_vec3 size;                           /**< m, of the box that a mat fills */
  double curl;                             /**< 1/m, curvature of a mat's fibres */
  int64_t wefts, warps;                    /**< yarns of a weave along x and along y */
  double pitch;                            /**< m, between neighbouring yarns of a weave */
  double head_radius;                      /**< m, of the ball that a groom grows on */
  double cap;                              /**< deg, from the top of that ball to the outermost roots */
  double flatness;                         /**< 1, 0 < f <= 1: second half axis of the section over the first */
  double contact_radius;                   /**< m; NaN: the radius */
  double natural_curvature, natural_twist; /**< 1/m about the second director, rad/m: added to those of `unloaded` */
  double twist;                            /**< turns, that it is twisted by at the start */
  double disturbance;                      /**< m, of its places at the start */
  bool random_phase;                       /**< each fibre is turned about its own z axis at random first */
  int held, hold;                          /**< a fibre_held, a fibre_hold */
  char held_by[FIBRE_NAME_MAX + 1];        /**< name of an obstacle; "": what stands still */
  char end_held_by[FIBRE_NAME_MAX + 1];    /**< of the end where both are held; "": the same */
  scr_vec3 end_force;                      /**< N, on the last node */
  double force_rise;                       /**< s, over which it grows */
} fibre_specimen;

enum { FIBRE_PARAMS = 11, FIBRE_MATERIAL_PARAMS = 6, FIBRE_SURFACE_PARAMS = 3, FIBRE_SPECIMEN_PARAMS = 34, FIBRE_CURVES = 49 };
extern const scr_param fibre_surface_params[FIBRE_SURFACE_PARAMS];
extern const scr_param fibre_params[FIBRE_PARAMS], fibre_material_params[FIBRE_MATERIAL_PARAMS],
    fibre_specimen_params[FIBRE_SPECIMEN_PARAMS];

/** Every curve, those of the parts first. */
extern const scr_series fibre_curves[FIBRE_CURVES];

extern const scr_substitute fibre_substitutes[];
extern const scr_need fibre_needs[];

/** Half axes of the section of a specimen's fibres, m. */
void fibre_section(const scr_specimen *specimen, const fibre_specimen *block, double half_axis[2]);

/** Radius of the tube that touches, m. */
double fibre_contact_radius(const scr_specimen *specimen, const fibre_specimen *block);

/** Elements of a fibre of a specimen that is a super-helix; 0: it is a rod. */
uint32_t fibre_elements(const fibre_specimen *block);

/** Checks what tables can't, chooses the time step, foresees the cost (check.c). */
scr_status fibre_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);

/** The longest step that resolves what the fibres of the scene do, s (check.c). */
double fibre_resolving_step(const scr_scene *scene);

#endif
