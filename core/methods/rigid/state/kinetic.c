/* Kinetic energy of all bodies. */
#include "methods/rigid/state/state.h"

double rigid_kinetic(const rigid_state *s)
{
  double sum = 0;
  for (size_t i = 0; i < s->specimen_bodies; i++) sum += rigid_body_kinetic(&s->bodies[i]);
  return sum;
}
