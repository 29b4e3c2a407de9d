/** How long a run will take, before it begins. */
#ifndef SCREE_METHODS_PERIDEM_COST_H
#define SCREE_METHODS_PERIDEM_COST_H

#include "scene/scene.h"

/** What a run has to do, counted from the scene. */
typedef struct pd_work {
  double nodes, bonds;  /**< bonds: each pair once, all of them unbroken */
  double near_nodes;    /**< sum over nodes of how many others lie within the contact radius and its skin, in a full lattice */
  double facing;        /**< entries of rows of near nodes between grains that press each other by faces */
  double entries;       /**< of bonds that go side by side, up to eight in one (bond_runs.h) */
  double row_slots;     /**< of rows, both ends of a bond, where rows are quicker */
  double dilated_slots; /**< of rows of bodies whose Poisson's ratio is not that of bonds */
  double steps, samples;
  double lists; /**< how often the rows of near nodes are made anew */
} pd_work;

/** How far the fastest thing there is moves in a run, m: speeds of specimens and programs, and what gravity adds. */
double pd_longest_travel(const scr_scene *scene);

/** How often the rows of near nodes will be made: once, and whenever the fastest thing there is has moved by half the skin. Speeds are
 *  those of specimens and programs and what gravity adds; fragments may fly faster.
 *  @param half_skin m    @param steps at most so often */
double pd_list_count(const scr_scene *scene, double half_skin, double steps);

/** Adds what takes the time of a run to the estimate, the start of the program aside. `self_contact`, `breakable`: the options.
 *  @param scatter times as long for strengths that scatter, 1 or more; steps' own time aside */
void pd_estimate_run(const pd_work *work, bool self_contact, bool breakable, double scatter, scr_estimate *estimate);
/** Adds the start of the program. */
void pd_estimate_start(scr_estimate *estimate);

/** What a run's arrays are sized by. Slots: of rows of bonds, each bond in both directions. */
typedef struct pd_array_sizes {
  double nodes;
  double template_nodes;  /**< those of one grain of each specimen */
  double slots;           /**< of the templates, which grains share until they break */
  double largest_slots;   /**< of the template that has most, while its bonds are put in order */
  double varied_slots;    /**< of those of the same template, slots whose weights are their nodes' own, as beside surfaces */
  double own_slots;       /**< of all grains that may break */
  double near_entries;    /**< most entries of rows of near nodes of grains that may break: all neighbours, bonded or not */
  double foreign_entries; /**< of the others: nodes of other grains, on the lattice's places that they leave free */
  bool weighted;          /**< slots hold a weight too */
  bool limited;           /**< damping by limited impulses, which notes the pairs that touch */
  bool faces;             /**< nodes know the faces above them */
  bool facing;            /**< and those of two grains meet by them */
  bool springs;           /**< with a spring of each pair for friction */
} pd_array_sizes;

/** Bytes that the method's arrays take at most. Not those of the program, of frames and of tables, which every run has. */
double pd_memory_bytes(const pd_array_sizes *sizes);

#endif
