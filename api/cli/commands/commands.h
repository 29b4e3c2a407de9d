/** Every command there is; each is defined in the file of its group. */
#ifndef SCREE_API_CLI_COMMANDS_H
#define SCREE_API_CLI_COMMANDS_H

#include "api/cli/command.h"

/* without a server */
extern const cli_command command_bench, command_check, command_run, command_export, command_methods, command_reference, command_gallery,
    command_completion, command_manual, command_contact, command_coarsen, command_template, command_measured, command_devices;
/* with one */
extern const cli_command command_submit, command_watch, command_jobs, command_cancel, command_pause, command_resume, command_delete,
    command_fetch, command_log, command_events, command_link, command_verify, command_assets, command_admin, command_sessions,
    command_executors, command_study, command_render, command_film;

#endif
