/** Jobs whose scene says `run.ranks`: scree-worker starts mpirun with scree-worker-mpi and stays between the lab and rank 0.
 *
 *  mpirun closes the descriptors that it was started with, so rank 0 is spoken with by a socket in the job's directory, which is gone as
 * soon as it has come. What the lab orders, and a signal to stop, goes on to rank 0; what rank 0 says, to the lab. All end when this
 * process does, however it does. */
#ifndef SCREE_SERVER_WORKER_LAUNCH_H
#define SCREE_SERVER_WORKER_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

enum { LAUNCH_PATH = 4200, LAUNCH_WHY_BYTES = 240 };

/** Programs that start a run over several processes. */
typedef struct launch_programs {
  char mpirun[LAUNCH_PATH]; /**< or srun, within a job of Slurm */
  char worker[LAUNCH_PATH];
} launch_programs;

/** Finds them: mpirun in the PATH, scree-worker-mpi beside a program.
 *  @param beside  that program; NULL: this one    @param why  [LAUNCH_WHY_BYTES] for people, what is not there and what to do */
bool launch_find(const char *beside, launch_programs *programs, char *why);

/** The same within a job of Slurm: srun in the PATH. */
bool launch_find_engine(const char *beside, launch_programs *programs, char *why);

/** Processes that the scene of a job directory asks for, 1 ... 64; 1 where there is none to be read. */
unsigned launch_ranks(const char *directory);

/** Runs a job's directory over so many ranks.
 *  @param options  further options of scree-worker, ended by NULL, at most 24    @param threads  of all ranks together; each has one at
 * least
 *  @param control  the lab's socket; -1: none    @return the worker's exit code, 128 and its number for a signal */
int launch(const launch_programs *programs, const char *directory, unsigned ranks, unsigned threads, int control,
           const char *const *options);

/** The same within a job of Slurm: srun starts the ranks, on all of the job's nodes. Rank 0 speaks with the lab itself, by files; a signal
 * to stop goes to all ranks as USR1, at which they save a checkpoint and end.
 *  @param options  as above, --token among them    @return srun's exit code: the largest of the ranks', 128 and its number for a signal */
int launch_engine(const launch_programs *programs, const char *directory, unsigned ranks, unsigned threads, const char *const *options);

/** Of rank 0: connects to who started it. @return a socket that does not wait; -1 */
int launch_connect(const char *directory);

#endif
