/** How a worker speaks with its lab: by the control socket it was started with, or, on another machine, by files in the job's directory
 *  (control_file.h). The worker's one thread alone. */
#ifndef SCREE_SERVER_CHANNEL_H
#define SCREE_SERVER_CHANNEL_H

#include "server/worker/control_file.h"

typedef struct worker_channel {
  int socket;                  /**< -1: none */
  const char *directory;       /**< of the files; NULL: none. Borrowed */
  int64_t token;               /**< of this attempt, with a directory */
  double next_sign, next_look; /**< when a file is written, and read, next; monotonic, s */
  control_sign sign;           /**< as written last */
} worker_channel;

typedef enum channel_order {
  CHANNEL_GO_ON,
  CHANNEL_STOP,
  CHANNEL_CANCEL,
  CHANNEL_LAB_GONE, /**< the other end of the socket is closed; files are never closed: jobs outlive their lab there */
  CHANNEL_REPLACED  /**< the directory belongs to another attempt: nothing may be written any more, this worker has to end at once */
} channel_order;

/** A channel with this socket, or with files in `directory` when that is not NULL. */
worker_channel channel_open(int socket, const char *directory, int64_t token);

/** Sends without waiting; by files at most twice a second, a newer message in place of an older. False: it could not be sent, which is
 * worth a line in the log. */
bool channel_send(worker_channel *self, const control_message *message);

/** What the lab wants; files are looked at twice a second at most. */
channel_order channel_read(worker_channel *self);

/** Sends the last message, with how this process ends. */
bool channel_end(worker_channel *self, const control_message *message, int exit_code);

#endif
