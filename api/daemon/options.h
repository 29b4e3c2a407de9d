/** What screed was told: options of the command line, else of the environment (SCREE_PORT for --port), else defaults. */
#ifndef SCREE_API_DAEMON_OPTIONS_H
#define SCREE_API_DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum daemon_action { DAEMON_RUN, DAEMON_CHECK, DAEMON_HELP, DAEMON_VERSION } daemon_action;

typedef struct daemon_options {
  daemon_action action;
  const char *data;   /**< data directory */
  const char *listen; /**< address */
  const char *host;   /**< further names people reach it by, separated by commas; NULL: none */
  const char *worker; /**< path of scree-worker; NULL: beside screed itself */
  unsigned port;      /**< 0: any free one */
  unsigned slots;     /**< jobs at once */
  unsigned threads;   /**< per job; 0: cores / slots */
  unsigned max_attempts;
  unsigned viewers;                 /**< most WebSocket connections */
  unsigned connections;             /**< most HTTP connections */
  unsigned connections_per_address; /**< most of one address; 0: as api/http/listen/gate.h says */
  uint64_t total_memory;            /**< bytes of all runs together; 0: nine tenths of the machine's */
  unsigned total_threads;           /**< of all runs together; 0: slots * threads */
  unsigned queue;                   /**< most jobs waiting */
  uint64_t memory;                  /**< most bytes one run may need; 0: the default */
  uint64_t recording;               /**< most bytes one run's recording may be estimated to take; 0: the default */
  uint64_t disk_reserve;            /**< bytes; no new jobs while the disk has less free */
  double checkpoint_seconds;
  double lease_seconds;                                                        /**< a worker silent for longer is killed */
  double request_seconds;                                                      /**< longest time a request may take to arrive */
  double drain_seconds;                                                        /**< longest wait for workers on SIGTERM */
  uint64_t asset_bytes, asset_quota;                                           /**< of one asset and of all of a scene; of all together */
  double asset_days;                                                           /**< one that no job needs is kept so long; 0: for ever */
  double verify_days;                                                          /**< between two readings of a finished recording; 0: none */
  double slow_request_seconds;                                                 /**< a request that takes longer is logged */
  unsigned log_level;                                                          /**< a log_level */
  unsigned log_format;                                                         /**< a log_format */
  const char *executor;                                                        /**< names, with commas; NULL: local */
  unsigned slurm_jobs;                                                         /**< jobs at Slurm at once */
  const char *slurm_partition, *slurm_account, *slurm_constraint, *slurm_gres; /**< where a job gives none; NULL: none */
  double slurm_time;                                                           /**< s, likewise; 0: none */
  double slurm_poll_seconds, slurm_signal_seconds;
  bool allow_remote; /**< listen beyond loopback although what is said there can be read on the way */
  bool no_auth;      /**< ask nobody for a token */
  bool allow_network_filesystem;
} daemon_options;

/** Reads options. Texts point into argv and the environment.
 *  @param error all problems, a line each    @return SCR_OK, SCR_BAD_USAGE with what to write instead */
scr_status daemon_options_read(int argc, char *const *argv, daemon_options *options, scr_error *error);

/** The text of --help. */
const char *daemon_help(void);

#endif
