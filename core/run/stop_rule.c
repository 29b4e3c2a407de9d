/* The two stop rules. */
#include "run/stop_rule.h"

#include <math.h>
#include <stdio.h>

#include "base/quantity.h"

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
