/** What scenes may say to method rigid. */
#ifndef SCREE_RIGID_OPTIONS_H
#define SCREE_RIGID_OPTIONS_H

#include "scene/scene.h"

/** How exactly contacts are solved. */
typedef enum rigid_accuracy { RIGID_DRAFT, RIGID_USUAL, RIGID_EXACT } rigid_accuracy;

/** The options. */
typedef struct rigid_options {
  int accuracy;              /**< a rigid_accuracy */
  int solver;                /**< a contact_solver */
  int64_t iterations;        /**< most sweeps or iterations of one solver in a step; -1: as many as it takes by its own rule */
  double tolerance;          /**< 1, relative residual at which a step counts as solved; NaN: by the accuracy */
  double margin;             /**< m; NaN: RIGID_MARGIN of the least thickness */
  double penetration;        /**< m; NaN: RIGID_PENETRATION of the least thickness */
  double restitution_speed;  /**< m/s, below which nothing bounces; NaN: 2 |g| dt */
  int64_t recorded_problems; /**< most contact problems that go into files of their own; 0: none */
  int64_t recorded_every;    /**< steps from one to the next, >= 1 */
  double recorded_bytes;     /**< B, most of all these files */
  bool force_chains;         /**< lines of force in the pictures */
  bool contact_forces;       /**< vectors of force in the pictures */
  bool contact_table;        /**< a row of the table `contacts` for every contact that carries a force, at every frame */
  int64_t porosity_layers;   /**< 0 ... RIGID_LAYER_LIMIT: layers in the table `porosity`; 0: no table */
  double discharge_level;    /**< m, z below which bodies have run out; NaN: nowhere */
  int porosity_axis;         /**< 0, 1, 2: they lie across x, y, z */
} rigid_options;

enum { RIGID_LAYER_LIMIT = 1000 };

/** A material. */
typedef struct rigid_material {
  double density; /**< kg/m^3 */
} rigid_material;

/** How two materials touch. */
typedef struct rigid_surface {
  double friction_coefficient; /**< 1, >= 0 */
  double restitution;          /**< 1, 0 ... 1 */
  double adhesion;             /**< N, >= 0, with which two bodies in touch hold each other */
  double rolling_resistance;   /**< m, >= 0: largest couple against rolling, and against turning about the normal, over the normal force */
} rigid_surface;

/** A line of specimens. */
typedef struct rigid_specimen {
  bool random_rotation;                 /**< each body is turned at random first */
  double smallest_scale, largest_scale; /**< 1, sizes are drawn evenly between them */
} rigid_specimen;

enum { RIGID_PARAMS = 16, RIGID_MATERIAL_PARAMS = 1, RIGID_SURFACE_PARAMS = 4, RIGID_SPECIMEN_PARAMS = 3, RIGID_CURVES = 61 };
extern const scr_param rigid_params[RIGID_PARAMS], rigid_material_params[RIGID_MATERIAL_PARAMS];
extern const scr_param rigid_surface_params[RIGID_SURFACE_PARAMS], rigid_specimen_params[RIGID_SPECIMEN_PARAMS];

/** What an accuracy promises of packs. */
typedef struct rigid_promise {
  double residual; /**< 1, error in speed of a contact over what gravity gives in a step, up to which sweeps go on */
  unsigned sweeps; /**< most of them in a step for that; what is left then is reported */
  double most;     /**< 1, the same error that no step may leave: sweeps go on for it, and a run that exceeds it is doubted */
  double overlap;  /**< 1, deepest over the extent of the smaller body; a run that goes beyond is doubted */
} rigid_promise;

/** All zero for `exact`, which has no rule of its own for packs. */
const rigid_promise *rigid_promised(const rigid_options *options);

/** Relative residual at which a step of anything but a pack counts as solved. */
double rigid_tolerance(const rigid_options *options);

/** Whether options leave packs to sweeps: accuracy draft or usual, and neither a tolerance nor a solver given. */
bool rigid_may_sweep(const rigid_options *options);

/** Every curve, those of the parts first. */
extern const scr_series rigid_curves[RIGID_CURVES];

/** Automatic margin and tolerated penetration over the least thickness of a body. */
#define RIGID_MARGIN 0.02
#define RIGID_PENETRATION 1e-5

/** Most bytes of the file of a problem with that many bodies and contacts (keep.c). */
double rigid_kept_bytes(double bodies, double contacts);

/** Checks what tables can't, chooses the time step, foresees the cost (check.c). */
scr_status rigid_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);

/** What does the work of other methods' keys, and which keys count only while others have certain values: for warnings. */
extern const scr_substitute rigid_substitutes[];
extern const scr_need rigid_needs[];

#endif
