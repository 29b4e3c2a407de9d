/** Where a SCENE argument's text comes from: a file, `-` for stdin, or `gallery:NAME`. */
#ifndef SCREE_API_CLI_SCENE_SOURCE_H
#define SCREE_API_CLI_SCENE_SOURCE_H

#include <stddef.h>

#include "api/cli/command.h"
#include "scree.h"

/** How SCENE is explained in the help of the commands that take one. */
#define CLI_SCENE_HELP "SCENE is a file, `-` for stdin, or `gallery:NAME` (see `scree gallery`)."

enum { SCENE_FOLDER_BYTES = 4096 };

/** Scene text, not checked in any way. */
typedef struct scene_source {
  char *text;    /**< [length], followed by a zero byte; freed by scene_source_clear */
  size_t length; /**< bytes */
  char folder[SCENE_FOLDER_BYTES],
      store[SCENE_FOLDER_BYTES + 8]; /**< where files beside it are, and assets by their digests; "": nowhere */
} scene_source;

/** Reads the text. On CLI_BAD_USAGE or CLI_FAILED the reason has been said and `source` is empty. */
cli_exit scene_source_read(const cli_call *call, const char *word, scene_source *source);
/** Where the files that it refers to are read from. Valid as long as `source` stays where it is. */
scr_asset_source scene_source_files(const scene_source *source);

void scene_source_clear(scene_source *source);

#endif
