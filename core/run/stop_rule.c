/* The two stop rules. */
#include "run/stop_rule.h"

#include <math.h>
#include <stdio.h>

bool stop_rule_met(const scr_stop_rule *rule, double value, double *peak, char *reason, size_t capacity)
{
  double size = fabs(value);
  *peak = fmax(*peak, size);
  if (rule->kind == SCR_STOP_ABOVE) {
    if (!(size > rule->above)) return false;
    snprintf(reason, capacity, "%s reached %.6g, above the limit of %.6g", rule->series, size, rule->above);
    return true;
  }
  if (!(*peak > rule->above && size < rule->fraction * *peak)) return false;
  snprintf(reason, capacity, "%s fell to %.6g, below %.6g of its peak of %.6g", rule->series, size, rule->fraction, *peak);
  return true;
}
