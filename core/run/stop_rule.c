/* The two stop rules. */
#include "run/stop_rule.h"

#include <math.h>
#include <stdio.h>

#include "base/quantity.h"
#include "scene/check/stop_rules.h"

bool stop_rule_met(const scr_stop_rule *rule, double value, const char *unit, double *peak, char *reason, size_t capacity)
{
  double size = fabs(value);
  char reached[QUANTITY_BYTES], bound[QUANTITY_BYTES];
  quantity_text(size, unit, reached, sizeof reached);
  *peak = fmax(*peak, size);
  if (rule->kind == SCR_STOP_ABOVE) {
    if (!(size > rule->above)) return false;
    quantity_text(rule->above, unit, bound, sizeof bound);
    snprintf(reason, capacity, "%s reached %s, above the limit of %s", rule->series, reached, bound);
    return true;
  }
  if (!(*peak > rule->above && size < rule->fraction * *peak)) return false;
  quantity_text(*peak, unit, bound, sizeof bound);
  snprintf(reason, capacity, "%s fell to %s, below %.6g of its peak of %s", rule->series, reached, rule->fraction, bound);
  return true;
}

void stop_rule_doubt(const scr_stop_rule *rule, scr_sim *sim, size_t series, double peak)
{
  char reached[QUANTITY_BYTES], bound[QUANTITY_BYTES];
  if (peak > rule->above || (rule->kind == SCR_STOP_ABOVE && !stop_rule_is_target(rule))) return;
  quantity_text(peak, sim->series[series].unit, reached, sizeof reached);
  quantity_text(rule->above, sim->series[series].unit, bound, sizeof bound);
  if (rule->kind == SCR_STOP_ABOVE)
    scr_sim_doubt(sim, "stop_rule_unmet",
                  "the run was to end when %s is above %s, but the duration ended it at %s: give it a longer duration or a lower limit",
                  rule->series, bound, reached);
  else
    scr_sim_doubt(sim, "stop_rule_unmet",
                  "the run was to end when %s drops behind a peak above %s, but it never came beyond %s, so no drop could count: let it "
                  "load for longer, or wait "
                  "for less",
                  rule->series, bound, reached);
}
