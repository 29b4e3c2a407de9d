/** What a worker on another machine and the lab say to each other: two small files in the job's directory, which both can reach. They take
 *  the place of the control socket (control.h) where there is none.
 *
 *    orders.lab     written by the lab: the attempt that may write in this directory, and what it is to do
 *    signs.worker   written by the worker, again and again in place: its newest message, and in the end how it ended
 *
 *  Each is one record of fixed size with a checksum, written by one `pwrite` between opening and closing: on a network file system a reader
 *  that opens the file then sees it (close-to-open), and one that reads half of an old and half of a new record sees that the sum is wrong
 *  and reads again later. Both programs run on machines of the same byte order. Any thread. */
#ifndef SCREE_SERVER_CONTROL_FILE_H
#define SCREE_SERVER_CONTROL_FILE_H

#include <stdbool.h>

#include "server/worker/control.h"

/** What the lab wants of the attempt that holds the directory. */
typedef struct control_order {
  int64_t token; /**< of the attempt that may write; a worker of another ends at once, without writing */
  uint32_t kind; /**< 0: go on; CONTROL_STOP; CONTROL_CANCEL */
} control_order;

/** What a worker shows. */
typedef struct control_sign {
  int64_t token;        /**< of its attempt */
  uint64_t number;      /**< grows with every sign */
  int32_t ended;        /**< 1: this is its last sign, `exit_code` how it ends */
  int32_t exit_code;    /**< worker_exit_code */
  uint64_t peak_memory; /**< bytes */
  double cpu_seconds;
  char host[64]; /**< of the machine it runs on */
  control_message message;
} control_sign;

/** Replaces the order in a job's directory. @return 0 or an errno */
int control_order_write(const char *directory, const control_order *order);
/** @return whether there is a whole one */
bool control_order_read(const char *directory, control_order *order);

/** Replaces a worker's sign. @return 0 or an errno */
int control_sign_write(const char *directory, const control_sign *sign);
/** @return whether there is a whole one. Texts are terminated, numbers finite */
bool control_sign_read(const char *directory, control_sign *sign);

/** Ends texts and makes numbers finite: a worker is not trusted to. */
void control_message_clean(control_message *message);

#endif
