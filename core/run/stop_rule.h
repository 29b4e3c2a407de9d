/** Stop rules: when a run ends before its time. Judged on the recorded samples only, so that the same samples give the same end. */
#ifndef SCREE_RUN_STOP_RULE_H
#define SCREE_RUN_STOP_RULE_H

#include "sim/method.h"

/** Judges one sample.
 *  @param value   of the rule's series
 *  @param unit    of the series, for the reason
 *  @param peak    largest |value| so far, starting at 0; updated
 *  @param reason  receives a sentence when the rule is met
 *  @return whether the rule is met */
bool stop_rule_met(const scr_stop_rule *rule, double value, const char *unit, double *peak, char *reason, size_t capacity);

/** To be called at the end of a run that no rule ended. Raises the doubt `stop_rule_unmet` where the experiment that the rule speaks of
 *  was not done: a drop that was waited for, but the curve never passed the value from which on it counts; a displacement, rotation or
 *  time to be reached that was not. That nothing dropped behind a peak, or that a count stayed below its limit, is a result.
 *  @param series  number of the rule's curve    @param peak  largest |value| of its samples */
void stop_rule_doubt(const scr_stop_rule *rule, scr_sim *sim, size_t series, double peak);

#endif
