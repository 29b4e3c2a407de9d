/** Measured curves that a server keeps, for `scree measured`. */
#ifndef SCREE_API_CLI_MEASURED_KEPT_H
#define SCREE_API_CLI_MEASURED_KEPT_H

#include "api/cli/http_client.h"
#include "server/study/measured/measured.h"

/** Whether the call is one of these: its first word is add, list, show or remove. */
bool measured_kept_is(const cli_call *call);

/** add NAME FILE..: uploads files, one for each specimen, and has the server keep two of their columns; list; show NAME: the mean as CSV;
 *  remove NAME... @param choice corrections; its columns are taken where --x, --y are given */
cli_exit measured_kept(const cli_call *call, const measured_choice *corrections);

/** The number of the kept curves of a name, or a number itself. @return CLI_DONE; CLI_BAD_USAGE: there are none, and that was said; as
 *  http_expect */
cli_exit measured_kept_find(const cli_call *call, http_client *client, const char *word, long long *id);

#endif
