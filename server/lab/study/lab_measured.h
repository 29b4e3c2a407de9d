/** Measured curves: what users do with them. As lab.h, every function may be called from any thread. Shapes of JSON: curve_set.h. */
#ifndef SCREE_SERVER_LAB_MEASURED_H
#define SCREE_SERVER_LAB_MEASURED_H

#include "server/lab/lab.h"
#include "server/study/measured/curve_set.h"
#include "server/study/study.h"

/** What an uploaded file seems to hold (measured_table_json), with its name and size.
 *  @param digest of the asset    @param reading how to read it    @param rows first rows that are listed
 *  @return LAB_OK; LAB_NOT_FOUND: no such asset; LAB_BAD_REQUEST: it holds no table, the error says why; LAB_TOO_LARGE; LAB_FAILED */
lab_status lab_measured_table(lab *self, const char *digest, const measured_reading *reading, size_t rows, json_t **json, scr_error *error);

/** The curves that a document describes (curve_set_json), without keeping them.
 *  @return LAB_OK; LAB_REFUSED: the problems say why; LAB_FAILED */
lab_status lab_measured_check(lab *self, const char *text, size_t length, size_t points, json_t **json, scr_problems *problems,
                              scr_error *error);

/** Reads curves and keeps them. @param measured to be cleared on LAB_OK
 *  @return as lab_measured_check; LAB_CONFLICT: the name is taken; LAB_FULL (the disk), LAB_DRAINING */
lab_status lab_measured_add(lab *self, const char *text, size_t length, lab_measured *measured, scr_problems *problems, scr_error *error);

/** Newest first, those of numbers below `before` (0: all). measured: [capacity], each to be cleared */
lab_status lab_measured_list(lab *self, int64_t before, lab_measured *measured, size_t capacity, size_t *count, scr_error *error);

/** @param measured to be cleared on LAB_OK    @param set to be cleared on LAB_OK
 *  @return LAB_OK, LAB_NOT_FOUND, LAB_FAILED */
lab_status lab_measured_get(lab *self, int64_t id, lab_measured *measured, curve_set *set, scr_error *error);
/** The number of those of a name. LAB_NOT_FOUND: there are none. */
lab_status lab_measured_named(lab *self, const char *name, int64_t *id, scr_error *error);

/** LAB_OK, LAB_NOT_FOUND, LAB_FAILED. Studies that were calibrated by them keep what they took. */
lab_status lab_measured_remove(lab *self, int64_t id, scr_error *error);

#endif
