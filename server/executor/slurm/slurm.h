/** Attempts as jobs of Slurm: the second implementation of executor.h. The job's directory is on a file system that all nodes share; worker
 *  and lab speak by files in it (server/worker/control_file.h), so a running job needs neither this program nor Slurm's controller.
 *
 *  Handles are "slurm:NAME" with NAME as in slurm_text.h, which is also the job's name and comment at Slurm. They follow from data
 * directory, job and attempt alone: what was sent is found again after a death at any moment, and is never sent twice.
 *
 *  Slurm never starts an attempt again by itself (--no-requeue): one that a time limit, a preemption or a node's failure ended goes back to
 *  the lab's queue and is sent as another attempt, which goes on from the checkpoint. An attempt that Slurm gave up but that lives on, on a
 *  node it lost, sees that the directory is another's and ends without writing; until then it holds the directory's lock.
 *
 *  Slurm's programs are run by a thread of its own, one at a time, with bounds on time and output. */
#ifndef SCREE_SERVER_SLURM_H
#define SCREE_SERVER_SLURM_H

#include "server/executor/executor.h"
#include "server/log/log.h"

typedef struct slurm_config {
  const char *data_directory; /**< absolute; holds slurm/lab, slurm/attempt.sh. Copied */
  unsigned threads;           /**< of all attempts together, as capacity */
  executor_options options;   /**< where a job gives none */
  double poll_seconds;        /**< between two looks at Slurm's queue, 0.1 to 600; longer where Slurm is slow */
  double signal_seconds;      /**< a worker is to save its checkpoint so long before its time limit, 1 to 65535 */
  event_log *log;             /**< borrowed; NULL: none */
} slurm_config;

/** @return SCR_OK; SCR_BAD_USAGE: Slurm's programs are not there, or an option is refused; SCR_IO, SCR_BAD_FILE: the files of the data
 *  directory; SCR_NO_MEMORY */
scr_status executor_slurm_create(const slurm_config *config, executor **out, scr_error *error);

#endif
