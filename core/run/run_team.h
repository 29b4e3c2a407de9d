/** A run that several processes share. */
#ifndef SCREE_RUN_TEAM_H
#define SCREE_RUN_TEAM_H

#include "base/team/team.h"
#include "scree.h"

/** As scr_run, by all ranks of a team at once, each with the same scene and options; NULL: scr_run. Rank 0 has the directory's files, and
 *  its caller is asked and told; the others' status is only whether they could go on. The recording is that of one rank, byte for byte.
 *  When a rank fails for a reason of its own (memory, a full disk), the others wait for it: it has to end the team (team_abandon). */
scr_status run_with_team(scr_team *team, const scr_scene *scene, const scr_run_options *options, scr_error *error);

#endif
