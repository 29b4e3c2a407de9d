/** `scree study plot`: figures of a study for a paper, as SVG. */
#ifndef SCREE_API_CLI_STUDY_STUDY_PLOT_H
#define SCREE_API_CLI_STUDY_STUDY_PLOT_H

#include "api/cli/http_client.h"

/** Draws what --kind says of the study that the call's second word names, and prints it or writes it to --output. */
cli_exit study_plot(const cli_call *call, http_client *client);

#endif
