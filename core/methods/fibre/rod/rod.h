/** One discrete elastic rod with material frames: energies, their gradients and Hessians.
 *
 *      nodes x_i, edges e_i = x_{i+1} - x_i with tangents t_i, twist angles theta_i of the edges; a ring's last edge ends at node 0
 *
 *      E = sum_e  EA/2 l (|e|/l - 1)^2  +  sum_i  [B1 (k1 - k1_0)^2 + B2 (k2 - k2_0)^2 + GJ (m - m_0)^2] / (2 s_i)
 *
 *  k1, k2: curvature integrated over the span s_i of vertex i, about the second material director and about minus the first; m: twist
 *  between the two edges.
 *  The material directors of an edge are its reference director and t x it, turned by theta about t. Reference directors are carried
 *  along in time
 *  by parallel transport, which makes the energy smooth; the twist that this leaves between neighbours is `reference`.
 *
 *  Unknowns: q[node][4] = x, y, z, theta of the edge that begins there (of the last node of an open rod: nothing).
 *  Source: Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008; Bergou, Audoly, Vouga, Wardetzky, Grinspun 2010 (time-parallel frames). */
#ifndef SCREE_FIBRE_ROD_H
#define SCREE_FIBRE_ROD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec3.h"
#include "linalg/band.h"

enum { ROD_UNKNOWNS = 4 /* of a node */, ROD_TWIST = 3 /* which of them */ };
/** Half widths of the band of an open rod's Hessian, and of a ring's, whose nodes are folded: 0, n - 1, 1, n - 2 ... */
enum { ROD_BAND = 10, ROD_RING_BAND = 19 };

/** Frames of one configuration. */
typedef struct rod_frames {
  scr_vec3 *director; /**< [edges] unit, across the tangent: the reference director */
  scr_vec3 *tangent;  /**< [edges] unit */
  double *reference;  /**< [nodes] rad, twist of the reference frames at each vertex, whole turns counted */
} rod_frames;

/** What a rod is; arrays are borrowed. */
typedef struct rod {
  uint32_t nodes, edges; /**< edges = nodes of a ring, else nodes - 1 >= 2 */
  bool ring;
  double stretching;          /**< N, EA */
  double bending[2];          /**< N m^2, against k1, which strains along the first director, and against k2 */
  double twisting;            /**< N m^2, GJ */
  const double *rest;         /**< [edges] m > 0, unloaded lengths */
  const double *span;         /**< [nodes] m > 0, length over which vertex i bends and twists; of open ends nothing */
  const double (*natural)[3]; /**< [nodes] unloaded curvatures and twist, integrated: 1, 1, rad */
  const double *pull;         /**< [edges] N, tensions that stiffen edges in second derivatives; NULL: those that edges have */
} rod;

/** Energies by kind, J. */
typedef struct rod_energies {
  double stretching, bending, twisting;
} rod_energies;

static inline double rod_total(rod_energies e)
{
  return e.stretching + e.bending + e.twisting;
}

/** Which second derivatives. */
typedef enum rod_hessian {
  ROD_GAUSS_NEWTON, /**< products of first derivatives, and what tension stiffens: positive semidefinite */
  ROD_EXACT
} rod_hessian;

static inline uint32_t rod_next(const rod *r, uint32_t i)
{
  return i + 1 == r->nodes ? 0 : i + 1;
}

/** The first vertex that bends, and one past the last; edge before a vertex. */
static inline uint32_t rod_first_vertex(const rod *r)
{
  return r->ring ? 0 : 1;
}
static inline uint32_t rod_edge_before(const rod *r, uint32_t vertex)
{
  return vertex ? vertex - 1 : r->edges - 1;
}

/** Place of a node in the order of the band. */
static inline uint32_t rod_place(const rod *r, uint32_t node)
{
  if (!r->ring) return node;
  return 2 * node < r->nodes ? 2 * node : 2 * (r->nodes - node) - 1;
}

static inline scr_vec3 rod_position(const double *q, uint32_t node)
{
  return vec3(q[ROD_UNKNOWNS * node], q[ROD_UNKNOWNS * node + 1], q[ROD_UNKNOWNS * node + 2]);
}

/** `a`, across the unit vector `from`, carried to the unit vector `to` without turning about it. */
scr_vec3 rod_transport(scr_vec3 a, scr_vec3 from, scr_vec3 to);

/** First frames of a configuration: no reference twist along an open rod; a ring's seam takes what the closed curve turns.
 *  @param first  about where the director of edge 0 points; any, where it is along the edge */
void rod_begin_frames(const rod *r, const double *q, scr_vec3 first, rod_frames *frames);

/** Frames of q, carried from `from`, those of an earlier configuration; whole turns of `reference` as near to that as can be. `to` may
 * be `from`. */
void rod_carry_frames(const rod *r, const double *q, const rod_frames *from, rod_frames *to);

/** Curvatures about the first and the second director and twist of a vertex, integrated over its span. */
void rod_strain(const rod *r, const double *q, const rod_frames *frames, uint32_t vertex, double strain[3]);

/** Energies of q, whose frames these are. @param gradient [nodes][4] dE/dq, written; NULL: not asked
 *  @param hessian in the order of rod_place, written; NULL: not asked */
rod_energies rod_energy(const rod *r, const double *q, const rod_frames *frames, double *gradient, rod_hessian kind, la_band *hessian);

/** Tension of an edge, N. */
double rod_tension(const rod *r, const double *q, uint32_t edge);

/** Half width of its band. */
static inline size_t rod_band(bool ring)
{
  return ring ? ROD_RING_BAND : ROD_BAND;
}

/** Writhe of the closed or open polygon of nodes: how often it crosses itself as seen from all sides, signed. O(edges^2).
 *  Source: Klenin and Langowski 2000, method 1a. */
double rod_writhe(const rod *r, const double *q);

#endif
