/** What a specimen's spheres and bonds are: filled, weighed, its bonds as its material gives them or as a virtual test finds them, and the
 *  longest stable explicit step. */
#ifndef SCREE_METHODS_BDEM_SUBSTANCE_H
#define SCREE_METHODS_BDEM_SUBSTANCE_H

#include "methods/bdem/body/boundary_faces.h"
#include "methods/bdem/calibration/calibration.h"
#include "methods/bdem/scene/material_params.h"
#include "methods/bdem/scene/options.h"
#include "scene/scene.h"
#include "sim/rig/parts.h"

/** What a specimen's spheres have in common. */
typedef struct bdem_substance {
  uint32_t material;          /**< index in the scene */
  int packing;                /**< bdem_packing of its specimen */
  double young_modulus;       /**< E of the bonds, Pa */
  double poisson_ratio;       /**< of the bonds */
  double body_modulus;        /**< E of the packed body, Pa */
  double face_stiffness;      /**< N/m, largest against the rig by a face; 0: none is met so */
  double radius, mass;        /**< of a sphere, m, kg */
  double flexion;             /**< bending and twisting stiffness of bonds over a solid rod's: the material's bending_factor */
  double step_bound;          /**< T of its bonds and contacts, s */
  bdem_section section;       /**< of its bonds */
  bdem_calibrated calibrated; /**< how its bonds were found; its bonds are those above */
  double velocity_jump;       /**< m/s, change of a sphere's velocity in one step that may have hidden a break; INFINITY when unbreakable */
} bdem_substance;

/** Modulus of the bonds: Young's modulus as given, or the one at which the packing has the bulk modulus (spec 4.15). NaN: neither given. */
double bdem_bond_modulus(const bdem_material *material, int packing);
/** Poisson's ratio of the bonds: as given, else 0.3. */
double bdem_bond_poisson_ratio(const bdem_material *material);

/** Fills a zeroed filling with specimen k of a scene; its spheres weigh what the option sphere_mass says. */
scr_status bdem_specimen_fill(const scr_scene *scene, size_t k, bdem_filling *filling, scr_error *error);

/** The bonds of specimen k: as its material says, or such that the body becomes what its material says (option constants_of).
 *  @param strengths whether to find these too; without, they are left at INFINITY when a virtual test is made */
scr_status bdem_specimen_bonds(const scr_scene *scene, size_t k, const bdem_filling *filling, bool strengths, bdem_calibrated *bonds,
                               scr_error *error);

/** Constants of one specimen; material constants must have been checked. `mass`: of one sphere.
 *  @param faces of its filling, by which it meets the rig; empty: by its spheres */
bdem_substance bdem_substance_make(const scr_scene *scene, const scr_specimen *specimen, const bdem_filling *filling,
                                   const bdem_calibrated *found, const bdem_faces *faces);

/** The stable explicit step T: the smallest bound of a specimen, and of contacts between two, s. @param substances [specimen_count] */
double bdem_stable_step(const scr_scene *scene, const bdem_substance *substances);

/** How the scene's specimens answer to servos. @param substances [specimen_count] */
part_response bdem_part_response(const scr_scene *scene, const bdem_substance *substances);

/** Contact stiffness between two specimens, or of one and the rig (NULL), N/m: factor times the larger E times the larger r. */
double bdem_contact_stiffness(const bdem_options *options, const bdem_substance *a, const bdem_substance *b);

/** Stiffness of a sphere against the rig by a face, N/m: factor times E A / s of the body. @param area_per_depth A / s, m */
double bdem_face_stiffness(const bdem_options *options, const bdem_substance *substance, double area_per_depth);

#endif
