/** Who submits jobs and studies by the command line, for people to find them by; nothing proves it. */
#ifndef SCREE_API_CLI_USER_NAME_H
#define SCREE_API_CLI_USER_NAME_H

#include "api/cli/command.h"
#include "api/cli/http_client.h"

enum { USER_QUERY_BYTES = 800 };

/** The parameter "user=NAME" of a path, escaped: the option --user, or else the login name; "" where there is none. What is longer than
 *  any user may be is cut, so that the server says so. */
void user_query(const cli_call *call, http_client *client, char query[USER_QUERY_BYTES]);

#endif
