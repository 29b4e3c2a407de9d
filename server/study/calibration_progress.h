/** How far a calibration has come: its points with what their runs gave, made of the study's rows in their order. The search is made anew
 *  from them whenever it is asked, so that a restart changes nothing. */
#ifndef SCREE_SERVER_STUDY_CALIBRATION_PROGRESS_H
#define SCREE_SERVER_STUDY_CALIBRATION_PROGRESS_H

#include "server/study/calibration/estimate.h"
#include "server/study/document.h"

typedef struct calibration_progress calibration_progress;

/** A row, as the store has it. Borrowed. */
typedef struct progress_row {
  int64_t number, job;
  bool ended, succeeded;
  const char *factors;     /**< {NAME: value} */
  const double *residuals; /**< [count]; NULL: none */
  size_t count;
} progress_row;

/** @param document of a calibration; borrowed until the end    @return NULL without memory */
calibration_progress *calibration_progress_create(const study_document *document);
void calibration_progress_destroy(calibration_progress *self);

/** Adds the next row, in the order of their numbers. */
scr_status calibration_progress_add(calibration_progress *self, const progress_row *row, scr_error *error);

/** What is to be run next.
 *  @param slots  most points wanted, >= 1    @param points receives [*count][unknowns], to mem_free; NULL where there are none
 *  @param ended  receives whether nothing more will be asked, `why` in words */
scr_status calibration_next(const calibration_progress *self, size_t slots, double **points, size_t *count, bool *ended,
                            char why[static 160], scr_error *error);

/** Points whose runs have all ended, and those of them that have a value. */
void calibration_counts(const calibration_progress *self, size_t *known, size_t *valued);

/** The answer of GET /api/v1/studies/{id}/calibration but for the study's state: a new reference. @param level of the intervals */
scr_status calibration_json(const calibration_progress *self, double level, json_t **json, scr_error *error);

/** The answer of GET /api/v1/studies/{id}/overlay: measured, best and band of every target. A new reference. */
scr_status calibration_overlay(const calibration_progress *self, double level, json_t **json, scr_error *error);

#endif
