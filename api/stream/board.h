/** The board of job messages: the newest state of every job that changed lately, written out once for all viewers and at most five
 *  times a second per job. A viewer reads it in order of change from where it stopped; what changed twice meanwhile it sees once.
 *  Used by the stream's thread alone; what costs time, asking the lab, is done elsewhere between board_due and board_answer.
 *
 *  Nothing that is to be told is dropped in silence: when the board is full, a job whose message is out gives way, and a viewer that has
 *  not read that message yet finds out by board_missed; when all are still to be told, everybody does. */
#ifndef SCREE_API_STREAM_BOARD_H
#define SCREE_API_STREAM_BOARD_H

#include "server/lab.h"

enum { BOARD_LIMIT = 4096, BOARD_LOG = 2 * BOARD_LIMIT, BOARD_BUCKETS = BOARD_LIMIT };

typedef struct board_entry {
  int64_t job;     /**< 0: this place is free */
  uint64_t change; /**< number of the change it shows; 0: none yet */
  int64_t published_us;
  bool pending; /**< something happened since */
  bool asked;   /**< between board_due and board_answer */
  bool deleted;
  char *text;    /**< the message, NULL before the first */
  unsigned next; /**< place + 1 of the next one in its bucket or of the next free place; 0: none */
} board_entry;

typedef struct board {
  uint64_t changes;                /**< number of the newest change */
  uint64_t forgotten;              /**< changes up to here may be gone: board_missed */
  size_t count, pending_count;     /**< jobs on it; those of them that are pending */
  size_t used;                     /**< places used at some time */
  unsigned free_place;             /**< place + 1 of the first free one below `used` */
  uint64_t tail;                   /**< no job shows a change below this one */
  unsigned buckets[BOARD_BUCKETS]; /**< place + 1 of a bucket's first job */
  unsigned log[BOARD_LOG];         /**< by change modulo BOARD_LOG: the place whose change it was */
  board_entry entries[BOARD_LIMIT];
} board;

/** A job changed (or was deleted): its message is due. */
void board_touch(board *b, int64_t job, bool deleted);

/** Picks jobs whose messages are due, for board_answer; those of deleted jobs are put up at once.
 *  @param jobs [capacity]   @param next receives when to call again, microseconds; INT64_MAX: when touched or answered
 *  @return how many */
size_t board_due(board *b, int64_t now_us, int64_t *jobs, size_t capacity, int64_t *next);

/** What the lab said of a job that board_due picked. @param text its message from malloc, owned by the board from here on; NULL: the job is
 *  gone, or, with `again`, it could not be told and is due again later */
void board_answer(board *b, int64_t job, char *text, bool again, int64_t now_us);

/** Whether changes after `seen` are gone: whoever has seen no more must ask for everything anew. */
bool board_missed(const board *b, uint64_t seen);

/** Makes everybody ask anew: it is not known which jobs changed. */
void board_forget(board *b);

/** The oldest change after `*seen` that `wanted` accepts, after which `*seen` is moved; NULL when there is none. Valid until the next call. */
const board_entry *board_next(const board *b, uint64_t *seen, bool (*wanted)(const void *user, const board_entry *entry), const void *user);

void board_clear(board *b);

/** The message for one job as JSON text from malloc; NULL: no such job (*status LAB_NOT_FOUND), or the store or memory failed. Any thread. */
char *board_job_text(lab *the_lab, int64_t id, lab_status *status);

#endif
