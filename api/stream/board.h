/** The board of job messages: the newest state of every job that changed lately, written out once for all viewers and at most five
 *  times a second per job. A viewer reads it in order of change from where it stopped; what changed twice meanwhile it sees once.
 *  Used by the stream's thread alone. */
#ifndef SCREE_API_STREAM_BOARD_H
#define SCREE_API_STREAM_BOARD_H

#include "server/lab.h"

enum { BOARD_LIMIT = 512 };

typedef struct board_entry {
  int64_t job;
  uint64_t change; /**< number of the change it shows; 0: none yet */
  int64_t published_us;
  bool pending; /**< something happened since */
  bool deleted;
  char *text; /**< the message, NULL before the first */
} board_entry;

typedef struct board {
  uint64_t changes; /**< number of the newest change */
  size_t count;
  board_entry entries[BOARD_LIMIT];
} board;

/** A job changed (or was deleted): its message is due. When the board is full the job that changed longest ago leaves it. */
void board_touch(board *b, int64_t job, bool deleted);

/** Writes out what is due. @return when to call again, microseconds; INT64_MAX: when touched */
int64_t board_publish(board *b, lab *the_lab, int64_t now_us);

/** The oldest change after `seen` that `wanted` accepts; NULL when there is none. Valid until the next call. */
const board_entry *board_next(const board *b, uint64_t seen, bool (*wanted)(const void *user, const board_entry *entry), const void *user);

void board_clear(board *b);

/** The message for one job as JSON text from malloc; NULL: no such job or no memory. */
char *board_job_text(lab *the_lab, int64_t id);

#endif
