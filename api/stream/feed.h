/** Recordings being watched: one reader per job, and per number of points that viewers want of it, shared by all those viewers. Used by the
 *  stream's thread alone.
 *
 *  The stream's thread never opens, scans or reads a file. A feed keeps, in memory, which records there are, by type; what it wants to
 *  know or to read goes as one task at a time to the readers (feed_task), and is taken over when that is done (feed_take_over). */
#ifndef SCREE_API_STREAM_FEED_H
#define SCREE_API_STREAM_FEED_H

#include "api/stream/readers.h"
#include "server/lab/lab.h"

enum {
  FEED_WANTED = 64,            /* records wanted at once */
  FEED_RUN_RECORDS = 64,       /* records read in one go from a wanted one on ... */
  FEED_RUN_BYTES = 256 * 1024, /* ... and their bytes */
  FEED_KEPT = 256,             /* records other than frames kept for the next viewer */
  FEED_KEPT_BYTES = 64 * 1024, /* a larger one is not kept */
  FEED_LOOK_US = 20000         /* between two looks at a growing recording */
};

/** One record, shared by the viewers it is being sent to. */
typedef struct stream_block {
  unsigned references;
  size_t *held; /**< counts the bytes of all blocks */
  uint64_t seq;
  size_t size; /**< bytes of header and padded payload */
  _Alignas(8) unsigned char bytes[];
} stream_block;

void block_release(stream_block *block); /**< NULL is fine */

/** A record to be read, and the types of those after it that will be wanted next. */
typedef struct feed_read {
  uint64_t seq;
  unsigned mask; /**< 0: none of those after it */
} feed_read;

typedef struct feed_source feed_source; /* the open recording; the task's while there is one */
typedef struct feed_task feed_task;

/** Seqs of one type, ascending. */
typedef struct seq_list {
  uint64_t *seqs;
  size_t count, capacity;
} seq_list;

/** All feeds, and what they share. */
typedef struct feed_set {
  lab *lab;
  struct feed *first;
  size_t held;        /**< bytes of all blocks */
  size_t limit;       /**< above which no more are read until some are released */
  size_t kept_limit;  /**< above which none are kept for the next viewer */
  bool limit_reached; /**< something was not read for the limit: look again when blocks were released */
} feed_set;

typedef struct feed {
  struct feed *next;
  feed_set *set;
  int64_t job;
  uint32_t points;     /**< most of each drawable in its frames (frame_visible_points); 0: all */
  unsigned viewers;    /**< subscriptions */
  feed_source *source; /**< NULL while a task has it */
  uint64_t asked;      /**< subscriptions made so far */
  uint64_t answered;   /**< of which so many can be answered, with: */
  lab_status status;   /**< LAB_OK, or why the job can't be followed, with `detail` */
  char detail[512];
  char *job_text;  /**< its job message */
  bool look;       /**< it is to look at the recording */
  int64_t look_us; /**< not before this time */
  uint64_t count;  /**< records */
  seq_list lists[SCR_RECORD_TYPE_COUNT];
  feed_read wanted[FEED_WANTED];
  size_t wanted_count;
  stream_block *kept[FEED_KEPT]; /**< read lately, by seq modulo FEED_KEPT */
  stream_block *frames[2];       /**< the newest frames read */
} feed;

/** The feed of a job, with frames of at most so many points of each drawable (0: all), for one more viewer: `asked` becomes its number, to
 *  be compared with `answered`. NULL: no memory. */
feed *feed_take(feed_set *set, int64_t job, uint32_t points);
/** One viewer less; the last one closes it, now or when its task is done. */
void feed_give(feed *f);
/** Keeps a feed open while its viewers may leave it, as if by one viewer more: until feed_give. */
void feed_hold(feed *f);

/** What the feed wants done, as a task for the readers; NULL when there is nothing, a task is under way, or it is too early
 *  (`*wait_until_us` is lowered to when it is not). */
reader_task *feed_make_task(feed *f, int64_t now_us, int64_t *wait_until_us);

/** Takes over what a task found.
 *  @return the feed, with its new records and answers; NULL when nobody follows it any more and it is gone */
feed *feed_take_over(feed_set *set, reader_task *base);

/** A record that the task read, as a new reference; NULL: it did not. `*failed` tells that it tried, `error` why it could not. */
stream_block *feed_task_block(const reader_task *base, uint64_t seq, bool *failed, scr_error *error);
bool feed_task_is(const reader_task *task); /**< whether a task is a feed's */
void feed_task_free(reader_task *base);     /**< with the source it has, if that was not taken over */

uint64_t feed_count(const feed *f);                             /**< records */
bool feed_ended(const feed *f);                                 /**< the `end` record is there */
uint64_t feed_next(const feed *f, uint64_t seq, unsigned mask); /**< the first record of these types after `seq`; 0: none */
uint64_t feed_newest(const feed *f, unsigned mask);             /**< the last one; 0: none */
size_t feed_between(const feed *f, uint64_t after, uint64_t before, unsigned type); /**< records of a type with after < seq < before */

/** A record as a new reference, when it is kept; else NULL, and it is read as soon as may be, with those of `mask` after it. */
stream_block *feed_block(feed *f, uint64_t seq, unsigned mask);

/** The newest frame that is kept, as a new reference; NULL when there is none after `seq`. */
stream_block *feed_newest_frame(feed *f, uint64_t seq);

#endif
