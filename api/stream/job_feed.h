/** The feed of job messages: the newest state of every job that changed lately, written out once for all viewers and at most five
 *  times a second per job. A viewer reads it in order of change from where it stopped; what changed twice meanwhile it sees once.
 *  Used by the stream's thread alone; what costs time, asking the lab, is done elsewhere between job_feed_due and job_feed_answer.
 *
 *  Nothing that is to be told is dropped in silence: when the feed is full, a job whose message is out gives way, and a viewer that has
 *  not read that message yet finds out by job_feed_missed; when all are still to be told, everybody does. */
#ifndef SCREE_API_STREAM_JOB_FEED_H
#define SCREE_API_STREAM_JOB_FEED_H

#include "server/lab/lab.h"

enum { JOB_FEED_LIMIT = 4096, JOB_FEED_LOG = 2 * JOB_FEED_LIMIT, JOB_FEED_BUCKETS = JOB_FEED_LIMIT };

typedef struct job_feed_entry {
  int64_t job;     /**< 0: this place is free */
  uint64_t change; /**< number of the change it shows; 0: none yet */
  int64_t published_us;
  bool pending; /**< something happened since */
  bool asked;   /**< between job_feed_due and job_feed_answer */
  bool deleted;
  char *text;    /**< the message, NULL before the first */
  unsigned next; /**< place + 1 of the next one in its bucket or of the next free place; 0: none */
} job_feed_entry;

typedef struct job_feed {
  uint64_t changes;                   /**< number of the newest change */
  uint64_t forgotten;                 /**< changes up to here may be gone: job_feed_missed */
  size_t count, pending_count;        /**< jobs on it; those of them that are pending */
  size_t used;                        /**< places used at some time */
  unsigned free_place;                /**< place + 1 of the first free one below `used` */
  uint64_t tail;                      /**< no job shows a change below this one */
  unsigned buckets[JOB_FEED_BUCKETS]; /**< place + 1 of a bucket's first job */
  unsigned log[JOB_FEED_LOG];         /**< by change modulo JOB_FEED_LOG: the place whose change it was */
  job_feed_entry entries[JOB_FEED_LIMIT];
} job_feed;

/** A job changed (or was deleted): its message is due. */
void job_feed_touch(job_feed *b, int64_t job, bool deleted);

/** Picks jobs whose messages are due, for job_feed_answer; those of deleted jobs are written at once.
 *  @param jobs [capacity]   @param next receives when to call again, microseconds; INT64_MAX: when touched or answered
 *  @return how many */
size_t job_feed_due(job_feed *b, int64_t now_us, int64_t *jobs, size_t capacity, int64_t *next);

/** What the lab said of a job that job_feed_due picked. @param text its message from malloc, owned by the feed from here on; NULL: the job
 *  is gone, or, with `again`, it could not be told and is due again later */
void job_feed_answer(job_feed *b, int64_t job, char *text, bool again, int64_t now_us);

/** Whether changes after `seen` are gone: whoever has seen no more must ask for everything anew. */
bool job_feed_missed(const job_feed *b, uint64_t seen);

/** Makes everybody ask anew: it is not known which jobs changed. */
void job_feed_forget(job_feed *b);

/** The oldest change after `*seen` that `wanted` accepts, after which `*seen` is moved; NULL when there is none. Valid until the next call.
 *  */
const job_feed_entry *job_feed_next(const job_feed *b, uint64_t *seen, bool (*wanted)(const void *user, const job_feed_entry *entry),
                                    const void *user);

void job_feed_clear(job_feed *b);

/** The message for one job as JSON text from malloc; NULL: no such job (*status LAB_NOT_FOUND), or the store or memory failed. Any thread.
 *  */
char *job_feed_text(lab *the_lab, int64_t id, lab_status *status);

#endif
