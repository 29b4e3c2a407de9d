/** What Slurm's programs print, read; and what it means, in words. Pure functions of any bytes. */
#ifndef SCREE_SERVER_SLURM_TEXT_H
#define SCREE_SERVER_SLURM_TEXT_H

#include "server/executor/executor.h"

enum { SLURM_LAB_DIGITS = 16, SLURM_NAME_BYTES = 80 };

/** Whose job of the engine it is: "scree-LAB-JOB-TOKEN" is its name and its comment there. */
typedef struct slurm_name {
  char lab[SLURM_LAB_DIGITS + 1]; /**< hexadecimal digits, chosen once for a data directory */
  int64_t job, token;
} slurm_name;

void slurm_name_write(const slurm_name *name, char text[SLURM_NAME_BYTES]);
/** @return whether the whole of `text` [length] is one */
bool slurm_name_read(const char *text, size_t length, slurm_name *name);

typedef enum slurm_phase {
  SLURM_WAITING, /**< has not begun, or is held up */
  SLURM_RUNNING,
  SLURM_ENDING, /**< its processes are being ended */
  SLURM_OVER
} slurm_phase;

/** One line of `squeue -h -o SLURM_QUEUE_FORMAT`. */
#define SLURM_QUEUE_FORMAT "%A|%T|%N|%r|%j|%k"
typedef struct slurm_entry {
  int64_t id; /**< the engine's number */
  slurm_phase phase;
  char state[24];  /**< the engine's word: "PENDING" */
  char node[64];   /**< "" before it runs */
  char reason[96]; /**< the engine's word: "Resources"; printable ASCII */
  slurm_name name;
} slurm_entry;

/** @return whether the line is of a job of a lab: others, and what can't be understood, are passed over */
bool slurm_entry_read(const char *line, size_t length, slurm_entry *entry);

/** How a job that is over, ended, with `why` in words. */
executor_cause slurm_end_of(const slurm_entry *entry, char why[EXECUTOR_WHY_BYTES]);

/** Why a job waits, in a few words. @return whether it waits for ever, unless it or the engine is changed */
bool slurm_waiting_reason(const slurm_entry *entry, char words[EXECUTOR_REASON_BYTES]);

/** What sbatch's failure means. */
typedef enum slurm_refusal {
  SLURM_AWAY,   /**< the engine did not answer: the job may or may not have been taken */
  SLURM_LATER,  /**< it takes no more at present */
  SLURM_REFUSED /**< it will not take this one */
} slurm_refusal;
slurm_refusal slurm_refusal_of(const char *errors);

/** The number that `sbatch --parsable` prints, "17" or "17;cluster"; 0: none. */
int64_t slurm_number_read(const char *output);

/** One line of `sinfo -h -o SLURM_PARTITION_FORMAT`. */
#define SLURM_PARTITION_FORMAT "%P|%a|%l|%C|%D|%m"
bool slurm_partition_read(const char *line, size_t length, executor_partition *partition);

/** Whether `text` can be the name of a partition or an account, or, with `expression`, a constraint: no option, no blank, plain ASCII. */
bool slurm_word_is_plain(const char *text, bool expression);

#endif
