/* `scree`, the command line: the table of commands and what is common to all. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/commands/command_table.h"
#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "scree.h"

static void print_help(FILE *out)
{
  const cli_command *command;
  const char *text;
  fprintf(out, "Scree " SCR_VERSION ", a virtual test laboratory for matter made of pieces.\n\nusage: scree COMMAND ...\n\n");
  for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) fprintf(out, "  %-10s %s\n", command->name, command->summary);
  fprintf(out, "\n`scree COMMAND --help` explains one, with examples. A first try: scree run gallery:hollow-sphere-crush -o out\n\n"
               "Ends with:\n");
  for (size_t i = 0; (text = cli_exit_text(i)) != NULL; i++) {
    size_t digits = strcspn(text, " ");
    fprintf(out, "%5.*s%s\n", (int)digits, text, text + digits);
  }
}

static cli_exit print_version(bool json)
{
  if (json) return console_json(json_pack("{s:s, s:s}", "name", "scree", "version", SCR_VERSION), CLI_DONE);
  puts("scree " SCR_VERSION);
  return console_flush(CLI_DONE);
}

static cli_exit refuse_command(const char *name, bool json)
{
  cli_call call = {.json = json};
  if (*name == '-')
    return console_fail(&call, CLI_BAD_USAGE, "a command comes first: scree COMMAND [OPTIONS]; `scree --help` lists the commands");
  suggestion search = suggestion_start(name);
  const cli_command *command;
  for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) suggestion_consider(&search, command->name);
  return console_fail(&call, CLI_BAD_USAGE, "there is no command '%.60s'%s%s%s; `scree --help` lists the commands", name,
                      search.best ? " (did you mean '" : "", search.best ? search.best : "", search.best ? "'?)" : "");
}

static bool any_is(int count, char *const *words, const char *wanted)
{
  for (int i = 0; i < count; i++)
    if (strcmp(words[i], wanted) == 0) return true;
  return false;
}

/* Threads of a run that wait for each other spin for some tens of microseconds, then sleep: small scenes have many short loops, and waking
 * up takes longer than most of them; longer spins take minutes from others who use the processors too. OpenMP's library reads that when the
 * program is loaded: so set it and begin again. When that can't be, the run is only slower. The same numbers as for workers
 * (server/executor/worker_process.c, with measurements). */
static void begin_with_patient_threads(char **arguments)
{
  if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 1) != 0) return;
  setenv("GOMP_SPINCOUNT", "3000", 0);
  execv("/proc/self/exe", arguments);
}

int main(int count, char **arguments)
{
  const char *name = count > 1 ? arguments[1] : "";
  mem_return_large();
  if (strcmp(name, "--version") == 0) return (int)print_version(any_is(count, arguments, "--json"));
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    const cli_command *about = count > 2 ? cli_command_named(arguments[2]) : NULL;
    if (about)
      cli_command_help(about, stdout);
    else
      print_help(stdout);
    return (int)console_flush(CLI_DONE);
  }
  const cli_command *command = cli_command_named(name);
  if (!command) {
    if (*name) return (int)refuse_command(name, any_is(count, arguments, "--json"));
    print_help(stderr);
    return CLI_BAD_USAGE;
  }
  cli_call call;
  char message[512];
  if (!cli_call_read(command, count - 2, arguments + 2, &call, message, sizeof message)) {
    call.json = any_is(count, arguments, "--json");
    return (int)console_fail(&call, CLI_BAD_USAGE, "%s", message);
  }
  if ((command == &command_run || command == &command_bench) && !call.help) begin_with_patient_threads(arguments);
  if (!call.help) return (int)command->run(&call);
  cli_command_help(command, stdout);
  return (int)console_flush(CLI_DONE);
}
