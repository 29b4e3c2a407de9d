/** One super-helix: a fibre of elements each of which has two curvatures and a twist that are constant along it, so that it is a piece of a
 *  helix, clamped at its root and as long as it is, exactly.
 *
 *      unknowns   k1, k2, twist of each element, 1/m and rad/m, in the order and about the axes of rod.h
 *      R(s) = R_e exp[s kappa],  r(s) = r_e + R_e (int_0^s exp[x kappa] dx) t      in element e, kappa = (twist, -k2, k1) in its axes t,
 * m1, m2
 *
 *  Its points are nodes at even arcs along it, which carry mass and loads as a rod's do, and the middles of the edges between them, whose
 *  frames carry the inertia of turning about the tangent: a straight one that twists moves no node. Arrays of nodes have four numbers each,
 *  as those of rods: x, y, z and, with the edge that begins there, its turn.
 *
 *  A strain moves all that lies beyond it as a rigid body: d r = U + W x r. So the masses of all pairs of strains, the forces on strains
 * and the second derivatives of work follow from sums over what lies beyond each element, in O(nodes + elements^2) operations (composite
 * rigid bodies, Walker and Orin 1982). Source of the element: Bertails, Audoly, Cani, Querleux, Leroy, Leveque 2006. */
#ifndef SCREE_FIBRE_HELIX_H
#define SCREE_FIBRE_HELIX_H

#include "methods/fibre/rod/rod.h"

/** Most elements of one: its matrix is a band of full width, of at most LA_BAND_WIDTH_MAX. */
enum { HELIX_ELEMENTS_MAX = 21, HELIX_STRAINS = 3 /* of an element */, HELIX_UNKNOWNS_MAX = HELIX_STRAINS * HELIX_ELEMENTS_MAX };

typedef double helix_strain[HELIX_STRAINS]; /**< k1, k2, twist; 1/m, 1/m, rad/m */

/** What one is. */
typedef struct helix {
  uint32_t elements; /**< n, 1 ... HELIX_ELEMENTS_MAX */
  uint32_t edges;    /**< of its points, >= n: nodes are 0 ... edges */
  double length;     /**< m > 0 */
  double stiffness[HELIX_STRAINS];
  const helix_strain *natural; /**< [n] unloaded */
} helix;

/** A place and the unit vectors t, m1, m2 there: of the root, and of what begins at an element's end. */
typedef struct helix_frame {
  scr_vec3 place, axis[3];
} helix_frame;

/** Frames of one configuration. */
typedef struct helix_chain {
  helix_frame begin[HELIX_ELEMENTS_MAX + 1]; /**< of the elements; the last one's end behind */
} helix_chain;

/** Lays it: frames of elements, places of nodes, tangents and first directors of the edges' middles.
 *  @param place [edges + 1][4], of which x, y, z are written    @param frames [edges]; `reference` is not looked at */
void helix_lay(const helix *h, const helix_strain *strain, const helix_frame *root, helix_chain *chain, double *place,
               const rod_frames *frames);

/** Turn of each edge about its tangent since `from`, and how it changes with rotations of the edge: d turn = axis . d rotation.
 *  @param place [edges + 1][4], of which the turn is written    @param axis [edges] written
 *  Source: parallel transport, as rod.h */
void helix_turns(const helix *h, const rod_frames *from, const rod_frames *to, double *place, scr_vec3 *axis);

/** What is assembled. */
typedef struct helix_work {
  const double *load;   /**< [edges + 1][4] g: N on nodes, N m about the axes of edges */
  const scr_vec3 *axis; /**< [edges] of helix_turns */
  const double *mass;   /**< [edges + 1][4] kg, kg m^2 */
  double mass_factor;   /**< that M is multiplied by */
  bool curved;          /**< whether the second derivatives of places take part */
} helix_work;

/** dW/dq of W = sum of g . r and of g times turns, and mass_factor M + (curved) d2W/dq2, without what turns curve.
 *  @param slope [3 n] written    @param matrix of size 3 n and width 3 n - 1, written; NULL: not asked */
void helix_assemble(const helix *h, const helix_strain *strain, const helix_chain *chain, const double *place, const helix_work *work,
                    double *slope, la_band *matrix);

/** How all points move with each strain: [edges + 1][4][stride], dx, dy, dz and the edge's turn by the strain of each column; what lies
 *  before a strain's element does not.
 *  @param stride  >= 3 n; columns beyond are zero    @param axis [edges] of helix_turns */
void helix_moves(const helix *h, const helix_strain *strain, const helix_chain *chain, const double *place, const scr_vec3 *axis,
                 size_t stride, double *moves);

/** Elastic energies, J: no stretching. @param slope [3 n] dE/dq added to, and `factor` d2E/dq2 to the diagonal of `matrix`; NULL: not
 *  asked */
rod_energies helix_energy(const helix *h, const helix_strain *strain, double *slope, double factor, la_band *matrix);

/** Element that node k lies in, and the one of the middle of edge k. */
static inline uint32_t helix_element_of_node(const helix *h, uint32_t k)
{
  uint32_t e = (uint32_t)((uint64_t)k * h->elements / h->edges);
  return e < h->elements ? e : h->elements - 1;
}
static inline uint32_t helix_element_of_edge(const helix *h, uint32_t k)
{
  return (uint32_t)((2 * (uint64_t)k + 1) * h->elements / (2 * (uint64_t)h->edges));
}

#endif
