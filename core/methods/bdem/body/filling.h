/** A grain's template: a shape filled with equal spheres of a regular or random packing, and the pairs of neighbours that bonds join. */
#ifndef SCREE_METHODS_BDEM_FILLING_H
#define SCREE_METHODS_BDEM_FILLING_H

#include "geometry/search/boxes.h"
#include "methods/bdem/scene/material_params.h"

enum { BDEM_RANDOM_CELL = 512 }; /**< spheres of the periodic cell of random packings: about 8 diameters along each edge */

#define BDEM_LATTICE_REACH 2.01 /**< of r: neighbours in lattices lie at 2 r */
#define BDEM_RANDOM_REACH 2.2   /**< of r: how far bonds of random packings reach */

typedef struct bdem_filling {
  double extent[3];  /**< of the shape along its own axes, before its rotation, m */
  double packed[3];  /**< how much of that the spheres' lattice cells take: whole pitches between flat faces; else the same share of every
                        extent, such that the cells take their volume. Random packings, weaves: the extent itself */
  double stretch[3]; /**< distances in the lattice over those of touching spheres, along the same axes: in [1, 1.5) along the normals of
                        flat faces where it is fitted to them, 1 else */
  scr_vec3 *cell;    /**< [BDEM_RANDOM_CELL] the cell that a random packing repeats, in diameters; NULL: a lattice */
  double cell_edge;  /**< its edge, diameters */
  double radius;     /**< r of the spheres, m: half the specimen's spacing */
  double mass;       /**< of one sphere, kg: density times the shape's volume, shared out */
  double cells; /**< the lattice cells of all spheres over the shape's volume: far from 1 in bodies a few spheres wide. Random, weaves: 1 */
  size_t sphere_count;
  scr_vec3 *centre; /**< [sphere_count] rotated, relative to the grain's centre, m */
  geo_box box;      /**< around the centres */
  size_t pair_count;
  uint32_t (
      *pairs)[2];   /**< [pair_count] neighbours, 2 r apart before the lattice is stretched (random packings: up to 2.2 r), i < j, sorted */
  uint32_t *degree; /**< [sphere_count] neighbours of a sphere */
  size_t piece_count; /**< pieces that bonds are meant to make of it: 1, or a weave's yarns */
} bdem_filling;

/** Spheres that bdem_filling_build looks at, as a double so that it can't overflow; about twice what it keeps, at the most. */
double bdem_filling_expected(const scr_specimen *specimen);

/** Fills a zeroed filling. Weaves: see bdem_weave_fill. Boxes, and cylinders along their axis, take as many whole lattice pitches along
 *  each edge as fit, at least one, centred; other shapes the lattice points that lie at least r/2 inside, one of them the centre (spec
 *  3.8). Random packings repeat one periodic cell and keep what lies r/2 inside. A mesh's lattice has a point in the middle of its box. No
 *  pair's centre line crosses a notch or leaves a mesh. Spheres of a grain of several share the mass of the shape; one that is alone weighs
 *  what its ball does.
 *  @param fitted whether lattices are stretched along the normals of flat faces that hold two layers or more, so that their cells end at
 *         the faces: what is missing there takes its square from the section's bending stiffness, at any number of layers
 *  @param seed of random packings
 *  @return SCR_OK, SCR_NO_MEMORY; SCR_BAD_USAGE beyond 2^31 spheres */
scr_status bdem_filling_build(bdem_filling *filling, const scr_specimen *specimen, bool fitted, double density, uint64_t seed,
                              scr_error *error);
void bdem_filling_clear(bdem_filling *filling);

/** Mass of a solid ball, kg. */
double bdem_ball_mass(double radius, double density);

/** The same two for a weave (geometry/fill/weave.h), called by those above: bonds join neighbours along yarns, which weigh what cylinders
 *  of their diameter do; wefts that the slit cuts lack the sphere next to x = 0. Not turned yet. */
double bdem_weave_expected(const scr_specimen *specimen);
/** By what factor the distance of neighbours on a yarn differs from 2 r, up or down, at the most; >= 1. */
double bdem_weave_misfit(const scr_specimen *specimen);
scr_status bdem_weave_fill(bdem_filling *filling, const scr_specimen *specimen, double density, scr_error *error);

/** Joins spheres 0 ... n - 1 by pairs and numbers the pieces from 0, in the order of their lowest sphere.
 *  @param piece [n] receives each sphere's piece    @return number of pieces */
size_t bdem_pieces(size_t sphere_count, const uint32_t (*pairs)[2], size_t pair_count, uint32_t *piece);

#endif
