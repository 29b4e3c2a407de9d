/* Messages and results. stdout carries nothing but the result, so that it can be piped. */
#include "api/cli/console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

cli_exit console_flush(cli_exit code)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  fprintf(stderr, "scree: writing to stdout failed: %s\n", strerror(errno));
  return CLI_FAILED;
}

cli_exit console_json(json_t *document, cli_exit code)
{
  char *text = document ? json_dumps(document, CONSOLE_JSON_FLAGS) : NULL;
  json_decref(document);
  if (!text) {
    fprintf(stderr, "scree: no memory for the answer\n");
    return CLI_FAILED;
  }
  puts(text);
  free(text);
  return console_flush(code);
}

cli_exit console_fail(const cli_call *call, cli_exit code, const char *format, ...)
{
  char message[1600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fprintf(stderr, "scree: %s\n", message);
  if (call->json) {
    json_t *text = json_string(message);
    if (!text) text = json_string("the message is not valid UTF-8; see stderr");
    console_json(json_pack("{s:{s:i,s:o}}", "error", "exit_code", (int)code, "message", text), code);
  }
  return code;
}

void console_say(const cli_call *call, const char *format, ...)
{
  if (call->quiet) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

console_server console_hint_server(const cli_call *call)
{
  console_server hint = {""};
  if (call->server && *call->server) snprintf(hint.text, sizeof hint.text, " --server %s", call->server);
  return hint;
}
