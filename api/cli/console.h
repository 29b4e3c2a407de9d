/** What `scree` says: messages on stderr, results on stdout. */
#ifndef SCREE_API_CLI_CONSOLE_H
#define SCREE_API_CLI_CONSOLE_H

#include <jansson.h>

#include "api/cli/command.h"

/** Says why the command can't go on, as `scree: ...` on stderr and with --json also as `{"error": {"exit_code", "message"}}` on
 *  stdout. Returns `code`. */
cli_exit console_fail(const cli_call *call, cli_exit code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** A line on stderr, unless --quiet. */
void console_say(const cli_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** " --server URL" when the address was given to this command, else "": what a hint at another command must have behind it. */
typedef struct console_server {
  char text[600];
} console_server;
console_server console_hint_server(const cli_call *call);

/** Prints a JSON document to stdout and releases it. NULL counts as failed memory. Returns `code`, or CLI_FAILED when stdout
 *  can't be written. */
cli_exit console_json(json_t *document, cli_exit code);

/** CLI_FAILED and a message when something printed to stdout was lost (a full disk behind `>`), else `code`. To be returned by
 *  commands that print text. */
cli_exit console_flush(cli_exit code);

/** jansson's flags for documents that people read: indented, and with 17 digits, so that numbers are exactly the ones a server sends. */
#define CONSOLE_JSON_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(17))

#endif
