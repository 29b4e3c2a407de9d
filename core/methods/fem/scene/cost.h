/** What a run costs, from the sizes of its meshes and the fill that a symbolic analysis of their graphs foresees. */
#ifndef SCREE_METHODS_FEM_COST_H
#define SCREE_METHODS_FEM_COST_H

#include "geometry/hexes/hexes.h"
#include "methods/fem/scene/options.h"

typedef struct fem_cost {
  double nodes, hexes;
  double blocks;     /**< entries of the graph */
  double factor;     /**< numbers in the factor */
  double operations; /**< to make it once */
  double contacts;   /**< that there may be at once: nodes that face a part or another body nearest */
  double touching; /**< of those that are at most four tenths of an edge farther than the nearest, how many there are on the mean of a run,
                      by how far they are at the start */
  double between;  /**< of contacts, those with parts that are not planes, which edges and faces are searched for, too */
  bool has_friction; /**< contacts have friction */
  double turn;       /**< rad, how far parts of the bodies turn, the most of any */
  double turn_rate;  /**< rad/s, how fast: tangents are renewed as they do */
  double strain;     /**< 1, of blows: the fastest body's speed over that of waves in a bar of it; and of what the rig crushes */
} fem_cost;

/** Counts nodes that may touch something as contacts: those that are at most nine tenths of an edge farther from it than the nearest one.
 *  @param distance [count] m, of nodes    @param edge m, of elements    @param size m, of the body: what is farther than that at the start
 *  meets seldom    @return how many of them are near in the mean over a run: those not there at the start count less */
double fem_cost_face(fem_cost *cost, const double *distance, size_t count, double edge, double size);

/** Takes into account how fast bodies of this mesh are, and that they turn: freely, and by being bent under their load and weight, as
 *  cantilevers of their longest edge and shortest thickness would. */
void fem_cost_bend(fem_cost *cost, const scr_scene *scene, size_t specimen, const geo_hexes *mesh);

/** Adds the graph and the factor of `count` bodies of this mesh: the graph of nodes is analysed, whose fill times 9 is that of the matrix;
 *  nothing is factorised.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status fem_cost_add(fem_cost *cost, const geo_hexes *mesh, size_t count);

/** Bytes that nodes and elements need without a factor, by `nodes` and `hexes` alone. */
double fem_cost_floor(const fem_cost *cost);
/** Bytes of a run; of them those of a checkpoint. */
double fem_cost_memory(const fem_cost *cost, const fem_options *options);
double fem_cost_state(const fem_cost *cost);
/** Adds what takes the time of a run to the estimate. */
void fem_cost_run(const fem_cost *cost, const fem_options *options, double steps, double frames, scr_estimate *estimate);

#endif
