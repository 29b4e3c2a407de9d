/** The stages of a step, in order. Each reads and writes what its line says; bits never depend on the number of threads.
 *
 *      granular_sort          points                          -> grid, points of its cells
 *      granular_list_cells    grid                            -> cells, blocks by colours
 *      granular_to_nodes      points, cells                   -> sums and velocities of nodes, edges of cells
 *      granular_find_parts    nodes, parts                    -> contacts, share of cells that is open
 *      granular_make_rows     cells, nodes                    -> gap, friction, 1/w of cells
 *      granular_warm_start    stresses of the last step       -> r of cells and contacts, velocities
 *      granular_solve         cells, contacts                 -> r, and velocities that follow from them, that keep the law
 *      granular_to_points     velocities                      -> points moved, and in the order of the step's cells
 *      granular_keep_warm     r                               -> stresses for the next step
 */
#ifndef SCREE_GRANULAR_STAGES_H
#define SCREE_GRANULAR_STAGES_H

#include <assert.h>
#include <string.h>

#include "base/execution.h"
#include "methods/granular/state/state.h"

/** What a step does, beside the state. */
typedef struct granular_pass {
  double step; /**< s */
  scr_execution execution;
  int64_t sweeps;   /**< budget of granular_solve; 0: the scene's */
  double tolerance; /**< of granular_solve; 0: the scene's */
} granular_pass;

/** Energies of a step, J; each of its own sum, so that the ledger's balance checks the step. */
typedef struct granular_energy {
  double points_before; /**< kinetic, of points, their affine motion counted */
  double nodes_before;  /**< kinetic, of nodes, before forces */
  double nodes_after;
  double implicit;   /**< sum of m |u1 - u0|^2/2: what an implicit step takes */
  double gravity;    /**< its work: what points fall */
  double friction;   /**< taken by shear of sand */
  double compaction; /**< taken by closing of gaps */
  double undone;     /**< of it, given back by undoing of over-filling, >= 0 */
  double cohesion;   /**< taken by pulling cohesive sand apart */
  double sliding;    /**< taken by friction at parts */
  double unsolved;   /**< <= 0: given by shear and sliding whose law was not met */
  double rig;        /**< work of driven parts on the sand and on free parts */
  double to_bodies;  /**< work of free parts on the sand: no work from outside */
  double points_after;
  double removed; /**< kinetic, of points taken out */
} granular_energy;

scr_status granular_list_cells(granular_state *state, scr_execution execution, scr_error *error);
/** Where in colour_block the blocks of a colour begin that thread `part` of `parts` takes: shares have the same number of cells, to a
 * block. Part `parts` begins where the colour ends. */
uint32_t granular_first_of_share(const granular_state *state, int colour, unsigned part, unsigned parts);
scr_status granular_to_nodes(granular_state *state, const granular_pass *pass, granular_energy *energy, scr_error *error);
/** @param before  [parts->count] where parts were at the step's start; they go from there to parts->now */
scr_status granular_find_parts(granular_state *state, const granular_pass *pass, const sim_parts *parts, const part_motion *before,
                               scr_error *error);
void granular_make_rows(granular_state *state, const granular_pass *pass);
/** Also moves the nodes. */
scr_status granular_warm_start(granular_state *state, const granular_pass *pass, scr_error *error);
/** Sets r of packed cells that stand on parts, or on such cells, to the weight of what lies above them: for the first step. */
scr_status granular_start_from_weight(granular_state *state, const granular_pass *pass, scr_error *error);
/** Velocities of the nodes from those before the step, gravity, cohesion and impulses r of cells and contacts. */
void granular_move_nodes(granular_state *state, const granular_pass *pass);
scr_status granular_solve(granular_state *state, const granular_pass *pass, const scr_liveness *liveness, scr_error *error);
/** Residuals of the law of sand as velocities and stresses are, into the report. */
scr_status granular_measure_law(granular_state *state, const granular_pass *pass, scr_error *error);
/** Sums over nodes, cells and contacts, and loads of parts: N, N m over the step. */
void granular_account(granular_state *state, const granular_pass *pass, sim_parts *parts, const part_motion *before,
                      granular_energy *energy);
void granular_to_points(granular_state *state, const granular_pass *pass, granular_energy *energy);
scr_status granular_keep_warm(granular_state *state, const granular_pass *pass, scr_error *error);

/** One step of the simulation. */
scr_status granular_advance(scr_sim *sim, scr_error *error);

/** Kinetic energy of a point, J: with the affine motion around it, where it is in its cell. */
double granular_point_energy(const granular_state *state, const granular_point *point);

/** A node's numbers in one register, or two. */
typedef double granular_lanes __attribute__((vector_size(32)));
static_assert(sizeof(granular_lanes) == sizeof(granular_node), "a node fills them");

/** Near and far corner of edge e of axis a. */
static inline __attribute__((always_inline)) int granular_near(int d, int a, int e)
{
  const int b = (a + 1) % d, f = (a + 2) % d;
  return (e & 1) << b | (d == 3 ? (e >> 1) << f : 0);
}

/** Weighted gradient of the nodes' velocity in a cell, 1/s: g[a][i]. */
static inline __attribute__((always_inline)) void granular_gradient(int d, const granular_cell *c, const granular_node *nodes,
                                                                    double g[3][3])
{
  granular_lanes u[GEO_GRID_CORNERS];
  for (int n = 0; n < (d == 2 ? 4 : 8); n++) memcpy(&u[n], &nodes[c->node[n]], sizeof u[n]);
  for (int a = 0; a < d; a++) {
    granular_lanes sum = {0, 0, 0, 0};
    for (int e = 0; e < (d == 2 ? 2 : 4); e++) {
      const int near = granular_near(d, a, e);
      // cppcheck-suppress uninitvar; the loop before fills the corners
      sum += c->edge[4 * a + e] * (u[near | 1 << a] - u[near]);
    }
    for (int i = 0; i < d; i++) g[a][i] = sum[i];
  }
}

/** Sums of the nodes' velocities by the signs and the weight of hourglass.h, 1/s, in the plane. */
static inline __attribute__((always_inline)) void granular_hourglass(const granular_cell *c, const granular_node *nodes, double *rate)
{
  const double weight = hourglass_weight(c->edge);
  for (int i = 0; i < 2; i++) {
    rate[i] = 0;
    for (int n = 0; n < 4; n++) rate[i] += hourglass_sign(n) * nodes[c->node[n]].u[i];
    rate[i] *= weight;
  }
}

/** Rate of a cell in coordinates, without its gap: B u. */
static inline __attribute__((always_inline)) void granular_rate(int d, const granular_cell *c, const granular_node *nodes, double *rate)
{
  double g[3][3] = {0};
  granular_gradient(d, c, nodes, g);
  tensor_strain(d, g, rate);
  if (d == 2) granular_hourglass(c, nodes, rate + 3);
}

/** Adds what an impulse r of a cell's stress does to its nodes' velocities: u += B^T r/m. */
static inline __attribute__((always_inline)) void granular_push(int d, const granular_cell *c, granular_node *nodes, const double *r)
{
  const int corners = d == 2 ? 4 : 8;
  double s[3][3] = {{0}};
  granular_lanes push[GEO_GRID_CORNERS] = {{0}};
  tensor_of(d, r, s);
  for (int a = 0; a < d; a++) {
    const granular_lanes stress = {s[a][0], s[a][1], s[a][2], 0};
    for (int e = 0; e < (d == 2 ? 2 : 4); e++) {
      const int near = granular_near(d, a, e);
      const granular_lanes part = c->edge[4 * a + e] * stress;
      push[near] -= part;
      push[near | 1 << a] += part;
    }
  }
  if (d == 2) {
    const double weight = hourglass_weight(c->edge);
    const granular_lanes modes = {weight * r[3], weight * r[4], 0, 0};
    for (int n = 0; n < 4; n++) push[n] += hourglass_sign(n) * modes;
  }
  for (int n = 0; n < corners; n++) {
    granular_lanes node;
    memcpy(&node, &nodes[c->node[n]], sizeof node);
    node += node[3] * push[n]; /* the last is 0 */
    memcpy(&nodes[c->node[n]], &node, sizeof node);
  }
}

#endif
