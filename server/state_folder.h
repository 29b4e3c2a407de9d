/** Files that Scree's programs keep for their user between runs: $XDG_STATE_HOME/scree, or .local/state/scree in the user's home. */
#ifndef SCREE_SERVER_STATE_FOLDER_H
#define SCREE_SERVER_STATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/** Path of a file there. @param name "servers/8080"    @param path [capacity]    @return false: the user has no home, or it is too long */
bool state_path(const char *name, char *path, size_t capacity);

/** Makes the folders above a path, for the user alone. @return whether they are there */
bool state_make_folders(const char *path);

#endif
