/** Blocks of sand in a box, for validations of method granular. */
#ifndef SCREE_VALIDATION_GRANULAR_SAND_H
#define SCREE_VALIDATION_GRANULAR_SAND_H

#include "methods/granular/step/stages.h"
#include "tests/support/sim_run.h"

typedef struct sand {
  const char *material;  /* keys after density and packing, with a comma before */
  double friction;       /* of parts */
  double size[3], at[3]; /* m, block and its middle */
  double box[3];         /* m */
  double gravity[3];
  const char *options; /* without brackets */
  const char *more;    /* of the scene, or "" */
  double step;         /* s, longest; 0: automatic */
} sand;

/* Bulk density 1500 kg/m^3. */
static inline sim_run open_sand(const sand *s)
{
  char text[6000], step[60] = "";
  if (s->step > 0) snprintf(step, sizeof step, ",\"time_step\":%.17g", s->step);
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"sand\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":1500,\"packing_fraction\":1%s}]"
      ","
      "\"contact\":{\"friction_coefficient\":%.17g},\"specimens\":[{\"name\":\"block\",\"material\":\"sand\",\"shape\":{\"type\":\"box\","
      "\"size\":[%.17g,%.17g,%.17g]},"
      "\"placement\":{\"type\":\"single\",\"position\":[%.17g,%.17g,%.17g]}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[%.17g,%.17g,%.17g],\"gravity\":[%.17g,%.17g,%.17g]},\"options\":{%s},"
      "\"time\":{\"duration\":100%s},\"output\":{\"frame_interval\":100,\"sample_interval\":100}%s}",
      s->material, s->friction, s->size[0], s->size[1], s->size[2], s->at[0], s->at[1], s->at[2], s->box[0], s->box[1], s->box[2],
      s->gravity[0], s->gravity[1], s->gravity[2], s->options, step, s->more);
  return run_open(text, 1);
}

static inline granular_state *state_of(const sim_run *r)
{
  return r->sim->state;
}

#endif
