/** A fluid that fills the box between the grains and above them, in the plane: two velocities, one pressure.
 *
 *      rho_s phi D1 u1/Dt = rho_s phi g - phi grad P + div[phi (tau - p I)] + phi div S + xi (u2 - u1)
 *      rho_f (1 - phi) D2 u2/Dt = rho_f (1 - phi) g - (1 - phi) grad P + (1 - phi) div S - xi (u2 - u1)
 *      div um = 0,  um = phi u1 + (1 - phi) u2,  S = 2 eta D(um)
 *
 *  Grains feel the fluid's whole stress as they feel its pressure, by their share of the volume: then its viscosity takes 2 eta |D(um)|^2,
 *  and can't give. P is the pressure over the hydrostatic one, which lifts grains and bears the fluid by itself.
 *
 *  Where what is: fluid velocities on the faces of cells, P in cells, grains on nodes.
 *
 *        o---z---o      o node: u1, phi        x face across x: u2_x, between the nodes below and above it
 *        |       |      + cell: P, div um      z face across z: u2_z, between the nodes left and right of it
 *        x   +   x
 *        |       |      Seen from a face, grains have phi = (phi_0 + phi_1)/2 and u1 = (phi_0 u_0 + phi_1 u_1)/(phi_0 + phi_1), the mean
 *        o---z---o      over its two nodes: what the face does to them is shared by phi, so that nodes with little sand move with it
 *
 *  Faces on walls are closed: phi u1 + (1 - phi) u2 = 0 there. Numbers: cells x first, then z; nodes alike; faces across x, then those
 * across z, x first. Source: shared specification "granular", section 3.10. */
#ifndef SCREE_GRANULAR_WET_FLUID_H
#define SCREE_GRANULAR_WET_FLUID_H

#include "linalg/sparse.h"
#include "methods/granular/state/state.h"

#define WET_NONE UINT32_MAX
#define WET_DENSE 0.1 /**< fraction of grains from which a place counts as sand: curves of slip */
/** Largest share of its volume by which a cell may gain fluid and sand in a step; more counts as unsolved. */
#define WET_TOLERANCE 1e-9

/** A face of cells. */
typedef struct wet_face {
  uint32_t node[2]; /**< at its ends, the lower one first */
  uint32_t cell[2]; /**< before and behind it; WET_NONE: a wall */
} wet_face;

/** Neighbours among the faces across one axis: fluid goes from the volume around one into that around the other. */
typedef struct wet_link {
  uint32_t face[2];
  uint32_t by[2]; /**< faces whose fluxes, by halves, are the flux between them; WET_NONE: none */
} wet_link;

/** Numbers of the steps so far, J unless said. */
typedef struct wet_report {
  double begun;      /**< 1 after the first step */
  double drag;       /**< taken by drag */
  double viscous;    /**< taken by viscosity */
  double divergence; /**< 1, largest share of its volume that a cell gained in the last step */
  double worst;      /**< 1, the largest so far */
  double unsolved;   /**< steps in which that was above WET_TOLERANCE */
  double rounds;     /**< of the last step: solutions of the fluid's equations */
  double slip;       /**< m/s, largest velocity of fluid against grains in the last step, where grains are at least 0.1 of the volume */
} wet_report;

/** Energies of a step, J. */
typedef struct wet_energy {
  double carried; /**< taken as the fluid is carried to where it is now: velocities mix */
  double gravity; /**< work of gravity and of hydrostatic pressure on grains and fluid, beside that of gravity on grains */
  double drag, viscous, implicit;
} wet_energy;

/** What the saddle point of a step knows of a face. */
typedef struct wet_coupling {
  double weight[2]; /**< of its nodes in the velocity of grains */
  double fraction;  /**< of grains */
  double drag;      /**< kg, drag coefficient times volume and step */
  double mass;      /**< kg, of fluid */
} wet_coupling;

typedef struct wet_fluid {
  /* for the run */
  double density, viscosity, exponent;                /**< kg/m^3, Pa s, 1 */
  double diameter, grain_density;                     /**< m, kg/m^3 */
  double h, thickness, volume;                        /**< m, m, m^3 of a cell */
  double hydrostatic[2], drive[2];                    /**< m/s^2: gravity that pressure bears, gravity that moves the fluid */
  uint32_t columns, rows, lines;                      /**< cells along x and z; nodes along x */
  bool periodic;                                      /**< along x */
  size_t cell_count, node_count, face_count, x_count; /**< x_count: faces across x */
  wet_face *face;
  wet_link *link;
  size_t link_count;
  double *control;    /**< [face_count] m^3, control volume around a face: half a cell on a wall */
  la_factor *lattice; /**< of the links' graph */
  /* the state */
  double *u;        /**< [face_count] m/s */
  double *share;    /**< [face_count] 1, of fluid, where it was when u was found */
  double *pressure; /**< [cell_count] Pa, over the hydrostatic */
  wet_report report;
  /* of a step */
  double *fraction;       /**< [node_count] 1, of grains */
  uint32_t *place;        /**< [node_count] number in the grid; WET_NONE: no sand */
  double *mass;           /**< [node_count] kg, of grains */
  double *free;           /**< [node_count][2] m/s, of grains, without what faces do to them */
  double *viscous;        /**< [face_count] N s, of viscosity on the mixture */
  double *flux;           /**< [link_count] m^3, of fluid in a step */
  double *before;         /**< [face_count] m/s, of fluid, before forces */
  double *scratch;        /**< [2][face_count] */
  wet_coupling *coupling; /**< [face_count] */
  uint32_t *unknown;      /**< [node_count] number of the first of a node's two unknowns */
  la_triplet *triplet;
  size_t triplet_capacity;
  la_factor *factor;
  double *right, *solution; /**< [unknown_count] */
  double *round;            /**< of wet_solve: stresses of two rounds */
  size_t unknown_count, right_capacity, solution_capacity, round_capacity;
} wet_fluid;

/** A fluid at rest in the scene's box; *fluid stays NULL where the scene has none. On failure it is what wet_destroy accepts. */
scr_status wet_create(const granular_state *state, wet_fluid **fluid, scr_error *error);
/** Accepts NULL. */
void wet_destroy(wet_fluid *fluid);
scr_status wet_save(const wet_fluid *fluid, scr_blob *blob, scr_error *error);
scr_status wet_load(wet_fluid *fluid, scr_blob *blob, scr_error *error);

static inline bool wet_closed(const wet_face *face)
{
  return face->cell[0] == WET_NONE || face->cell[1] == WET_NONE;
}

/** 0 across x, 1 across z. */
static inline int wet_axis(const wet_fluid *fluid, size_t face)
{
  return face >= fluid->x_count;
}

/** kg, of fluid around a face. */
static inline double wet_mass(const wet_fluid *fluid, size_t face)
{
  return fluid->density * fluid->share[face] * fluid->control[face];
}

/** J, of the fluid. */
double wet_kinetic(const wet_fluid *fluid);
/** N s, of the fluid. @param momentum [2] set */
void wet_momentum(const wet_fluid *fluid, double momentum[2]);
/** m/s, largest of a face. */
double wet_fastest(const wet_fluid *fluid);
/** Pa, of a cell, with the hydrostatic one, which is 0 at the highest corner of the domain along gravity. */
double wet_pressure_at(const wet_fluid *fluid, size_t cell);

#endif
