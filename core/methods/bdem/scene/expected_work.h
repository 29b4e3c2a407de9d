/** What a run does, foreseen from the scene's speeds, gaps and strengths: which share of the time bodies fly, rest, are pressed or break,
 * and so how many steps are explicit ones, and how many iterations large ones take. */
#ifndef SCREE_METHODS_BDEM_EXPECTED_WORK_H
#define SCREE_METHODS_BDEM_EXPECTED_WORK_H

#include "methods/bdem/scene/motion.h"

/** What a run does. */
typedef struct bdem_work {
  double explicit_steps;    /**< those of bursts within large steps too */
  double implicit_parts;    /**< large steps and their parts, those done in vain too */
  double newton_iterations; /**< of these */
  double made_matrices;     /**< in these, of implicit Euler: variational steps make theirs in every iteration */
  double searches;          /**< for contacts, in explicit steps */
  bool listed_far;          /**< contacts are searched for as far as things go in a large step */
  bool debris;              /**< bonds break in large steps, among whose candidates for contact are then inner spheres */
} bdem_work;

/** Foresees a run. @param fillings [specimen_count] @param stable_step T, s @param estimate its counts and time step are read */
bdem_work bdem_estimate_work(const scr_scene *scene, const bdem_filling *fillings, double stable_step, const scr_estimate *estimate);

#endif
