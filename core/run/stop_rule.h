/** Stop rules: when a run ends before its time. Judged on the recorded samples only, so that the same samples give the same end. */
#ifndef SCREE_RUN_STOP_RULE_H
#define SCREE_RUN_STOP_RULE_H

#include "scene/scene.h"

/** Judges one sample.
 *  @param value   of the rule's series
 *  @param unit    of the series, for the reason
 *  @param peak    largest |value| so far, starting at 0; updated
 *  @param reason  receives a sentence when the rule is met
 *  @return whether the rule is met */
bool stop_rule_met(const scr_stop_rule *rule, double value, const char *unit, double *peak, char *reason, size_t capacity);

#endif
