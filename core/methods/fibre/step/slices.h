/** One fibre's slices of all that is in the state, for the files of a step. */
#ifndef SCREE_FIBRE_SLICES_H
#define SCREE_FIBRE_SLICES_H

#include "methods/fibre/state/state.h"
#include "methods/fibre/step/rod_step.h"

typedef struct fibre_slices {
  const fibre *f;
  rod r;
  size_t unknowns;
  double *place, *velocity, *reaction, *base_place, *base_velocity;
  const double *mass, *load;
  rod_frames frames;
  rod_scratch scratch;
  rod_search search; /**< without rod, place and inertial, which are set by whoever searches */
} fibre_slices;

fibre_slices fibre_slices_of(fibre_state *state, size_t number, double h);

/** Kinetic energy at velocities v, J; |velocity - base_velocity|_M^2 / 2, J. */
double fibre_slices_kinetic(const fibre_slices *o, const double *v);
double fibre_slices_numerical_loss(const fibre_slices *o);

/** Adds the work of loads over `share` of dt, and of what holds the fibre by its reaction, to a report. */
void fibre_slices_add_works(const fibre_slices *o, double dt, double share, fibre_report *report);

/** Takes a gain of a step, J < 0, out of the motion that it leaves: velocities, and the report's kinetic energy and numerical loss.
 *  @param most  share of that motion above which it is left    @return false: it is more than that */
bool fibre_slices_take_back(fibre_slices *o, double gain, double most, fibre_report *report);

/** Adds what a search came to, its damping by a share. */
void fibre_slices_take(fibre_report *report, const rod_found *found, double share);

#endif
