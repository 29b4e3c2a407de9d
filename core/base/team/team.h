/** Processes that share one run: ranks 0 ... size - 1 of the same program on the same scene, which all call these functions in the same
 *  order. NULL is the team of one.
 *
 *  What a team adds is whole numbers (see exact.h) or largest values, so that results never depend on who is in it. An error of
 *  communication ends all of them: none can go on without the others. */
#ifndef SCREE_BASE_TEAM_TEAM_H
#define SCREE_BASE_TEAM_TEAM_H

#include <stddef.h>
#include <stdint.h>

enum { TEAM_MOST = 1024 /**< ranks */ };

typedef struct scr_team scr_team;

/** Bytes for another rank, or from it. */
typedef struct team_parcel {
  unsigned rank;
  void *bytes;
  size_t size;
} team_parcel;

/** How a team's members talk, for whoever makes one. */
struct scr_team {
  unsigned rank, size;
  unsigned moves; /**< how often work was shared out anew, for whoever wants to know; counted by the method */
  void (*sum)(scr_team *team, int64_t *value, size_t count);
  void (*largest)(scr_team *team, double *value, size_t count);
  void (*exchange)(scr_team *team, const team_parcel *send, size_t sends, const team_parcel *receive, size_t receives);
  void (*gather)(scr_team *team, const void *mine, size_t size, void *all, const size_t *sizes);
  void (*share)(scr_team *team, void *bytes, size_t size);
  void (*abandon)(scr_team *team, int code);
};

static inline unsigned team_rank(const scr_team *team)
{
  return team ? team->rank : 0;
}

static inline unsigned team_size(const scr_team *team)
{
  return team ? team->size : 1;
}

/** Every value becomes the sum of all ranks'. */
void team_sum(scr_team *team, int64_t *value, size_t count);
/** Every value becomes the largest of all ranks'; NaN is passed over. */
void team_largest(scr_team *team, double *value, size_t count);
/** Every value becomes that of the one rank which has it, where all others have 0.0. */
void team_sum_bits(scr_team *team, double *value, size_t count);
/** Whether any rank says so. */
int team_any(scr_team *team, int truth);
/** Sends and receives at once. At most one parcel each way between two ranks, whose sizes agree; none to itself. */
void team_exchange(scr_team *team, const team_parcel *send, size_t sends, const team_parcel *receive, size_t receives);
/** All ranks get the bytes of all, those of rank 0 first. @param sizes [size of the team] of each, as team_sizes has them */
void team_gather(scr_team *team, const void *mine, size_t size, void *all, const size_t *sizes);
/** All ranks get the sizes of all. @param sizes [size of the team] set    @return their sum */
size_t team_sizes(scr_team *team, size_t size, size_t *sizes);
/** All ranks get rank 0's bytes. */
void team_share(scr_team *team, void *bytes, size_t size);
/** Ends all ranks at once, with this exit code: for what one of them can't get over. Returns for the team of one alone. */
void team_abandon(scr_team *team, int code);

#endif
