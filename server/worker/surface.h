/** scree-worker --surface: one surface file, made in a process of its own so that whatever it costs falls with it. */
#ifndef SCREE_SERVER_WORKER_SURFACE_H
#define SCREE_SERVER_WORKER_SURFACE_H

#include <stdint.h>

/** Longest file, bytes, and most processor time, s. Beyond them the process ends. */
enum { SURFACE_FILE_LIMIT = 256 << 20, SURFACE_CPU_SECONDS = 30 };

/** Writes the surface of frame number `frame` of DIRECTORY/recording.scree to standard output, as "stl" or "ply"; instead of it the reason,
 *  as one line, when there is none to be had. Standard output must be an empty file. @return a worker_exit_code */
int surface_make(const char *directory, const char *format, int64_t frame);

#endif
