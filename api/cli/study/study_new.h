/** `scree study new`: a study file from a base scene and a few words. */
#ifndef SCREE_API_CLI_STUDY_STUDY_NEW_H
#define SCREE_API_CLI_STUDY_STUDY_NEW_H

#include "api/cli/command.h"

/** Makes the study that the call describes, checks it as the service does (its first and last row's scenes too), and prints it or writes it
 *  to --output. Needs no server. @return CLI_DONE, CLI_BAD_USAGE, CLI_REFUSED (what is wrong was said), CLI_FAILED */
cli_exit study_new(const cli_call *call);

#endif
