/** Open recordings, kept for the next request: opening one may mean reading all of it, refreshing it is cheap. */
#ifndef SCREE_API_HTTP_READERS_H
#define SCREE_API_HTTP_READERS_H

#include "server/lab/lab.h"

typedef struct http_readers http_readers;

/** How closely a recording is looked at before it is handed out. */
typedef enum readers_care {
  READERS_LENGTH,    /**< whether an ended job's recording has as many records as it had at its end: costs nothing when it has */
  READERS_EVERY_BYTE /**< of an ended job, against all checksums and the digest; what was read before is not read again */
} readers_care;

/** A job's recording, handed out. */
typedef struct http_reader {
  int64_t id;
  scr_recording *recording; /**< NULL: nothing is recorded yet */
  bool ended;               /**< the job has: nothing will be added */
  bool verified;            /**< `check` is filled */
  scr_check check;          /**< SCR_DAMAGED: the recording is cut before the damage */
} http_reader;

http_readers *readers_create(void);
void readers_destroy(http_readers *readers);

/** A job's recording, refreshed, for this thread alone until it is given back.
 *  @return LAB_OK, LAB_NOT_FOUND (no such job), LAB_FAILED */
lab_status readers_take(http_readers *readers, lab *the_lab, int64_t id, readers_care care, http_reader *reader, scr_error *error);
/** Gives it back. */
void readers_give(http_readers *readers, http_reader *reader);

/** Closes what is kept of a job that is deleted; one that is in use is closed when it is given back. */
void readers_forget(http_readers *readers, int64_t id);

#endif
