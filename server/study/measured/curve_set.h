/** Measured curves of one test, one or several specimens: read, corrected, in SI units; and what they are together. */
#ifndef SCREE_SERVER_STUDY_MEASURED_CURVE_SET_H
#define SCREE_SERVER_STUDY_MEASURED_CURVE_SET_H

#include "server/study/measured/document.h"

enum {
  CURVE_SET_FILE_BYTES = 16 << 20, /**< longest file that the service reads */
  CURVE_SET_SAMPLES = 5000,        /**< kept of a specimen; longer curves are thinned evenly, the file has all */
  CURVE_SET_POINTS = 400           /**< of the common axis of several specimens */
};
#define CURVE_SET_LEAST 0.01 /**< least deviation of several specimens, of the range of y: where they happen to agree */

typedef struct curve_samples {
  size_t count;
  double *x, *y; /**< [count] in one block that begins with x */
} curve_samples;

/** Starts zeroed; owned by the caller, emptied by curve_set_clear. */
typedef struct curve_set {
  json_t *about; /**< {"x": {"name", "unit"}, "y": {..}, "scatter", "specimens": [how each was read and corrected]} */
  size_t count;
  curve_samples curves[MEASURED_SPECIMENS];
} curve_set;

/** A file that is read for a specimen. Borrowed. */
typedef struct curve_file {
  const char *name; /**< as it was uploaded */
  const void *bytes;
  size_t size;
} curve_file;

/** Reads the next specimen of a document. What is wrong becomes problems at /specimens/N. @return SCR_OK, also then; SCR_NO_MEMORY */
scr_status curve_set_read(curve_set *self, const measured_document *document, const curve_file *file, scr_problems *problems);

/** Takes over a curve that was kept; `about` is the caller's to set. @param samples [2 count] copied: x of all, then y
 *  @return SCR_OK; SCR_BAD_FILE: sizes out of range; SCR_NO_MEMORY */
scr_status curve_set_add(curve_set *self, const double *samples, size_t count);

void curve_set_clear(curve_set *self);

/** One curve for all: of one specimen its samples, of several their mean on a common axis where at least half of them reach, and two.
 *  Starts zeroed; owned by the caller. */
typedef struct curve_mean {
  size_t count;
  double *x, *y;     /**< [count] */
  double *scatter;   /**< [count] of y of one specimen: the deviation of several, or what the document says; NULL: not known */
  uint32_t *reached; /**< [count] specimens that count there */
} curve_mean;

/** @return SCR_OK; SCR_BAD_USAGE: a specimen's curve turns back, so that there is no common axis; SCR_NO_MEMORY */
scr_status curve_set_mean(const curve_set *self, curve_mean *out, scr_error *error);
void curve_mean_clear(curve_mean *self);

/** The set with its curves, thinned to `points` samples each, and their mean with its band: a new reference.
 *  {..about, "curves": [{"label", "x", "y"}], "band": {"x", "mean", "deviation", "low", "high", "reached"} or null, "band_reason"}.
 *  low and high are the mean less and plus 1.645 deviations, 9 of 10 specimens. */
json_t *curve_set_json(const curve_set *self, size_t points);

/** A table for people who choose: {"how", "separator", "decimal", "rows", "columns": [..], "first_rows": [[..]], "suggested": {"x", "y"} or
 * null} */
json_t *measured_table_json(const measured_table *table, size_t rows);

#endif
