/** `scree bench ranks`: what ranks gain on this machine. */
#ifndef SCREE_CLI_BENCH_FIT_H
#define SCREE_CLI_BENCH_FIT_H

#include "api/cli/command.h"

/** Times cubes of several sizes on 1, 2, 4, ... ranks, fits the model of sim/sharing.h and keeps it (server/machine.h). */
cli_exit bench_fit_ranks(const cli_call *call);

#endif
