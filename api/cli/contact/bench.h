/** `scree contact bench`: every solver on every problem of a folder. */
#ifndef SCREE_API_CLI_CONTACT_BENCH_H
#define SCREE_API_CLI_CONTACT_BENCH_H

#include "api/cli/command.h"
#include "contact/contact.h"

/** @param folder with problems (.hdf5, .h5, .txt)    @param options tolerance, limits, threads    @param out folder for profile.md and
 *  profile.svg, made when it is not there; NULL: the tables go to stdout */
cli_exit contact_bench(const cli_call *call, const char *folder, const contact_options *options, const char *out);

#endif
