/** What a feed has done on a reader's thread: looking at its recording, asking the lab about its job, reading records. */
#ifndef SCREE_API_STREAM_FEED_TASK_H
#define SCREE_API_STREAM_FEED_TASK_H

#include "api/stream/feed.h"

feed_source *feed_source_new(lab *the_lab, int64_t job, uint32_t points); /**< NULL: no memory */
void feed_source_free(feed_source *source);

/** Asked by the stream's thread, answered by the reader's. */
struct feed_task {
  reader_task base;
  feed *feed; /**< not touched by the reader */
  feed_source *source;
  bool look, describe;
  uint64_t asked, known; /**< the feed's `asked` and `count` */
  feed_read reads[FEED_WANTED];
  size_t read_count;
  /* answers */
  lab_status status; /**< of the job */
  scr_error error;
  char *job_text;
  unsigned char *types; /**< [type_count] of the records after `known` */
  size_t type_count;
  stream_block **blocks; /**< [block_count] read, each with one reference, the task's */
  size_t block_count, block_capacity;
  uint64_t failed[FEED_WANTED]; /**< [failed_count] seqs that could not be read, the last one for `read_error` */
  size_t failed_count;
  scr_error read_error;
};

/** A task with everything the feed wants; it has the feed's source. NULL: no memory. */
reader_task *feed_task_new(feed *f, bool look, bool describe);

#endif
