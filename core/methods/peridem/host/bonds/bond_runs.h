/** Bonds in the form in which forces are worked out where neighbouring nodes have alike bonds, as on a lattice, or eight grains are equal.
 *
 *  A vector is eight near ends side by side, an entry one bond of each, or of some of them:
 *
 *      one grain           near  i   i+1 i+2 ... i+7        eight equal grains    near  place i of grain 0, 1, ... 7
 *                          far   j   j+1 j+2 ... j+7                              far   place j of the same
 *                          bits  1   1   0   ... 1          a bit: an intact bond joins the two
 *
 *  Places are nodes in the order of the lattice's rows. Elements are places of the grain, or 8 place + lane of eight grains; positions are
 *  brought into that order, and forces out of it, as a tile is worked on. All bonds of an entry have one length, and one weight, which it
 *  gives by the number of their class; where weights differ from node to node, as in bodies with a surface correction, a class has one for
 *  each lane (pd_lane_class). Each bond stands once, with its lower node: 8 bytes for up to eight bonds, where the rows (bonds.h) take 24
 *  for one. Breaking a bond clears its bit. Rows stay what is true of the bonds: these arrays follow from them, and a body whose neighbours
 *  share no distances keeps to its rows.
 *
 *  Forces act on both ends, so a stretch of vectors, a tile, adds into its own buffer from its first node to the last that it reaches;
 *  then every node sums the buffers in the order of tiles. How bonds are put into tiles depends on the scene alone, so the bits don't
 *  depend on threads. */
#ifndef SCREE_PERIDEM_BOND_RUNS_H
#define SCREE_PERIDEM_BOND_RUNS_H

#include "methods/peridem/body/body.h"
#include "methods/peridem/host/kernels/kernels.h"

/** Vectors and entries of an unbroken body. */
typedef struct pd_run_plan {
  size_t lanes;        /**< 1: of one grain; PD_LANES: of that many equal ones */
  uint32_t *node;      /**< [n] node of the body at a place */
  uint32_t *place;     /**< [n] of a node */
  size_t vector_count; /**< 0: this form does not suit the body */
  uint32_t *near;      /**< [vector_count + 1], the last: number of elements */
  uint32_t *first;     /**< [vector_count + 1] */
  size_t entry_count;
  pd_run_entry *entry; /**< [entry_count] */
  size_t kind_count;
  pd_bond_class *kind;      /**< [kind_count], or NULL: */
  pd_lane_class *lane_kind; /**< [kind_count] */
  size_t reach;             /**< farthest that a bond leads, places */
} pd_run_plan;

/** One grain, or PD_LANES equal ones that follow each other. */
typedef struct pd_run_group {
  size_t grain; /**< the first */
  const pd_run_plan *plan;
  uint32_t *first; /**< as the plan's, once a bond is broken: entries left; else NULL */
  pd_run_entry *entry;
  size_t emptied; /**< of the entries left, without a bond */
  size_t first_tile, tile_count;
} pd_run_group;

typedef struct pd_run_tile {
  size_t group;
  size_t begin, end; /**< vectors */
  size_t low, high;  /**< elements that it may act on; `low` is its first near end */
  double *force;     /**< [3][high - low], or NULL: what a thread has at hand, where the tile is its group's only one */
} pd_run_tile;

typedef struct pd_runs {
  pd_run_plan *plan;   /**< [2 body_count]: of one grain of a body, and of eight */
  pd_run_group *group; /**< [group_count] */
  pd_run_tile *tile;   /**< [tile_count] */
  uint32_t *group_of;  /**< [grain_count] PD_NO_GROUP: its rows are used */
  double **scratch;    /**< [threads][6 span] */
  size_t group_count, tile_count, span, plan_count, thread_count;
} pd_runs;

#define PD_NO_GROUP UINT32_MAX

/** Makes the plan for one grain (lanes 1) or eight in lanes (PD_LANES), from their unbroken rows; without vectors where rows are quicker or
 *  bonds are too many. @param order [n] nodes by place; copied. pd_run_plan_clear frees it, also after a failure. */
scr_status pd_run_plan_make(pd_run_plan *plan, const pd_bonds *bonds, double critical_stretch, const uint32_t *order, size_t lanes,
                            scr_error *error);
void pd_run_plan_clear(pd_run_plan *plan);

/** What a force pass goes through, of one kind of grain: entries of vectors, or slots of rows. */
typedef struct pd_run_counts {
  double entries, row_slots;
} pd_run_counts;

/** Counts of `count` unbroken grains of a body, which follow each other, as pd_runs_create would group them. @return SCR_OK, SCR_NO_MEMORY
 */
scr_status pd_runs_count(const pd_body *body, const scr_specimen *specimen, size_t count, pd_run_counts *counts, scr_error *error);

struct pd_state;

/** Groups all grains, whose rows are unbroken. Starts zeroed; pd_runs_clear frees it, also after a failure. */
scr_status pd_runs_create(pd_runs *runs, const struct pd_state *state, scr_error *error);
void pd_runs_clear(pd_runs *runs);

/** Takes out the bond of nodes i < j (global numbers) of a grain that has a group. */
scr_status pd_runs_remove(pd_runs *runs, const struct pd_state *state, size_t i, size_t j, scr_error *error);

/** Makes all entries anew from the rows as they are. */
scr_status pd_runs_restore(pd_runs *runs, const struct pd_state *state, scr_error *error);

/** The same of a group, for a rank that may not have had its rows before. */
scr_status pd_runs_restore_group(pd_runs *runs, const struct pd_state *state, size_t group, scr_error *error);

/** First half of the forces of the nodes of all groups: works on the rank's own tiles, and marks those with a bond near its critical
 * stretch or beyond; call it in a parallel region.
 *  @return how many bonds this thread has found there */
size_t pd_runs_work(const struct pd_state *state);

/** Sums what tiles have, then the force of their nodes is whole; in a parallel region, when pd_runs_work has ended everywhere. */
void pd_runs_join(const struct pd_state *state);

/** The node of an element. */
size_t pd_run_node(const struct pd_state *state, const pd_run_group *group, size_t element);

#endif
