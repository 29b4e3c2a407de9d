/** What a scene may say to the method. */
#ifndef SCREE_METHODS_FEM_OPTIONS_H
#define SCREE_METHODS_FEM_OPTIONS_H

#include "methods/fem/dynamics/solver.h"
#include "scene/scene.h"

/** How side loads come on. */
typedef enum fem_loading { FEM_LOADING_NONE, FEM_LOADING_STATIC } fem_loading;

/** The method's options. */
typedef struct fem_options {
  int law;                 /**< fem_law */
  int element;             /**< fem_formulation */
  int impact;              /**< fem_impact */
  bool body_contact;       /**< bodies meet each other */
  bool contact_forces;     /**< vectors of force in the pictures */
  int loading;             /**< fem_loading */
  bool release;            /**< static loads end when the motion begins */
  bool flight;             /**< fly as a rigid body */
  double courant_number;   /**< 1, of the automatic step */
  double newton_tolerance; /**< 1 */
  int64_t newton_limit;
  int64_t sweep_limit;
} fem_options;

/** Keys of a material. */
typedef struct fem_material {
  double density;           /**< kg/m^3 */
  double young_modulus;     /**< Pa, NaN: not given */
  double poisson_ratio;     /**< 1, NaN: 0.25 */
  double stiffness_damping; /**< s */
  double mass_damping;      /**< 1/s */
} fem_material;

/** Keys of a contact law. */
typedef struct fem_surface_law {
  double friction_coefficient;
} fem_surface_law;

/** Which side of a specimen, before it is turned, a load acts on. */
typedef enum fem_side {
  FEM_SIDE_NONE,
  FEM_SIDE_X_MIN,
  FEM_SIDE_X_MAX,
  FEM_SIDE_Y_MIN,
  FEM_SIDE_Y_MAX,
  FEM_SIDE_Z_MIN,
  FEM_SIDE_Z_MAX
} fem_side;

/** Keys of a specimen. */
typedef struct fem_specimen {
  double spacing;        /**< m, edge of elements, about; NaN: by the divisions */
  scr_vec3 divisions;    /**< elements along x, y, z of a box; NaN: by the spacing */
  int load_side;         /**< fem_side */
  scr_vec3 load;         /**< N, of each grain, spread evenly over the side */
  double load_rise_time; /**< s, over which the load grows from 0 */
} fem_specimen;

enum { FEM_PARAMS = 12, FEM_MATERIAL_PARAMS = 5, FEM_SURFACE_PARAMS = 1, FEM_SPECIMEN_PARAMS = 5, FEM_CURVES = 34 };
extern const scr_param fem_params[FEM_PARAMS], fem_material_params[FEM_MATERIAL_PARAMS], fem_surface_params[FEM_SURFACE_PARAMS],
    fem_specimen_params[FEM_SPECIMEN_PARAMS];
extern const scr_series fem_curves[FEM_CURVES];

static inline const fem_material *fem_material_of(const scr_scene *scene, size_t material)
{
  return scr_scene_material(scene, material);
}
static inline const fem_specimen *fem_specimen_of(const scr_scene *scene, size_t specimen)
{
  return scr_scene_specimen(scene, specimen);
}

/** Poisson's ratio with its default. */
double fem_poisson_ratio(const fem_material *material);

/** The matter of a specimen. */
fem_constitutive fem_constitutive_of(const scr_scene *scene, size_t specimen);

/** Speed of pressure waves, m/s. */
double fem_wave_speed(const scr_scene *scene, size_t specimen);

/** What does the work of other methods' keys, and which keys count only while others have certain values: for warnings. */
extern const scr_substitute fem_substitutes[];
extern const scr_need fem_needs[];

#endif
