/* The only file that knows of MPI. */
#include "base/team/join.h"

#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

enum { TAG = 1, MOST_BYTES = 1 << 30 /* of a message: counts are int */ };

typedef struct mpi_team {
  scr_team team;
  MPI_Request *request; /* [capacity] */
  size_t capacity;
  int nowhere; /* /dev/null */
} mpi_team;

/* Waits for the others: for a while it looks all the time, then it sleeps between, as they may need this processor for what it waits for,
 * which MPI's own waiting would hold. */
static void await(MPI_Request *request, size_t count)
{
  enum { QUICK = 400, LONGEST = 200000 /* ns */ };
  struct timespec pause = {.tv_nsec = 5000};
  for (int tries = 0, done = 0;; tries++) {
    MPI_Testall((int)count, request, &done, MPI_STATUSES_IGNORE);
    if (done) return;
    if (tries < QUICK) continue;
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < LONGEST) pause.tv_nsec += pause.tv_nsec / 4;
  }
}

/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): await() waits for each */
static void sum(scr_team *team, int64_t *value, size_t count)
{
  MPI_Request request;
  (void)team;
  MPI_Iallreduce(MPI_IN_PLACE, value, (int)count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
  await(&request, 1);
}

static void largest(scr_team *team, double *value, size_t count)
{
  MPI_Request request;
  (void)team;
  MPI_Iallreduce(MPI_IN_PLACE, value, (int)count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
  await(&request, 1);
}

/* Begins the messages of parcels. @return how many requests there are now */
static size_t begin(mpi_team *self, const team_parcel *parcel, size_t count, bool sends, size_t requests)
{
  for (size_t k = 0; k < count; k++) {
    char *at = parcel[k].bytes;
    for (size_t left = parcel[k].size; left > 0;) {
      int some = (int)(left < MOST_BYTES ? left : MOST_BYTES);
      if (!mem_grow(&self->request, &self->capacity, requests + 1, sizeof *self->request)) MPI_Abort(MPI_COMM_WORLD, 1);
      MPI_Request *request = &self->request[requests++];
      if (sends)
        MPI_Isend(at, some, MPI_BYTE, (int)parcel[k].rank, TAG, MPI_COMM_WORLD, request);
      else
        MPI_Irecv(at, some, MPI_BYTE, (int)parcel[k].rank, TAG, MPI_COMM_WORLD, request);
      at += some;
      left -= (size_t)some;
    }
  }
  return requests;
}

static void exchange(scr_team *team, const team_parcel *send, size_t sends, const team_parcel *receive, size_t receives)
{
  mpi_team *self = (mpi_team *)(void *)team;
  size_t requests = begin(self, receive, receives, false, 0);
  requests = begin(self, send, sends, true, requests);
  for (size_t k = 0; k < requests; k += INT_MAX) await(self->request + k, requests - k < INT_MAX ? requests - k : INT_MAX);
}

static void broadcast(void *bytes, size_t size, unsigned from)
{
  MPI_Request request;
  MPI_Ibcast(bytes, (int)size, MPI_BYTE, (int)from, MPI_COMM_WORLD, &request);
  await(&request, 1);
}

/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */

static void gather(scr_team *team, const void *mine, size_t size, void *all, const size_t *sizes)
{
  char *at = all;
  for (unsigned r = 0; r < team->size; r++) {
    if (r == team->rank && size > 0) memcpy(at, mine, size);
    for (size_t done = 0; done < sizes[r]; done += MOST_BYTES)
      broadcast(at + done, sizes[r] - done < MOST_BYTES ? sizes[r] - done : MOST_BYTES, r);
    at += sizes[r];
  }
}

static void share(scr_team *team, void *bytes, size_t size)
{
  (void)team;
  broadcast(bytes, size, 0);
}

static void abandon(scr_team *team, int code)
{
  (void)team;
  MPI_Abort(MPI_COMM_WORLD, code);
}

/* Every rank speaks with every other once, so that all that MPI opens for it is open before a program gives up its right to files. */
static void introduce(scr_team *team)
{
  char byte[2] = {0, 0};
  for (unsigned q = 0; q < team->size; q++) {
    if (q == team->rank) continue;
    MPI_Sendrecv(byte, 1, MPI_BYTE, (int)q, TAG, byte + 1, 1, MPI_BYTE, (int)q, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

scr_team *team_join(int *argc, char ***argv)
{
  int level, rank, size;
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  sigaddset(&stops, SIGUSR1);
  prctl(PR_SET_TIMERSLACK, 1000UL);                              /* ns: naps are of microseconds */
  prctl(PR_SET_PDEATHSIG, SIGKILL);                              /* with mpirun, however that ends */
  sigprocmask(SIG_BLOCK, &stops, NULL);                          /* MPI's threads must not take what the program waits for */
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0); /* reading another process's memory is among the rights given up */
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);                /* others have work for the processors */
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);      /* an error ends the program */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mpi_team *self = mem_array(1, sizeof *self);
  if (!self || size > TEAM_MOST) {
    MPI_Abort(MPI_COMM_WORLD, 2);
    _Exit(2);
  }
  self->team = (scr_team){.rank = (unsigned)rank,
                          .size = (unsigned)size,
                          .sum = sum,
                          .largest = largest,
                          .exchange = exchange,
                          .gather = gather,
                          .share = share,
                          .abandon = abandon};
  self->nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  introduce(&self->team);
  return &self->team;
}

void team_leave(scr_team *team)
{
  mpi_team *self = (mpi_team *)(void *)team;
  if (self && self->nowhere >= 0)
    dup2(self->nowhere, STDERR_FILENO); /* it can't remove its files any more, and would say so; mpirun does */
  MPI_Finalize();
  if (self) mem_free(self->request);
  mem_free(self);
}
