/** Recordings that a command is given: found, opened and checked. */
#ifndef SCREE_API_CLI_RECORDING_SOURCE_H
#define SCREE_API_CLI_RECORDING_SOURCE_H

#include "api/cli/command.h"
#include "scree.h"

/** Opens a recording.scree, or the one in a folder, reads all of it and tells what is missing. A damaged one is cut before its first
 *  damaged record.
 *  @param going_on receives whether a run is writing it now, so that its missing end is no fault
 *  @return CLI_DONE whatever was found, else what console_fail gave */
cli_exit recording_source_open(const cli_call *call, const char *word, scr_recording **recording, scr_check *check, bool *going_on);

/** How a command ends that did its work on it: CLI_DONE, or CLI_INCOMPLETE after saying what is missing. */
cli_exit recording_source_verdict(const cli_call *call, const scr_check *check, bool going_on);

#endif
