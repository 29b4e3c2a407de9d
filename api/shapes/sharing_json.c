#include "api/shapes/sharing_json.h"

#include <math.h>

json_t *sharing_json(const machine *known, const scr_estimate *estimate, unsigned most)
{
  double step = sharing_step(estimate);
  if (most < 2 || !(isfinite(step) && step > 0)) return json_null();
  json_t *gains = json_array();
  for (unsigned ranks = 2; ranks <= most; ranks *= 2)
    json_array_append_new(gains, json_pack("{s:i, s:f}", "ranks", (int)ranks, "speedup", sharing_gain(&known->sharing, step, ranks)));
  return json_pack("{s:o, s:o}", "measured", known->measured[0] ? json_string(known->measured) : json_null(), "gains", gains);
}
