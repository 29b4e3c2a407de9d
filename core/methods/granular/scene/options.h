/** What scenes may say to method granular. */
#ifndef SCREE_GRANULAR_OPTIONS_H
#define SCREE_GRANULAR_OPTIONS_H

#include "scene/scene.h"

typedef enum granular_dimension { GRANULAR_SPACE, GRANULAR_PLANE } granular_dimension;

/** The options. */
typedef struct granular_options {
  int dimension;                           /**< a granular_dimension */
  double cell;                             /**< m, h: edge of the grid's cells */
  scr_vec3 domain_minimum, domain_maximum; /**< m, where sand may be without a box; NaN: not given */
  bool periodic_x, periodic_y;             /**< what leaves on one side comes in on the other, and there are no walls */
  scr_vec3 outlet_minimum, outlet_maximum; /**< m, box whose sand is taken out; NaN: none */
  double floor_friction;                   /**< 1, of the lower wall of the box; NaN: as the contact has it */
  double side_friction;                    /**< 1, of its other walls; NaN: as the contact has it */
  int64_t sweeps;                          /**< most of a step, >= 2 */
  double tolerance;                        /**< 1, residual over g dt/h at which a step is solved */
  bool show_cells;                         /**< frames have the cells with sand, too */
  double fluid_density;                    /**< kg/m^3, of the fluid that fills the box; NaN: there is none */
  double fluid_viscosity;                  /**< Pa s; NaN: not given */
  double drag_exponent;                    /**< 1, n: how much neighbours hinder the fluid */
  bool fluid_stream; /**< with periodic_x gravity moves the fluid along x; else a pressure of ends far away bears it */
} granular_options;

/** A material. Volumes are of the sand at its densest: density times packing_fraction is its mass per such volume. */
typedef struct granular_material {
  double density;            /**< kg/m^3, of the grains */
  double packing_fraction;   /**< 1, of grains in the densest sand */
  double internal_friction;  /**< 1, mu or mu_s */
  double friction_increment; /**< 1, dmu; 0: constant friction */
  double inertial_constant;  /**< 1, I0 */
  double grain_diameter;     /**< m; NaN: not given */
  double cohesion;           /**< Pa, c */
  double debonding;          /**< 1, zeta: how fast shear breaks cohesion */
} granular_material;

/** Sand against parts of the rig. */
typedef struct granular_surface {
  double friction_coefficient; /**< 1 */
} granular_surface;

/** A line of specimens. */
typedef struct granular_specimen {
  int64_t points_per_cell; /**< along an axis; -1: 3 in the plane, 2 in space */
  double pour_interval;    /**< s from one filling of the shape to the next; NaN: only that at the start */
  int64_t pour_count;      /**< fillings, >= 1 */
} granular_specimen;

enum { GRANULAR_PARAMS = 17, GRANULAR_MATERIAL_PARAMS = 8, GRANULAR_SURFACE_PARAMS = 1, GRANULAR_SPECIMEN_PARAMS = 3 };
extern const scr_param granular_params[GRANULAR_PARAMS], granular_material_params[GRANULAR_MATERIAL_PARAMS];
extern const scr_param granular_surface_params[GRANULAR_SURFACE_PARAMS], granular_specimen_params[GRANULAR_SPECIMEN_PARAMS];
extern const scr_substitute granular_substitutes[];
extern const scr_need granular_needs[];

/** Bound of the step over sqrt(h/g), which the scene's safety factor makes shorter: gravity moves what rests by a part in 70 of a cell. */
#define GRANULAR_FALL_STEP 0.17
/** From this tolerance on, sweeps take single precision: step/sweep/sweep.h. */
#define GRANULAR_SINGLE_TOLERANCE 1e-5
/** Cells that the fastest point may go in a step. */
#define GRANULAR_TRAVEL 0.5

/** Checks what tables can't, chooses the longest step, foresees the cost (check.c). */
scr_status granular_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);

/** Points along an edge of a cell, of specimen k. */
int granular_points_per_cell(const scr_scene *scene, size_t k);

#endif
