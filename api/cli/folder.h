/** Result folders: made with their parents, filled with what is derived from a recording. */
#ifndef SCREE_API_CLI_FOLDER_H
#define SCREE_API_CLI_FOLDER_H

#include "api/cli/command.h"

enum { FOLDER_PATH = 4096 };

/** `directory/name` into `path` [FOLDER_PATH]; false when it is too long. */
bool folder_path(const char *directory, const char *name, char *path);

/** Makes a directory and its parents; one that is there is fine. Otherwise says why and returns CLI_FAILED. */
cli_exit folder_make(const cli_call *call, const char *directory);

/** Writes curves.csv and plot.svg from directory/recording.scree. A recording without samples gives none, and that is said. */
cli_exit folder_write_results(const cli_call *call, const char *directory);

/** Names the files in a folder that a run or a fetch leaves, on stdout. */
void folder_report(const char *directory);

#endif
