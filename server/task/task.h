/** What the lab asks of its task processes: work on something that a client sent, whose cost nobody knows before. A task process is
 *  `scree-worker --tasks ASSETS`: it answers one request after another on descriptor CONTROL_FD, a stream socket, until the other end is
 *  gone, within limits on memory and on the processor time of each request.
 *
 *  Request and answer are a task_head and a parcel (parcel.h). What is in it:
 *
 *    TASK_CHECK      asked: limits (block), scene (block)
 *                    answered: problems; of a sound scene: effective, name, title, method (texts), estimate (block), ranks (number),
 *                    device (block), whether ranks can share it (number), warnings (problems), how many assets (number), their digests
 *                    (blocks)
 *    TASK_TEMPLATE   asked: limits, scene, name of the specimen (text; NULL: the first)
 *                    answered: problems; where all went well: JSON (text), vertices, triangles, fields (blocks), modes (number)
 *    TASK_PICTURE    asked: limits, scene
 *                    answered: problems; where all went well: records (block)
 *    TASK_PREVIEW    asked: digest of an asset (text), most triangles (number)
 *                    answered, where all went well: kind (text), grains, whole count (numbers), vertices, triangles, parts, low, high,
 *                    volume (blocks), problems
 *
 *  Every answer's first value is the error's message (text); an answer of no bytes says that there was no memory for one. */
#ifndef SCREE_SERVER_TASK_TASK_H
#define SCREE_SERVER_TASK_TASK_H

#include <stdint.h>

enum {
  TASK_VERSION = 1,
  TASK_CPU_SECONDS = 20,         /**< of the processor, for one request */
  TASK_PATIENCE_MS = 60000,      /**< by the clock, for one request */
  TASK_FILE_LIMIT = 128 << 20,   /**< bytes of an asset that is looked at */
  TASK_PICTURE_LIMIT = 32 << 20, /**< bytes of a scene's picture */
  TASK_BODY_LIMIT = 512 << 20    /**< bytes of one message */
};

typedef enum task_kind { TASK_CHECK = 1, TASK_TEMPLATE, TASK_PREVIEW, TASK_PICTURE } task_kind;

/** Before each message. */
typedef struct task_head {
  uint32_t version; /**< TASK_VERSION */
  uint32_t kind;    /**< task_kind of a request, scr_status of an answer */
  uint64_t size;    /**< bytes behind it */
} task_head;

/** Answers requests until the other end of `socket` is gone. Of files it reads those of the directory `assets` only.
 *  @return 0, or 1 where the other end sends something else than requests */
int task_serve(int socket, const char *assets);

#endif
