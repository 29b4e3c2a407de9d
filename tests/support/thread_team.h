/** A team of threads of the test's own process in the place of MPI's ranks: cheap where ranks are more than processors, and without MPI. */
#ifndef SCREE_TESTS_SUPPORT_THREAD_TEAM_H
#define SCREE_TESTS_SUPPORT_THREAD_TEAM_H

#include "base/team/team.h"

/** Calls `work` in so many threads at once, each with its rank of one team, and waits for all. A rank that abandons the others ends the
 *  program. @param size 1 ... 16    @return how often work was shared out anew, as rank 0 counts */
unsigned team_of_threads(unsigned size, void (*work)(scr_team *team, void *user), void *user);

#endif
