/** How long a run will take, before it begins. */
#ifndef SCREE_METHODS_PERIDEM_COST_H
#define SCREE_METHODS_PERIDEM_COST_H

#include "scene/scene.h"

/** What a run has to do, counted from the scene. */
typedef struct pd_work {
  double nodes, bonds; /**< bonds: each pair once, all of them unbroken */
  double near_nodes;   /**< sum over nodes of how many others lie within the contact radius and its skin, in a full lattice */
  double steps, samples;
  double lists; /**< how often the rows of near nodes are made anew */
} pd_work;

/** How often the rows of near nodes will be made: once, and whenever the fastest thing there is has moved by half the skin. Speeds are
 *  those of specimens and programs and what gravity adds; fragments may fly faster.
 *  @param half_skin m    @param steps at most so often */
double pd_list_count(const scr_scene *scene, double half_skin, double steps);

/** Seconds on one thread of the machine the constants were measured on. `self_contact`, `breakable`: the options. */
double pd_run_seconds(const pd_work *work, bool self_contact, bool breakable);

/** What a run's arrays are sized by. */
typedef struct pd_array_sizes {
  double nodes;
  double slots;        /**< of the templates' rows and of the grains' own, made when they break: each bond in both directions */
  bool weighted;       /**< slots hold a weight too */
  double near_entries; /**< most entries of rows of near nodes: those that no template's bond joins */
  bool limited;        /**< damping by limited impulses, which notes the pairs that touch */
} pd_array_sizes;

/** Bytes that the method's arrays take at most. Not those of the program, of frames and of tables, which every run has. */
double pd_memory_bytes(const pd_array_sizes *sizes);

#endif
