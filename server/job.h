/** A job, and what else is kept of it: the words that the lab and its store share. */
#ifndef SCREE_SERVER_JOB_H
#define SCREE_SERVER_JOB_H

#include "server/executor_options.h"
#include "scree.h"

typedef enum lab_job_state { JOB_QUEUED, JOB_RUNNING, JOB_PAUSED, JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED } lab_job_state;

/** "queued", "running", "paused", "succeeded", "failed", "cancelled". */
const char *lab_job_state_name(lab_job_state state);
bool lab_job_state_ended(lab_job_state state);

/** Sizes of what people write on a job, ending zero included. */
enum {
  LAB_NAME_BYTES = 64,
  LAB_TAGS_BYTES = 1024,
  LAB_NOTES_BYTES = 2048,
  LAB_USER_CHARACTERS = 64,
  LAB_USER_BYTES = 4 * LAB_USER_CHARACTERS + 1,
  LAB_TAG_LIMIT = 16,
  LAB_TAG_KEY_BYTES = 64,
  LAB_TAG_VALUE_BYTES = 256
};
enum { LAB_PRIORITY_LIMIT = 100, LAB_KEY_LIMIT = 255 };

enum { LAB_EXECUTOR_BYTES = 16, LAB_DEVICE_BYTES = 64 };

/** What reading a job's recording over found missing. */
typedef struct lab_damage {
  char message[480];         /**< for people; "": nothing was found missing */
  int64_t found_ms;          /**< when that was found first */
  uint64_t intact, expected; /**< records up to the first that is not whole; records there should be, 0: not known */
} lab_damage;

/** One job as the world sees it. Times are milliseconds since 1970 UTC, 0 when it has not happened. */
typedef struct lab_job {
  int64_t id; /**< 1, 2, 3, ... never reused */
  char name[LAB_NAME_BYTES], title[128], method[32];
  char tags[LAB_TAGS_BYTES];         /**< JSON object of texts, "{}" when there are none */
  char notes[LAB_NOTES_BYTES];       /**< UTF-8 */
  char user[LAB_USER_BYTES];         /**< who submitted it, as they said; nothing proves it; "": nobody said */
  int priority;                      /**< -LAB_PRIORITY_LIMIT to LAB_PRIORITY_LIMIT; larger ones run first */
  unsigned threads;                  /**< asked for; 0: the lab's share */
  unsigned ranks;                    /**< processes that share its run, as its scene says; 0: not known, of older jobs */
  char device[LAB_DEVICE_BYTES];     /**< that computes, as its scene says: "cpu", "auto", "gpu:0" */
  char executor[LAB_EXECUTOR_BYTES]; /**< where it runs: "local", "slurm" */
  executor_options options;
  lab_job_state state;
  char waiting[16]; /**< queued: what it waits for besides its turn: "" nothing, "disk" room on the disk */
  int64_t created_ms, started_ms, ended_ms;
  int attempt, max_attempts; /**< attempts begun; attempts allowed */
  bool cancel_requested;
  struct {
    uint64_t step, step_count;
    double sim_time, duration; /**< s */
    size_t headline_count;
    scr_headline headlines[SCR_HEADLINE_LIMIT]; /**< what its method declares; none before the run has begun */
    char stage[96];                             /**< label of the stage the run is in, "" when there is none or it does not run */
    double run_seconds, steps_per_second;
    double eta_seconds; /**< wall-clock to the end at the present pace, NaN when unknown */
    uint64_t last_seq;
  } progress;
  scr_estimate estimate;
  char error[768];    /**< why it failed or was retried last, "" otherwise */
  size_t doubt_count; /**< why a run that succeeded can't be fully trusted; 0: nothing speaks against it */
  scr_doubt doubts[SCR_DOUBT_LIMIT];
  uint64_t record_count;  /**< of a finished recording, 0: not known */
  char record_digest[80]; /**< of a finished recording, "" when it is not known */
  lab_damage damage;      /**< as of when its recording was last read over */
} lab_job;

/** A file that scenes may refer to. */
typedef struct lab_asset {
  char digest[SCR_ASSET_DIGEST_BYTES]; /**< SHA-256 of its bytes, which is its name */
  char name[128];                      /**< of the file that was uploaded, for people; UTF-8 */
  char media[64];                      /**< what its sender said it is, "model/stl"; "": nothing */
  uint64_t bytes;
  int64_t created_ms, used_ms; /**< first uploaded; last uploaded, or last needed by a job that was deleted since */
  size_t job_count;            /**< jobs that need it */
  size_t measured_count;       /**< specimens of measured curves that were read from it */
} lab_asset;

typedef struct lab_digest {
  char text[SCR_ASSET_DIGEST_BYTES];
} lab_digest;

/** In which order jobs are listed. Jobs with the same value are in the order of their numbers. */
typedef enum lab_order { LAB_BY_NUMBER, LAB_BY_NAME, LAB_BY_PRIORITY, LAB_BY_END } lab_order;
enum { LAB_ORDER_COUNT = LAB_BY_END + 1, LAB_QUERY_TAGS = 4, LAB_CURSOR_BYTES = 192 };

/** "created", "name", "priority", "ended". */
const char *lab_order_name(lab_order order);

/** Which jobs are wanted. Zeroed: all, oldest first. All is borrowed. */
typedef struct lab_query {
  unsigned states;    /**< bit 1 << lab_job_state of each wanted state; 0: all */
  const char *method; /**< NULL: all */
  const char *user;   /**< who submitted it, exactly; NULL: all */
  const char *text;   /**< words, each the beginning of a word of the name, title or notes; NULL: all */
  struct {
    const char *key, *value;
  } tags[LAB_QUERY_TAGS]; /**< all of them */
  size_t tag_count;
  lab_order order;
  bool descending;
  int64_t before;     /**< LAB_BY_NUMBER, descending, without a cursor: only ids below this; 0: from the newest */
  const char *cursor; /**< of the page before; NULL: the first page */
} lab_query;

/** What may be changed of a job at any time. NULL: as it is. All is borrowed. */
typedef struct lab_change {
  const char *name;    /**< 1 to 63 bytes of UTF-8 without control characters or '/' */
  const char *tags;    /**< JSON object of at most LAB_TAG_LIMIT texts, instead of all there were */
  const char *notes;   /**< at most 2047 bytes of UTF-8 */
  const int *priority; /**< -100 to 100 */
  const char *user;    /**< 1 to LAB_USER_CHARACTERS printable characters; only of a submission */
} lab_change;

/** One start of a job's worker. */
typedef struct lab_attempt {
  int number; /**< 1, 2, ...; those that did not count share the number of the next */
  int64_t started_ms, ended_ms;
  char outcome[16]; /**< "succeeded", "failed", "cancelled", "stopped", "disk_full", "died", "refused"; "" while it runs */
  char error[768];
  uint64_t peak_memory; /**< bytes, 0: not known */
  double cpu_seconds;
} lab_attempt;

/** Something that happened. */
typedef struct lab_happening {
  int64_t id, job, time_ms;
  /** "submitted", "started"; how an attempt ended: lab_attempt.outcome; what was asked for: "cancel", "pause", "resume", "change";
   *  "doubt"; "recording_damaged", "recording_sound"; "delete", all that stays of a deleted job */
  char type[24];
  char text[768];
} lab_happening;

#endif
