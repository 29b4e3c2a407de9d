/** How fast the bodies and parts of a scene are and how far they have to go before they meet: what its cost is foreseen from. */
#ifndef SCREE_METHODS_BDEM_MOTION_H
#define SCREE_METHODS_BDEM_MOTION_H

#include "methods/bdem/bonds/substance.h"

/** How fast things are, m/s, and how far they have to go before they meet, m. */
typedef struct bdem_motion {
  double fastest;  /**< of a specimen at its start, spin included */
  double spin;     /**< rad/s, fastest of the specimens */
  double rig;      /**< of a part that pushes */
  double grips;    /**< of what grips hold */
  double gap;      /**< least, of specimens and of what pushes; INFINITY: nothing can meet */
  double passable; /**< the same of what a step may carry them past: no plane */
  double closing;  /**< way of the rig before it presses: what moves up to the body and the body up to what stands */
  double towards;  /**< speed at which a specimen moves up to the standing part that is nearest */
  geo_box box;     /**< around the centres of all spheres */
  double height;   /**< its diagonal */
  double radius;   /**< of the smallest spheres */
  double widest;   /**< of the largest */
} bdem_motion;

/** @param fillings [specimen_count] */
bdem_motion bdem_motion_of(const scr_scene *scene, const bdem_filling *fillings);

/** Radii that a free sphere moves in a step of dt at most: as its specimen starts, and falling over the specimens' extent. */
double bdem_radii_per_step(const scr_scene *scene, const bdem_motion *m, double dt);

#endif
