/** The table of all commands, in the order in which the help lists them. */
#ifndef SCREE_API_CLI_COMMAND_TABLE_H
#define SCREE_API_CLI_COMMAND_TABLE_H

#include "api/cli/command.h"

/** Command number `index`, NULL past the last. */
const cli_command *cli_command_at(size_t index);

/** The command of this name, NULL if there is none. */
const cli_command *cli_command_named(const char *name);

#endif
