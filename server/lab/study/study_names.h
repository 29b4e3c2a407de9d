/** Names of curves in a study's results and targets, looked for in the scenes of its rows before any of them runs: a misspelt one would
 *  otherwise be said by every row, when all have run. */
#ifndef SCREE_SERVER_STUDY_NAMES_H
#define SCREE_SERVER_STUDY_NAMES_H

#include "server/study/study.h"

enum { STUDY_NAMES_MOST = 128, STUDY_NAME_DETAIL_BYTES = 400 };

typedef struct study_name {
  const char *name;                     /**< borrowed from the study's document */
  char pointer[160];                    /**< of the expression that has it: "/results/strength" */
  bool is_known;                        /**< a scene has a curve of that name */
  char detail[STUDY_NAME_DETAIL_BYTES]; /**< what the last scene without it said */
} study_name;

/** Names that are neither factors nor what every run has (results.h). Later ones than the first STUDY_NAMES_MOST are not looked for. */
typedef struct study_names {
  size_t count;
  study_name names[STUDY_NAMES_MOST];
} study_names;

void study_names_collect(const study_document *document, study_names *self);

/** Whether a name is still to be found. */
bool study_names_are_missing(const study_names *self);

/** The scene with plots of the missing names, which its check then refuses where it has no such curves: a new reference, NULL without
 *  memory. The scene itself is left as it is. */
json_t *study_names_probe(const study_names *self, const json_t *scene);

/** Takes what the check of such a scene found: none of its problems, or one at each plot of a curve that it has not. Other problems than
 *  those leave all names as they were. */
void study_names_note(study_names *self, const scr_problems *found);

/** Adds a problem for each name that no scene has. */
void study_names_report(const study_names *self, scr_problems *problems);

/** Adds a problem for each target of a calibration whose unit can't be that of its expression, by the units that the method of its scene
 *  declares of its curves. */
void study_units_check(const study_document *document, scr_problems *problems);

#endif
