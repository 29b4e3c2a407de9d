/* Which commands there are. */
#include "api/cli/commands/command_table.h"

#include <string.h>

#include "api/cli/commands/commands.h"

static const cli_command *const commands[] = {
    &command_bench,    &command_check,   &command_run,       &command_submit,     &command_watch,   &command_jobs,      &command_log,
    &command_events,   &command_cancel,  &command_pause,     &command_resume,     &command_delete,  &command_fetch,     &command_link,
    &command_verify,   &command_assets,  &command_study,     &command_export,     &command_render,  &command_film,      &command_contact,
    &command_coarsen,  &command_devices, &command_measured,  &command_template,   &command_methods, &command_reference, &command_gallery,
    &command_sessions, &command_admin,   &command_executors, &command_completion, &command_manual,
};

const cli_command *cli_command_at(size_t index)
{
  return index < sizeof commands / sizeof commands[0] ? commands[index] : NULL;
}

const cli_command *cli_command_named(const char *name)
{
  const cli_command *command;
  for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
    if (strcmp(command->name, name) == 0) return command;
  return NULL;
}
