/* A team of one has nothing to do. */
#include "base/team/team.h"

#include <math.h>
#include <string.h>

void team_sum(scr_team *team, int64_t *value, size_t count)
{
  if (team && count) team->sum(team, value, count);
}

void team_largest(scr_team *team, double *value, size_t count)
{
  if (!team || !count) return;
  for (size_t k = 0; k < count; k++) value[k] = fmax(value[k], (double)-INFINITY); /* NaN is not known to compare */
  team->largest(team, value, count);
}

void team_sum_bits(scr_team *team, double *value, size_t count)
{
  int64_t bits[256];
  for (size_t from = 0, some; team && from < count; from += some) {
    some = count - from < 256 ? count - from : 256;
    memcpy(bits, value + from, some * sizeof *bits);
    team_sum(team, bits, some);
    memcpy(value + from, bits, some * sizeof *bits);
  }
}

int team_any(scr_team *team, int truth)
{
  double any = truth != 0;
  team_largest(team, &any, 1);
  return any > 0;
}

void team_exchange(scr_team *team, const team_parcel *send, size_t sends, const team_parcel *receive, size_t receives)
{
  if (team) team->exchange(team, send, sends, receive, receives);
}

void team_gather(scr_team *team, const void *mine, size_t size, void *all, const size_t *sizes)
{
  if (team)
    team->gather(team, mine, size, all, sizes);
  else if (size)
    memcpy(all, mine, size);
}

size_t team_sizes(scr_team *team, size_t size, size_t *sizes)
{
  size_t total = 0, each[TEAM_MOST];
  for (unsigned r = 0; r < team_size(team); r++) each[r] = sizeof size;
  team_gather(team, &size, sizeof size, sizes, each);
  for (unsigned r = 0; r < team_size(team); r++) total += sizes[r];
  return total;
}

void team_share(scr_team *team, void *bytes, size_t size)
{
  if (team) team->share(team, bytes, size);
}

void team_abandon(scr_team *team, int code)
{
  if (team) team->abandon(team, code);
}
