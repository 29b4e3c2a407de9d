/** What the stages of the check of a scene share. Private to this method. */
#ifndef SCREE_PERIDEM_CHECKER_H
#define SCREE_PERIDEM_CHECKER_H

#include "methods/peridem/body/body.h"
#include "methods/peridem/law/bounds.h"
#include "methods/peridem/law/wall.h"
#include "methods/peridem/scene/cost.h"
#include "scene/check/checker.h"
#include "sim/rig/start.h"

typedef struct pd_checker {
  scr_checker report;
  const scr_scene *scene;
  const pd_options *options;
  double contact_radius;                    /**< m */
  pd_body *bodies;                          /**< [specimen_count]; node_count 0 where not built */
  start_cloud *clouds;                      /**< [specimen_count] their nodes, while places are checked */
  double bond_bound;                        /**< s */
  double near_nodes;                        /**< pd_work.near_nodes */
  double entries, row_slots, dilated_slots; /**< as in pd_work */
  pd_array_sizes arrays;                    /**< of the specimens that are measured so far */
} pd_checker;

/** Warns where the lattice of specimen i, once it is built, fills a tenth less or more than its shape. */
void pd_check_filling(pd_checker *checker, size_t i, const pd_body *body);
/** Warns where parting a body takes less than 0.9 of its fracture energy, of the worst of all that are built. */
void pd_check_parting(pd_checker *checker);
/** Energy to part a body by a plane across its longest extent, between two layers of nodes near its middle, over that of the section of as
 * many cells.
 *  @param fracture_energy J/m^2 */
double pd_parting_share(const pd_body *body, double fracture_energy);
/** Spacings, horizons and critical stretches against the sizes of grains. */
void pd_check_fineness(pd_checker *c);
/** Bodies against the rig and against each other at the start: nothing inside anything else, no force that was not asked for. */
scr_status pd_check_places(pd_checker *c);
/** Entries of rows of near nodes between grains that are near each other at the start, or come so near, at most.
 *  @param reach m, at which nodes of two grains are near    @param path m, that grains move at most, no more than one is wide
 *  @param between_balls entries that a grain of a specimen of balls has with twelve of its kind; INFINITY: no ball */
double pd_facing_entries(const pd_checker *c, double reach, double path, double (*between_balls)(const pd_checker *, const scr_specimen *));
/** Chooses the time step or judges the one that is given, and speeds against it. */
void pd_check_step(pd_checker *c, scr_estimate *estimate);

#endif
