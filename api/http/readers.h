/** Open recordings, kept for the next request: opening one may mean reading all of it, refreshing it is cheap. */
#ifndef SCREE_API_HTTP_READERS_H
#define SCREE_API_HTTP_READERS_H

#include "server/lab.h"

typedef struct http_readers http_readers;

http_readers *readers_create(void);
void readers_destroy(http_readers *readers);

/** A job's recording, refreshed, for this thread alone until it is given back.
 *  @param recording receives it, or NULL on LAB_OK when nothing is recorded yet
 *  @return LAB_OK, LAB_NOT_FOUND (no such job), LAB_FAILED */
lab_status readers_take(http_readers *readers, lab *the_lab, int64_t id, scr_recording **recording, scr_error *error);
/** Gives it back; NULL is fine. */
void readers_give(http_readers *readers, int64_t id, scr_recording *recording);

/** Closes what is kept of a job that is deleted. */
void readers_forget(http_readers *readers, int64_t id);

#endif
