/** The template of a specimen's grains: nodes about the grain's centre, bonds, and constants. */
#ifndef SCREE_PERIDEM_BODY_H
#define SCREE_PERIDEM_BODY_H

#include "geometry/search/boxes.h"
#include "geometry/fill/faces.h"
#include "geometry/fill/lattice.h"
#include "methods/peridem/body/bonds.h"
#include "methods/peridem/law/material_params.h"
#include "methods/peridem/scene/options.h"
#include "methods/peridem/body/strength.h"
#include "scene/scene.h"

typedef struct pd_body {
  size_t node_count;
  double *x, *y, *z;         /**< [n] rotated, relative to the grain's centre, m */
  geo_box box;               /**< around them */
  pd_bonds bonds;            /**< unbroken */
  uint32_t *bond_degree;     /**< [n] unbroken bonds of a node */
  size_t cut_bonds;          /**< that the crack leaves out */
  double *moment;            /**< [n] weighted volume, m^4 (moments.h), or NULL */
  uint32_t material;         /**< index in the scene */
  double spacing;            /**< h, m */
  scr_vec3 cell;             /**< m, edges of a node's cell along the lattice's axes: pd_cell_of */
  scr_vec3 axes[3];          /**< the lattice's, unit, rotated */
  double horizon;            /**< eps, m */
  double node_volume;        /**< V, m^3: h^3, or the shape's volume over its nodes (pd_shares_volume) */
  double node_mass;          /**< rho V, kg */
  double density;            /**< rho, kg/m^3 */
  double bulk_modulus;       /**< k, Pa */
  double micromodulus;       /**< c: the constant law's value, or the conic law's at L = 0, or by directions.h, N/m^6 */
  double self_micromodulus;  /**< 18 k / (pi eps^4), the stiffness of self-contact, N/m^6 */
  double modulus_rate;       /**< 9 k, or 15 G of state-based elasticity, Pa */
  double volumetric_modulus; /**< k - 5 G / 3 of state-based elasticity, else 0, Pa */
  double stiffness;          /**< c V^2, N: times weight and stretch it is a bond's force */
  double critical_stretch;   /**< of mean strength; INFINITY when unbreakable */
  pd_strength strength;      /**< what it is times for each bond */
  double step_bound;         /**< s, of the bonds */
  geo_face (
      *face)[GEO_FACES]; /**< [n] faces of the shape less than a spacing above a node, rotated; NULL where contact does not ask for them */
  unsigned char *face_count; /**< [n] how many */
  struct {
    double area, softness; /**< m^2, of the node's section there; m^3/N, area over the node's stiffness against the rig */
  } (*section)[GEO_FACES]; /**< [n] of its faces */
  double face_modulus;     /**< Pa, of a node's contact by contact_surface "faces", times its section over its height (wall.h) */
  double rig_zero;         /**< m, from a part of the rig at which its nodes touch that, unless they start nearer */
} pd_body;

/** Bulk modulus of a material, which bonds keep: as given, else E / (3 (1 - 2 nu)), 2 E / 3 where nu is not given; NaN without k and E. The
 *  effective Young's modulus is 3 k / 2, whatever E and nu were given. */
double pd_bulk_modulus(const pd_material *material);

/** Poisson's ratio of a material: as given, else 1/2 - E / (6 k), else 1/4. */
double pd_poisson_ratio(const pd_material *material);

/** Horizon of a specimen: the option's, or 3 spacings. */
double pd_horizon(const pd_options *options, const scr_specimen *specimen);

/** Edges of the cells of a specimen's nodes along the axes of its shape, m: the spacing; where surfaces are corrected by direction those of
 *  a box, and of a cylinder along it, are stretched or squeezed so that whole cells fill it and its faces lie half a cell beyond its
 *  outermost nodes. */
scr_vec3 pd_cell_of(const pd_options *options, const scr_specimen *specimen);

/** Depth of the node that lies deepest below a face of its shape, m, below a spacing; 0 without faces. */
double pd_deepest_node(const pd_body *body);

/** Bonds reach half a spacing beyond the horizon when the far cell's partial volume weights them. */
double pd_bond_reach(const pd_options *options, double horizon, double spacing);

/** Whether surfaces are corrected by direction (directions.h); state-based elasticity has its own correction. */
static inline bool pd_corrects_directions(const pd_options *options)
{
  return options->surface_correction == PD_CORRECT_DIRECTION && options->elasticity == PD_BONDS;
}

/** Whether nodes share the volume of their shape, so that mass and elastic energy are the shape's: wherever bonds are corrected for what
 *  surfaces lack. The paper's nodes have h^3 each. */
bool pd_shares_volume(const pd_options *options);

/** Whether bonds differ in weight, so that each keeps its own. */
bool pd_weighted(const pd_options *options);

/** Builds a zeroed body. The specimen's size must have been checked against the limits before.
 *  @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_USAGE; on failure `body` is what pd_body_clear accepts */
scr_status pd_body_build(pd_body *body, const scr_scene *scene, const scr_specimen *specimen, scr_error *error);
void pd_body_clear(pd_body *body);

/** Height of a node's cell along the unit normal `normal` in the unbent body, m; a spacing without one: vec3(0, 0, 0). */
double pd_node_height(const pd_body *body, scr_vec3 normal);

/** Stiffness against the rig of a node whose face has the unit normal `normal` in the unbent body, N/m; without a face: vec3(0, 0, 0). */
double pd_node_face_stiffness(const pd_body *body, scr_vec3 normal);

/** No bond breaks below this stretch. */
static inline double pd_least_critical_stretch(const pd_body *body)
{
  return body->critical_stretch * body->strength.least;
}

/** Numbers the pieces joined by bonds from 0, in the order of their lowest node.
 *  @param piece [n] receives each node's piece    @return number of pieces */
size_t pd_pieces(const pd_bonds *bonds, uint32_t *piece);

#endif
