/* What several stages ask of the model. */
#include "methods/bdem/state/model.h"

double bdem_radius_extreme(const bdem_model *model, bool largest)
{
  double radius = model->substances[0].radius;
  for (size_t k = 1; k < model->scene->specimen_count; ++k)
    radius = largest ? fmax(radius, model->substances[k].radius) : fmin(radius, model->substances[k].radius);
  return radius;
}

double bdem_explicit_step_length(const bdem_model *model)
{
  return model->options->integrator == BDEM_INTEGRATOR_EXPLICIT ? model->time_step : model->scene->time.safety_factor * model->stable_step;
}
