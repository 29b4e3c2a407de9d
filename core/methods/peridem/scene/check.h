/** The check of a scene: scr_method_description.check. */
#ifndef SCREE_PERIDEM_CHECK_H
#define SCREE_PERIDEM_CHECK_H

#include "scene/scene.h"

scr_status pd_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);

#endif
