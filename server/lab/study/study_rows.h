/** Inside the lab's studies: a study's document and all of its rows. Included by files of this folder only. */
#ifndef SCREE_SERVER_LAB_STUDY_ROWS_H
#define SCREE_SERVER_LAB_STUDY_ROWS_H

#include "server/lab/study/lab_study.h"
#include "server/study/calibration_progress.h"

/** Reads the document of a study. @param document to be cleared on LAB_OK
 *  @return LAB_OK, LAB_NOT_FOUND, LAB_FAILED */
lab_status study_read(lab *self, int64_t id, study_document *document, scr_error *error);

/** What is done with a row. Another answer than LAB_OK ends the walk with it. */
typedef lab_status (*study_row_visit)(void *user, const lab_study_row *row, scr_error *error);

/** Walks over all rows in the order of their numbers, a page at a time.
 *  @param caller NULL: none to be gone
 *  @return LAB_OK; LAB_ABANDONED: the caller has gone; LAB_FAILED; else what `visit` gave */
lab_status study_each_row(lab *self, int64_t id, const lab_caller *caller, study_row_visit visit, void *user, scr_error *error);

/** Whether the study has a result of that name; the result, or NULL. */
const study_result *study_find_result(const study_document *document, const char *name);
/** Fails with LAB_BAD_REQUEST: the study has no such factor or result. */
lab_status study_has_no(scr_error *error, const char *what, const char *name);

/** Puts the measured curves that targets of a calibration name in place of their names: {"name", "x", "y", "scatter"}.
 *  @param complete receives the whole text to free(), NULL where nothing is to be put; what is wrong becomes problems
 *  @return LAB_OK, also then; LAB_FAILED */
lab_status study_fill_targets(lab *self, const char *text, size_t length, char **complete, scr_problems *problems, scr_error *error);

/** How far a calibration has come. @param document borrowed until `made` is destroyed */
scr_status study_progress(lab *self, int64_t id, const study_document *document, calibration_progress **made, scr_error *error);

#endif
