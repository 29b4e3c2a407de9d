/** The shapes `Study`, `StudyRow` and `StudyPlan` of openapi.yaml. New references, NULL: no memory. */
#ifndef SCREE_API_SHAPES_STUDY_JSON_H
#define SCREE_API_SHAPES_STUDY_JSON_H

#include <jansson.h>

#include "server/lab/study/lab_study.h"

json_t *study_json(const lab_study *study);
json_t *study_row_json(const lab_study_row *row);
json_t *study_plan_json(const lab_study_plan *plan);

#endif
