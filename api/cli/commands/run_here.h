/** Running a scene here into a folder, for the commands that do: `run`, `coarsen`. */
#ifndef SCREE_API_CLI_RUN_HERE_H
#define SCREE_API_CLI_RUN_HERE_H

#include "api/cli/command.h"
#include "api/cli/folder.h"
#include "api/cli/scene_source.h"

enum { RUN_FILE_LIMIT = 4 };

/** A file beside those of every run, for the list that the command prints. */
typedef struct run_file {
  const char *key;  /**< in the list of files of --json */
  const char *what; /**< for people */
  char path[FOLDER_PATH];
} run_file;

/** What is made once a run has succeeded. */
typedef struct run_more {
  /** Makes files. On failure says why. May be NULL. */
  cli_exit (*make)(const cli_call *call, void *user, const char *directory);
  void *user;
  size_t count;
  run_file files[RUN_FILE_LIMIT];
} run_more;

/** Checks the text, which may refer to files, and runs it with the command's options --output, --threads and --timeout. `more` may be NULL.
 *  @return how the command ends; everything has been said */
cli_exit run_here(const cli_call *call, const scene_source *source, run_more *more);

#endif
