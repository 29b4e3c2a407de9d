/** The files that a scene refers to by paths beside it, for the commands that run it here or send it away. */
#ifndef SCREE_API_CLI_SCENE_FILES_H
#define SCREE_API_CLI_SCENE_FILES_H

#include "api/cli/http_client.h"
#include "api/cli/scene_source.h"
#include "scree.h"

/** Keeps what a scene refers to in DIRECTORY/assets, named by digest, beside the scene.json that names it so. Says what fails. */
cli_exit scene_files_keep(const cli_call *call, const scr_scene *scene, const char *directory);

/** Uploads the files of a scene that the server lacks, and rewrites the scene's references to "sha256:...". A scene that refers to none is
 *  left as it is, as is text that can't be read: the server says what is wrong with it. */
cli_exit scene_files_upload(const cli_call *call, http_client *client, scene_source *source);

/** Uploads one file; `answer` receives what the server says of it, to be cleared. */
cli_exit scene_files_send(const cli_call *call, http_client *client, const char *name, const void *bytes, size_t size, http_answer *answer);

#endif
