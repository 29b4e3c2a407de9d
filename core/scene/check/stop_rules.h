/** Stop rules that a scene can be told to miss before it runs. */
#ifndef SCREE_SCENE_STOP_RULES_H
#define SCREE_SCENE_STOP_RULES_H

#include "scene/scene.h"

/** Whether a rule `above` names how far the experiment is to go (a displacement, a rotation, the time), and not a limit that may stay
 *  unreached. */
bool stop_rule_is_target(const scr_stop_rule *rule);

/** Warns of rules that can't hold: a displacement or rotation beyond what the part's program gives, a time beyond the duration, a force
 *  on a part that reaches no specimen. The scene is complete but for the estimate. @return SCR_OK, SCR_NO_MEMORY */
scr_status check_stop_rules(const scr_scene *scene);

/** Warns of a stop rule or a plot that is about breaking where no specimen can break, under methods whose materials have a fracture
 *  energy. */
scr_status check_breaking(const scr_scene *scene);

#endif
