/** Files that a method makes beside the recording: problems of single steps, meshes, whatever other tools read.
 *
 *  A method never opens a file. It names one and says who writes it; whoever runs the simulation says where it comes to lie. A simulation
 *  that nobody runs in a folder has no place for files: they are left out, and nothing else changes. */
#ifndef SCREE_SIM_FILES_H
#define SCREE_SIM_FILES_H

#include <stdint.h>

#include "base/error.h"

enum { SIM_FILE_NAME_LENGTH = 96 };

/** Writes `what` to a path. The file there, if any, is replaced once the new one is whole. */
typedef scr_status sim_file_writer(const void *what, const char *path, scr_error *error);

/** Where files go. */
typedef struct sim_files {
  /** Has a file written in a place of the taker's choice. @param bytes receives its size    NULL: files are left out */
  scr_status (*take)(void *user, const char *name, sim_file_writer *writer, const void *what, uint64_t *bytes, scr_error *error);
  void *user;
} sim_files;

/** Makes a file about the step, in step only, so that a step done once more makes it once more, the same.
 *  @param name  "folder/file": small letters, digits, '_', '-' and '.', which neither begins with; shorter than SIM_FILE_NAME_LENGTH
 *  @param bytes receives its size; 0: it was left out
 *  @return SCR_OK; SCR_BAD_USAGE for a name that is none; SCR_IO; what the writer returned */
scr_status sim_write_file(const sim_files *files, const char *name, sim_file_writer *writer, const void *what, uint64_t *bytes,
                          scr_error *error);

#endif
