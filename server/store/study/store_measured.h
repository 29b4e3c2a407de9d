/** Measured curves in the store. As store.h; writes are on the disk when a call returns. */
#ifndef SCREE_SERVER_STORE_MEASURED_H
#define SCREE_SERVER_STORE_MEASURED_H

#include "server/store/store.h"
#include "server/study/study.h"

/** A specimen to keep. Borrowed. */
typedef struct store_specimen {
  const char *asset;     /**< digest of its file */
  const double *samples; /**< [2 count] x of all, then y */
  size_t count;
} store_specimen;

/** Curves to keep. Strings are borrowed. */
typedef struct store_measured {
  const char *name, *title, *about;
  const store_specimen *specimens; /**< [specimen_count] */
  size_t specimen_count;
  int64_t now_ms;
} store_measured;

typedef enum store_measured_insertion {
  MEASURED_INSERTED,
  MEASURED_NAME_TAKEN,
  MEASURED_ASSET_GONE /**< a file was removed meanwhile */
} store_measured_insertion;

/** Adds them. @param measured receives them on MEASURED_INSERTED, to be cleared */
scr_status store_insert_measured(job_store *store, const store_measured *wanted, store_measured_insertion *insertion,
                                 lab_measured *measured, scr_error *error);

/** @param measured to be cleared when found */
scr_status store_measured_get(job_store *store, int64_t id, lab_measured *measured, bool *found, scr_error *error);
/** The number of those of a name; 0: there are none. */
scr_status store_measured_named(job_store *store, const char *name, int64_t *id, scr_error *error);
/** Those of numbers below `before` (0: all), newest first. measured: [capacity], each to be cleared */
scr_status store_measured_list(job_store *store, int64_t before, lab_measured *measured, size_t capacity, size_t *count, scr_error *error);

/** What is done with a kept curve: x of all samples, then y. */
typedef scr_status (*store_curve_visit)(void *user, const double *samples, size_t count, scr_error *error);
/** Visits the curves of all specimens, in their order. */
scr_status store_measured_curves(job_store *store, int64_t id, store_curve_visit visit, void *user, scr_error *error);

/** Takes them away; their files count as used until now. @param found false: there are none */
scr_status store_remove_measured(job_store *store, int64_t id, int64_t now_ms, bool *found, scr_error *error);

#endif
