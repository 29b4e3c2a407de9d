/** What the stages of the check of a scene share. Private to this method. */
#ifndef SCREE_PERIDEM_CHECKER_H
#define SCREE_PERIDEM_CHECKER_H

#include "methods/peridem/body/body.h"
#include "methods/peridem/bounds.h"
#include "methods/peridem/wall.h"
#include "sim/rig/start.h"

typedef struct pd_checker {
  const scr_scene *scene;
  const pd_options *options;
  scr_problems *problems;
  double contact_radius; /**< m */
  pd_body *bodies;       /**< [specimen_count]; node_count 0 where not built */
  start_cloud *clouds;   /**< [specimen_count] their nodes, while places are checked */
  double bond_bound;     /**< s */
  double near_nodes;     /**< pd_work.near_nodes */
  double slots;          /**< pd_room.slots */
  size_t problems_before;
} pd_checker;

/** Adds a problem at a place of the scene; `given` NaN: nothing was given. */
void pd_check_add(pd_checker *c, const char *pointer, double given, const char *allowed, const char *detail);
/** Adds a warning: the scene can run all the same. */
void pd_check_warn(const pd_checker *c, const char *pointer, double given, const char *allowed, const char *detail);

/** Spacings, horizons and critical stretches against the sizes of grains. */
void pd_check_fineness(pd_checker *c);
/** Bodies against the rig and against each other at the start: nothing inside anything else, no force that was not asked for. */
scr_status pd_check_places(pd_checker *c);
/** Chooses the time step or judges the one that is given, and speeds against it. */
void pd_check_step(pd_checker *c, scr_estimate *estimate);

#endif
