/** What a run costs, from the sizes of its meshes and the fill that a symbolic analysis of their graphs foresees. */
#ifndef SCREE_METHODS_FEM_COST_H
#define SCREE_METHODS_FEM_COST_H

#include "methods/fem/mesh/mesh.h"
#include "methods/fem/options.h"

typedef struct fem_cost {
  double nodes, hexes;
  double blocks;     /**< entries of the graph */
  double factor;     /**< numbers in the factor */
  double operations; /**< to make it once */
} fem_cost;

/** Adds the graph and the factor of `count` bodies of this mesh: the graph of nodes is analysed, whose fill times 9 is that of the matrix; nothing is factorised.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_cost_add(fem_cost *cost, const fem_mesh *mesh, size_t count);

/** Bytes that nodes and elements need without a factor, by `nodes` and `hexes` alone. */
double fem_cost_floor(const fem_cost *cost);
/** Bytes of a run; of them those of a checkpoint. */
double fem_cost_memory(const fem_cost *cost);
double fem_cost_state(const fem_cost *cost);
/** Seconds of a run on one thread. */
double fem_cost_seconds(const fem_cost *cost, const fem_options *options, double steps, double frames);

#endif
