/** Studies in the store. As store.h; writes are on the disk when a call returns. */
#ifndef SCREE_SERVER_STORE_STUDY_H
#define SCREE_SERVER_STORE_STUDY_H

#include "server/store/store.h"
#include "server/study/study.h"

/** Rows to be added, made one after the other: {NAME: value} as text to free(), NULL without memory. */
typedef char *(*store_row_text)(void *user, size_t index);

/** A study to insert. Strings are borrowed. */
typedef struct store_study {
  const char *name, *title, *document, *key; /**< key: NULL: none */
  const char *submitter;                     /**< who submitted it; NULL: nobody said */
  int priority;
  size_t row_count;
  store_row_text row;
  void *user;
  int64_t now_ms;
} store_study;

/** Adds a running study with its rows, in one transaction.
 *  @param insertion STORE_INSERTED; STORE_REPEATED: the key was used with this very document, `study` is that one; STORE_KEY_REUSED: with
 *  another document */
scr_status store_insert_study(job_store *store, const store_study *wanted, store_insertion *insertion, lab_study *study, scr_error *error);

/** What became of a study. */
typedef struct store_study_change {
  bool found, changed; /**< changed: its state or its rows did */
  lab_study study;     /**< as it is now, when found */
} store_study_change;

/** Adds `count` rows behind those there are, whose texts `row` gives; a finished study runs again. @param change `changed` is false when
 *  there is no such study, it is being deleted, or it would have more than STUDY_ROW_LIMIT rows; `study` tells, where it was found */
scr_status store_add_rows(job_store *store, int64_t id, size_t count, store_row_text row, void *user, store_study_change *change,
                          scr_error *error);

scr_status store_study_get(job_store *store, int64_t id, lab_study *study, bool *found, scr_error *error);
/** Its document as text to free(). */
scr_status store_study_document(job_store *store, int64_t id, char **text, bool *found, scr_error *error);
/** Studies of numbers below `before` (0: all), newest first. studies: [capacity] */
scr_status store_studies(job_store *store, int64_t before, lab_study *studies, size_t capacity, size_t *count, scr_error *error);
/** Rows in the order of their numbers, or of their versions. rows: [capacity], each to be cleared */
scr_status store_study_rows(job_store *store, int64_t id, const study_query *query, lab_study_row *rows, size_t capacity, size_t *count,
                            scr_error *error);

/** Studies in a state, those of numbers above `after`, the oldest first. ids: [capacity] */
scr_status store_studies_in(job_store *store, study_state state, int64_t after, int64_t *ids, size_t capacity, size_t *count,
                            scr_error *error);
/** The first row in a state, cleared `number` 0: none. To be cleared. */
scr_status store_first_row(job_store *store, int64_t id, study_row_state state, int64_t after, lab_study_row *row, scr_error *error);
/** A row whose job has ended and whose results are to be read, of any study; `study` 0: none. To be cleared. */
scr_status store_ended_row(job_store *store, int64_t *study, lab_study_row *row, scr_error *error);
/** The newest job that succeeded with the scene of this digest for a row of a study; 0: none. */
scr_status store_job_of_digest(job_store *store, const char *digest, int64_t before, int64_t *job, scr_error *error);

/** Where a study is to go. */
typedef struct store_study_target {
  unsigned from; /**< it must be in one of these states, bits 1 << study_state */
  study_state to;
  const char *reason; /**< NULL: none; a study that goes on has none */
  bool delete_runs;
} store_study_target;

scr_status store_study_move(job_store *store, int64_t id, const store_study_target *wanted, store_study_change *change, scr_error *error);
/** A running study without rows that wait or run becomes finished. */
scr_status store_study_finish(job_store *store, int64_t id, int64_t now_ms, bool *finished, scr_error *error);
/** Rows that failed, were cancelled or refused wait again; a finished study runs again. @param count receives how many */
scr_status store_study_retry(job_store *store, int64_t id, bool *found, size_t *count, lab_study *study, scr_error *error);
/** Takes a study that is being deleted away, with its rows. */
scr_status store_study_remove(job_store *store, int64_t id, scr_error *error);

/** What a row becomes, when it is in state `from`. Strings are borrowed; NULL: as it is. */
typedef struct store_row_change {
  study_row_state from, to;
  int64_t job; /**< below 0: as it is */
  const char *digest, *results, *reason;
  const double *residuals; /**< [residual_count] of a calibration's row, kept beside it; NULL: as they are */
  size_t residual_count;
} store_row_change;
scr_status store_change_row(job_store *store, int64_t study, int64_t number, const store_row_change *change, bool *changed,
                            scr_error *error);

/** A row of a calibration. Borrowed for the visit. */
typedef struct store_residuals {
  int64_t number, job;
  study_row_state state;
  const char *factors;     /**< {NAME: value} */
  const double *residuals; /**< [count]; NULL: none yet */
  size_t count;
} store_residuals;
typedef scr_status (*store_residuals_visit)(void *user, const store_residuals *row, scr_error *error);
/** Visits all rows of a study in the order of their numbers. */
scr_status store_study_residuals(job_store *store, int64_t id, store_residuals_visit visit, void *user, scr_error *error);

#endif
