/** Options of the method, and the curves it reports. */
#ifndef SCREE_METHODS_BDEM_OPTIONS_H
#define SCREE_METHODS_BDEM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec3.h"
#include "scene/param.h"
#include "scene/scene.h"

typedef enum bdem_integrator { BDEM_INTEGRATOR_EXPLICIT, BDEM_INTEGRATOR_IMPLICIT_EULER, BDEM_INTEGRATOR_VARIATIONAL } bdem_integrator;

/** What happens when bonds are above their strength at the end of a step. */
typedef enum bdem_breaking {
  BDEM_BREAKING_EXPLICIT_BURSTS, /**< implicit: the step is done again by stable explicit steps, in which bonds break */
  BDEM_BREAKING_STAGED,          /**< implicit: the step is done again in halves, down to fracture_step_ratio, before bonds may break */
  BDEM_BREAKING_SIMULTANEOUS,    /**< all break at the end of the step */
  BDEM_BREAKING_WORST_FIRST      /**< implicit: those within 1 % of the most loaded break and the step is solved again */
} bdem_breaking;

/** What happens when a large step would pass something, or damp an impact away. */
typedef enum bdem_impacts {
  BDEM_IMPACTS_EXPLICIT_BURSTS, /**< the step is done again by stable explicit steps, until the contacts are calm */
  BDEM_IMPACTS_IMPLICIT         /**< it is halved until it passes nothing; what it loses of impacts is lost, and said */
} bdem_impacts;

/** Whose moduli and strengths the materials give. */
typedef enum bdem_constants_of {
  BDEM_CONSTANTS_OF_BODY, /**< the packed body's: a virtual test finds the bonds */
  BDEM_CONSTANTS_OF_BONDS /**< each bond's, as the paper has it */
} bdem_constants_of;

/** Along which of the laboratory's axes the virtual test pulls. */
typedef enum bdem_axis {
  BDEM_AXIS_AUTOMATIC, /**< grips: theirs; three-point bend and Brazilian test: x; else the average */
  BDEM_AXIS_AVERAGE,   /**< all directions */
  BDEM_AXIS_X,
  BDEM_AXIS_Y,
  BDEM_AXIS_Z
} bdem_axis;

/** What a sphere of a body weighs. */
typedef enum bdem_mass {
  BDEM_MASS_BODY, /**< its share of the body's mass, density times the shape's volume */
  BDEM_MASS_BALL  /**< density times its own volume, as the paper has it: gaps weigh nothing */
} bdem_mass;

/** Where the strength of bonds comes from. */
typedef enum bdem_strength {
  BDEM_STRENGTH_GIVEN,        /**< the material's tensile and shear strength; made where it gives its fracture energy alone */
  BDEM_STRENGTH_ENERGY_SCALED /**< its fracture energy and the spheres' radius: sqrt(E Gc/r) times the packing's factor */
} bdem_strength;

/** Where packed bodies meet the rig. */
typedef enum bdem_contact_surface {
  BDEM_SURFACE_SPHERES, /**< where their spheres do, with contact_stiffness_factor E r */
  BDEM_SURFACE_FACES    /**< where the faces of their shapes do, as stiffly as the body between the faces and the centres
                           (body/boundary_faces.h) */
} bdem_contact_surface;

/** How a regular packing lies in a shape with flat faces. */
typedef enum bdem_lattice {
  BDEM_LATTICE_FITTED, /**< stretched along the normals of flat faces, so that its cells end at the faces; bodies of bonds that the
                          materials give (BDEM_CONSTANTS_OF_BONDS) keep it regular */
  BDEM_LATTICE_REGULAR /**< as many whole layers as fit, centred: up to half a layer is missing at each face */
} bdem_lattice;

/** Filled from bdem_params by the scene layer. */
typedef struct bdem_options {
  int integrator;                  /**< bdem_integrator */
  int optimizer;                   /**< 0, manifold Newton: retired */
  int preconditioner;              /**< la_preconditioner_kind */
  int calibration;                 /**< bdem_calibration */
  int shear;                       /**< bdem_shear */
  int constants_of;                /**< bdem_constants_of */
  int calibration_axis;            /**< bdem_axis */
  int sphere_mass;                 /**< bdem_mass */
  int strength;                    /**< bdem_strength */
  int contact_surface;             /**< bdem_contact_surface */
  int lattice;                     /**< bdem_lattice */
  int breaking;                    /**< bdem_breaking */
  int impacts;                     /**< bdem_impacts */
  double step_ratio;               /**< implicit time step over the explicit stable step T */
  double fracture_step_ratio;      /**< over T: the longest step in which bonds may break, staged breaking */
  double tolerance;                /**< of the implicit step: largest residual force over E r^2 */
  int64_t newton_limit;            /**< iterations of the implicit step */
  double contact_stiffness_factor; /**< of E r */
  double contact_skin;             /**< of the largest diameter: slack of the pair list */
  double rolling_friction;         /**< dimensionless */
  double local_damping;            /**< alpha of Cundall's local damping, explicit runs; 0: none */
  double tab_length;               /**< m, how far from grips bonds never break; 0: they may break everywhere */
  bool breakable;
  bool contact_forces; /**< vectors of force in the pictures */
  bool allow_initial_contact;
  bool allow_unstable_step;
} bdem_options;

enum { BDEM_PARAM_COUNT = 26, BDEM_CURVE_COUNT = 30 };

extern const scr_param bdem_params[BDEM_PARAM_COUNT];
extern const scr_series bdem_curves[BDEM_CURVE_COUNT]; /**< SCR_PART_MARK stands for a part of the rig */

/** What does the work of other methods' keys, and which keys count only while others have certain values: for warnings. */
extern const scr_substitute bdem_substitutes[];
extern const scr_need bdem_needs[];

#endif
