/* Spins of grains from their angular momenta. */
#include "methods/lsdem/step/full_inertia.h"
#include "methods/lsdem/step/motion.h"

bool lsdem_has_full_inertia(const lsdem_state *s, const lsdem_template *shape)
{
  return s->options->inertia == LSDEM_INERTIA_FULL && shape->mode_count > 0;
}

scr_vec3 lsdem_spin(const lsdem_state *s, const lsdem_grain *grain)
{
  const lsdem_template *shape = &s->templates[grain->shape];
  scr_vec3 own = quat_rotate(quat_conjugate(grain->rotation), grain->angular);
  if (lsdem_has_full_inertia(s, shape)) return lsdem_full_spin(shape, s->amplitude + grain->first, s->rate + grain->first, own);
  return vec3(own.x / shape->inertia.x, own.y / shape->inertia.y, own.z / shape->inertia.z);
}
