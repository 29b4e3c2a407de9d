/** A fresh temporary folder for one test, removed with all in it, and whole files of it. */
#ifndef SCREE_TESTS_SUPPORT_FOLDER_H
#define SCREE_TESTS_SUPPORT_FOLDER_H

#include <stddef.h>

/** Makes a folder below $TMPDIR or /tmp and returns its path, to be given to folder_remove. Ends the test program when it can't. */
char *folder_create(void);

/** Removes the folder and frees its path. NULL is fine. */
void folder_remove(char *folder);

/** PATH/NAME in a new string. */
char *folder_path(const char *folder, const char *name);

/** Reads and writes a whole file; the test fails where it can't. @param bytes receives memory to be freed @return the file's size */
size_t file_read(const char *path, unsigned char **bytes);
void file_write(const char *path, const void *bytes, size_t size);

#endif
