/** Recordings being watched: one reader per job, shared by all its viewers. Used by the stream's thread alone. */
#ifndef SCREE_API_STREAM_FEED_H
#define SCREE_API_STREAM_FEED_H

#include "server/lab.h"

/** One record, shared by the viewers it is being sent to. */
typedef struct stream_block {
  unsigned references;
  uint64_t seq;
  size_t size; /**< bytes of header and padded payload */
  _Alignas(8) unsigned char bytes[];
} stream_block;

void block_release(stream_block *block); /**< NULL is fine */

typedef struct feed {
  struct feed *next;
  int64_t job;
  unsigned viewers;         /**< subscriptions */
  scr_recording *recording; /**< NULL until something is recorded */
  stream_block *recent[2];  /**< read last: the newest frame and the newest other record */
  char path[];              /**< of the recording */
} feed;

/** The feed of a job, for one more viewer. @param feeds head of the list    @return LAB_OK, LAB_NOT_FOUND, LAB_FAILED */
lab_status feed_take(feed **feeds, lab *the_lab, int64_t job, feed **out, scr_error *error);
/** One viewer less; the last one closes it. */
void feed_give(feed **feeds, feed *f);

/** Takes notice of what was recorded since. A recording that can't be read stays as it was known. */
void feed_refresh(feed *f);

uint64_t feed_count(const feed *f);                             /**< records */
bool feed_ended(const feed *f);                                 /**< the `end` record is there */
uint64_t feed_next(const feed *f, uint64_t seq, unsigned mask); /**< as scr_recording_next; 0 when nothing is recorded */
uint64_t feed_newest(const feed *f, unsigned mask);
unsigned feed_type(const feed *f, uint64_t seq); /**< scr_record_type of a record that is there, else 0 */

/** Reads a record; the caller releases it. NULL: it can't be read, `error` says why. */
stream_block *feed_read(feed *f, uint64_t seq, scr_error *error);

#endif
